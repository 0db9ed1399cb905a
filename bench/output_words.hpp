#pragma once
// Words and numbers in what another program prints.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate::bench {

/// The words between spaces and tabs.
std::vector<std::string> words_of(std::string_view line);

/// The whole word as a finite number.
std::optional<double> number_of(std::string_view word);

}  // namespace feedrate::bench
