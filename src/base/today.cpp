#include "base/today.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string_view>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"

namespace feedrate {

std::int64_t today() {
  const char* const fixed = std::getenv("SOURCE_DATE_EPOCH");
  const std::string_view text(fixed == nullptr ? "" : fixed);
  if (text.empty()) {
    const auto now = std::chrono::system_clock::now();
    return std::chrono::floor<std::chrono::days>(now).time_since_epoch().count();
  }
  constexpr std::int64_t end_of_9999 = 253'402'300'799;
  std::int64_t second = -1;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), second);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  if (!whole || second < 0 || second > end_of_9999) {
    throw InputError(fmt::format(
        "SOURCE_DATE_EPOCH: expected seconds since 1970-01-01 such as 1893456000, got {}",
        in_quotes(text)));
  }
  return second / 86400;
}

std::string day_text(std::int64_t days) {
  return fmt::format("{:%Y-%m-%d}", std::chrono::sys_days(std::chrono::days(days)));
}

std::optional<std::int64_t> day_of(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  unsigned parts[3] = {};
  unsigned* part = parts;
  for (const char c : text) {
    if (c == '-') {
      ++part;
    } else if (is_digit(c)) {
      *part = 10 * *part + static_cast<unsigned>(c - '0');
    } else {
      return std::nullopt;
    }
    if (part == std::end(parts)) return std::nullopt;
  }
  const std::chrono::year_month_day day{std::chrono::year(static_cast<int>(parts[0])),
                                        std::chrono::month(parts[1]), std::chrono::day(parts[2])};
  if (!day.ok()) return std::nullopt;
  return std::chrono::sys_days(day).time_since_epoch().count();
}

}  // namespace feedrate
