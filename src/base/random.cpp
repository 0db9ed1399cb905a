#include "base/random.hpp"

#include <cmath>

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
    if (r2 > 0.0 && r2 < 1.0) return x * std::sqrt(-2.0 * std::log(r2) / r2);
  }
}

}  // namespace feedrate
