#include "observe/job_observer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/portable_math.hpp"
#include "base/statistics.hpp"
#include "observe/observed_means.hpp"
#include "observe/others_wait.hpp"
#include "observe/sampled_steps.hpp"

namespace feedrate::observe {
namespace {

/// A demand of a sample: what is used a second over samples per second.
std::optional<ObservedNumber> demand(const std::optional<ObservedNumber>& used, double factor,
                                     const ObservedNumber& throughput) {
  if (!used) return std::nullopt;
  ObservedNumber made = *used;
  made.value *= factor / throughput.value;
  made.relative_error = portable::hypot(used->relative_error, throughput.relative_error);
  return made;
}

}  // namespace

void JobObserver::keep_one_more() {
  if (++kept_ <= most_) return;
  throw InputError(fmt::format(
      "expected an observation of at most {} samples and marks, got more: fit a part of it",
      most_));
}

void JobObserver::add(const Sample& sample) {
  keep_one_more();
  if (!first_) first_ = sample.at.base();
  using enum MetricId;
  if (is_of_step(sample.metric)) {
    if (sample.metric == step_time) ranks_.insert(sample.name);
    of_steps_[sample.metric].push_back(sample);
    return;
  }
  if (sample.metric == throughput) {
    rates_.push_back(sample);
    return;
  }
  if (sample.metric == batch_size || sample.metric == ranks || sample.metric == workers ||
      sample.metric == epoch_steps) {
    told_[sample.metric] = sample.value;
    return;
  }
  const double at = sample.at.base();
  if (sample.metric == process_cpu) {
    if (role_in(sample.name) == ProcessRole::worker) workers_[at].insert(sample.name);
    if (role_in(sample.name) == ProcessRole::trainer) trainers_.insert(sample.name);
  }
  series_.add(sample, header_.interval ? header_.interval->base() : 0.0);
}

void JobObserver::add_course(const Sample& sample) {
  const bool of_worker =
      sample.metric == MetricId::process_cpu && role_in(sample.name) == ProcessRole::worker;
  if (is_of_step(sample.metric) || of_worker) add(sample);
}

bool JobObserver::has_room() const {
  return kept_ < most_;
}

void JobObserver::add(const Mark& mark) {
  if (!first_) first_ = mark.at.base();
  if (mark.kind == MarkKind::step && mark.begins) return;
  keep_one_more();
  marks_.push_back(mark);
}

/// At most times the processes that there are at once: those of an epoch before may have ended.
double JobObserver::workers_seen() const {
  std::map<std::size_t, std::size_t> times;
  for (const auto& [at, names] : workers_) ++times[names.size()];
  std::size_t usual = 0;
  std::size_t most = 0;
  for (const auto& [count, often] : times) {
    if (often >= most) {
      most = often;
      usual = count;
    }
  }
  return static_cast<double>(usual);
}

double JobObserver::ranks_of_one(const ObservedJob& job) const {
  return header_.ranks ? std::max(1.0, job.gpus / std::max(1.0, *header_.ranks)) : 1.0;
}

bool JobObserver::tells_steps() const {
  const auto of_step = [](const Mark& mark) { return mark.kind == MarkKind::step; };
  return of_steps_.contains(MetricId::step_time) ||
         std::any_of(marks_.begin(), marks_.end(), of_step);
}

void JobObserver::take_steps_of(const JobObserver& other) {
  if (tells_steps()) return;
  for (const Mark& mark : other.marks_) {
    if (mark.kind != MarkKind::batch) marks_.push_back(mark);
  }
  if (const auto times = other.of_steps_.find(MetricId::step_time);
      times != other.of_steps_.end()) {
    of_steps_.insert(*times);
  }
  for (const auto& [metric, value] : other.told_) told_.emplace(metric, value);
}

std::vector<SeenTime> JobObserver::typical_time() const {
  return observe::typical_time(marks_, of_steps_, workers_seen());
}

/// By the names of processes, which hold their ids.
std::optional<bool> JobObserver::workers_live_on() const {
  std::optional<std::set<std::string>> before;
  std::optional<bool> live_on;
  for (const SeenTime& epoch : epochs_seen(marks_)) {
    std::set<std::string> now;
    // Those who end with an epoch may be in a sample of which a part is after it.
    const double from = epoch.begin + (header_.interval ? header_.interval->base() : 0.0);
    for (auto at = workers_.upper_bound(from); at != workers_.end(); ++at) {
      if (at->first > epoch.end) break;
      now.insert(at->second.begin(), at->second.end());
    }
    if (now.empty()) continue;
    if (before) {
      live_on = live_on.value_or(false) ||
                std::any_of(now.begin(), now.end(),
                            [&](const std::string& name) { return before->contains(name); });
    }
    before = std::move(now);
  }
  return live_on;
}

void JobObserver::tell_epochs(ObservedJob& job) const {
  EpochTimes times = epoch_times(marks_);
  if (times.first_steps.empty()) times = epoch_times(of_steps_, job.epoch_steps);
  if (!times.first_steps.empty()) job.first_step = number_of(times.first_steps, "epochs");
  if (!times.whole.empty()) job.epoch = number_of(times.whole, "epochs");
  job.workers_live_on = workers_live_on();
}

std::optional<double> JobObserver::start_share() const {
  const EpochTimes times = epoch_times(marks_);
  if (times.first_steps.empty() || times.whole.empty()) return std::nullopt;
  if (workers_live_on().value_or(false)) return std::nullopt;
  const double workers = workers_seen();
  const std::vector<Run> runs = runs_of(marks_, of_steps_, workers);
  if (runs.empty()) return std::nullopt;
  ObservedJob job;
  tell_steps(job, runs);
  // Each of the workers makes a batch in no more time than the job takes for one of all of them.
  const double filling = (workers + 1.0) * job.interval.value;
  return std::max(0.0, mean(times.first_steps) - filling) / mean(times.whole);
}

std::optional<Duration> JobObserver::start() const {
  const auto begins = [](const Mark& mark) { return mark.kind == MarkKind::epoch && mark.begins; };
  const auto first = std::find_if(marks_.begin(), marks_.end(), begins);
  if (!has_header_ || first == marks_.end()) return std::nullopt;
  return first->at - (header_.clock == ClockKind::relative ? Duration{} : header_.started);
}

void JobObserver::add_course(Readings& readings) const {
  if (const auto gpus = header_.gpus_of_job()) readings.gpus = gpus;
  if (const auto from = start()) readings[ReadingId::start] = from->base();
  if (const auto share = start_share()) readings[ReadingId::epoch_start] = *share;
}

void JobObserver::tell_demands(ObservedJob& job, const std::vector<Run>& runs) const {
  const auto share = [&](const char* series) {
    auto seen = series_.mean(series, runs);
    if (seen) seen->value /= 100.0;
    return seen;
  };
  job.gpu_busy = share("gpu");
  job.gpu_clock = series_.mean("gpu clock", runs);
  job.cpu_busy = share("cpu all");
  if (!job.cpu_busy) job.cpu_busy = share("cpu");
  // The tightest quota around the job holds it back.
  if (const std::string group = series_.busiest("throttled", runs); !group.empty()) {
    job.throttled = share(("throttled:" + group).c_str());
  }
  job.disk = device("disk", "disk read", "written", runs);
  job.link = device("link", "receive", "", runs);
  const ObservedNumber& x = job.throughput;
  const auto each = [&](const char* series, double factor = 1.0) {
    return demand(series_.sum(series, runs), factor, x);
  };
  const double ranks = ranks_of_one(job);
  job.worker_cpu = each("worker cpu", 0.01 * ranks);
  job.worker_cpu_wait = each("worker wait", 0.01 * ranks);
  job.worker_lock_wait = each("worker lock", 0.01 * ranks);
  job.main_cpu = each("main cpu", 0.01 * ranks);
  if (job.cpu_busy && job.cpus) {
    job.all_cpu = demand(job.cpu_busy, *job.cpus, x);
    // Those who wait for a core look busy from within.
    if (job.worker_cpu && job.worker_cpu->value > job.all_cpu->value) {
      job.notes.emplace_back("more processes than CPUs: their total use is taken from the CPUs");
      job.worker_cpu = job.all_cpu;
    }
  }
  job.device_bytes = each("device read", ranks);
  job.cached_bytes = each("cached read", ranks);
  if (!job.device_bytes) job.device_bytes = each("disk read");
  if (!job.device_bytes) job.device_bytes = each("disk read in all");
  job.network_bytes = each("receive");
  if (!job.network_bytes) job.network_bytes = each("receive in all");
  job.device_reads = each("disk reads");
  job.gpu_bytes = each("gpu bytes");
  job.gpu_time = step_figure(of_steps_, MetricId::gpu_time);
  job.host_time = step_figure(of_steps_, MetricId::host_time);
  tell_transfers(job, of_steps_);
  if (!job.copy_time) {
    if (auto link = share("h2d")) {
      link->value *= job.interval.value;
      job.copy_time = link;
    }
  }
}

void JobObserver::tell_ranks(ObservedJob& job) const {
  const auto waits = of_steps_.find(MetricId::data_wait);
  if (waits == of_steps_.end()) return;
  std::map<std::string, std::vector<double>> by_rank;
  for (const Sample& wait : waits->second) by_rank[wait.name].push_back(wait.value);
  if (by_rank.size() < 2) return;
  for (auto& [rank, values] : by_rank) job.rank_waits[rank] = median(std::move(values));
}

/// Of this disk and those with a limit the one that is nearest to what it can give.
std::string JobObserver::nearest_limit(const std::string& disk,
                                       const std::vector<Run>& runs) const {
  const std::string limited = series_.busiest("limit", runs);
  if (limited.empty()) return disk;
  const auto used = series_.mean("limit:" + limited, runs);
  const auto busy = series_.mean("disk:" + disk, runs);
  return busy && busy->value > used->value ? disk : limited;
}

/// The one that is busiest; where no device says how busy it is, the one that carries most.
std::optional<ObservedDevice> JobObserver::device(const std::string& busy, const std::string& bytes,
                                                  const std::string& written,
                                                  const std::vector<Run>& runs) const {
  // Percent. A line is full at less than its rate, a part of which are headers and what is told
  // back.
  const double throughout = busy == "link" ? 85.0 : 95.0;
  ObservedDevice seen;
  std::string name = series_.busiest(busy, runs);
  if (name.empty()) name = series_.busiest(bytes, runs);
  const bool may_have_limit = busy == "disk";
  if (may_have_limit) name = nearest_limit(name, runs);
  if (name.empty()) return std::nullopt;
  const std::string one = ':' + name;
  const auto rate = series_.sum(bytes + one, runs);
  seen.busy = series_.mean(busy + one, runs);
  if (may_have_limit) {
    const auto at_most = [&](const char* kind) {
      auto limit = series_.mean(kind + one, runs);
      if (limit && limit->value < 1.0) limit.reset();  // none can be set lower
      return limit;
    };
    ObservedLimit limit{at_most("limit bytes"), at_most("limit reads"),
                        series_.mean("limit" + one, runs)};
    if (limit.used) limit.used->value /= 100.0;
    if (limit.bytes || limit.reads) seen.limit = limit;
  }
  if (!seen.busy && !rate && !seen.limit) return std::nullopt;
  if (seen.busy) seen.busy->value /= 100.0;
  seen.saturated = series_.share_above(busy + one, runs, throughout);
  if (rate) seen.rate = *rate;
  seen.highest_rate = series_.highest(bytes + one, runs);
  if (const auto writes = series_.sum(written + one, runs)) seen.written = writes->value;
  seen.name = name.substr(0, name.find('/'));
  return seen;
}

/// What else ran beside the job makes its figures others than they are on a machine of its own; no
/// number of samples shows that.
void JobObserver::tell_neighbours(ObservedJob& job, const std::vector<Run>& runs) const {
  job.steal = series_.mean("steal all", runs);
  if (!job.steal) job.steal = series_.mean("steal", runs);
  if (job.steal) job.steal->value /= 100.0;
  // A recording may hold the training process alone, whose workers are then nobody's.
  const bool all_seen = job.workers <= 0.0 || series_.sum("worker cpu", runs).has_value();
  if (job.cpu_busy && job.cpus && all_seen && series_.sum("main cpu", runs)) {
    double own = 0.0;
    for (const char* role : {"main cpu", "worker cpu", "other cpu"}) {
      if (const auto seen = series_.sum(role, runs)) own += 0.01 * seen->value * ranks_of_one(job);
    }
    job.others = std::max(0.0, job.cpu_busy->value - own / *job.cpus);
  }
  constexpr double much = 0.1;
  const double steal = job.steal ? job.steal->value : 0.0;
  const double others = job.others.value_or(0.0);
  if (steal + others < much) return;
  std::string who;
  if (others >= 0.01) who = fmt::format("other programs {:.0f} %", 100.0 * others);
  if (steal >= 0.01) {
    who +=
        fmt::format("{}the hypervisor {:.0f} % (steal)", who.empty() ? "" : " and ", 100.0 * steal);
  }
  job.notes.push_back(
      fmt::format("other work took CPU time of the machine: {}; the stated errors cover sampling "
                  "alone, and on an otherwise idle machine the job may be faster than they allow",
                  who));
}

/// What a log says itself against what its steps are with the batch that somebody told.
static void tell_other_throughput(ObservedJob& job, double said) {
  constexpr double much = 0.1;
  const double ours = job.throughput.value * job.instances;
  if (std::abs(said / ours - 1.0) <= much) return;
  job.notes.push_back(fmt::format(
      "{} says {} samples/s, and its steps of {:.0f} samples are {} samples/s: that takes a batch "
      "of {} on each GPU, unless the log counts otherwise (--batch-size, --gpus)",
      job.source, three_digits(said), job.batch_size * job.gpus * job.instances, three_digits(ours),
      three_digits(job.batch_size * said / ours)));
}

/// Others are no steps of a training loop, or were told in another unit.
static void expect_step_of_loop(double step, const std::string& source) {
  constexpr double shortest = 1e-6;
  constexpr double longest = 1e6;
  if (step >= shortest && step <= longest) return;
  throw InputError(
      {{source, 0, "",
        fmt::format("expected steps of 1 us to 1,000,000 s, got steps of {:.0f} s", step)}});
}

/// The whole number that is meant: times and rates are printed with four digits.
static std::optional<double> whole_batch(double seen) {
  const double batch = std::round(seen);
  constexpr double rounding = 0.003;
  const bool whole = batch >= 1.0 && std::abs(seen / batch - 1.0) <= rounding;
  return whole ? std::optional(batch) : std::nullopt;
}

std::optional<double> JobObserver::batch_logged(double ranks) const {
  const auto of_all = batch_of_lines(of_steps_, rates_);
  return of_all ? whole_batch(*of_all / ranks) : std::nullopt;
}

/// A log that tells how many samples a step has contains the batch, for as many GPUs as share it.
void JobObserver::expect_shared_batch(double ranks, const ToldOfJob& told,
                                      const std::string& source) const {
  const auto of_all = batch_of_lines(of_steps_, rates_);
  const auto samples = of_all ? whole_batch(*of_all) : std::nullopt;
  if (!told.gpus || !samples) return;
  refuse_flag("--gpus",
              fmt::format("expected a number of GPUs that share the {:.0f} samples of a step that "
                          "{} tells, got {:.0f} (--batch-size, if the log counts otherwise)",
                          *samples, source, ranks));
}

/// A step whose number nobody tells is no step after another, but a mean of some.
std::optional<ObservedNumber> JobObserver::mean_step() const {
  const auto times = of_steps_.find(MetricId::step_time);
  if (times == of_steps_.end()) return std::nullopt;
  std::vector<double> means;
  for (const Sample& s : times->second) {
    if (s.step || s.epoch) return std::nullopt;
    if (s.value > 0.0) means.push_back(s.value);
  }
  if (means.empty()) return std::nullopt;
  return number_of(means, "means");
}

/// The interval and the throughput, and the wait. Precondition: one of them is told.
void JobObserver::tell_pace(ObservedJob& job, const ToldOfJob& told,
                            const std::vector<Run>& runs) const {
  const double of_step = job.batch_size * job.gpus;
  const auto rate = mean_rate(rates_);
  if (!runs.empty()) {
    tell_steps(job, runs);
    tell_ranks(job);
    expect_step_of_loop(job.interval.value, job.source);
    if (const auto why = why_unsure(of_steps_, header_, job.workers, job.source)) {
      tell_unsure(job, *why, told.throughput, of_step * job.instances);
      expect_step_of_loop(job.interval.value, job.source);
    } else if (told.throughput) {
      job.notes.emplace_back("--throughput is not used: steps were recorded, and tell it");
    }
    tell_others_wait(job, of_steps_, runs);
    job.throughput = job.interval;
    job.throughput.value = of_step / job.interval.value;
    const auto batch = batch_of_lines(of_steps_, rates_);
    if (batch) tell_other_throughput(job, *batch / job.interval.value);
    if (rate && !batch) tell_other_throughput(job, rate->value);
    return;
  }
  const auto step = mean_step();
  if (told.throughput) {
    job.throughput = {*told.throughput / job.instances, 0.0, 0.0, "told"};
  } else if (rate) {
    job.throughput = *rate;
    job.throughput.value /= job.instances;
  } else if (step) {
    expect_step_of_loop(step->value, job.source);
    job.throughput = *step;
    job.throughput.value = of_step / step->value;
  }
  if (!(job.throughput.value > 0.0)) {
    refuse_flag("--throughput", "expected samples per second above 0, got 0");
  }
  job.interval = job.throughput;
  job.interval.value = of_step / job.throughput.value;
  expect_step_of_loop(job.interval.value, job.source);
  job.notes.emplace_back("no step was seen: every figure is a mean over the whole time observed");
  if (const auto wait = mean_wait(of_steps_)) {
    job.wait = wait;
    job.wait->value = std::min(wait->value, job.interval.value);
    job.least_wait = job.wait->value;
    tell_others_wait(job, of_steps_, runs);
  }
}

/// Of all of the interval what is no use of the accelerators, where that is what their use means.
void JobObserver::tell_wait_by_use(ObservedJob& job) const {
  if (job.wait || !job.gpu_busy || header_.source != source_of_use) return;
  const ObservedNumber use = *job.gpu_busy;
  job.gpu_busy.reset();  // the same once more
  job.rest_error = portable::hypot(job.interval.relative_error, use.relative_error);
  job.wait = use;
  job.wait->value = std::max(0.0, 1.0 - use.value) * job.interval.value;
  job.wait->relative_error =
      job.wait->value > 0.0 ? *job.rest_error * use.value / (1.0 - use.value) : 0.0;
  job.least_wait = 0.0;
}

ObservedJob JobObserver::finish(const ToldOfJob& told, const std::string& source) const {
  ObservedJob job;
  job.source = source;
  job.instance = header_.instance;
  job.cpus = told.cpus ? told.cpus : header_.cpus;
  if (header_.cores && header_.cpus && *header_.cores >= 1.0) {
    job.cores = std::min(std::round(*header_.cores), *job.cpus);
  }
  job.memory = header_.memory;
  const auto known = [&](MetricId id) -> std::optional<double> {
    const auto found = told_.find(id);
    if (found == told_.end() || found->second < 1.0) return std::nullopt;
    return found->second;
  };
  std::vector<Problem> problems;
  const auto need = [&](const std::optional<double>& first, const std::optional<double>& second,
                        const char* flag, const char* what, double plainest, const char* taken) {
    if (first) return *first;
    if (second) return *second;
    if (told.plainest) {
      job.notes.push_back(fmt::format("{} ({})", taken, flag));
      return plainest;
    }
    problems.push_back(
        {"", 0, flag, fmt::format("expected {}, which {} does not contain", what, source)});
    return 1.0;
  };
  constexpr double most_instances = 1e5;
  double nodes = told.nodes;
  if (nodes <= 0.0 && header_.instances && *header_.instances <= most_instances) {
    nodes = std::round(*header_.instances);
  }
  nodes = std::max(nodes, 1.0);
  job.instances = nodes;
  const auto of_node = [&](std::optional<double> all) {
    if (all) *all = std::max(1.0, *all / nodes);
    return all;
  };
  if (told.gpus && std::fmod(*told.gpus, nodes) != 0.0) {
    refuse_flag("--gpus",
                fmt::format("expected the GPUs of all {0:.0f} instances together, as many on each, "
                            "got {1:.0f}: {1:.0f} on each are --gpus {2:.0f}",
                            nodes, *told.gpus, *told.gpus * nodes));
  }
  std::optional<double> gpus = of_node(known(MetricId::ranks));
  if (!gpus && ranks_.size() > 1) gpus = static_cast<double>(ranks_.size());
  if (!gpus && header_.gpus && *header_.gpus >= 1.0) gpus = header_.gpus;
  job.gpus = need(of_node(told.gpus), gpus, "--gpus", "the number of GPUs that train together", 1.0,
                  "no GPU was seen: what a step does beside loading is taken for one");
  std::optional<double> batch = known(MetricId::batch_size);
  if (!batch && !told.batch_size) {
    batch = batch_logged(job.gpus * nodes);
    if (!batch) expect_shared_batch(job.gpus * nodes, told, source);
    if (batch) {
      job.notes.push_back(fmt::format(
          "by the times and rates of its steps, a batch has {:.0f} samples (--batch-size)",
          *batch));
    }
  }
  job.batch_size =
      need(told.batch_size, batch, "--batch-size", "the number of samples per GPU and step", 1.0,
           "nobody said how many samples a batch has: a sample here is a batch");
  job.ranks_elsewhere = header_.gpus && *header_.gpus >= 1.0 && job.gpus > *header_.gpus;
  std::optional<double> workers = known(MetricId::workers);
  if (!workers && !workers_.empty()) {
    // One process may train on several GPUs, whose loader is then one for all of them.
    const double here =
        header_.gpus && *header_.gpus >= 1.0 ? std::min(job.gpus, *header_.gpus) : job.gpus;
    const double ranks_here =
        header_.ranks.value_or(std::max(here, static_cast<double>(trainers_.size())));
    workers = std::max(1.0, std::round(workers_seen() / std::max(1.0, ranks_here)));
  }
  job.workers = need(told.workers, workers, "--num-workers", "the number of loader workers per GPU",
                     0.0, "no loader worker was seen: the main process is taken to load");
  const std::vector<Run> all = runs_of(marks_, of_steps_, job.workers);
  const bool rate = !rates_.empty() || mean_step();
  if (all.empty() && !told.throughput && !rate) {
    problems.push_back({"", 0, "--throughput",
                        fmt::format("expected the samples per second of all GPUs together, or a "
                                    "log of at least three steps along with {}",
                                    source)});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  const double of_step = job.batch_size * job.gpus;
  tell_pace(job, told, all);
  tell_demands(job, all);
  tell_wait_by_use(job);
  tell_neighbours(job, all);
  if (told.samples) job.epoch_steps = std::ceil(*told.samples / (of_step * nodes));
  // An epoch that was seen from its first to its last step tells how many it has.
  std::map<std::int64_t, double> counted;
  std::optional<std::int64_t> in;
  double count = 0.0;
  for (const Mark& mark : marks_) {
    if (mark.kind == MarkKind::step) count += 1.0;
    if (mark.kind != MarkKind::epoch) continue;
    if (mark.begins) {
      in = mark.number;
      count = 0.0;
      if (!job.startup && first_) {
        job.startup = seconds(std::max(
            0.0, mark.at.base() -
                     (header_.clock == ClockKind::relative ? 0.0 : header_.started.base())));
      }
    } else if (in == mark.number && !job.epoch_steps && count > 0.0) {
      job.epoch_steps = count;
    }
  }
  const auto length = known(MetricId::epoch_steps);
  constexpr double most_samples = 1e15;  // of a scenario
  if (!job.epoch_steps && length && *length == std::floor(*length) &&
      *length * of_step * nodes <= most_samples) {
    job.epoch_steps = length;
  }
  tell_epochs(job);
  return job;
}

}  // namespace feedrate::observe
