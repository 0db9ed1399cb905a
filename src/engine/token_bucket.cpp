#include "engine/token_bucket.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

namespace {

/// The least denominator of all fractions from `low` to `high`, 0 < low < high: by the continued
/// fractions of both, which begin alike as far as the least one goes (Stern and Brocot).
double least_denominator(double low, double high, double most) {
  const double whole = std::ceil(low);
  if (whole <= high) return 1.0;
  // A fraction is whole - 1 and one over another fraction, whose numerator is its denominator.
  double denominator = 1.0, before = 0.0;
  double from = 1.0 / (high - (whole - 1.0));
  double to = 1.0 / (low - (whole - 1.0));
  while (denominator <= most) {
    const double next = std::ceil(from);
    if (next <= to) return next * denominator + before;
    const double below = next - 1.0;
    before = std::exchange(denominator, below * denominator + before);
    const double reversed = 1.0 / (to - below);
    to = 1.0 / (from - below);
    from = reversed;
  }
  return denominator;
}

}  // namespace

std::uint64_t parts_of_ns(const Requests& requests) {
  constexpr double tolerance = 1e-10;
  constexpr std::uint64_t most = std::uint64_t{1} << 16;
  constexpr std::uint64_t finest = std::uint64_t{1} << 40;
  if (requests.random) return finest;
  // None is whole within the tolerance sooner than this, with room for the rounding of this sum.
  double least = 1.0;
  for (const double ns : requests.ns) {
    constexpr double within = 1.001 * tolerance;
    if (ns > 0.0)
      least = std::max(least, least_denominator(ns * (1.0 - within), ns * (1.0 + within), most));
    if (least > most) return finest;
  }
  for (auto parts = static_cast<std::uint64_t>(least); parts <= most; ++parts) {
    const bool whole = std::all_of(requests.ns.begin(), requests.ns.end(), [&](double ns) {
      const double cost = ns * static_cast<double>(parts);
      // To the nearest whole number below 2^51; what is larger is within the tolerance anyway.
      constexpr double rounds = 0x1.8p52;
      return cost * tolerance >= 0.5 ||
             std::abs((cost + rounds) - rounds - cost) <= tolerance * cost;
    });
    if (whole) return parts;
  }
  return finest;
}

}  // namespace feedrate::engine
