#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "engine/ticks.hpp"

namespace feedrate::engine {

// A key that sorts by time, then by the order of scheduling; its low bits say whose event it is.
inline constexpr int id_bits = 20;
inline constexpr std::uint64_t id_mask = (std::uint64_t{1} << id_bits) - 1;
inline constexpr Wide never = ~Wide{0};

inline Wide event_key(std::uint64_t time, std::uint64_t order) {
  return (Wide{time} << 64) | order;
}
inline std::uint64_t key_time(Wide key) {
  return static_cast<std::uint64_t>(key >> 64);
}
inline std::uint64_t key_order(Wide key) {
  return static_cast<std::uint64_t>(key);
}

// Pending events: a tournament with one leaf per process, or per resource. Setting a leaf
// replays its path to the root with conditional moves, no branch to mispredict and nothing to
// allocate: log2(n) short steps, whether the event is new, moved or cancelled.
class EventTree {
 public:
  explicit EventTree(std::size_t leaves)
      : base_(std::bit_ceil(leaves < 2 ? std::size_t{2} : leaves)), node_(2 * base_, never) {}

  Wide first() const { return node_[1]; }
  Wide at(std::size_t leaf) const { return node_[base_ + leaf]; }

  void set(std::size_t leaf, Wide key) {
    Wide* const node = node_.data();
    std::size_t i = base_ + leaf;
    node[i] = key;
    do {
      const Wide other = node[i ^ 1];
      key = other < key ? other : key;
      i >>= 1;
      node[i] = key;
    } while (i > 1);
  }

  void clear(std::size_t leaf) { set(leaf, never); }

  // Everything pending happens this much later.
  void shift(std::uint64_t ns) {
    for (Wide& key : node_) {
      if (key != never) key += Wide{ns} << 64;
    }
  }

 private:
  std::size_t base_;
  std::vector<Wide> node_;  // node_[1] is the root; the leaves start at base_
};

}  // namespace feedrate::engine
