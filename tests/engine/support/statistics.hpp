#pragma once

#include <cmath>
#include <cstdint>

// Mean and standard error over independent replications, the yardstick for random tests: an
// estimate may differ from the closed form by four standard errors (chance of a false alarm, were
// seeds not fixed: 1 in 2,000 with 20 of them).
namespace feedrate::tests {

inline constexpr int replication_count = 20;
inline constexpr double sigmas = 4.0;

struct Estimate {
  double mean = 0;
  double error = 0;
};

template <class Sample>
Estimate replicate(Sample&& sample, int replications = replication_count) {
  double sum = 0;
  double squares = 0;
  for (int r = 0; r < replications; ++r) {
    const double x = sample(static_cast<std::uint64_t>(r + 1));
    sum += x;
    squares += x * x;
  }
  const double mean = sum / replications;
  const double variance = (squares - sum * mean) / (replications - 1);
  return {mean, std::sqrt(variance / replications)};
}

inline bool agrees(const Estimate& estimate, double expected) {
  return std::abs(estimate.mean - expected) <= sigmas * estimate.error;
}

}  // namespace feedrate::tests
