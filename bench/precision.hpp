#pragma once
// When a series has been sampled often enough.
#include <vector>

#include "base/units.hpp"

namespace feedrate::bench {

/// Standard error of the median over the median, from the order statistics half a standard
/// deviation of the binomial to either side: no shape of the distribution is assumed.
/// At least three samples.
double relative_error_of_median(std::vector<Duration> times);

}  // namespace feedrate::bench
