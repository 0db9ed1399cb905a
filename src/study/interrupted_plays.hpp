#pragma once
// What single jobs that are interrupted come to, beside the mean. Internal to
// study/interruptions.cpp.
#include <optional>

#include "model/interruptions.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/resolve.hpp"

namespace feedrate::study {

/// Plays jobs as chance has them and fills draws, time, money (the cost), on_demand and
/// more_blocks. `fewest`: blocks of a job that nothing interrupts; `on_demand`: the bill of the
/// same job there, where a price of it is known; `mean`: this one's.
void fill_plays(Interruptions& out, const resolve::Resolved& resolved,
                const pipeline::Outcome& outcome, double fewest, std::optional<Money> on_demand,
                Money mean);

}  // namespace feedrate::study
