#include "engine/token_bucket.hpp"

#include <algorithm>
#include <cmath>

#include "engine/lowering.hpp"

namespace feedrate::engine {

TokenBucket::TokenBucket(double rate, double burst, double initial, std::uint64_t parts)
    : parts_(parts), parts_per_token_(1e9 / rate * static_cast<double>(parts)) {
  const auto whole = [&](double tokens) {
    return to_wide(std::min(tokens * parts_per_token_, most_room) + 0.5);
  };
  // A wait ends up to one part short of a ns late; that much must be kept for the next.
  room_ = std::max(whole(burst), Wide{parts - 1});
  full_ = initial < burst ? room_ - std::min(whole(initial), room_) : Wide{0};
}

std::uint64_t parts_of_ns(const Requests& requests) {
  constexpr double tolerance = 1e-10;
  constexpr std::uint64_t most = std::uint64_t{1} << 16;
  constexpr std::uint64_t finest = std::uint64_t{1} << 40;
  if (requests.random) return finest;
  for (std::uint64_t parts = 1; parts <= most; ++parts) {
    const bool whole = std::all_of(requests.ns.begin(), requests.ns.end(), [&](double ns) {
      const double cost = ns * static_cast<double>(parts);
      return std::abs(std::round(cost) - cost) <= tolerance * cost;
    });
    if (whole) return parts;
  }
  return finest;
}

}  // namespace feedrate::engine
