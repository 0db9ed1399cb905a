#pragma once
// The field's order of work: first one GPU with its data in memory, then its real source, then all
// GPUs of an instance, then many instances. The first rung below the target is where to begin.
#include <vector>

#include "model/advice.hpp"
#include "study/run.hpp"
#include "study/setting.hpp"

namespace feedrate::study {

/// The figures of a result that advice compares.
JobFigures figures_of_job(const Result& result);

/// Simulates each rung. What must reach `target` is the share of the job's time without start-up
/// that GPUs are busy; of a job whose GPUs have next to no work, it is the rate relative to that of
/// the rung before. As `run` states them with these options.
std::vector<RungResult> ladder(const MakeScenario& make, const Catalog& catalog,
                               const HostProfile* host, double target,
                               const RunOptions& options = {});

/// The first rung that does not meet the target; Rung::fed where all do.
Rung rung_to_start_on(const std::vector<RungResult>& ladder);

}  // namespace feedrate::study
