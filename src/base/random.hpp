#pragma once
// Random numbers that are the same on every machine and with every standard library.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace feedrate {

/// SplitMix64's finaliser (Steele, Lea, Flood 2014): one to one, and each bit of the result depends
/// on all of `z`.
constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// The seed of stream `stream` of `seed`: unlike those of all other pairs.
std::uint64_t seed_of(std::uint64_t seed, std::uint64_t stream);

/// Evenly between 0 and 1, both excluded; the same for the same seed, stream and name.
double uniform_of(std::uint64_t seed, std::uint64_t stream, std::string_view name);

/// The standard normal deviate that a share `u` of all lie below, 0 < u < 1: to nine digits (Acklam
/// 2003).
double normal_quantile(double u);

/// The same of Student's t. With 3 degrees of freedom or more by Fisher and Cornish's series
/// (1960): to 2 % where 0.002 < u < 0.998; beyond, its tails are lighter. Fewer than 3 count as 2,
/// by their closed form.
double student_quantile(double u, double degrees_of_freedom);

/// The same of the chi-square distribution with so many degrees of freedom, a whole number: to nine
/// digits, and as if normal beyond 100. Fewer than 3 count as 2, as above.
double chi_square_quantile(double u, double degrees_of_freedom);

/// Stream `stream` of seed `seed`: xoshiro256++ (Blackman and Vigna 2019), seeded through
/// SplitMix64. The one generator of sequences. A number that must not depend on how many others are
/// drawn is uniform_of its name instead, and normal_quantile of that.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) {
    std::uint64_t x = seed ^ (stream * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u);
    for (auto& word : state_) {
      x += 0x9e3779b97f4a7c15u;
      word = mixed(x);
    }
  }

  std::uint64_t bits() {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  double uniform() { return unit(bits()); }  ///< in [0, 1)

  /// Mean 1. The fast path (98.9 %) is one multiplication and one comparison.
  double exponential() {
    const std::uint64_t word = bits();
    const std::size_t layer = word & 255;
    const double x = unit(word) * exponential_layers.edge[layer];
    if (x < exponential_layers.edge[layer + 1]) [[likely]]
      return x;
    return exponential_edge(layer, x);
  }

  /// Mean 0, variance 1.
  double normal() {
    const std::uint64_t word = bits();
    const std::size_t layer = word & 255;
    const double x = unit(word) * normal_layers.edge[layer];
    const double sign = (word & 256) != 0 ? -1.0 : 1.0;
    if (x < normal_layers.edge[layer + 1]) [[likely]]
      return sign * x;
    return sign * normal_edge(layer, x);
  }

  /// Mean 1, of the logarithm's standard deviation sigma: sigma^2 = ln(1 + cv^2).
  double lognormal(double sigma);

 private:
  // Ziggurat of 256 layers of equal area under a falling density (Marsaglia and Tsang 2000).
  struct Layers {
    std::array<double, 257> edge;
    std::array<double, 257> height;
  };
  static Layers make_exponential();
  static Layers make_normal();
  static const Layers exponential_layers;
  static const Layers normal_layers;

  static std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  static double unit(std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }
  double exponential_edge(std::size_t layer, double x);
  double normal_edge(std::size_t layer, double x);

  std::array<std::uint64_t, 4> state_;
};

}  // namespace feedrate
