#pragma once
// Unit expressions: "GB/s", "USD/(MB/s)/month", "ms/sample" as exact ratios of base units.
#include <string>
#include <string_view>

#include "base/unit_text.hpp"

namespace feedrate {

/// One of a unit is `numerator / denominator` base units. Two whole numbers rather than one ratio,
/// so that "8.5 ms" becomes the double nearest to 0.0085.
struct Scale {
  double numerator = 1.0;
  double denominator = 1.0;

  [[nodiscard]] double to_base(double number) const { return number * numerator / denominator; }
  [[nodiscard]] double from_base(double base) const { return base * denominator / numerator; }
};

struct UnitExpression {
  Scale scale;
  Dimension dimension;
  std::string problem;  ///< empty when fine; else what is wrong, to stand in brackets
  /// "Gbps" and its like name 1e9 of something; this is that number, 0 for other problems.
  double ambiguous_per_second = 0.0;
};

/// Reads `unit`; an empty one is dimensionless.
UnitExpression parse_unit(std::string_view unit);

/// Base units spelled out: "B/s", "USD/s", "s/sample".
std::string base_unit(Dimension dimension);

}  // namespace feedrate
