#include "formats/recordings/time_text.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "base/number_text.hpp"
#include "formats/recordings/import_observations.hpp"

namespace feedrate::formats {
namespace {

/// Takes `digits` digits off the front.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (!is_digit(text[i])) return std::nullopt;
    value = 10 * value + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take_one_of(std::string_view& text, std::string_view characters) {
  if (text.empty() || characters.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<double> days_since_1970(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

/// 11:21:46 with a fraction.
std::optional<double> take_clock(std::string_view& text) {
  const auto hour = take_digits(text, 2);
  if (!hour || !take_one_of(text, ":")) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || !take_one_of(text, ":")) return std::nullopt;
  const auto second = take_digits(text, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  double value = *hour * 3600.0 + *minute * 60.0 + *second;
  if (text.size() > 1 && (text[0] == '.' || text[0] == ',') && is_digit(text[1])) {
    text.remove_prefix(1);
    double numerator = 0.0;
    double denominator = 1.0;
    // Digits after the microseconds would not change the double.
    for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1)) {
      if (denominator >= 1e9) continue;
      numerator = 10.0 * numerator + (text.front() - '0');
      denominator *= 10.0;
    }
    value += numerator / denominator;
  }
  return value;
}

std::optional<double> take_zone(std::string_view& text) {
  for (const std::string_view utc : {"UTC", "Z"}) {
    if (text.starts_with(utc)) {
      text.remove_prefix(utc.size());
      return 0.0;
    }
  }
  std::string_view rest = text;
  if (rest.empty() || (rest.front() != '+' && rest.front() != '-')) return std::nullopt;
  const double sign = rest.front() == '-' ? -1.0 : 1.0;
  rest.remove_prefix(1);
  const auto hours = take_digits(rest, 2);
  if (!hours || *hours > 15) return std::nullopt;
  take_one_of(rest, ":");
  const auto minutes = take_digits(rest, 2);
  if (minutes && *minutes > 59) return std::nullopt;
  text = rest;
  return sign * (*hours * 3600.0 + minutes.value_or(0) * 60.0);
}

}  // namespace

std::optional<TimeOfDay> leading_time(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || text.empty()) return std::nullopt;
  const std::string_view separator = text.substr(0, 1);
  if (!take_one_of(text, "-/")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take_one_of(text, separator)) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day || !take_one_of(text, " T:")) return std::nullopt;
  const auto days = days_since_1970(*year, *month, *day);
  const auto clock = take_clock(text);
  if (!days || !clock) return std::nullopt;
  TimeOfDay time{*days * 86400.0 + *clock, false, {}};
  std::string_view after = text;
  take_one_of(after, " ");
  // After a blank a sign would be a list's dash: only a zone that is all there is one.
  const bool close = after.size() == text.size();
  if (const auto zone = close || after.starts_with("UTC") ? take_zone(after) : std::nullopt) {
    time.seconds -= *zone;
    time.zoned = true;
    text = after;
  }
  time.rest = text;
  return time;
}

std::optional<TimeOfDay> time_in(std::string_view text) {
  for (std::size_t at = 0; at + 19 <= text.size(); ++at) {
    const bool starts = is_digit(text[at]) && (at == 0 || !is_digit(text[at - 1]));
    const bool fits = starts && (text[at + 4] == '-' || text[at + 4] == '/');
    if (!fits) continue;
    if (const auto time = leading_time(text.substr(at))) return time;
  }
  return std::nullopt;
}

std::optional<double> time_of(std::string_view date, std::string_view clock) {
  const auto year = take_digits(date, 4);
  const auto month = year ? take_digits(date, 2) : std::nullopt;
  const auto day = month ? take_digits(date, 2) : std::nullopt;
  if (!day || !date.empty()) return std::nullopt;
  const auto days = days_since_1970(*year, *month, *day);
  const auto seconds = take_clock(clock);
  if (!days || !seconds || !clock.empty()) return std::nullopt;
  return *days * 86400.0 + *seconds;
}

std::optional<double> zone_of(std::string_view text) {
  const auto zone = take_zone(text);
  return text.empty() ? zone : std::nullopt;
}

std::optional<Duration> parse_moment(std::string_view text) {
  const auto time = leading_time(text);
  if (!time || !time->rest.empty() || time->seconds < 0.0) return std::nullopt;
  return seconds(time->seconds);
}

std::optional<Duration> parse_zone(std::string_view text) {
  const auto zone = zone_of(text);
  return zone ? std::optional(seconds(*zone)) : std::nullopt;
}

}  // namespace feedrate::formats
