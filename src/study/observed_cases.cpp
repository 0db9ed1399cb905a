// The observed figures as cases of the scenario that was made from them.
#include <algorithm>
#include <string>

#include "model/figures.hpp"
#include "study/observed_parts.hpp"

namespace feedrate::study {
namespace {

constexpr double least_tolerance = 0.05;

Case case_of(const std::string& name, FigureId figure, double value, double error, bool fitted) {
  Case one;
  one.name = "observed: " + name;
  one.metric = name_of(figure);
  one.measured = rounded(value, 6);
  one.tolerance = rounded(std::max(least_tolerance, 3.0 * error), 3);
  one.fitted = fitted;
  return one;
}

/// Where each epoch begins with a start of workers, that is in the figures of whole epochs, and in
/// none of the steps that follow each other.
void write_cases_of_epochs(ObservedDraft& draft, double throughput) {
  draft.out.scenario.cases.push_back(case_of("throughput of epochs", FigureId::throughput,
                                             throughput, draft.job.epoch->relative_error, true));
}

}  // namespace

std::optional<double> throughput_of_epochs(const ObservedJob& job) {
  if (!job.epoch || !job.epoch_steps || !starts_late(job)) return std::nullopt;
  return *job.epoch_steps * job.batch_size * job.gpus * job.instances / job.epoch->value;
}

void write_cases(ObservedDraft& draft) {
  const ObservedJob& job = draft.job;
  std::vector<Case>& cases = draft.out.scenario.cases;
  // Each demand is a busy time over this throughput, and the step what the interval leaves: the
  // inputs give these figures back by arithmetic.
  if (const auto epochs = throughput_of_epochs(job)) return write_cases_of_epochs(draft, *epochs);
  cases.push_back(case_of("throughput", FigureId::throughput, job.throughput.value * job.instances,
                          job.throughput.relative_error, true));
  cases.push_back(case_of("step", FigureId::step_time, job.interval.value * 1e3,
                          job.interval.relative_error, true));
  if (job.gpu_busy && job.gpu_busy->value > 0.01) {
    cases.push_back(case_of("GPUs in nvidia-smi", FigureId::gpu_shown,
                            std::min(1.0, job.gpu_busy->value), job.gpu_busy->relative_error,
                            !job.wait));  // else no input is made of it
  }
  const auto share = job.wait_share();
  if (!share) return;
  const double wait = *share - draft.constant_share();
  // Without workers the two take turns, and the longer one is the bottleneck.
  const bool turns = job.workers == 0.0;
  const double fed = turns ? 0.4 : 0.02;
  const double starved = turns ? 0.6 : 0.1;
  if (wait >= fed && wait <= starved) return;
  Case one;
  one.name = "observed: bottleneck";
  one.metric = "bottleneck is gpu";
  one.measured = wait < fed ? 1.0 : 0.0;
  one.tolerance = 0.0;
  one.fitted = true;  // the wait was taken off the step
  cases.push_back(one);
}

}  // namespace feedrate::study
