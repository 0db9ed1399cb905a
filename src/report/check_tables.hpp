#pragma once
// The tables that every form of a check's report shares.
#include "model/verdict.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// One row per scenario: standing, the main figures, bottleneck; then those that could not be
/// checked.
Table summary_table(const Verdict& verdict);
/// One row per stage whose GPU time changed, the largest change first.
Table stage_table(const ScenarioVerdict& scenario);
/// One row per group of inputs. The rows add up to the last one as shown, because the totals on the
/// way are rounded, and not their differences.
Table part_table(const ScenarioVerdict& scenario);
/// One row per key: old and new value.
Table key_table(const ScenarioVerdict& scenario);

}  // namespace feedrate::report
