#pragma once
// The date, which no figure depends on: only what is said of the age of inputs, and which of them
// cannot have been made yet.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace feedrate {

/// Days since 1970-01-01; SOURCE_DATE_EPOCH stands in for the clock, for reproducible output.
std::int64_t today();

/// "2026-11-01", of days since 1970-01-01.
std::string day_text(std::int64_t days);
/// The days of such a text; empty where it is none, or of a day that no calendar has.
std::optional<std::int64_t> day_of(std::string_view text);

}  // namespace feedrate
