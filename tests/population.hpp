#pragma once
// What a law says of a population of jobs, judged by a sample: a quantile of some hundred drawn
// jobs lies beyond the population's for every other seed, so what is held is the count beyond a
// bound, with the error of such a count.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace feedrate::test {

inline double beyond(const std::vector<double>& values, double bound) {
  return static_cast<double>(
      std::count_if(values.begin(), values.end(), [bound](double v) { return !(v <= bound); }));
}

/// How many of `drawn` may be what a `share` of the population is: its mean and three deviations of
/// a binomial count, which one seed in 700 exceeds.
inline double most_of(std::size_t drawn, double share) {
  const double n = static_cast<double>(drawn);
  return n * share + 3.0 * std::sqrt(n * share * (1.0 - share));
}

}  // namespace feedrate::test

/// That no more than `share` of the population lie beyond `bound`.
#define CHECK_SHARE_BEYOND(values, bound, share)     \
  CHECK(feedrate::test::beyond((values), (bound)) <= \
        feedrate::test::most_of((values).size(), (share)))
