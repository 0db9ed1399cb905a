#pragma once
// Times, amounts of money and shares as flags take them.
#include <string>
#include <string_view>

#include "base/units.hpp"

namespace feedrate::cli {

/// "30 min", above 0. InputError naming `flag`.
Duration parse_time(std::string_view text, std::string_view flag);

/// "120 USD", "$120" or "120", at least 0. InputError naming `flag`.
Money parse_money(std::string_view text, std::string_view flag);

/// "90%" or "0.9", 0 < x ≤ 1. A number above 1 without "%" is refused. InputError naming `flag`.
double parse_share(std::string_view text, std::string_view flag);

}  // namespace feedrate::cli
