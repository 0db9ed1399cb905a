// The page cache while it fills, and while Linux's active list settles.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/portable_math.hpp"
#include "pipeline/page_cache.hpp"

namespace feedrate::pipeline {
namespace {

constexpr double settled = 1e-6;

/// Linux starts as LRU does, for no page has been read twice, and gains on it as its active list
/// grows: evenly, with one reader by this share of the whole gain in each epoch (f in steps of
/// 0.1). With N readers that takes about 1.14·N epochs at least, for an instance sees an item again
/// after N on average, and the more the cache holds the later the gain sets in. Fitted to the
/// simulation in tests/pipeline/support/simulated_cache.cpp.
constexpr std::array<double, 11> gained_in_one = {0, .061, .143, .26, .43, .68, .79, .86, 1, 1, 1};

/// Epochs from a full cache to a full active list.
double growing(double f, double readers) {
  const double at = 10.0 * f;
  const auto i = std::min(static_cast<std::size_t>(at), std::size_t{9});
  const double share =
      std::lerp(gained_in_one[i], gained_in_one[i + 1], at - static_cast<double>(i));
  return std::sqrt(1.0 / (share * share) + 1.3 * (readers * readers - 1.0));
}

double gained(double f, double readers, double since_full) {
  const double start = readers <= 1.0 ? 0.0 : std::clamp(0.4 * (f * readers - 0.6), 0.0, 0.7);
  return std::clamp((since_full / growing(f, readers) - start) / (1.0 - start), 0.0, 1.0);
}

/// When the cache gets full, in epochs from the start: after w whole ones and the share s of the
/// next an instance has read 1 − qʷ·(1 − r·s) of the data, with r = 1/readers and q = 1 − r.
double filled(double f, double readers) {
  if (readers <= 1.0) return f;
  const double log_skip = portable::log1p(-1.0 / readers);
  const double whole = std::floor(portable::log1p(-f) / log_skip);
  const double part = (1.0 - (1.0 - f) * portable::exp(-whole * log_skip)) * readers;
  return whole + std::clamp(part, 0.0, 1.0);
}

/// What the epoch in which the cache gets full (at the share s of it) misses by evictions. Items go
/// in the order in which the first epoch read them, unless read again; by the moment u those up to
/// v have gone. As many go as are missed: (1 − r·u)·v' = q + r·v, so v = q·(u − s)/(1 − r·u), and
/// the reads that miss what has gone are r·q^(k−2)·∫ v du from s to 1.
double lost_on_filling(double full, double readers, double epoch) {
  const double s = full - (epoch - 1.0);
  if (s < 0.0 || s >= 1.0 || readers <= 1.0) return 0.0;
  const double skip = 1.0 - 1.0 / readers;
  const double unread = 1.0 - s / readers;
  const double area = unread * portable::log(unread / skip) - (unread - skip);
  return portable::pow(skip, epoch - 1.0) * readers * std::max(area, 0.0);
}

}  // namespace

double seen_before(double readers, double epoch) {
  if (epoch <= 1.0) return 0.0;
  return readers <= 1.0 ? 1.0 : -portable::expm1((epoch - 1.0) * portable::log1p(-1.0 / readers));
}

double hit_in_epoch(double cached, CachePolicy policy, double readers, double epoch, bool staged) {
  readers = std::max(readers, 1.0);
  const double steady = hit_ratio(cached, policy, readers);
  const double seen = seen_before(readers, epoch);
  if (staged || seen <= 0.0) return staged ? steady : 0.0;
  if (policy == CachePolicy::no_eviction || steady <= 0.0 || cached >= 1.0)
    return std::min(seen, steady);
  const double full = filled(cached, readers);
  const double kept = seen - lost_on_filling(full, readers, epoch);
  if (policy == CachePolicy::lru) return std::min(kept, steady);
  const double lru = hit_ratio(cached, CachePolicy::lru, readers);
  const double since_full = epoch - 1.0 - std::max(full, 1.0);
  return std::min(kept, std::lerp(lru, steady, gained(cached, readers, since_full)));
}

double epochs_until_steady(double cached, CachePolicy policy, double readers, bool staged) {
  const double steady = hit_ratio(cached, policy, readers);
  if (staged || steady <= settled) return 1.0;
  const double full = filled(std::min(cached, 1.0 - settled), readers);
  const double after_filling = std::floor(full) + 2.0;
  if (policy != CachePolicy::linux_two_lists || cached >= 1.0) return after_filling;
  const double grown = std::max(full, 1.0) + growing(cached, std::max(readers, 1.0));
  return std::max(after_filling, std::ceil(1.0 + grown));
}

}  // namespace feedrate::pipeline
