#pragma once
// Least squares with non-negative coefficients.
#include <span>
#include <vector>

namespace feedrate::fit {

/// One equation: the sum of columns · coefficients should be `target`; its residual counts
/// `weight`.
struct Equation {
  std::vector<double> columns;
  double target = 0.0;
  double weight = 1.0;
};

/// Coefficients ≥ 0 with the least weighted squares of residuals (Lawson and Hanson 1974, ch. 23).
/// Precondition: at least one equation, all with the same number of columns ≥ 1.
std::vector<double> non_negative_least_squares(std::span<const Equation> equations);

}  // namespace feedrate::fit
