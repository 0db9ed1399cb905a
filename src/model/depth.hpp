#pragma once
// How sure an answer is to be, which is how long it takes.
#include <cstdint>

namespace feedrate {

struct Depth {
  int replications = 0;  ///< 0: as many as the question needs
  std::uint64_t seed = 1;
  bool exact = false;  ///< every event instead of the mean
};

inline constexpr int most_replications = 1'000'000;

}  // namespace feedrate
