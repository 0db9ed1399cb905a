#include "queueing/pace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/portable_math.hpp"
#include "queueing/remembered.hpp"

namespace feedrate::queueing {
namespace {

constexpr double step = 1.0 / 16.0;
constexpr double reach = 9.0;
constexpr std::size_t places = 289;

/// The standard normal distribution at -9, -9 + 1/16, …, 9.
const std::array<double, places>& shares_below() {
  static const std::array<double, places> shares = [] {
    std::array<double, places> all{};
    for (std::size_t i = 0; i < places; ++i) {
      const double z = static_cast<double>(i) * step - reach;
      all[i] = 0.5 * portable::erfc(-z / std::numbers::sqrt2);
    }
    return all;
  }();
  return shares;
}

double density(double z) {
  return portable::exp(-z * z / 2.0) / std::sqrt(2.0 * std::numbers::pi);
}

/// The density of the largest of n standard normal numbers at the same places.
std::array<double, places> densities_of_largest(double n) {
  std::array<double, places> all{};
  for (std::size_t i = 0; i < places; ++i) {
    const double z = static_cast<double>(i) * step - reach;
    all[i] = n * portable::pow(shares_below()[i], n - 1.0) * density(z);
  }
  return all;
}

/// Mean and mean square of the largest of n lognormal numbers whose mean is 1.
std::pair<double, double> moments_of_largest(double n, double sigma) {
  static thread_local Remembered<double, std::array<double, places>, 4> of_n;
  const auto& densities = of_n.of(n, [&] { return densities_of_largest(n); });
  const double mu = -sigma * sigma / 2.0;
  double first = 0.0, second = 0.0;
  for (std::size_t i = 0;; ++i) {
    const double z = static_cast<double>(i) * step - reach;
    if (z > reach + 2.0 * sigma) break;
    const double value = portable::exp(mu + sigma * z);
    const double weight = i < places ? densities[i] : n * density(z);
    first += weight * value;
    second += weight * value * value;
  }
  return {first * step, second * step};
}

/// H(n) for real n ≥ 0: the digamma function's asymptotic series, shifted to where it is exact.
double harmonic(double n) {
  double sum = 0.0;
  double x = n + 1.0;
  while (x < 16.0) {
    sum -= 1.0 / x;
    x += 1.0;
  }
  const double inverse = 1.0 / (x * x);
  return sum + portable::log(x) - 0.5 / x -
         inverse * (1.0 / 12.0 - inverse * (1.0 / 120.0 - inverse / 252.0)) + std::numbers::egamma;
}

}  // namespace

Largest largest_of(double n, double cv) {
  if (cv <= 0.0) return {1.0, 0.0};
  if (n <= 1.0) return {1.0, cv};
  static thread_local Remembered<std::pair<double, double>, Largest, 8> asked;
  return asked.of({n, cv}, [&] {
    const double sigma = std::sqrt(portable::log1p(cv * cv));
    const auto [first, square] = moments_of_largest(n, sigma);
    const double mean = std::max(1.0, first);
    return Largest{mean, std::sqrt(std::max(0.0, square - mean * mean))};
  });
}

double deviations_of_largest(double n) {
  constexpr double a = 0.95;
  return std::sqrt(a * a + 2.0 * portable::log(std::max(1.0, n))) - a;
}

double slower_of(double a, double b, double variance, double buffer) {
  const double most = std::max(a, b);
  const double least = std::min(a, b);
  const double loss = buffer > 0.0 ? variance / (2.0 * buffer) : 0.0;
  if (least <= 0.0 || loss <= 1e-12) return most;
  // (least/most)^power is at most e^-((1 - least/most)·ln 2/loss): below it adds no digit.
  constexpr double no_digit = 46.0;
  if ((1.0 - least / most) * std::numbers::ln2 > no_digit * loss) return most;
  const double power = std::numbers::ln2 / portable::log1p(loss);
  return most * portable::exp(portable::log1p(portable::pow(least / most, power)) / power);
}

double barrier_loss(double n, double variance, double buffer) {
  if (n <= 1.0 || variance <= 0.0) return 0.0;
  return variance * harmonic(n - 1.0) / (2.0 * buffer);
}

}  // namespace feedrate::queueing
