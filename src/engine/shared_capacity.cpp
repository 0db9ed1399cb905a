#include "engine/shared_capacity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace feedrate::engine {
namespace {

constexpr double smallest_rate = 0x1p40;
constexpr double largest_rate = 0x1p62;

}  // namespace

SharedCapacity::SharedCapacity(const std::vector<double>& curve, std::uint32_t users)
    : base_(std::bit_ceil(std::max<std::size_t>(users, 2))),
      top_(base_ / 2),
      node_(2 * base_),
      free_(users) {
  const std::uint32_t most = std::max<std::uint32_t>(users, 1);
  std::vector<double> share(most + 1);
  double least = std::numeric_limits<double>::infinity();
  double greatest = 0;
  for (std::uint32_t n = 1; n <= most; ++n) {
    share[n] = curve[std::min<std::size_t>(n, curve.size()) - 1] / n;
    least = std::min(least, share[n]);
    greatest = std::max(greatest, share[n]);
  }
  // A curve that spans more than 2^22 gives up precision at its slow end rather than the 64 bits.
  const double scale = std::min(smallest_rate / least, largest_rate / greatest);
  rate_.resize(most + 1);
  for (std::uint32_t n = 1; n <= most; ++n) {
    rate_[n] =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(share[n] * scale)));
    full_rate_ = std::max(full_rate_, Wide{rate_[n]} * n);
  }
  quanta_per_unit_ = scale * 1e9;
  for (std::uint32_t i = 0; i < users; ++i) free_[i] = i;
}

}  // namespace feedrate::engine
