#include "pipeline/page_cache.hpp"

#include <algorithm>
#include <cmath>

namespace feedrate::pipeline {
namespace {

/// P(gap > t), t in epochs: an item is read in an epoch with probability 1/readers, at a uniform
/// moment of it, so the gap is (whole epochs) + (difference of two uniform moments).
double survival(double t, double readers) {
  const double read = 1.0 / readers;
  const double skip = 1.0 - read;
  const double whole = std::floor(t);
  const double s = t - whole;
  const double earlier = whole < 1.0 ? 0.0 : read * std::pow(skip, whole - 1.0);
  return earlier * (1.0 - s) * (1.0 - s) / 2.0 +
         std::pow(skip, whole) * (read * (1.0 - s * s / 2.0) + skip);
}

/// The cache holds what was read within the characteristic time T: f = ∫₀ᵀ P(gap > t) dt / readers;
/// a read hits when its gap is below T.
double characteristic_time_hit(double cached, double readers) {
  constexpr double step = 1.0 / 128.0;
  double held = 0.0;
  double t = 0.0;
  while (held < cached && t < 64.0 * readers) {
    held += survival(t + step / 2.0, readers) * step / readers;
    t += step;
  }
  return std::min(1.0 - survival(t, readers), cached);
}

}  // namespace

double hit_ratio(double cached, CachePolicy policy, double readers) {
  const double f = std::clamp(cached, 0.0, 1.0);
  if (f >= 1.0 || f <= 0.0 || policy == CachePolicy::no_eviction) return f;
  if (readers <= 1.0) return f + (1.0 - f) * std::log1p(-f);
  return characteristic_time_hit(f, readers);
}

}  // namespace feedrate::pipeline
