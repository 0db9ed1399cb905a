#include "study/observed_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/unit_text.hpp"
#include "model/figures.hpp"
#include "resolve/assumptions.hpp"

namespace feedrate::study {
namespace {

constexpr double least_tolerance = 0.05;
/// A rate that nothing here comes near to: the copy or the read takes no time of its own.
constexpr Bandwidth at_once = gigabytes(1e6) / seconds(1.0);
constexpr Bytes all_of_it = gigabytes(1e6);

class Maker {
 public:
  explicit Maker(const ObservedJob& job) : job_(job) {}

  ObservedScenario made() {
    Scenario& s = out_.scenario;
    s.name = "observed job";
    s.about.source = "feedrate observe fit " + job_.source;
    machine();
    loader();
    step();
    demands();
    dataset();
    cases();
    for (const ObservedInput& input : out_.inputs) {
      s.about.fitted.push_back(fmt::format("{} = {}: {}", input.pointer, input.text, input.origin));
      const double error = rounded(input.relative_error, 3);
      if (error >= 1e-4 && error <= 1.0) s.errors[input.pointer] = error;
    }
    std::string unseen;
    for (const Unseen& one : out_.unseen) {
      unseen +=
          fmt::format("{}{}: {}", unseen.empty() ? "Not seen: " : "; ", one.what, one.instead);
    }
    for (const std::string& note : job_.notes) {
      unseen += fmt::format("{}{}", unseen.empty() ? "" : "; ", note);
    }
    s.about.expectation = unseen;
    return std::move(out_);
  }

 private:
  std::string origin(const ObservedNumber& number) const {
    if (number.what == "told") return "told on the command line";
    std::string text =
        fmt::format("observed: {:.0f} {} of {}", number.count, number.what, job_.source);
    if (number.relative_error >= 1e-4) {
      text += fmt::format(", ± {:.2g} %", 100.0 * number.relative_error);
    }
    return text;
  }
  void input(const std::string& pointer, const std::string& text, const ObservedNumber& number,
             const std::string& how = "") {
    out_.inputs.push_back({pointer, text, origin(number) + how, number.relative_error});
  }
  void unseen(std::string what, std::string instead) {
    out_.unseen.push_back({std::move(what), std::move(instead)});
  }

  void machine() {
    Cluster& c = out_.scenario.cluster;
    c.gpus_per_instance = job_.gpus;
    if (!job_.instance.empty()) {
      c.instance = job_.instance;
    } else {
      c.price = HourlyPrice{};
      unseen("what the machine costs", "0 USD/h; set /cluster/instance or /cluster/price");
      if (job_.cpus) c.vcpus = job_.cpus;
      if (!job_.cpus) {
        c.vcpus = job_.gpus * (job_.workers + 1.0);
        unseen("CPUs", "one for each process of the job");
      }
      if (job_.memory) c.memory = job_.memory;
    }
    if (job_.startup && job_.startup->base() > 0.0) {
      out_.scenario.job.startup = seconds(rounded(job_.startup->base()));
      out_.inputs.push_back({"/job/startup", format_quantity(*out_.scenario.job.startup),
                             "observed: what came before the first epoch", 0.0});
    }
  }

  void loader() {
    Loader& l = out_.scenario.loader;
    l.num_workers = WorkerCount(job_.workers);
    l.batch_size = job_.batch_size;
    l.collate = DurationPerByte{};
    l.persistent_workers = true;
    unseen("prefetch_factor", "2, PyTorch's default");
    unseen("whether workers live on between epochs", "they do");
  }

  /// Whether the job waits for batches that are not there, as far as it can be seen.
  [[nodiscard]] std::optional<bool> starved() const {
    if (const auto share = job_.wait_share()) return *share - constant_share() > waits_for_loader;
    if (job_.gpu_busy) return job_.gpu_busy->value < 0.9;
    return std::nullopt;
  }
  /// Of the interval, what copies and the hand-over make each step wait.
  [[nodiscard]] double constant_share() const {
    if (!job_.least_wait) return 0.0;
    double known = 0.0;
    if (job_.copy_time) known += job_.copy_time->value;
    if (job_.main_cpu) known += job_.main_cpu->value * job_.batch_size;
    return std::min(*job_.least_wait, known) / job_.interval.value;
  }

  void step() {
    Job& j = out_.scenario.job;
    Cluster& c = out_.scenario.cluster;
    // The loop's own times are seen one after the other, so that is how they are added up.
    j.asynchronous_step = false;
    ObservedNumber step = job_.interval;
    std::string how;
    const bool waits = starved().value_or(false);
    double copy = 0.0;
    double handover = 0.0;
    if (job_.wait) {
      step.value = job_.interval.value - job_.wait->value;
      how = ", the interval without the wait for the batch";
      const double least = *job_.least_wait;
      copy = job_.copy_time && !job_.copied_bytes ? std::min(job_.copy_time->value, least) : 0.0;
      const double work = job_.main_cpu ? job_.main_cpu->value * job_.batch_size : 0.0;
      handover = waits ? std::min(work, least - copy) : job_.wait->value - copy;
      if (waits) {
        unseen("how much of the step hides behind the wait, as a GPU's queue does",
               "nothing; a loop that does not wait for its GPU has a longer step than this");
      }
    } else if (job_.gpu_busy && waits) {
      step.value = job_.gpu_busy->value * job_.interval.value;
      step.relative_error = std::hypot(step.relative_error, job_.gpu_busy->relative_error);
      how = ", its interval times the GPU's utilisation: the most that a step can take";
      unseen("the step's own time, for no step was marked",
             "the bound that the GPU's "
             "utilisation gives");
    } else {
      unseen("the wait for batches",
             job_.gpu_busy ? "none: the GPU is busy" : "none: the GPU is the limit");
    }
    if (step.value <= 0.0) {
      step.value = 1e-6;
      unseen("a step beside the wait", "1 µs");
    }
    step.value = rounded(step.value);
    Step made;
    made.fixed = seconds(step.value);
    constexpr double least_cv = 1e-3;  // less is rounding
    if (job_.step_cv && *job_.step_cv > least_cv)
      made.cv = rounded(std::min(1.0, *job_.step_cv), 3);
    j.step = made;
    input("/job/step/fixed", format_quantity(seconds(step.value)), step, how);
    out_.scenario.loader.handover = seconds(rounded(std::max(0.0, handover)));
    if (handover > 0.0) {
      input("/loader/handover", format_quantity(*out_.scenario.loader.handover), job_.interval,
            waits ? ", the main process's CPU" : ", what every step waits");
    }
    c.copy_latency = seconds(rounded(copy));
    c.pinned_bandwidth = c.pageable_bandwidth = at_once;
    if (job_.copied_bytes) {
      out_.scenario.dataset.bytes_on_gpu_per_sample =
          bytes_per_sample(rounded(*job_.copied_bytes / job_.batch_size));
      out_.scenario.loader.pin_memory = job_.pinned_share.value_or(0.0) > 0.5;
    } else {
      out_.scenario.dataset.bytes_on_gpu_per_sample = bytes_per_sample(0.0);
    }
    if (copy > 0.0) {
      input("/cluster/copy_latency", format_quantity(*c.copy_latency), *job_.copy_time,
            ", busy time of the link over steps");
    }
    if (copy <= 0.0) unseen("copies to the GPU apart from the step", "they are a part of it");
    if (job_.gpus > 1.0 && !job_.exposed_collective) {
      unseen("communication apart from the step", "it is a part of it, and does not grow");
    }
  }

  void operation(const std::string& name, double cost, const ObservedNumber& number,
                 const std::string& how) {
    Operation made;
    made.operation = name;
    made.cpu = seconds_per_sample(rounded(cost));
    out_.scenario.preprocess.push_back(made);
    input(fmt::format("/preprocess/{}/cpu", out_.scenario.preprocess.size() - 1),
          format_quantity(*made.cpu), number, how);
  }

  void demands() {
    Disk& d = out_.scenario.disk;
    d.kind = DiskKind::other;
    d.bandwidth = at_once;
    d.latency = Duration{};
    d.open_latency = Duration{};
    d.page_cache = all_of_it;
    const ObservedNumber& x = job_.throughput;
    const bool waits = starved().value_or(false);
    const double hands = job_.workers > 0.0 ? job_.workers * job_.gpus : job_.gpus;
    // A worker's time at a sample, by Little's law: it is at one all the time.
    double each = hands / x.value;
    if (job_.workers == 0.0) each = job_.wait ? job_.wait->value / job_.batch_size : 0.0;
    std::optional<ObservedNumber> cpu = job_.workers > 0.0 ? job_.worker_cpu : std::nullopt;
    std::string how = ", busy time of the workers' CPUs over throughput";
    if (!cpu && job_.workers > 0.0 && job_.all_cpu) {
      cpu = job_.all_cpu;
      how = ", busy time of all CPUs over throughput: the main process's with it";
      unseen("the workers apart from what else ran", "all of the CPUs' time is theirs");
    }
    const bool busy_cores = job_.cpu_busy && job_.cpu_busy->value > 0.95;
    // Others' programs may be what keeps the cores busy.
    double own = cpu ? cpu->value * x.value : 0.0;
    if (cpu && job_.main_cpu && cpu->value != job_.all_cpu.value_or(*cpu).value) {
      own += job_.main_cpu->value * x.value;
    }
    const bool others = busy_cores && job_.cpus && own < 0.85 * *job_.cpus;
    const bool short_of_cores = busy_cores && (!others || hands > *job_.cpus);
    if (cpu) {
      // The simulation makes cores slower that others use too, or that have too many to run: that
      // is in what was seen.
      const double cores = job_.cpus.value_or(hands);
      const double busy = std::clamp(cpu->value * x.value, 1.0, std::max(1.0, cores));
      double alone = cpu->value / (1.0 + resolve::assumed::contention.value * (busy - 1.0));
      if (short_of_cores && !others) alone /= 1.0 + resolve::assumed::oversubscription.value;
      if (alone > 0.0) operation("load", alone, *cpu, how);
    } else if (waits || (job_.workers == 0.0 && each > 0.0)) {
      operation("load", each, x, ", a worker's whole time at a sample");
      unseen("CPU time of the loader", "a worker computes all the time that it is at a sample");
      return;
    } else {
      unseen("what the loader asks of CPUs",
             fmt::format("nothing; at most {} a sample, or the GPU "
                         "would wait",
                         format_quantity(seconds(rounded(each, 3)))));
      return;
    }
    if (!waits) {
      unseen("how long workers wait while they read, for the GPU does not wait for them",
             fmt::format("not at all; at most {} a sample",
                         format_quantity(seconds(rounded(std::max(0.0, each - cpu->value), 3)))));
      return;
    }
    if (others && !short_of_cores) {
      unseen("how many of the cores that other programs keep busy more workers would get",
             "all; observe again while nothing else runs");
    }
    const double reading = each - cpu->value;
    if (reading < 0.03 * each) return;
    if (short_of_cores && others) {
      out_.scenario.cluster.cpu_quota = rounded(own);
      input("/cluster/cpu_quota", fmt::format("{:.4g}", own), *cpu,
            ", what other programs left the job of the CPUs");
    }
    if (others && !short_of_cores) {
      unseen("waiting for such cores apart from reading", "all that workers wait is reading");
    }
    if (short_of_cores) {
      unseen("what workers wait for besides cores, all of which are busy", "nothing");
      return;
    }
    ObservedNumber number = x;
    number.relative_error =
        std::hypot(x.relative_error, cpu->relative_error * cpu->value / reading);
    d.page_cache = bytes(1.0);
    reads_ = true;
    if (job_.disk_busy && job_.disk_busy->value > 0.95 && job_.device_bytes) {
      d.bandwidth = bytes_per_second(rounded(job_.device_bytes->value * x.value));
      input("/disk/bandwidth", format_quantity(*d.bandwidth), number,
            ", a disk that is always busy");
      return;
    }
    d.latency = seconds(rounded(reading));
    input("/disk/latency", format_quantity(*d.latency), number,
          ", a worker's time at a sample that is not its CPU's: what it waits while it reads");
    unseen("where workers wait", "at each sample as long, however many workers wait at once");
  }

  void dataset() {
    Dataset& d = out_.scenario.dataset;
    const double of_step = job_.batch_size * job_.gpus;
    double steps = 0.0;
    if (job_.epoch_steps) {
      steps = *job_.epoch_steps;
    } else {
      steps = 1000.0 * (job_.workers + 1.0);
      unseen("how long an epoch is", fmt::format("{:.0f} steps", steps));
    }
    d.samples = steps * of_step;
    d.bytes_per_sample = bytes_per_sample(1.0);
    if (job_.device_bytes || job_.cached_bytes) {
      const double device = job_.device_bytes ? job_.device_bytes->value : 0.0;
      const double cached = job_.cached_bytes ? job_.cached_bytes->value : 0.0;
      const bool disk_is_limit = out_.scenario.disk.bandwidth != at_once;
      const double stored = rounded(disk_is_limit ? device : device + cached);
      if (stored >= 1.0) {
        d.bytes_per_sample = bytes_per_sample(stored);
        input("/dataset/bytes_per_sample", format_quantity(*d.bytes_per_sample),
              job_.cached_bytes ? *job_.cached_bytes : *job_.device_bytes,
              job_.hit_ratio()
                  ? fmt::format(", {:.3g} % of it from the page cache", 100.0 * *job_.hit_ratio())
                  : "");
        return;
      }
    }
    unseen("bytes of a sample", "1 B");
  }

  void add_case(const std::string& name, FigureId figure, double value, double error, bool fitted) {
    Case one;
    one.name = "observed: " + name;
    one.metric = name_of(figure);
    one.measured = rounded(value, 6);
    one.tolerance = rounded(std::max(least_tolerance, 3.0 * error), 3);
    one.fitted = fitted;
    out_.scenario.cases.push_back(one);
  }

  void cases() {
    const bool waits = starved().value_or(false);
    // Where the step is what was fitted, or the reading, throughput is no prediction.
    const bool predicts = waits && !reads_ && job_.worker_cpu && job_.workers > 0.0;
    add_case("throughput", FigureId::throughput, job_.throughput.value,
             job_.throughput.relative_error, !predicts);
    add_case("step", FigureId::step_time, job_.interval.value * 1e3, job_.interval.relative_error,
             !predicts);
    if (job_.gpu_busy && job_.gpu_busy->value > 0.01) {
      add_case("GPUs in nvidia-smi", FigureId::gpu_shown, std::min(1.0, job_.gpu_busy->value),
               job_.gpu_busy->relative_error, !job_.wait);
    }
    if (const auto share = job_.wait_share()) {
      const double wait = *share - constant_share();
      if (wait < 0.02 || wait > 0.1) {
        Case one;
        one.name = "observed: bottleneck";
        one.metric = "bottleneck is gpu";
        one.measured = wait < 0.02 ? 1.0 : 0.0;
        one.tolerance = 0.0;
        out_.scenario.cases.push_back(one);
      }
    }
  }

  const ObservedJob& job_;
  ObservedScenario out_;
  bool reads_ = false;
};

}  // namespace

double rounded(double value, int digits) {
  if (value == 0.0 || !std::isfinite(value)) return value;
  const double unit = std::pow(10.0, digits - 1 - std::floor(std::log10(std::abs(value))));
  return std::round(value * unit) / unit;
}

ObservedScenario observed_scenario(const ObservedJob& job) {
  return Maker(job).made();
}

}  // namespace feedrate::study
