#pragma once
// Words in what another program prints.
#include <string>
#include <string_view>
#include <vector>

namespace feedrate::bench {

/// The words between spaces and tabs.
std::vector<std::string> words_of(std::string_view line);

}  // namespace feedrate::bench
