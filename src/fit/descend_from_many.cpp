// Where to descend from, so that no minimum is missed.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/parallel.hpp"
#include "fit/least_squares.hpp"

namespace feedrate::fit {
namespace {

double radical_inverse(std::size_t n, std::size_t base) {
  double result = 0.0;
  double digit = 1.0;
  for (; n > 0; n /= base) {
    digit /= static_cast<double>(base);
    result += digit * static_cast<double>(n % base);
  }
  return result;
}

std::vector<double> spread_point(const Box& box, std::size_t n) {
  constexpr std::array<std::size_t, 12> primes = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  std::vector<double> point(box.low.size());
  for (std::size_t j = 0; j < point.size(); ++j) {
    // Beyond twelve coordinates points repeat along them, which still spreads them.
    const double share = radical_inverse(n + 1 + j / primes.size(), primes[j % primes.size()]);
    point[j] = box.low[j] + share * (box.high[j] - box.low[j]);
  }
  return point;
}

/// The residuals along one coordinate through a point.
class Line {
 public:
  Line(const Residuals& residuals, const Box& box, const Minimum& through, std::size_t coordinate)
      : residuals_(residuals),
        low_(box.low[coordinate]),
        width_(box.high[coordinate] - box.low[coordinate]),
        through_(through),
        coordinate_(coordinate) {}

  [[nodiscard]] Minimum at(double share) const {
    Minimum point;
    point.at = through_.at;
    point.at[coordinate_] = low_ + share * width_;
    point.residuals = residuals_(point.at);
    point.squares =
        point.found() ? sum_of_squares(point.residuals) : std::numeric_limits<double>::infinity();
    return point;
  }

  /// The least between two shares, by golden sections (Kiefer 1953). Of a plain it goes towards the
  /// end that is worse, because a valley lies at its foot.
  [[nodiscard]] Minimum least(double from, double to, bool worse_at_from) const {
    constexpr double golden = 0.6180339887498949;
    constexpr int sections = 10;
    constexpr double level = 1e-6;
    double inner = to - golden * (to - from);
    double outer = from + golden * (to - from);
    Minimum first = at(inner);
    Minimum second = at(outer);
    for (int i = 0; i < sections; ++i) {
      const bool plain = std::abs(first.squares - second.squares) <= level * first.squares;
      if (plain ? worse_at_from : first.squares < second.squares) {
        to = std::exchange(outer, inner);
        inner = to - golden * (to - from);
        second = std::exchange(first, at(inner));
      } else {
        from = std::exchange(inner, outer);
        outer = from + golden * (to - from);
        first = std::exchange(second, at(outer));
      }
    }
    return first.squares < second.squares ? first : second;
  }

 private:
  const Residuals& residuals_;
  double low_;
  double width_;
  const Minimum& through_;
  std::size_t coordinate_;
};

/// Better minima that a walk along each coordinate through this one comes by. Where an unknown has
/// stopped to matter there is no slope that leads back, and a narrow valley beside such a plain is
/// missed by points that are spread over the whole box.
std::vector<Minimum> beside(const Residuals& residuals, const Box& box, const Minimum& best,
                            int jobs) {
  constexpr std::size_t points = 32;
  constexpr double better = 1.0 - 1e-3;
  std::vector<Minimum> least(box.low.size());
  for_each_index(box.low.size(), jobs, [&](std::size_t j) {
    if (box.high[j] <= box.low[j]) return;
    const Line line(residuals, box, best, j);
    const auto share = [](std::size_t i) {
      return static_cast<double>(i) / static_cast<double>(points);
    };
    std::vector<Minimum> walk;
    for (std::size_t i = 0; i <= points; ++i) walk.push_back(line.at(share(i)));
    least[j] = best;
    const auto keep = [&](const Minimum& point) {
      if (point.found() && point.squares < least[j].squares) least[j] = point;
    };
    for (std::size_t i = 0; i <= points; ++i) {
      const std::size_t before = i == 0 ? 0 : i - 1;
      const std::size_t behind = std::min(i + 1, points);
      const double here = walk[i].squares;
      const bool falls = walk[before].squares > here || walk[behind].squares > here;
      if (!walk[i].found() || !falls || walk[before].squares < here ||
          walk[behind].squares < here) {
        continue;
      }
      keep(walk[i]);
      keep(line.least(share(before), share(behind), walk[before].squares > walk[behind].squares));
    }
  });
  std::vector<Minimum> found(least.size());
  for_each_index(least.size(), jobs, [&](std::size_t j) {
    if (least[j].found() && least[j].squares < better * best.squares) {
      found[j] = descend(residuals, box, least[j].at);
    }
  });
  std::erase_if(found, [](const Minimum& minimum) { return !minimum.found(); });
  return found;
}

void sort_best_first(std::vector<Minimum>& minima) {
  std::stable_sort(minima.begin(), minima.end(),
                   [](const Minimum& a, const Minimum& b) { return a.squares < b.squares; });
}

}  // namespace

std::vector<Minimum> descend_from_many(const Residuals& residuals, const Box& box,
                                       std::span<const std::vector<double>> starts, int jobs) {
  constexpr std::size_t looked_at_each = 12;
  constexpr std::size_t taken = 4;
  const std::size_t looked_at = 8 + looked_at_each * box.low.size();
  std::vector<Minimum> seen(looked_at);
  for_each_index(looked_at, jobs, [&](std::size_t n) {
    seen[n].at = spread_point(box, n);
    seen[n].residuals = residuals(seen[n].at);
    seen[n].squares = sum_of_squares(seen[n].residuals);
  });
  std::erase_if(seen, [](const Minimum& point) { return !point.found(); });
  sort_best_first(seen);
  std::vector<std::vector<double>> from(starts.begin(), starts.end());
  for (std::size_t i = 0; i < std::min(taken, seen.size()); ++i) from.push_back(seen[i].at);
  std::vector<Minimum> found(from.size());
  for_each_index(from.size(), jobs,
                 [&](std::size_t i) { found[i] = descend(residuals, box, from[i]); });
  std::erase_if(found, [](const Minimum& minimum) { return !minimum.found(); });
  sort_best_first(found);
  constexpr int rounds = 3;
  for (int round = 0; round < rounds && !found.empty(); ++round) {
    const std::vector<Minimum> better = beside(residuals, box, found.front(), jobs);
    if (better.empty()) break;
    found.insert(found.end(), better.begin(), better.end());
    sort_best_first(found);
  }
  return found;
}

}  // namespace feedrate::fit
