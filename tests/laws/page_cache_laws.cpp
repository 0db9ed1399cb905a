// What a page cache keeps, against its definition by integrals and for all sizes of caches and
// numbers of readers: what the simulated caches of tests/pipeline show at a few of them.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/loading.hpp"
#include "pipeline/page_cache.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

namespace {

constexpr int draws = 4000;

/// With r = 1/readers: the chance that an item is not read again within t epochs.
double gap_is_longer(double t, double readers) {
  const double r = 1.0 / readers;
  const double q = 1.0 - r;
  const double s = t - std::floor(t);
  if (t < 1.0) return 1.0 - r * s * s / 2.0;
  return std::pow(q, std::floor(t) - 1.0) *
         (r * (1.0 - s) * (1.0 - s) / 2.0 + q * (1.0 - r * s * s / 2.0));
}

/// Within one epoch it is a parabola, of which Simpson's rule is exact; the end is approached from
/// below, for the next epoch begins there.
double area(double from, double to, double readers) {
  const double end = std::nexttoward(to, from);
  return (to - from) / 6.0 *
         (gap_is_longer(from, readers) + 4.0 * gap_is_longer((from + to) / 2.0, readers) +
          gap_is_longer(end, readers));
}

/// A cache of LRU holds what was read within the time T, and hits where the gap is shorter.
double lru_by_definition(double f, double readers) {
  double left = f * readers;
  double t = 0.0;
  while (left > area(t, t + 1.0, readers)) {
    left -= area(t, t + 1.0, readers);
    t += 1.0;
  }
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 60; ++i) {
    const double s = (low + high) / 2.0;
    (area(t, t + s, readers) < left ? low : high) = s;
  }
  return 1.0 - gap_is_longer(t + low, readers);
}

double hit(double f, CachePolicy policy, double readers) {
  return hit_ratio(f, policy, readers);
}

/// When an instance that reads a random share 1/readers in each epoch has read the share f.
double filled_by_bisection(double f, double readers) {
  const auto read = [&](double epochs) {
    const double whole = std::floor(epochs);
    return 1.0 - std::pow(1.0 - 1.0 / readers, whole) * (1.0 - (epochs - whole) / readers);
  };
  double low = 0.0, high = 1.0;
  while (read(high) < f) high *= 2.0;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2.0;
    (read(middle) < f ? low : high) = middle;
  }
  return low;
}

/// What the epoch misses by evictions in which the cache gets full: r·q^(k−2)·∫ v du from s to 1,
/// v = q·(u − s)/(1 − r·u).
double lost_by_quadrature(double full, double readers, double epoch) {
  const double s = full - (epoch - 1.0);
  if (s < 0.0 || s >= 1.0) return 0.0;
  const double r = 1.0 / readers;
  const double q = 1.0 - r;
  constexpr int pieces = 2000;
  double sum = 0.0;
  for (int i = 0; i < pieces; ++i) {
    const double u = s + (1.0 - s) * (i + 0.5) / pieces;
    sum += q * (u - s) / (1.0 - r * u) * (1.0 - s) / pieces;
  }
  return r * std::pow(q, epoch - 2.0) * sum;
}

}  // namespace

TEST_CASE("page cache: LRU is what its definition by the time between two reads says") {
  Generator generate(1901);
  for (int i = 0; i < draws; ++i) {
    const double f = generate.uniform(0.001, 0.995);
    const double readers =
        generate.chance(0.5) ? generate.whole(2.0, 64.0) : generate.log_uniform(1.5, 100.0);
    INFO("cached " << f << ", " << readers << " readers");
    REQUIRE(hit(f, CachePolicy::lru, readers) ==
            Approx(std::min(lru_by_definition(f, readers), f)).epsilon(2e-5).margin(1e-9));
    REQUIRE(hit(f, CachePolicy::lru, 1.0) == Approx(f + (1.0 - f) * std::log(1.0 - f)));
  }
}

TEST_CASE("page cache: Linux gains a share of what LRU loses, and has no jump in size or readers") {
  Generator generate(1902);
  constexpr double hair = 1e-5;
  for (int i = 0; i < draws; ++i) {
    const double f = generate.uniform(0.01, 0.98);
    const double readers = generate.log_uniform(1.0, 20.0);
    const double linux = hit(f, CachePolicy::linux_two_lists, readers);
    const double lru = hit(f, CachePolicy::lru, readers);
    const double gain = (linux - lru) / (f - lru);
    INFO("cached " << f << ", " << readers << " readers, gain " << gain);
    REQUIRE(gain >= 0.0);
    REQUIRE(gain <= 0.97);
    // Ever less with more readers, each of which reads another part.
    const double lru_more = hit(f, CachePolicy::lru, 2.0 * readers);
    const double more = hit(f, CachePolicy::linux_two_lists, 2.0 * readers);
    if (readers >= 2.0) REQUIRE((more - lru_more) / (f - lru_more) <= gain + 1e-9);
    const double larger = hit(f + hair, CachePolicy::linux_two_lists, readers);
    REQUIRE(larger >= linux);
    REQUIRE(larger - linux < 20.0 * hair);
    // A second reader is felt at once: LRU itself has a jump at one.
    if (readers < 1.01) continue;
    const double other = hit(f, CachePolicy::linux_two_lists, readers * (1.0 + hair));
    REQUIRE(std::abs(other - linux) < 20.0 * hair);
  }
  // At the sizes and numbers of readers that were simulated, what was found there.
  for (const auto& [f, readers, gain] : {std::tuple{0.2, 1.0, .833},
                                         {0.5, 1.0, .569},
                                         {0.9, 1.0, .610},
                                         {0.2, 2.0, .829},
                                         {0.5, 2.0, .603},
                                         {0.2, 4.0, .823},
                                         {0.5, 4.0, .460},
                                         {0.2, 8.0, .744},
                                         {0.5, 8.0, .325},
                                         {0.5, 16.0, .325}}) {
    const double lru = hit(f, CachePolicy::lru, readers);
    CHECK((hit(f, CachePolicy::linux_two_lists, readers) - lru) / (f - lru) ==
          Approx(gain).epsilon(1e-6));
  }
}

TEST_CASE("page cache: it fills with what is read, and loses what it evicts meanwhile") {
  Generator generate(1903);
  for (int i = 0; i < 1500; ++i) {
    const double f = generate.uniform(0.01, 0.99);
    const double readers = generate.log_uniform(1.5, 20.0);
    const double epoch = generate.whole(1.0, 12.0);
    INFO("cached " << f << ", " << readers << " readers, epoch " << epoch);
    const double seen = 1.0 - std::pow(1.0 - 1.0 / readers, epoch - 1.0);
    REQUIRE(seen_before(readers, epoch) == Approx(seen).epsilon(1e-9).margin(1e-12));
    const double full = filled_by_bisection(f, readers);
    const double kept = seen - lost_by_quadrature(full, readers, epoch);
    const double steady = hit(f, CachePolicy::lru, readers);
    REQUIRE(hit_in_epoch(f, CachePolicy::lru, readers, epoch, false) ==
            Approx(epoch == 1.0 ? 0.0 : std::min(kept, steady)).epsilon(1e-5).margin(1e-9));
    REQUIRE(hit_in_epoch(f, CachePolicy::no_eviction, readers, epoch, false) ==
            Approx(std::min(seen, f)).epsilon(1e-9).margin(1e-12));
    REQUIRE(hit_in_epoch(f, CachePolicy::lru, readers, epoch, true) == steady);
    // LRU has settled with the second epoch after it was full.
    const double until = epochs_until_steady(f, CachePolicy::lru, readers, false);
    if (steady > 1e-6) REQUIRE(until == std::floor(full) + 2.0);
    REQUIRE(epochs_until_steady(f, CachePolicy::lru, readers, true) == 1.0);
  }
}

TEST_CASE("page cache: Linux goes from LRU's hits to its own, and is steady when it says so") {
  Generator generate(1904);
  for (int i = 0; i < 1500; ++i) {
    const double f = generate.uniform(0.03, 0.95);
    const double readers = generate.chance(0.3) ? 1.0 : generate.log_uniform(1.05, 16.0);
    const auto in_epoch = [&](double epoch) {
      return hit_in_epoch(f, CachePolicy::linux_two_lists, readers, epoch, false);
    };
    const double steady = hit(f, CachePolicy::linux_two_lists, readers);
    const double lru = hit(f, CachePolicy::lru, readers);
    const double until = epochs_until_steady(f, CachePolicy::linux_two_lists, readers, false);
    const double full = readers <= 1.0 ? f : filled_by_bisection(f, readers);
    INFO("cached " << f << ", " << readers << " readers, steady after " << until);
    REQUIRE(in_epoch(1.0) == 0.0);
    const double grown = in_epoch(until);
    REQUIRE(grown == Approx(std::min(steady, seen_before(readers, until))).epsilon(1e-6));
    REQUIRE(in_epoch(until + 7.0) ==
            Approx(std::min(steady, seen_before(readers, until + 7.0))).epsilon(1e-6));
    // No page has been read twice before it is full; a whole gain takes until then.
    const double first_full = std::floor(1.0 + std::max(full, 1.0));
    REQUIRE(in_epoch(first_full) <= lru + 1e-9);
    double before = 0.0;
    for (double epoch = 2.0; epoch <= until; epoch += 1.0) {
      const double now = in_epoch(epoch);
      REQUIRE(now >= before - 0.02);
      REQUIRE(now <= steady + 1e-12);
      before = now;
    }
    if (until - 1.0 > full + 2.0 && steady - lru > 1e-3) REQUIRE(in_epoch(until - 2.0) < steady);
  }
}
