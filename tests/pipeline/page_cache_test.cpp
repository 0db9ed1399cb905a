#include "pipeline/page_cache.hpp"

#include <algorithm>
#include <cmath>
#include <list>
#include <numeric>
#include <random>
#include <unordered_map>
#include <vector>

#include "catch.hpp"

using namespace feedrate;
using pipeline::hit_ratio;

namespace {

/// A real LRU cache of `room` items, read by one of `readers` instances epoch after epoch.
double simulated_lru(int items, int room, int readers, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> order(static_cast<std::size_t>(items));
  std::iota(order.begin(), order.end(), 0);
  std::list<int> recent;
  std::unordered_map<int, std::list<int>::iterator> held;
  const int epochs = 12 * readers;
  double hits = 0.0;
  double reads = 0.0;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (std::size_t i = order.size() - 1; i > 0; --i)
      std::swap(order[i], order[random() % (i + 1)]);
    for (int i = 0; i < items / readers; ++i) {
      const int item = order[static_cast<std::size_t>(i)];
      const auto found = held.find(item);
      const bool counted = epoch >= epochs / 2;
      reads += counted ? 1.0 : 0.0;
      if (found != held.end()) {
        hits += counted ? 1.0 : 0.0;
        recent.splice(recent.begin(), recent, found->second);
        continue;
      }
      recent.push_front(item);
      held[item] = recent.begin();
      if (static_cast<int>(recent.size()) > room) {
        held.erase(recent.back());
        recent.pop_back();
      }
    }
  }
  return hits / reads;
}

}  // namespace

TEST_CASE("page cache: LRU hits f + (1-f) ln(1-f) of an epoch in fresh random order") {
  for (const double f : {0.1, 0.35, 0.65, 0.9}) {
    const double closed = f + (1.0 - f) * std::log(1.0 - f);
    CHECK(hit_ratio(f, CachePolicy::lru, 1.0) == Approx(closed).epsilon(1e-12));
    CHECK(simulated_lru(3000, static_cast<int>(3000 * f), 1, 7) == Approx(closed).margin(0.015));
  }
}

TEST_CASE(
    "page cache: a replicated dataset read in random shares comes within 0.02 of a real LRU") {
  for (const int readers : {2, 4}) {
    for (const double f : {0.35, 0.65, 0.9}) {
      const double real = simulated_lru(3000, static_cast<int>(3000 * f), readers, 11);
      CHECK(hit_ratio(f, CachePolicy::lru, readers) == Approx(real).margin(0.02));
    }
  }
  CHECK(hit_ratio(0.5, CachePolicy::lru, 256.0) == Approx(0.5).margin(0.01));
}

TEST_CASE("page cache: a cache that never evicts hits f, a large one everything, none nothing") {
  CHECK(hit_ratio(0.35, CachePolicy::no_eviction, 1.0) == 0.35);
  CHECK(hit_ratio(1.0, CachePolicy::lru, 1.0) == 1.0);
  CHECK(hit_ratio(3.0, CachePolicy::no_eviction, 4.0) == 1.0);
  CHECK(hit_ratio(0.0, CachePolicy::lru, 2.0) == 0.0);
}
