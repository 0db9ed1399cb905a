#pragma once
// Readings of monitors and the thresholds of rules of thumb, as people write and read them.
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/units.hpp"
#include "model/readings.hpp"
#include "model/rules.hpp"

namespace feedrate::words {

/// A reading as it was typed: a share as "35" or "35 %", several of them with commas for their
/// mean; a time as "12 min"; a ratio as "1.8". InputError names `flag` and says what was expected.
double parse_reading(const ReadingRow& row, std::string_view text, const std::string& flag);

/// Sets "low=20%" or several of them with commas. InputError names `flag` with all that is wrong,
/// and suggests the nearest name.
void set_thresholds(Thresholds& thresholds, std::string_view text, const std::string& flag);

/// "35 %", "12 min", "7".
std::string reading_text(ReadingKind kind, double value);
/// Both, with as many digits as tell one from the other: "79.6 %" and "80 %".
std::pair<std::string, std::string> told_apart(ReadingKind kind, double value, double limit);

/// Of an observation's samples only those count that lie in `of`, the time in which the job goes on
/// as it does in the long run.
std::string read_in_typical_time(const std::string& path, Duration of, std::size_t left_out);
/// The same of the rules below a heat map.
std::string judged_in_typical_time(Duration of);
/// Of two files that show another mean of the same reading each.
std::string read_as_one(const ReadingRow& row, const std::string& one, double share,
                        const std::string& other, double other_share);
/// Of an observation of more steps and samples of workers than are kept.
std::string judged_first_part();

}  // namespace feedrate::words
