#pragma once
// What to change, for people.
#include <span>
#include <string>
#include <vector>

#include "model/advice.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// The first remedy in a sentence, the ladder, the remedies with the settings that make them, what
/// does not help, and what must wait. `name` is the scenario's.
Report advise_report(const Advice& advice, const std::string& name);

/// `advise` at a glance: that sentence, the first remedies, what they make of time and cost, how
/// the first is applied, what must wait. The rest is counted.
Report advise_brief(const Advice& advice, const std::string& name);

/// `advise --list`: every remedy, when it applies, and the evidence for and against it.
Report remedies_report(std::span<const RemedyWords> remedies);

/// All remedies that were simulated as one table, every digit kept; for CSV.
Table advice_table(const Advice& advice);

/// Title of the table of what is advised now among advice_blocks().
inline constexpr const char* remedies_title = "Remedies";
/// Title of the list of settings among advice_blocks().
inline constexpr const char* settings_title =
    "How to apply them (--apply NUMBER -o FILE writes the changed scenario)";

/// The ladder and the remedies as tables, for a page that has its own headline.
std::vector<Block> advice_blocks(const Advice& advice);

}  // namespace feedrate::report
