#pragma once
// Random numbers that cost next to nothing, so that drawing them is not what gets measured.
#include <cstdint>

#include "base/random.hpp"

namespace feedrate::bench {

/// SplitMix64 (Steele, Lea, Flood 2014): advances `state`, any start is a good one.
inline std::uint64_t mix(std::uint64_t& state) {
  return mixed(state += 0x9E3779B97F4A7C15U);
}

/// In [0, 1).
inline double uniform(std::uint64_t& state) {
  return static_cast<double>(mix(state) >> 11U) * 0x1p-53;
}

}  // namespace feedrate::bench
