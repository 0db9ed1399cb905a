#pragma once
// The distribution of single interrupted jobs around their mean. Internal to
// study/interruptions.cpp.
#include <optional>

#include "model/interruptions.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/resolve.hpp"

namespace feedrate::study {

/// Plays jobs with random interruptions and fills draws, time, money (the cost), on_demand and
/// more_blocks. `fewest` is the number of blocks of a job that nothing interrupts, `on_demand` the
/// bill of the same job on on-demand instances, where their price is known, and `mean` the mean
/// bill of this job.
void fill_plays(Interruptions& out, const resolve::Resolved& resolved,
                const pipeline::Outcome& outcome, double fewest, std::optional<Money> on_demand,
                Money mean);

}  // namespace feedrate::study
