#pragma once
// What the reader of a run must know beside its figures. Internal to study/run.cpp.
#include <optional>

#include "model/result.hpp"
#include "model/scenario.hpp"
#include "pipeline/mean.hpp"
#include "pipeline/simulate.hpp"

namespace feedrate::study {

/// Adds remarks and caveats to a result whose figures are filled: what the download waits for,
/// where a trace would show that, which of unequal instances the others wait for, credits that the
/// job uses up, and settings that have no effect. `mean` is the outcome in closed form.
void add_remarks(Result& result, const pipeline::Inputs& inputs, const pipeline::Outcome& outcome,
                 const pipeline::Outcome& mean, const std::optional<pipeline::RoundGap>& gap,
                 bool exact);

/// Says where the runs of a month pay together for more than a month of the source's storage.
void remark_on_storage(Result& result, const Scenario& scenario);

}  // namespace feedrate::study
