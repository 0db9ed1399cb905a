#pragma once
// Shares as flags take them.
#include <string_view>

namespace feedrate::cli {

/// "90%" or "0.9", 0 < x ≤ 1. A number above 1 without "%" is refused. InputError naming `flag`.
double parse_share(std::string_view text, std::string_view flag);

}  // namespace feedrate::cli
