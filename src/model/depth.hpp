#pragma once
// How sure an answer is to be, which is how long it takes.
#include <cstdint>

namespace feedrate {

struct Depth {
  int replications = 0;  ///< 0: as many as the question needs
  std::uint64_t seed = 1;
  bool exact = false;  ///< every event instead of the mean
  bool mean = false;   ///< the mean alone, without events beside it
};

/// The ends of a 5-95 % band, as shares of the draws, have a standard error of √(0.05·0.95/R): 0.07
/// percentage points with so many.
inline constexpr int most_replications = 100'000;

}  // namespace feedrate
