#pragma once
#include <string_view>

namespace feedrate {

/// `text` without the characters of `blank` at both its ends.
constexpr std::string_view trimmed(std::string_view text, std::string_view blank = " \t") {
  const std::size_t begin = text.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

}  // namespace feedrate
