#pragma once
// The sentences and cells that every form of a check's report shares.
#include <string>
#include <vector>

#include "model/verdict.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// "failed", "warning", "better", "new", "unchanged", "within limits".
std::string standing_text(const ScenarioVerdict& scenario);

/// The value of a key, shortened where it is long; "not set" for "".
std::string value_text(const std::string& text);

/// "$10.00 → $12.00 (+20.0 %)", or the figure alone where nothing changed.
Cell change_cell(const FigureChange& change);

/// "decode", "decode → download", "none".
std::string bottleneck_text(const ScenarioVerdict& scenario);

/// Cost and time with sign and amount, the stage that did it, and the keys that changed, in one
/// sentence without a full stop; "unchanged" where nothing did.
std::string summary_text(const ScenarioVerdict& scenario);

/// The stage that made the job take longer or less long, and by how much: of clusters of different
/// size, that made their instances cost more or less. "" where none explains what changed.
std::string cause_text(const ScenarioVerdict& scenario);

/// What is not as it was, by what its group changed of the cost and of the time, the most first.
std::vector<KeyChange> keys_by_effect(const ScenarioVerdict& scenario);

/// Of the scenarios that stand worst, the one whose total cost changed most; null without any.
const ScenarioVerdict* worst_of(const Verdict& verdict);

/// How many scenarios stand how, without their names.
std::string standings_text(const Verdict& verdict);

Tone tone_of(Level level);

/// What was done beside the check: an update, a failure that fails nothing.
std::vector<std::string> closing_notes(const Verdict& verdict);

/// The whole check in one sentence, with sign and amount of the worst.
std::string headline_text(const Verdict& verdict);

/// The broken limits and the notes, a sentence each: "FAIL cost=5%: money_usd +8.2 % …".
std::vector<std::string> limit_lines(const ScenarioVerdict& scenario);

/// What is wrong with a scenario that could not be checked, one line per problem, each with its
/// place.
std::vector<std::string> error_lines(const ScenarioErrors& of);

/// Whether anything is to be explained.
bool has_changed(const ScenarioVerdict& scenario);

}  // namespace feedrate::report
