#include "cli/today.hpp"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string_view>

namespace feedrate::cli {

std::int64_t today() {
  if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH"); fixed != nullptr) {
    const std::string_view text(fixed);
    std::int64_t second = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), second);
    if (read.ec == std::errc() && read.ptr == text.data() + text.size()) return second / 86400;
  }
  const auto now = std::chrono::system_clock::now();
  return std::chrono::floor<std::chrono::days>(now).time_since_epoch().count();
}

}  // namespace feedrate::cli
