#pragma once
// What is said of several numbers in one: each of these stands here alone, so that it is the same
// number everywhere.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace feedrate {

/// Precondition: not empty.
inline double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Of a sample, which the values are: their squares add up over one less than there are.
/// Precondition: two or more.
inline double standard_deviation(std::span<const double> values) {
  const double middle = mean(values);
  double squares = 0.0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

/// Middle value; of an even count the mean of the middle two. Numbers, or quantities of one
/// dimension. Precondition: not empty.
template <class Value>
Value median(std::vector<Value> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2.0;
}

/// Below which a share `p` of the values lies, 0 ≤ p ≤ 1, between two of them by linear
/// interpolation (type 7 of Hyndman and Fan 1996): half is the median, 0 and 1 are the ends.
/// Precondition: sorted, not empty.
inline double quantile_of_sorted(std::span<const double> sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Below which one further draw lies with probability `p`, of draws that are independent of each
/// other (type 6): between the 5 and 95 % of type 7, only 0.9 (n - 1)/(n + 1) of what is drawn next
/// do. Beyond what n draws tell, the least or the largest of them. Precondition: sorted, not empty.
inline double quantile_of_draws(std::span<const double> sorted, double p) {
  const auto last = static_cast<double>(sorted.size() - 1);
  if (last <= 0.0) return sorted.front();
  const double at = std::clamp(p * (last + 2.0) - 1.0, 0.0, last);
  return quantile_of_sorted(sorted, at / last);
}

/// quantile_of_sorted() of values in any order.
inline double quantile(std::vector<double> values, double p) {
  std::sort(values.begin(), values.end());
  return quantile_of_sorted(values, p);
}

/// Around which the values lie densest: of the half of them that lies closest together the half
/// that does, and so on (half-sample mode, Robertson and Cryer 1974). What lies far off on one side
/// does not move it. Precondition: not empty.
inline double half_sample_mode(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::size_t from = 0;
  std::size_t count = values.size();
  while (count > 2) {
    const std::size_t half = (count + 1) / 2;
    std::size_t closest = from;
    for (std::size_t i = from; i + half <= from + count; ++i) {
      const auto width = [&](std::size_t first) {
        return values[first + half - 1] - values[first];
      };
      if (width(i) < width(closest)) closest = i;
    }
    from = closest;
    count = half;
  }
  return mean(std::span(values).subspan(from, count));
}

/// Of the values themselves the largest that no more than a share `p` of the others lies below: one
/// that was measured, where a number between two of them would be none of either kind.
/// Precondition: not empty.
inline double value_at_share(std::vector<double> values, double p) {
  const auto at = static_cast<std::size_t>(p * static_cast<double>(values.size() - 1));
  const auto there = values.begin() + static_cast<std::ptrdiff_t>(at);
  std::nth_element(values.begin(), there, values.end());
  return *there;
}

}  // namespace feedrate
