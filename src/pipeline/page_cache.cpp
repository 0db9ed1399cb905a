// The steady state: LRU in closed form, Linux from a table of what it gains on LRU.
#include "pipeline/page_cache.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/portable_math.hpp"

namespace feedrate::pipeline {
namespace {

/// Hit ratio of LRU with several readers: the cache holds what was read within the characteristic
/// time T, f = ∫₀ᵀ P(gap > t) dt / readers, and a read hits when its gap is below T.
///
/// An item is read in an epoch with probability r = 1/readers, at a uniform moment of it, so the
/// gap is (whole epochs) + (difference of two uniform moments), and with q = 1 − r, s = t − ⌊t⌋
///   P(gap > t) = 1 − r·s²/2                                          within the first epoch,
///   P(gap > t) = q^(⌊t⌋−1) · (r·(1 − s)²/2 + q·(1 − r·s²/2))         after it.
/// Both are integrated in closed form; only the moment s within T's epoch takes Newton steps.
double characteristic_time_hit(double f, double readers) {
  const double r = 1.0 / readers;
  const double q = 1.0 - r;
  const double first = 1.0 - r / 6.0;        // of one whole epoch, the first
  const double later = r / 6.0 + q * first;  // and of a later one, without its power of q
  const bool within_first = f < r * first;
  double scale = 1.0;
  double left = f * readers;
  if (!within_first) {
    const double tail = std::max(1.0 - (f - r * first) / later, 1e-300);
    scale = portable::pow(q, std::floor(portable::log(tail) / portable::log1p(-r)));
    left = (f - r * first - later * (1.0 - scale)) / (r * scale);
  }
  const double a = within_first ? 0.0 : r;
  const double b = within_first ? 1.0 : q;
  double s = std::clamp(left, 0.0, 1.0);
  double survival = 1.0;
  for (int step = 0; step < 4; ++step) {
    const double rest = 1.0 - s;
    const double sum = a * (1.0 - rest * rest * rest) / 6.0 + b * (s - r * s * s * s / 6.0);
    survival = a * rest * rest / 2.0 + b * (1.0 - r * s * s / 2.0);
    s = std::clamp(s + (left - sum) / survival, 0.0, 1.0);
  }
  survival = a * (1.0 - s) * (1.0 - s) / 2.0 + b * (1.0 - r * s * s / 2.0);
  return std::min(1.0 - scale * survival, f);
}

double lru_hit(double f, double readers) {
  if (readers <= 1.0) return f + (1.0 - f) * portable::log1p(-f);
  return characteristic_time_hit(f, readers);
}

/// What Linux's two lists gain of the way from LRU to never evicting, for f in steps of 0.1 and 1,
/// 2, 4 and 8 readers; with more there is next to nothing to gain. Source: the simulation in
/// tests/pipeline/support/simulated_cache.cpp with 40,000 items and a cache of 100 GB. With 10 GB
/// hits are up to 0.03 fewer, with 400 GB up to 0.01 more.
using Gains = std::array<double, 11>;
constexpr Gains of_one = {.96, .909, .833, .736, .641, .569, .518, .494, .518, .610, .66};
constexpr Gains of_two = {.97, .907, .829, .753, .693, .603, .489, .36, .225, .08, 0};
constexpr Gains of_four = {.97, .903, .823, .704, .577, .460, .329, .19, .06, 0, 0};
constexpr Gains of_eight = {.97, .889, .744, .602, .465, .325, .2, .07, .01, 0, 0};

double gain(double f, double readers) {
  const double at = 10.0 * f;
  const auto i = std::min(static_cast<std::size_t>(at), std::size_t{9});
  const auto look = [&](const Gains& g) {
    return std::lerp(g[i], g[i + 1], at - static_cast<double>(i));
  };
  const double r = 1.0 / readers;
  if (r > 0.5) return std::lerp(look(of_two), look(of_one), 2.0 * r - 1.0);
  if (r > 0.25) return std::lerp(look(of_four), look(of_two), 4.0 * r - 1.0);
  return std::lerp(look(of_eight), look(of_four), std::max(8.0 * r - 1.0, 0.0));
}

}  // namespace

double hit_ratio(double cached, CachePolicy policy, double readers) {
  const double f = std::clamp(cached, 0.0, 1.0);
  if (!(f > 0.0)) return 0.0;  // also where there is no data: 0/0
  if (f >= 1.0 || policy == CachePolicy::no_eviction) return f;
  const double n = std::max(readers, 1.0);
  const double lru = lru_hit(f, n);
  return policy == CachePolicy::lru ? lru : lru + gain(f, n) * (f - lru);
}

}  // namespace feedrate::pipeline
