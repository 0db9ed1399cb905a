#include "fit/profile_ends.hpp"

#include <algorithm>
#include <cmath>

namespace feedrate::fit {
namespace {

struct Profile {
  const Residuals& residuals;
  const Box& box;
  std::size_t coordinate;
  double limit;

  /// Whether the best fit with the coordinate there is worse; `near`: the others' values to start
  /// from, moved along.
  bool worse_at(double where, std::vector<double>& near) const {
    constexpr int few_steps = 10;
    Box line = box;
    line.low[coordinate] = line.high[coordinate] = where;
    std::vector<double> start = near;
    start[coordinate] = where;
    const Minimum there = descend(residuals, line, start, few_steps);
    if (!there.found()) return true;
    near = there.at;
    return there.squares > limit;
  }
};

std::optional<double> end_towards(const Profile& profile, const Minimum& best, double end) {
  constexpr double first = 0.02;
  constexpr double precision = 0.01;
  std::vector<double> near = best.at;
  double good = best.at[profile.coordinate];
  const double whole = end - good;
  if (std::abs(whole) <= 0.0) return std::nullopt;
  const double way = whole > 0.0 ? 1.0 : -1.0;
  double bad = good;
  bool found = false;
  for (double by = first; !found; by *= 2.0) {
    const bool last = by >= std::abs(whole);
    const double next = last ? end : best.at[profile.coordinate] + way * by;
    std::vector<double> there = near;
    found = profile.worse_at(next, there);
    if (found) {
      bad = next;
    } else {
      good = next;
      near = there;
    }
    if (last && !found) return std::nullopt;
  }
  while (std::abs(bad - good) >
         precision * std::max(first, std::abs(good - best.at[profile.coordinate]))) {
    const double middle = 0.5 * (good + bad);
    std::vector<double> there = near;
    if (profile.worse_at(middle, there)) {
      bad = middle;
    } else {
      good = middle;
      near = there;
    }
  }
  return good;
}

}  // namespace

ProfileEnds profile_ends(const Residuals& residuals, const Box& box, const Minimum& best,
                         std::size_t coordinate, double rise) {
  const Profile profile{residuals, box, coordinate, best.squares + rise};
  return {end_towards(profile, best, box.low[coordinate]),
          end_towards(profile, best, box.high[coordinate])};
}

}  // namespace feedrate::fit
