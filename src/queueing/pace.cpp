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

double integrate_largest(double n, double sigma, double power) {
  const double mu = -sigma * sigma / 2.0;
  double sum = 0.0;
  std::size_t i = 0;
  for (double z = -reach; z <= reach + power * sigma; z += step, ++i) {
    const double below = i < places ? shares_below()[i] : 1.0;
    const double density = portable::exp(-z * z / 2.0) / std::sqrt(2.0 * std::numbers::pi);
    sum += n * portable::pow(below, n - 1.0) * density * portable::exp(power * (mu + sigma * z));
  }
  return sum * step;
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
    const double mean = std::max(1.0, integrate_largest(n, sigma, 1.0));
    const double square = integrate_largest(n, sigma, 2.0);
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
