#include "pipeline/page_cache.hpp"

#include <cmath>

#include "catch.hpp"
#include "pipeline/support/simulated_cache.hpp"

using namespace feedrate;
using pipeline::hit_ratio;

namespace {

constexpr CachePolicy policies[] = {CachePolicy::linux_two_lists, CachePolicy::lru,
                                    CachePolicy::no_eviction};
constexpr double many_readers[] = {1.0, 2.0, 3.0, 4.0, 8.0, 64.0, 1000.0};

simulated::Reading reading(double cached, int readers) {
  simulated::Reading made;
  made.cached = cached;
  made.readers = readers;
  made.epochs = 24 + 16 * readers;  // the active list takes that long to grow
  return made;
}

}  // namespace

TEST_CASE("page cache: LRU hits f + (1-f) ln(1-f) of an epoch in fresh random order") {
  for (const double f : {0.1, 0.35, 0.65, 0.9}) {
    const double closed = f + (1.0 - f) * std::log(1.0 - f);
    CHECK(hit_ratio(f, CachePolicy::lru, 1.0) == Approx(closed).epsilon(1e-12));
    CHECK(simulated::steady(simulated::lru(reading(f, 1))) == Approx(closed).margin(0.01));
  }
}

TEST_CASE("page cache: LRU over random shares comes within 0.01 of a simulated one") {
  for (const int readers : {2, 4, 8}) {
    for (const double f : {0.05, 0.2, 0.35, 0.65, 0.9}) {
      CAPTURE(readers, f);
      const double real = simulated::steady(simulated::lru(reading(f, readers)));
      CHECK(hit_ratio(f, CachePolicy::lru, readers) == Approx(real).margin(0.01));
    }
  }
}

TEST_CASE("page cache: Linux's two lists come within 0.02 of simulated ones") {
  for (const int readers : {1, 2, 3, 4, 8, 16}) {
    for (const double f : {0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97}) {
      CAPTURE(readers, f);
      const double real = simulated::steady(simulated::linux_two_lists(reading(f, readers)));
      CHECK(hit_ratio(f, CachePolicy::linux_two_lists, readers) == Approx(real).margin(0.02));
    }
  }
}

// Measured on Linux 6.18 without CONFIG_LRU_GEN: one process in a memory control group of `gb` read
// a file in samples of 128 or 256 KiB, or 32 KiB where f is 0.5, each epoch stretched to about a
// minute; mincore() said before each read what was absent. Means of the second half of the epochs.
// Samples of 4 KiB gave the same ratios.
TEST_CASE("page cache: the simulated lists come within 0.02 of a real kernel") {
  struct Measured {
    double cached;
    double gb;
    int readers;
    double misses;
  };
  for (const auto& [cached, gb, readers, misses] : {Measured{0.35, 0.14, 1, 0.873},
                                                    {0.65, 0.26, 1, 0.648},
                                                    {0.50, 0.20, 1, 0.794},
                                                    {0.5525, 0.22, 2, 0.601},
                                                    {0.352, 2.06, 1, 0.797}}) {
    CAPTURE(cached, gb, readers);
    simulated::Reading small = reading(cached, readers);
    small.memory_gb = gb;
    CHECK(1.0 - simulated::steady(simulated::linux_two_lists(small)) ==
          Approx(misses).margin(0.02));
  }
}

TEST_CASE("page cache: nothing cached hits nothing, everything cached hits everything") {
  for (const CachePolicy policy : policies) {
    for (const double readers : many_readers) {
      CHECK(hit_ratio(0.0, policy, readers) == 0.0);
      CHECK(hit_ratio(1.0, policy, readers) == 1.0);
      CHECK(hit_ratio(3.0, policy, readers) == 1.0);
      CHECK(hit_ratio(1e-9, policy, readers) == Approx(0.0).margin(1e-8));
      CHECK(hit_ratio(1.0 - 1e-9, policy, readers) == Approx(1.0).margin(1e-6));
    }
  }
  CHECK(hit_ratio(0.35, CachePolicy::no_eviction, 1.0) == 0.35);
}

TEST_CASE("page cache: more room never hits less, and Linux lies between LRU and no eviction") {
  for (const double readers : many_readers) {
    double linux_before = 0.0;
    double lru_before = 0.0;
    for (int i = 1; i <= 500; ++i) {
      const double f = i / 500.0;
      CAPTURE(readers, f);
      const double two_lists = hit_ratio(f, CachePolicy::linux_two_lists, readers);
      const double lru = hit_ratio(f, CachePolicy::lru, readers);
      CHECK(lru >= lru_before - 1e-12);
      CHECK(two_lists >= linux_before - 1e-12);
      CHECK(two_lists - linux_before < 0.02);  // continuous: steepest, ln(500)/500, at f = 1
      CHECK(two_lists >= lru - 1e-12);
      CHECK(two_lists <= f + 1e-12);
      linux_before = two_lists;
      lru_before = lru;
    }
  }
  for (const CachePolicy policy : policies)
    CHECK(hit_ratio(0.5, policy, 256.0) == Approx(0.5).margin(0.01));
}
