#pragma once
// Normal deviates that are the same on every machine and standard library.
#include <cstdint>
#include <string_view>

namespace feedrate {

/// The seed of stream `stream` of `seed`: unlike those of all other pairs (SplitMix64's finaliser).
std::uint64_t seed_of(std::uint64_t seed, std::uint64_t stream);

/// Evenly between 0 and 1, both excluded; the same for the same seed, stream and name.
double uniform_of(std::uint64_t seed, std::uint64_t stream, std::string_view name);

/// The standard normal deviate that a share `u` of all lie below, 0 < u < 1: to nine digits (Acklam
/// 2003).
double normal_quantile(double u);

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
