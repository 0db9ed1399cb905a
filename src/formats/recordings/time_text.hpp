#pragma once
// Times of day in text. Internal to formats.
#include <optional>
#include <string_view>

namespace feedrate::formats {

struct TimeOfDay {
  double seconds = 0.0;   ///< since 1970-01-01, as if it were UTC
  bool zoned = false;     ///< the text names its zone, which is taken into account
  std::string_view rest;  ///< of the text, after the time
};

/// A time that `text` begins with: 2026-11-22T11:21:46, a blank or : for the T, / for the -, with a
/// fraction of a second after a point or comma, and Z, UTC or +01:00 after it.
std::optional<TimeOfDay> leading_time(std::string_view text);

/// The first such time anywhere in `text`.
std::optional<TimeOfDay> time_in(std::string_view text);

/// The whole of `text`: a date of eight digits and a time, as nvidia-smi dmon writes them.
std::optional<double> time_of(std::string_view yyyymmdd, std::string_view hh_mm_ss);

/// "+01:00", "-0530", "Z", "UTC": seconds ahead of UTC, when it is the whole text.
std::optional<double> zone_of(std::string_view text);

}  // namespace feedrate::formats
