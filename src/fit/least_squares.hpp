#pragma once
// Least squares of residuals that are not linear, inside a box.
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace feedrate::fit {

/// A row a residual, a column a coordinate.
using Rows = std::vector<std::vector<double>>;

/// Residuals at a point of the box, always as many; empty where there is no answer. Called from
/// several threads.
using Residuals = std::function<std::vector<double>(std::span<const double> at)>;

/// Ends of each coordinate, both included. Precondition: low ≤ high. Coordinates should be such
/// that a step of 1 is a large one for each: logarithms, shares.
struct Box {
  std::vector<double> low;
  std::vector<double> high;
};

struct Minimum {
  std::vector<double> at;
  std::vector<double> residuals;  ///< empty: no answer there
  double squares = 0.0;           ///< sum of the residuals' squares
  [[nodiscard]] bool found() const { return !residuals.empty(); }
};

double sum_of_squares(std::span<const double> residuals);

/// Slopes of the residuals at `at` by central differences, one-sided at the ends of the box and
/// beside points without an answer; a column of zeros where there is none on either side.
/// Precondition: there is an answer at `at`.
Rows slopes_at(const Residuals& residuals, const Box& box, std::span<const double> at);

/// The minimum that Levenberg's steps (1944; damping and acceptance as Nielsen 1999) lead to from
/// `start`, projected to the box. Never worse than the start. What the residuals do not tell, stays
/// as it is at the start. Precondition: start is in the box.
Minimum descend(const Residuals& residuals, const Box& box, std::span<const double> start,
                int most_steps = 60);

/// Minima from `starts`, from the best of evenly spread points of the box (Halton 1960), and from
/// what is better along a coordinate through the best of them, best first; of those that are
/// equally good, those from earlier starts come first. Points without an answer are left out: empty
/// where there is none at all. The same on any number of threads.
std::vector<Minimum> descend_from_many(const Residuals& residuals, const Box& box,
                                       std::span<const std::vector<double>> starts, int jobs = 0);

}  // namespace feedrate::fit
