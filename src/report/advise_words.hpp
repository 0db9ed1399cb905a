#pragma once
// The sentences of advice.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/advice.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// Share of the draws from which on a saving is no matter of luck.
inline constexpr double sure = 0.9;

/// "one GPU, data in memory"
std::string_view words_of(Rung rung);
/// "a setting"
std::string_view words_of(RemedyKind kind);
/// "minutes", "2 hours", "a day"
std::string effort_words(double hours_of_work);
/// Its name, or "none".
std::string stage_words(std::optional<Stage> stage);

/// Null: there is none.
const Remedied* first_of(const Advice& advice, RemedyStanding standing);
/// Whether it saves in half of the draws at least, or meets a constraint that the job misses.
bool mostly_saves(const Advice& advice, const Remedied& row);
/// The first that is advised and does not lose in most of the draws; null: there is none.
const Remedied* change_first(const Advice& advice);
/// What saves several times as much as the first, whether it is advised or, of several times all
/// that is, comes later: it is named beside the first. Null: there is none.
const Remedied* far_beyond_first(const Advice& advice);
/// Of what is advised, what saves most; null: nothing does.
const Remedied* saves_most(const Advice& advice);
/// Whether what it costs once shows beside what it saves.
bool once_shows(const Remedied& row);
/// Whether rungs are told by how busy the GPUs are.
bool has_gpu_work(const Advice& advice);

/// Where to begin, and the first remedy.
Paragraph advice_headline(const Advice& advice);
/// Who meets the deadline and the budget; "" where neither is given.
std::string limits_words(const Advice& advice);
/// What the job and those advised first take by their events; "" where none were simulated.
std::string confirmed_words(const Advice& advice);
/// What must not be done before the rest.
std::vector<std::string> not_yet(const Advice& advice);

}  // namespace feedrate::report
