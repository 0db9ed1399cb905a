// What an observed job does at the beginning of each epoch: whether its workers start anew.
#include <algorithm>

#include "base/unit_text.hpp"
#include "study/observed_parts.hpp"

namespace feedrate::study {
namespace {

/// From the beginning of an epoch until its first batch is there, s.
double first_wait(const ObservedJob& job) {
  return job.first_step->value - (job.interval.value - job.waited());
}

/// Of that, what a worker that is there already takes for a batch, as the scenario has it.
double first_batch(const ObservedDraft& draft) {
  const ObservedJob& job = draft.job;
  // Each of them makes one in the time in which all of them make one each.
  const double round = job.workers * job.interval.value;
  if (draft.starved().value_or(false)) return round;
  double work = 0.0;
  for (const Operation& operation : draft.out.scenario.preprocess) {
    if (operation.cpu) work += operation.cpu->base();
  }
  return std::min(round, job.batch_size * work);
}

}  // namespace

bool starts_late(const ObservedJob& job) {
  if (!job.first_step || job.workers <= 0.0 || job.workers_live_on.value_or(false)) return false;
  constexpr double seen = 0.1;  // s
  const double round = job.workers * job.interval.value;
  return first_wait(job) - round > std::max(seen, 0.5 * round);
}

void write_starts(ObservedDraft& draft) {
  const ObservedJob& job = draft.job;
  Loader& l = draft.out.scenario.loader;
  l.persistent_workers = true;
  if (job.workers <= 0.0 || job.workers_live_on.value_or(false)) return;
  if (!job.workers_live_on && !starts_late(job)) {
    return draft.unseen(words::unseen::persistent_workers);
  }
  l.persistent_workers = false;
  if (!job.first_step) return;
  const double start = std::max(0.0, first_wait(job) - first_batch(draft));
  // One is started after the other.
  l.worker_startup = seconds(rounded(start / job.workers));
  draft.input("/loader/worker_startup", format_quantity(*l.worker_startup), *job.first_step,
              words::found::start_of_epochs);
}

}  // namespace feedrate::study
