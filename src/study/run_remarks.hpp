#pragma once
// What a run's reader must know beside the figures. Internal to study/run.cpp.
#include <optional>

#include "model/result.hpp"
#include "pipeline/mean.hpp"
#include "pipeline/simulate.hpp"

namespace feedrate::study {

/// To the remarks and caveats of a result whose figures are filled: what the download waits for,
/// where a trace would show its waiting, which of unequal instances the others wait for, credits
/// that the job uses up, and settings that have no effect. `mean` is the outcome in closed form.
void add_remarks(Result& result, const pipeline::Inputs& inputs, const pipeline::Outcome& outcome,
                 const pipeline::Outcome& mean, const std::optional<pipeline::RoundGap>& gap,
                 bool exact);

}  // namespace feedrate::study
