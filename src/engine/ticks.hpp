#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace feedrate::engine {

// A point on the clock or a length of time, in whole nanoseconds. Integer, so that a recurring
// state recurs exactly and sums do not depend on their order; 63 bits reach 292 years.
struct Ticks {
  std::int64_t ns = 0;

  friend constexpr auto operator<=>(Ticks, Ticks) = default;
  friend constexpr Ticks operator+(Ticks a, Ticks b) { return {a.ns + b.ns}; }
  friend constexpr Ticks operator-(Ticks a, Ticks b) { return {a.ns - b.ns}; }
};

// 128 bits for integrals over time (users x ns, items x ns), which outgrow 64.
__extension__ using Wide = unsigned __int128;

}  // namespace feedrate::engine
