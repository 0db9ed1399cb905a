#pragma once
// What repeated samples say: location, error and spread, robust to outliers.
#include <cstddef>
#include <span>
#include <vector>

namespace feedrate::fit {

struct Estimate {
  double value = 0.0;
  double relative_error = 0.0;  ///< standard error over value; 0 when fewer than two samples
  double spread = 0.0;          ///< of one sample: 1.4826 · median absolute deviation over median
  std::size_t count = 0;
};

/// The mean, which is what a loader pays over many samples, with samples further than eight
/// deviations from the median pulled in to there: images differ, but a stalled machine is no
/// image. Precondition: at least one sample.
Estimate estimate(std::span<const double> samples);

/// Middle value; of an even count the mean of the middle two. Precondition: not empty.
double median(std::vector<double> values);

/// 1.4826 · median of |value|: a standard deviation when values are normal around 0.
double robust_deviation(std::span<const double> values);

/// Whether residuals, in the order of x, are no chance: their signs change so rarely as one order
/// in ten does (runs test, Wald and Wolfowitz 1940, exact); or, where there are too few for that
/// test, they bow (both ends on one side, all between on the other, four to seven of them) or rise
/// or fall all the way (five or more).
bool has_shape(std::span<const double> residuals);

}  // namespace feedrate::fit
