#pragma once
// Bands of replications, whose ends are plain numbers, for people.
#include <fmt/format.h>

#include <string>

#include "model/result.hpp"
#include "report/numbers.hpp"

namespace feedrate::report {

inline std::string seconds_text(double s) {
  return duration(seconds(s));
}
inline std::string dollars_text(double dollars) {
  return money(usd(dollars));
}

/// "17 min 40 s to 18 min 3 s": from the 5 % end to the 95 % end.
inline std::string range_text(const Band& band, std::string (*shown)(double)) {
  return fmt::format("{} to {}", shown(band[0]), shown(band[2]));
}

}  // namespace feedrate::report
