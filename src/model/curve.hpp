#pragma once
// A measured curve X(n): the total rate of a shared capacity when n users are active.
#include <algorithm>
#include <vector>

namespace feedrate {

/// Points ascending in `users`; linear in between, proportional below the first, flat after the
/// last.
template <class Rate>
struct Curve {
  struct Point {
    double users = 1.0;
    Rate total{};
    bool operator==(const Point&) const = default;
  };
  std::vector<Point> points;
  double relative_error = 0.0;

  [[nodiscard]] bool empty() const { return points.empty(); }

  /// Total rate with `users` > 0 active. Precondition: not empty.
  [[nodiscard]] Rate total(double users) const {
    if (users <= points.front().users) return points.front().total * (users / points.front().users);
    for (std::size_t i = 1; i < points.size(); ++i) {
      const Point& a = points[i - 1];
      const Point& b = points[i];
      if (users <= b.users) {
        return a.total + (b.total - a.total) * ((users - a.users) / (b.users - a.users));
      }
    }
    return points.back().total;
  }

  /// The highest total at any number of users.
  [[nodiscard]] Rate maximum() const {
    Rate best{};
    for (const Point& point : points) best = std::max(best, point.total);
    return best;
  }

  bool operator==(const Curve&) const = default;
};

/// The curve, and nowhere more than `most`.
template <class Rate>
Curve<Rate> capped(const Curve<Rate>& curve, Rate most) {
  Curve<Rate> out{{}, curve.relative_error};
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const auto& b = curve.points[i];
    const bool first = i == 0;
    const double users = first ? 0.0 : curve.points[i - 1].users;
    const Rate total = first ? Rate{} : curve.points[i - 1].total;
    // Where it crosses, rising or falling.
    if ((total < most) != (b.total < most) && total != b.total) {
      const double crossing = users + (b.users - users) * ((most - total) / (b.total - total));
      if (crossing > users && crossing < b.users) out.points.push_back({crossing, most});
    }
    out.points.push_back({b.users, std::min(b.total, most)});
  }
  // What follows the last point is flat without saying so.
  while (out.points.size() > 1 &&
         out.points.back().total == out.points[out.points.size() - 2].total) {
    out.points.pop_back();
  }
  return out;
}

/// `each` for every user until `limit` is reached.
template <class Rate>
Curve<Rate> linear_until(Rate each, Rate limit) {
  if (!(each < limit)) return {{{1.0, limit}}, 0.0};
  return {{{1.0, each}, {limit / each, limit}}, 0.0};
}

}  // namespace feedrate
