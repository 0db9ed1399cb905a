#include "base/random.hpp"

#include <cmath>

#include "base/portable_math.hpp"

namespace feedrate {
namespace {

std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace

std::uint64_t seed_of(std::uint64_t seed, std::uint64_t stream) {
  return mixed(mixed(seed + 0x9e3779b97f4a7c15U) + stream * 0x9e3779b97f4a7c15U +
               0x632be59bd9b4e019U);
}

double uniform_of(std::uint64_t seed, std::uint64_t stream, std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return (static_cast<double>(seed_of(seed_of(seed, stream), hash) >> 12U) + 0.5) * 0x1.0p-52;
}

double normal_quantile(double u) {
  constexpr double tail = 0.02425;
  if (u > 0.5) return -normal_quantile(1.0 - u);
  if (u < tail) {
    const double q = std::sqrt(-2.0 * portable::log(u));
    return (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838) * q -
              2.549732539343734) *
                 q +
             4.374664141464968) *
                q +
            2.938163982698783) /
           ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996) * q +
             3.754408661907416) *
                q +
            1.0);
  }
  const double q = u - 0.5;
  const double r = q * q;
  return (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r +
            1.383577518672690e+02) *
               r -
           3.066479806614716e+01) *
              r +
          2.506628277459239) *
         q /
         (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r +
            6.680131188771972e+01) *
               r -
           1.328068155288572e+01) *
              r +
          1.0);
}

Normal::Normal(std::uint64_t seed, std::uint64_t stream) : state_(seed_of(seed, stream)) {}

double Normal::uniform() {
  state_ += 0x9e3779b97f4a7c15U;
  return static_cast<double>(mixed(state_) >> 11U) * 0x1.0p-52 - 1.0;
}

double Normal::draw() {
  while (true) {
    const double x = uniform();
    const double r2 = x * x + [this] {
      const double y = uniform();
      return y * y;
    }();
    if (r2 > 0.0 && r2 < 1.0) return x * std::sqrt(-2.0 * portable::log(r2) / r2);
  }
}

}  // namespace feedrate
