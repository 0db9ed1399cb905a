#include "study/observed_scenario.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/portable_math.hpp"
#include "base/unit_text.hpp"
#include "study/observed_parts.hpp"

namespace feedrate::study {
namespace {

void write_machine(ObservedDraft& draft) {
  const ObservedJob& job = draft.job;
  Cluster& c = draft.out.scenario.cluster;
  c.gpus_per_instance = job.gpus;
  c.instances = job.instances;
  if (!job.instance.empty()) {
    c.instance = job.instance;
  } else {
    c.price = HourlyPrice{};
    draft.unseen(words::unseen::machine_cost);
    c.vcpus = threads_of(job);
    c.cores = job.cores;
    if (!job.cpus) draft.unseen(words::enough_cpus(*c.vcpus));
    if (job.memory) c.memory = job.memory;
  }
  if (job.startup && job.startup->base() > 0.0) {
    draft.out.scenario.job.startup = seconds(rounded(job.startup->base()));
    draft.out.inputs.push_back({"/job/startup", format_quantity(*draft.out.scenario.job.startup),
                                std::string(words::found::before_first_epoch), 0.0});
  }
}

void write_loader(ObservedDraft& draft) {
  Loader& l = draft.out.scenario.loader;
  l.num_workers = WorkerCount(draft.job.workers);
  l.batch_size = draft.job.batch_size;
  l.collate = DurationPerByte{};
  draft.unseen(words::unseen::prefetch_factor);
}

void write_samples(ObservedDraft& draft) {
  const ObservedJob& job = draft.job;
  double steps = 0.0;
  if (job.epoch_steps) {
    steps = *job.epoch_steps;
  } else {
    steps = 1000.0 * (job.workers + 1.0);
    draft.unseen(words::epoch_length(steps));
  }
  draft.out.scenario.dataset.samples = steps * job.batch_size * job.gpus * job.instances;
}

void write_origins(ObservedDraft& draft) {
  Scenario& s = draft.out.scenario;
  for (const ObservedInput& input : draft.out.inputs) {
    s.about.fitted.push_back(words::input_line(input.pointer, input.text, input.origin));
    const double error = rounded(input.relative_error, 3);
    if (error >= 1e-4 && error <= 1.0) s.errors[input.pointer] = error;
  }
  s.about.expectation = words::not_seen(draft.out.unseen, draft.job.notes);
}

}  // namespace

void ObservedDraft::input(const std::string& pointer, const std::string& text,
                          const ObservedNumber& number, std::string_view how) {
  out.inputs.push_back(
      {pointer, text, words::origin(number, job.source) + std::string(how), number.relative_error});
}

void ObservedDraft::unseen(Unseen what) {
  out.unseen.push_back(std::move(what));
}

void ObservedDraft::unseen(const words::NotSeen& what) {
  unseen(Unseen{std::string(what.what), std::string(what.instead)});
}

double threads_of(const ObservedJob& job) {
  constexpr double usual_of_gpu = 32.0;
  constexpr double times = 4.0;
  return job.cpus.value_or(job.gpus * std::max(usual_of_gpu, times * (job.workers + 1.0)));
}

std::optional<bool> ObservedDraft::starved() const {
  if (const auto share = job.wait_share()) return *share - constant_share() > waits_for_loader;
  if (job.gpu_busy) return job.gpu_busy->value < 0.9;
  return std::nullopt;
}

double ObservedDraft::constant_share() const {
  if (!job.least_wait) return 0.0;
  double known = 0.0;
  // Where a trace has the copies' bytes, the wait that it has does not contain their time.
  if (job.copy_time && !job.copied_bytes) known += job.copy_time->value;
  if (job.main_cpu) known += job.main_cpu->value * job.batch_size;
  return std::min(*job.least_wait, known) / job.interval.value;
}

double rounded(double value, int digits) {
  if (value == 0.0 || !std::isfinite(value)) return value;
  // Powers of ten below one are not exact and would leave further digits.
  const double places = digits - 1 - std::floor(portable::log10(std::abs(value)));
  const double unit = portable::pow(10.0, std::abs(places));
  return places >= 0.0 ? std::round(value * unit) / unit : std::round(value / unit) * unit;
}

ObservedScenario observed_scenario(const ObservedJob& job) {
  ObservedDraft draft(job);
  draft.out.scenario.name = "observed job";
  draft.out.scenario.about.source = "feedrate observe fit " + job.source;
  write_machine(draft);
  write_loader(draft);
  write_step(draft);
  write_loading(draft);
  write_starts(draft);
  write_samples(draft);
  write_cases(draft);
  write_origins(draft);
  return std::move(draft.out);
}

}  // namespace feedrate::study
