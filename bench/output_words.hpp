#pragma once
// Words in what another program prints.
#include <string>
#include <string_view>
#include <vector>

#include "base/text_lines.hpp"

namespace feedrate::bench {

/// The words between spaces and tabs.
inline std::vector<std::string> words_of(std::string_view line) {
  const auto words = words_of_line(line, " \t\r");
  return {words.begin(), words.end()};
}

}  // namespace feedrate::bench
