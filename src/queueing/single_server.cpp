#include "queueing/single_server.hpp"

#include <algorithm>
#include <cmath>

#include "base/portable_math.hpp"
#include "queueing/fixed_point.hpp"
#include "queueing/pace.hpp"

namespace feedrate::queueing {
namespace {

/// How many times as long a user of the cores takes as it would alone, where `x` cycles a second
/// are made by as few users as can, or by `most`.
double longer_beside_others(const std::vector<double>& cores, double one_alone, double x,
                            double most) {
  const auto reached = std::lower_bound(cores.begin(), cores.end(), x);
  double users = std::max(1.0, most);
  if (reached == cores.begin()) {
    users = 1.0;
  } else if (reached != cores.end()) {
    const double below = *(reached - 1);
    users = std::min(
        users, static_cast<double>(reached - cores.begin()) + (x - below) / (*reached - below));
  }
  const double made = linear_between(users, [&](double n) {
    return cores[std::min(static_cast<std::size_t>(std::max(n, 1.0)), cores.size()) - 1];
  });
  return users * one_alone / made;
}

}  // namespace

std::vector<double> with_single_server(const ClosedNetwork& rest, const SingleServer& server,
                                       double rest_cv, int customers,
                                       const std::vector<double>& cores) {
  std::vector<double> throughput;
  throughput.reserve(static_cast<std::size_t>(customers));
  const double s = server.seconds;
  const double own = s - server.within;
  double there = 0.0;  // and not in the rest, with one customer fewer in all
  double queue = 0.0;  // the same with the one that is served
  double busy = 0.0;
  double before = 0.0;
  for (int n = 1; n <= customers; ++n) {
    const double met = 1.0 - portable::exp(-rest_cv * rest_cv * (n - 1) / 0.09);
    const double waiting = std::max(0.0, queue - busy * (1.0 - server.cv * server.cv) / 2.0);
    const double elsewhere = std::max(1.0, n - there);
    const double rate = rest.throughput(elsewhere * server.alike) / server.alike;
    const double away = rate > 0.0 && rate < 1e299 ? elsewhere / rate : 0.0;
    // More customers never bring less.
    const double varies = (server.cv * server.cv + rest_cv * rest_cv) / 2.0;
    const double here = own + s * met * waiting;
    double service = s;
    const auto made = [&](double x) {
      if (!cores.empty()) {
        service =
            own + server.within * longer_beside_others(cores, server.one_alone, x * server.alike,
                                                       elsewhere * server.alike);
      }
      return 1.0 / slower_of((here + away) / n, service, varies, n);
    };
    double x = std::max(before, fixed_point(made));
    if (server.within > 0.0) x = std::min(x, rest.throughput(n * server.alike) / server.alike);
    throughput.push_back(x);
    there = std::clamp(n - x * away, 0.0, static_cast<double>(n));
    queue = std::min(static_cast<double>(n), there + x * server.within);
    busy = std::min(1.0, x * service);
    before = x;
  }
  return throughput;
}

}  // namespace feedrate::queueing
