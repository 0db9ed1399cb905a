#pragma once
// A scenario's figures held against its baseline and its limits.
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"
#include "model/verdict.hpp"

namespace feedrate::study {

/// Every figure that a baseline keeps: those with a name in metrics.hpp, but for stages that stall
/// nothing.
Figures figures_of(const Result& result);

/// Whether the result has the bottleneck and every figure that `kept` has: an older feedrate kept
/// fewer figures.
bool as_kept(const Figures& kept, const Result& now);

/// Keys of the inputs whose values differ and that have an error of measurement in both: these may
/// differ by chance. What has none in the baseline is no excuse for a change that states one.
std::set<std::string, std::less<>> measured_again(std::span<const InputUsed> before,
                                                  std::span<const InputUsed> now);
/// The same of the baseline's job. InputError where it cannot be resolved.
std::set<std::string, std::less<>> measured_again(const Scenario& before, const Catalog& catalog,
                                                  const HostProfile* host,
                                                  std::span<const InputUsed> now);

/// Judges the scenario against `before`, its entry of the baseline (null: there is none). Fills
/// standing, level, figures, limits, stages and stale; the caller fills the names. `again`: bands
/// of the result by what was measured again alone (replicate_inputs); null: nothing was, or nothing
/// is drawn. The rules:
/// - a limit on a rise or fall that is broken counts but where the baseline's figure lies as near
///   to the result's as the 5-95 % band of `again` lies about its middle, and a limit on the figure
///   itself only where the whole band of the result breaks it;
/// - a line of the bill that is gone or costs nothing any more is a failure, and nothing is better
///   then, but not one that another line of its part stands for now, nor where the baseline holds
///   no lines;
/// - without an entry, limits on rises and falls do not apply, and the scenario is a warning;
/// - cost, total cost or time that is better by more than its limit allows it to be worse (5 % if
/// it
///   has no limit), with none of them worse, makes the baseline stale, which is a note.
ScenarioVerdict judge(const Figures* before, const Result& now, std::span<const Limit> limits,
                      const Bands* again = nullptr);

/// The worst level of all scenarios.
Level worst(std::span<const ScenarioVerdict> scenarios);

/// Once the baseline is written: a scenario that it lacked is in it, and a finding only for a limit
/// that it breaks.
void note_update(Verdict& verdict);

}  // namespace feedrate::study
