#pragma once
// The field's order of work: first one GPU with its data in memory, then its real source, then all
// GPUs of an instance, then many instances. The first rung below the target is where to begin.
#include <vector>

#include "model/advice.hpp"
#include "study/run.hpp"
#include "study/setting.hpp"

namespace feedrate::study {

/// What of a result advice looks at.
JobFigures figures_of_job(const Result& result);

/// Each rung simulated. What is held against `target` is the share of the job's time, start-up left
/// out, that GPUs are busy; of a job whose GPUs have next to no work, the rate beside that of
/// the rung before.
std::vector<RungResult> ladder(const MakeScenario& make, const Catalog& catalog,
                               const HostProfile* host, double target);

/// The first rung that does not meet the target; Rung::fed where all do.
Rung rung_to_work_on(const std::vector<RungResult>& ladder);

}  // namespace feedrate::study
