#pragma once
// A scenario's figures held against its baseline and its limits.
#include <span>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "model/verdict.hpp"

namespace feedrate::study {

/// Every figure that a baseline keeps: those with a name in metrics.hpp, but for stages that stall
/// nothing.
Figures figures_of(const Result& result);

/// Whether the result has the bottleneck and every figure that `kept` has: an older feedrate kept
/// fewer figures.
bool as_kept(const Figures& kept, const Result& now);

/// Judges the scenario against `before`, its entry of the baseline (null: there is none). Fills
/// standing, level, figures, limits, stages and stale; the caller fills the names. The rules:
/// - a limit on a rise or fall counts only where the baseline's figure lies outside the result's
/// own
///   5-95 % band, and a limit on the figure itself only where the whole band breaks it;
/// - a line of the bill that is gone or costs nothing any more is a failure, and nothing is better
///   then, but not one that another line of its part stands for now, nor where the baseline holds
///   no lines;
/// - without an entry, limits on rises and falls do not apply, and the scenario is a warning;
/// - cost, total cost or time that is better by more than its limit allows it to be worse (5 % if
/// it
///   has no limit), with none of them worse, makes the baseline stale, which is a note.
ScenarioVerdict judge(const Figures* before, const Result& now, std::span<const Limit> limits);

/// The worst level of all scenarios.
Level worst(std::span<const ScenarioVerdict> scenarios);

/// Once the baseline is written: a scenario that it lacked is in it, and a finding only for a limit
/// that it breaks.
void note_update(Verdict& verdict);

}  // namespace feedrate::study
