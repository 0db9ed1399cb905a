#pragma once
// Of a job on several ranks, what a rank waits for the batches of the others.
#include <vector>

#include "model/observed_job.hpp"
#include "observe/step_runs.hpp"

namespace feedrate::observe {

/// All ranks end a step together, so one whose batch is there waits in the all-reduce for those
/// whose batch is late, and what it tells of a step without its own wait holds that. Tells it apart
/// where steps show it, by every rank's waits or by how this one's steps differ, and widens the
/// error of the rest. To be called after tell_steps() and once ranks are known.
void tell_others_wait(ObservedJob& job, const StepSamples& told, const std::vector<Run>& runs);

}  // namespace feedrate::observe
