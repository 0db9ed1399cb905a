#pragma once
// The version, as `--version` prints it and every JSON document carries it.
#include <string_view>

namespace feedrate {

inline constexpr std::string_view version = "0.1.0";

}  // namespace feedrate
