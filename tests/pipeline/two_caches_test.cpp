#include "pipeline/two_caches.hpp"

#include "catch.hpp"
#include "pipeline/page_cache.hpp"
#include "pipeline/support/simulated_cache.hpp"

using namespace feedrate;
using pipeline::read_beneath;
using pipeline::TwoCaches;

namespace {

struct Rooms {
  double memory, disk;
};
constexpr Rooms rooms[] = {{0.1, 0.1}, {0.3, 0.3},  {0.5, 0.5},  {0.7, 0.7},   {0.9, 0.9},
                           {0.2, 0.8}, {0.4, 0.6},  {0.5, 0.7},  {0.8, 0.4},   {0.82, 0.72},
                           {0.6, 0.3}, {0.95, 0.6}, {0.0, 0.97}, {0.05, 0.94}, {0.35, 0.96}};

simulated::Reading reading(double memory, int readers, int epochs) {
  simulated::Reading made;
  made.items = 6000 * readers;
  made.cached = memory;
  made.readers = readers;
  made.epochs = epochs;
  return made;
}

}  // namespace

TEST_CASE("two caches: each epoch reads from the disk what a simulated one has beneath memory") {
  for (const int readers : {1, 2, 3, 6}) {
    for (const auto& [memory, disk] : rooms) {
      const int epochs = readers == 1 ? 8 : 10 * readers;
      const std::vector<double> seen =
          simulated::beneath_lru(reading(memory, readers, epochs), disk);
      const TwoCaches caches{memory, CachePolicy::lru, disk, double(readers)};
      for (int epoch = 1; epoch <= epochs; ++epoch) {
        CAPTURE(readers, memory, disk, epoch);
        // What one reader keeps of the first epoch, in which memory lacked all, is less.
        const bool filling = readers == 1 && epoch == 2;
        CHECK(read_beneath(caches, epoch) ==
              Approx(seen[static_cast<std::size_t>(epoch - 1)]).margin(filling ? 0.13 : 0.04));
      }
    }
  }
}

TEST_CASE("two caches: beneath Linux's two lists as beneath simulated ones") {
  for (const int readers : {1, 2, 4}) {
    for (const auto& [memory, disk] : rooms) {
      CAPTURE(readers, memory, disk);
      const TwoCaches caches{memory, CachePolicy::linux_two_lists, disk, double(readers)};
      CHECK(read_beneath(caches, 1000.0) ==
            Approx(simulated::steady(simulated::beneath_two_lists(
                       reading(memory, readers, 24 + 16 * readers), disk)))
                .margin(0.05));
    }
  }
}

TEST_CASE("two caches: nothing is read beneath what holds all, or from what holds nothing") {
  for (const double readers : {1.0, 3.0}) {
    for (const CachePolicy policy : {CachePolicy::lru, CachePolicy::linux_two_lists}) {
      CHECK(read_beneath({1.0, policy, 0.5, readers}, 9.0) == 0.0);
      CHECK(read_beneath({0.5, policy, 0.0, readers}, 9.0) == 0.0);
      CHECK(read_beneath({0.5, policy, 0.7, readers}, 1.0) == 0.0);
      // A disk that holds all has whatever memory lacks.
      CHECK(read_beneath({0.5, policy, 1.0, readers}, 1000.0) ==
            Approx(1.0 - pipeline::hit_ratio(0.5, policy, readers)).margin(0.01));
      // Without memory above it the disk is a cache of its own.
      CHECK(read_beneath({0.0, policy, 0.6, readers}, 1000.0) ==
            Approx(pipeline::hit_ratio(0.6, CachePolicy::lru, readers)).margin(0.01));
    }
  }
}
