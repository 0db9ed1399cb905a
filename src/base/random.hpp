#pragma once
// Normal deviates that are the same on every machine and standard library.
#include <cstdint>

namespace feedrate {

/// The seed of stream `stream` of `seed`: unlike those of all other pairs (SplitMix64's finaliser).
std::uint64_t seed_of(std::uint64_t seed, std::uint64_t stream);

/// Stream `stream` of seed `seed`: SplitMix64 (Steele, Lea, Flood 2014) and the polar method
/// (Marsaglia and Bray 1964).
class Normal {
 public:
  Normal(std::uint64_t seed, std::uint64_t stream);
  double draw();

 private:
  double uniform();  ///< in (-1, 1)
  std::uint64_t state_;
};

}  // namespace feedrate
