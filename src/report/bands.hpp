#pragma once
// Bands of replications, whose ends are plain numbers, for people.
#include <fmt/format.h>

#include <string>

#include "report/figure_text.hpp"
#include "report/numbers.hpp"

namespace feedrate::report {

/// "17 min 40 s to 18 min 3 s": from the 5 % end to the 95 % end.
inline std::string range_text(const Figure& figure, const Band& band) {
  const auto end = [&](double value) {
    return figure.unit == FigureUnit::samples_per_second
               ? rate(Throughput::of(value)) + " samples/s"
               : figure_text(figure.unit, value);
  };
  return fmt::format("{} to {}", end(band[0]), end(band[2]));
}

}  // namespace feedrate::report
