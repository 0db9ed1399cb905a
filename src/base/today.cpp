#include "base/today.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string_view>

#include "base/errors.hpp"
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

}  // namespace feedrate
