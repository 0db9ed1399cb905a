#include "fit/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace feedrate::fit {
namespace {

constexpr double fence = 8.0;         ///< deviations beyond which a sample is pulled in
constexpr double least_scale = 0.01;  ///< of the median: clocks make samples equal
constexpr double unlikely = 0.1 + 1e-9;

double choose(std::size_t n, std::size_t k) {
  if (k > n) return 0.0;
  const auto a = static_cast<double>(n);
  const auto b = static_cast<double>(k);
  return std::round(
      std::exp(std::lgamma(a + 1.0) - std::lgamma(b + 1.0) - std::lgamma(a - b + 1.0)));
}

/// Chance of at most `runs` runs among `plus` and `minus` signs in random order.
double chance_of_runs(std::size_t runs, std::size_t plus, std::size_t minus) {
  double ways = 0.0;
  for (std::size_t r = 2; r <= runs; ++r) {
    const std::size_t k = r / 2;
    if (r % 2 == 0) {
      ways += 2.0 * choose(plus - 1, k - 1) * choose(minus - 1, k - 1);
    } else {
      ways += choose(plus - 1, k) * choose(minus - 1, k - 1) +
              choose(plus - 1, k - 1) * choose(minus - 1, k);
    }
  }
  return ways / choose(plus + minus, plus);
}

}  // namespace

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2.0;
}

double robust_deviation(std::span<const double> values) {
  std::vector<double> sizes;
  for (const double value : values) sizes.push_back(std::abs(value));
  return sizes.empty() ? 0.0 : 1.4826 * median(std::move(sizes));
}

Estimate estimate(std::span<const double> samples) {
  Estimate e;
  e.count = samples.size();
  const double middle = median({samples.begin(), samples.end()});
  std::vector<double> deviations;
  for (const double sample : samples) deviations.push_back(sample - middle);
  const double deviation = robust_deviation(deviations);
  if (middle != 0.0) e.spread = deviation / std::abs(middle);
  const double reach = fence * std::max(deviation, least_scale * std::abs(middle));
  double sum = 0.0;
  double squares = 0.0;
  for (const double d : deviations) {
    const double kept = std::clamp(d, -reach, reach);
    sum += kept;
    squares += kept * kept;
  }
  const auto n = static_cast<double>(e.count);
  e.value = middle + sum / n;
  if (e.count < 2 || e.value == 0.0) return e;
  const double variance = std::max(0.0, squares - sum * sum / n) / (n - 1.0);
  e.relative_error = std::sqrt(variance / n) / std::abs(e.value);
  return e;
}

bool has_shape(std::span<const double> residuals) {
  const bool rises = std::is_sorted(residuals.begin(), residuals.end());
  const bool falls = std::is_sorted(residuals.rbegin(), residuals.rend());
  if (residuals.size() >= 5 && rises != falls) return true;
  std::vector<bool> signs;
  for (const double r : residuals) {
    if (r != 0.0) signs.push_back(r > 0.0);
  }
  if (signs.size() < 4) return false;
  std::size_t runs = 1;
  for (std::size_t i = 1; i < signs.size(); ++i) runs += signs[i] != signs[i - 1] ? 1 : 0;
  if (signs.size() <= 7 && runs == 3 && signs.front() == signs.back()) {
    const bool bow = std::all_of(signs.begin() + 1, signs.end() - 1,
                                 [&](bool sign) { return sign != signs.front(); });
    if (bow) return true;
  }
  const auto plus = static_cast<std::size_t>(std::count(signs.begin(), signs.end(), true));
  const std::size_t minus = signs.size() - plus;
  if (plus == 0 || minus == 0) return signs.size() >= 6;
  return chance_of_runs(runs, plus, minus) <= unlikely;
}

}  // namespace feedrate::fit
