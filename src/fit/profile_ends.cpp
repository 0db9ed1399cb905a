#include "fit/profile_ends.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace feedrate::fit {
namespace {

struct Profile {
  const Residuals& residuals;
  const Box& box;
  std::size_t coordinate;
  double limit;

  /// The best fit with the coordinate there; `near`: the others' values to start from.
  Minimum at(double where, const std::vector<double>& near) const {
    constexpr int few_steps = 10;
    Box line = box;
    line.low[coordinate] = line.high[coordinate] = where;
    std::vector<double> start = near;
    start[coordinate] = where;
    return descend(residuals, line, start, few_steps);
  }

  /// Whether that fit is worse; `near` is moved along.
  bool worse_at(double where, std::vector<double>& near) const {
    const Minimum there = at(where, near);
    if (!there.found()) return true;
    near = there.at;
    return there.squares > limit;
  }

  /// Values from `bad` on to `end`, evenly spaced, the end first: of the first that is as good, it
  /// and the one beyond, which is not.
  std::optional<std::pair<double, double>> valley(double bad, double end,
                                                  const std::vector<double>& from,
                                                  std::vector<double>& near) const {
    constexpr double step = 0.1;
    constexpr double most = 12.0;
    const bool ahead = (end - bad) * (end - from[coordinate]) > 0.0;
    const double count = ahead ? std::min(most, std::ceil(std::abs(end - bad) / step)) : 0.0;
    double beyond = end;
    for (double i = count; i > 0.0; i -= 1.0) {
      const double where = bad + (end - bad) * (i / count);
      std::vector<double> there = from;
      if (!worse_at(where, there)) {
        near = there;
        return std::pair(where, beyond);
      }
      beyond = where;
    }
    return std::nullopt;
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
  if (const auto further = profile.valley(bad, end, best.at, near)) {
    if (further->first == end) return std::nullopt;
    good = further->first;
    bad = further->second;
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

bool is_straight(const Residuals& residuals, const Box& box, const Minimum& best,
                 std::size_t coordinate, double rise, double width) {
  constexpr double less = 0.6;
  constexpr double more = 1.6;
  const Profile profile{residuals, box, coordinate, best.squares + rise};
  for (const double side : {-1.0, 1.0}) {
    const double to = best.at[coordinate] + side * width;
    const double end = side < 0.0 ? box.low[coordinate] : box.high[coordinate];
    if (side * (end - to) < 0.0) return false;
    const Minimum there = profile.at(to, best.at);
    if (!there.found()) return false;
    const double risen = (there.squares - best.squares) / rise;
    if (risen < less || risen > more) return false;
    std::vector<double> near;
    if (profile.valley(to + side * width, end, best.at, near)) return false;
  }
  return true;
}

ProfileEnds profile_ends(const Residuals& residuals, const Box& box, const Minimum& best,
                         std::size_t coordinate, double rise) {
  const Profile profile{residuals, box, coordinate, best.squares + rise};
  return {end_towards(profile, best, box.low[coordinate]),
          end_towards(profile, best, box.high[coordinate])};
}

}  // namespace feedrate::fit
