// The page cache epoch by epoch, against simulated caches and by its laws.
#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "pipeline/page_cache.hpp"
#include "pipeline/support/simulated_cache.hpp"

using namespace feedrate;
using pipeline::epochs_until_steady;
using pipeline::hit_in_epoch;
using pipeline::hit_ratio;
using pipeline::seen_before;

namespace {

constexpr CachePolicy policies[] = {CachePolicy::linux_two_lists, CachePolicy::lru,
                                    CachePolicy::no_eviction};

/// The worst error over the epochs. With many readers an epoch is a small sample of the items, so
/// that means over readers/8 epochs are compared.
double worst_error(CachePolicy policy, const simulated::Reading& reading,
                   const std::vector<double>& hits) {
  const std::size_t together =
      std::max<std::size_t>(1, static_cast<std::size_t>(reading.readers) / 8);
  double worst = 0.0;
  for (std::size_t i = 0; i + together <= hits.size(); i += together) {
    double error = 0.0;
    for (std::size_t j = i; j < i + together; ++j) {
      error +=
          hit_in_epoch(reading.cached, policy, reading.readers, static_cast<double>(j + 1), false) -
          hits[j];
    }
    worst = std::max(worst, std::abs(error) / static_cast<double>(together));
  }
  return worst;
}

}  // namespace

TEST_CASE("page cache epochs: every epoch comes within 0.02 of a simulated cache") {
  for (const int readers : {1, 2, 4, 8, 64}) {
    for (const double f : {0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 1.0, 1.2}) {
      simulated::Reading reading;
      reading.items = readers >= 8 ? 120000 : 40000;
      reading.cached = f;
      reading.readers = readers;
      reading.epochs = readers == 64 ? 160 : 20 + 2 * readers;
      CAPTURE(readers, f);
      CHECK(worst_error(CachePolicy::lru, reading, simulated::lru(reading)) < 0.02);
      CHECK(worst_error(CachePolicy::linux_two_lists, reading,
                        simulated::linux_two_lists(reading)) < 0.02);
    }
  }
}

TEST_CASE("page cache epochs: a cache with room for all holds what the instance has read") {
  for (const CachePolicy policy : policies) {
    CHECK(hit_in_epoch(1.0, policy, 1.0, 1.0, false) == 0.0);
    CHECK(hit_in_epoch(1.0, policy, 1.0, 2.0, false) == 1.0);
    CHECK(hit_in_epoch(1.2, policy, 4.0, 1.0, false) == 0.0);
    CHECK(hit_in_epoch(1.2, policy, 4.0, 2.0, false) == Approx(0.25));
    CHECK(hit_in_epoch(1.2, policy, 4.0, 3.0, false) == Approx(1.0 - 0.75 * 0.75));
    CHECK(hit_in_epoch(1.2, policy, 4.0, 1.0, true) == 1.0);
  }
  CHECK(seen_before(1.0, 1.0) == 0.0);
  CHECK(seen_before(1.0, 2.0) == 1.0);
  CHECK(seen_before(8.0, 3.0) == Approx(1.0 - 0.875 * 0.875));
}

TEST_CASE("page cache epochs: data that File mode has staged is read as in a steady epoch") {
  for (const CachePolicy policy : policies) {
    for (const double epoch : {1.0, 2.0, 9.0})
      CHECK(hit_in_epoch(0.4, policy, 2.0, epoch, true) == hit_ratio(0.4, policy, 2.0));
    CHECK(epochs_until_steady(0.4, policy, 2.0, true) == 1.0);
  }
}

TEST_CASE("page cache epochs: hits rise while the cache fills and end at the steady ratio") {
  for (const CachePolicy policy : policies) {
    for (const double readers : {1.0, 2.0, 8.0, 64.0}) {
      for (double f = 0.0; f <= 1.25; f += 0.05) {
        CAPTURE(static_cast<int>(policy), readers, f);
        const double steady = hit_ratio(f, policy, readers);
        const double last = epochs_until_steady(f, policy, readers, false);
        bool falls = false;
        bool above = false;
        bool unsettled = false;
        double before = 0.0;
        for (double epoch = 1.0; epoch <= last + 20.0; epoch += 1.0) {
          const double hit = hit_in_epoch(f, policy, readers, epoch, false);
          falls = falls || hit < before - 1e-12;
          above = above || hit > seen_before(readers, epoch) + 1e-12 || hit > steady + 1e-12;
          unsettled = unsettled || (epoch >= last && std::abs(hit - steady) > 1e-6);
          before = hit;
        }
        CHECK(last < 40.0 + 20.0 * readers);
        CHECK_FALSE(falls);
        CHECK_FALSE(above);
        CHECK_FALSE(unsettled);
      }
    }
  }
}
