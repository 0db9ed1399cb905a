#pragma once
// Numbers for generated jobs.
#include <cmath>
#include <cstdint>
#include <random>

namespace feedrate::test {

/// Every magnitude of a range is drawn alike.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  double real(double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<double>(0.0, 1.0)(random_));
  }
  double whole(double low, double high) { return std::floor(real(low, high + 0.999)); }
  bool chance() { return random_() % 2 == 0; }

 private:
  std::mt19937_64 random_;
};

}  // namespace feedrate::test
