#include "pipeline/support/simulated_cache.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

namespace simulated {
namespace {

enum Place : unsigned char { absent, inactive, active };

/// Two doubly linked lists over the numbers of the items.
class Lists {
 public:
  explicit Lists(int items)
      : place(static_cast<std::size_t>(items), absent), links_(place.size() + 3) {
    for (const Place list : {inactive, active}) links_[end_of(list)] = {end_of(list), end_of(list)};
  }
  void push(Place list, std::size_t item) {
    const std::size_t end = end_of(list);
    links_[item] = {end, links_[end].next};
    links_[links_[end].next].previous = item;
    links_[end].next = item;
    place[item] = list;
    ++size[list];
  }
  void remove(std::size_t item) {
    links_[links_[item].previous].next = links_[item].next;
    links_[links_[item].next].previous = links_[item].previous;
    --size[place[item]];
    place[item] = absent;
  }
  std::size_t take_oldest(Place list) {
    const std::size_t item = links_[end_of(list)].previous;
    remove(item);
    return item;
  }

  std::vector<Place> place;
  int size[3] = {0, 0, 0};

 private:
  struct Link {
    std::size_t previous = 0;
    std::size_t next = 0;
  };
  std::size_t end_of(Place list) const { return place.size() + list; }
  std::vector<Link> links_;
};

class LinuxCache {
 public:
  LinuxCache(int items, int room, double memory_gb)
      : room_(room),
        ratio_(memory_gb < 1.0 ? 1.0 : std::floor(std::sqrt(10.0 * std::floor(memory_gb)))),
        lists_(items),
        referenced_(static_cast<std::size_t>(items), false),
        evicted_at_(static_cast<std::size_t>(items), -1) {}

  bool read(std::size_t item) {
    if (lists_.place[item] != absent) {
      mark_accessed(item);
      return true;
    }
    if (lists_.size[inactive] + lists_.size[active] >= room_) reclaim();
    // workingset_refault(), mm/workingset.c: what would have stayed had the active list been
    // given to the inactive one is activated at once.
    const bool refault = evicted_at_[item] >= 0 && age_ - evicted_at_[item] <= lists_.size[active];
    lists_.push(refault ? active : inactive, item);
    if (refault) ++age_;
    referenced_[item] = true;  // the read that brought it marks it accessed
    return false;
  }

 private:
  /// folio_mark_accessed(), mm/swap.c: the second access promotes. An access on the active list
  /// sets a mark only, which lets one access promote again after deactivation.
  void mark_accessed(std::size_t item) {
    if (!referenced_[item]) {
      referenced_[item] = true;
    } else if (lists_.place[item] == inactive) {
      lists_.remove(item);
      lists_.push(active, item);
      referenced_[item] = false;
      ++age_;
    }
  }

  void deactivate() { lists_.push(inactive, lists_.take_oldest(active)); }

  /// shrink_lruvec(), mm/vmscan.c: the active list feeds the inactive one while inactive_is_low();
  /// the oldest inactive page then goes, for a clean file page is not spared for its mark.
  void reclaim() {
    while (lists_.size[inactive] * ratio_ < lists_.size[active]) deactivate();
    if (lists_.size[inactive] == 0) deactivate();
    const std::size_t item = lists_.take_oldest(inactive);
    evicted_at_[item] = age_++;
  }

  int room_;
  double ratio_;
  Lists lists_;
  std::vector<bool> referenced_;
  std::vector<long> evicted_at_;  ///< the shadow entry: the age at eviction
  long age_ = 0;                  ///< evictions and activations so far
};

class LruCache {
 public:
  LruCache(int items, int room) : room_(room), lists_(items) {}
  bool read(std::size_t item) {
    const bool hit = lists_.place[item] != absent;
    if (hit) lists_.remove(item);
    if (lists_.size[active] >= room_) lists_.take_oldest(active);
    lists_.push(active, item);
    return hit;
  }

 private:
  int room_;
  Lists lists_;
};

std::vector<double> run(const Reading& reading, const std::function<bool(std::size_t)>& read) {
  std::mt19937 random(7);
  std::vector<std::size_t> order(static_cast<std::size_t>(reading.items));
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t reads = order.size() / static_cast<std::size_t>(reading.readers);
  std::vector<double> hits;
  for (int epoch = 0; epoch < reading.epochs; ++epoch) {
    // std::shuffle differs between libraries.
    for (std::size_t i = order.size() - 1; i > 0; --i)
      std::swap(order[i], order[random() % (i + 1)]);
    std::size_t found = 0;
    for (std::size_t i = 0; i < reads; ++i) found += static_cast<std::size_t>(read(order[i]));
    hits.push_back(static_cast<double>(found) / static_cast<double>(reads));
  }
  return hits;
}

int room(const Reading& reading) {
  return std::max(1, static_cast<int>(std::lround(reading.items * reading.cached)));
}

template <class Memory>
std::vector<double> beneath(Memory memory, const Reading& reading, double disk) {
  Reading below = reading;
  below.cached = disk;
  LruCache cache(reading.items, room(below));
  return run(reading, [&](std::size_t item) { return !memory.read(item) && cache.read(item); });
}

}  // namespace

std::vector<double> lru(const Reading& reading) {
  LruCache cache(reading.items, room(reading));
  return run(reading, [&](std::size_t item) { return cache.read(item); });
}

std::vector<double> linux_two_lists(const Reading& reading) {
  LinuxCache cache(reading.items, room(reading), reading.memory_gb);
  return run(reading, [&](std::size_t item) { return cache.read(item); });
}

std::vector<double> beneath_lru(const Reading& memory, double disk) {
  return beneath(LruCache(memory.items, room(memory)), memory, disk);
}

std::vector<double> beneath_two_lists(const Reading& memory, double disk) {
  return beneath(LinuxCache(memory.items, room(memory), memory.memory_gb), memory, disk);
}

double steady(const std::vector<double>& hits) {
  const auto half = static_cast<std::ptrdiff_t>(hits.size() / 2);
  return std::accumulate(hits.begin() + half, hits.end(), 0.0) /
         static_cast<double>(hits.size() - static_cast<std::size_t>(half));
}

}  // namespace simulated
