#pragma once
// How the users of a capacity share it. The discipline matters as much as the rate: two workers
// that read and decode reach the sum of both rates over a rate limit and three quarters of it over
// a shared device.
#include <array>
#include <cstddef>
#include <string_view>

namespace feedrate {

enum class Discipline {
  shared,  ///< processor sharing: each of n users gets X(n)/n (cores, a link, an NVMe device)
  one_at_a_time,  ///< first come, first served (a disk that seeks, a lock, one server process)
  rate_limit,  ///< a token bucket: requests pass at full speed until the long-run rate is used up
};

inline constexpr std::array<std::string_view, 3> discipline_names = {"shared", "one-at-a-time",
                                                                     "rate-limit"};

constexpr std::string_view name_of(Discipline discipline) {
  return discipline_names[static_cast<std::size_t>(discipline)];
}

}  // namespace feedrate
