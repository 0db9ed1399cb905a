#pragma once
// Non-negative least squares that a few bad points do not spoil, with standard errors; and the two
// shapes that it is used for: linear laws and concave curves.
#include <span>
#include <vector>

namespace feedrate::fit {

/// The sum of columns · coefficients was found to be `target` (> 0), give or take its error.
struct Observation {
  std::vector<double> columns;
  double target = 0.0;
  double relative_error = 0.0;  ///< of the target by its own samples; 0 when not known
};

/// A relative error by its causes: what sampling leaves open, and how far the law misses what was
/// found.
struct Uncertainty {
  double sampling = 0.0;
  double misfit = 0.0;
};

struct RobustFit {
  std::vector<double> coefficients;     ///< ≥ 0
  std::vector<double> standard_errors;  ///< of each: the larger of what the residuals' scatter
                                        ///< and what the targets' own errors make of it
  std::vector<double> misfits;          ///< what the residuals' scatter alone makes of it
  std::vector<double> residuals;        ///< found over fitted, less 1; in the order given
  [[nodiscard]] Uncertainty uncertainty(std::size_t j) const;
};

/// Relative residuals, weighted by Huber's function (1964) until they settle.
/// Precondition: as many observations as columns, or more.
RobustFit robust_non_negative(std::span<const Observation> observations);

/// A total rate that was found with so many users.
struct RatePoint {
  double users = 1.0;
  double total = 0.0;
  double relative_error = 0.0;
};

struct ConcaveFit {
  std::vector<RatePoint> points;  ///< one per number of users, ascending
  Uncertainty uncertainty;        ///< of the curve as a whole
  std::vector<double> residuals;  ///< of the points given, ascending in users
};

/// The concave non-decreasing curve through the origin that is nearest: a sum of min(n, nₖ) with
/// coefficients ≥ 0. More users never make a shared capacity smaller, and each adds no more than
/// the one before. Precondition: not empty, users and totals > 0.
ConcaveFit concave_curve(std::vector<RatePoint> found);

}  // namespace feedrate::fit
