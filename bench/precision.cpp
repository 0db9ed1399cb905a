#include "bench/precision.hpp"

#include <algorithm>
#include <cmath>

#include "base/statistics.hpp"

namespace feedrate::bench {

double relative_error_of_median(std::vector<Duration> times) {
  std::sort(times.begin(), times.end());
  const auto n = static_cast<double>(times.size());
  // Ranks n/2 ± √n/2 hold the median with 68 %: one standard error to each side.
  const double last = n - 1.0;
  const auto low = static_cast<std::size_t>(std::max(0.0, std::floor((last - std::sqrt(n)) / 2)));
  const auto high = static_cast<std::size_t>(std::min(last, std::ceil((last + std::sqrt(n)) / 2)));
  const Duration middle = median(times);
  if (middle <= Duration()) return 1.0;
  return (times[high] - times[low]) / middle / 2.0;
}

}  // namespace feedrate::bench
