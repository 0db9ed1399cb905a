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

/// How many of `drawn` may be what a `share` of the population is: more are in one seed of 700 by
/// the binomial distribution itself, whose three deviations one of 30 exceeds where few are
/// expected.
inline double most_of(std::size_t drawn, double share) {
  constexpr double chance = 1.0 / 700.0;
  const double n = static_cast<double>(drawn);
  constexpr double many = 50.0;  // from here on both are the same, and the first share underflows
  if (n * share > many) return n * share + 3.0 * std::sqrt(n * share * (1.0 - share));
  double each = std::pow(1.0 - share, n);
  double up_to = each;
  double most = 0.0;
  while (up_to < 1.0 - chance && most < n) {
    each *= (n - most) / (most + 1.0) * share / (1.0 - share);
    most += 1.0;
    up_to += each;
  }
  return most;
}

}  // namespace feedrate::test

/// That no more than `share` of the population lie beyond `bound`.
#define CHECK_SHARE_BEYOND(values, bound, share)     \
  CHECK(feedrate::test::beyond((values), (bound)) <= \
        feedrate::test::most_of((values).size(), (share)))
