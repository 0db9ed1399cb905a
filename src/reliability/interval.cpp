#include "reliability/interval.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/portable_math.hpp"

namespace feedrate::reliability {
namespace {

/// The shortest interval that writes `count` checkpoints: a hair above an equal share, so that no
/// further one is written at the very end.
Duration interval_of(const InterruptedJob& job, double count) {
  constexpr double hair = 1e-9;
  return job.work / (count + 1.0) * (1.0 + hair);
}

double time_with(InterruptedJob job, double count) {
  job.interval = interval_of(job, count);
  return expected(job).wall.base();
}

/// In the background a write costs nothing that is known, so that the least time is as often as the
/// storage can: the longest interval is taken that is no worse than half a thousandth. All of the
/// range is looked at, for the time has a dip wherever one checkpoint more is just usable before
/// the end.
Duration best_in_background(InterruptedJob job, Duration least) {
  constexpr int places = 200;
  constexpr double as_good = 1.0005;
  const auto time = [&](double interval) {
    job.interval = seconds(interval);
    return expected(job).wall;
  };
  const double longest = interval_of(job, 0.0).base();
  const double step = portable::pow(std::min(1.0, least / job.work), 1.0 / places);
  std::vector<std::pair<double, Duration>> tried;
  for (int i = 0; i <= places; ++i) {
    const double interval = longest * portable::pow(step, i);
    tried.emplace_back(interval, time(interval));
  }
  const auto by_time = [](const auto& a, const auto& b) { return a.second < b.second; };
  // The dip itself lies between two places.
  constexpr int between = 40;
  const double around = std::min_element(tried.begin(), tried.end(), by_time)->first;
  for (int i = -between; i <= between; ++i) {
    const double interval = around * portable::pow(step, static_cast<double>(i) / between);
    if (interval <= longest) tried.emplace_back(interval, time(interval));
  }
  std::sort(tried.begin(), tried.end(),
            [](const auto& a, const auto& b) { return a.first > b.first; });
  const Duration shortest = std::min_element(tried.begin(), tried.end(), by_time)->second;
  const auto found = std::find_if(tried.begin(), tried.end(), [&](const auto& one) {
    return one.second <= as_good * shortest;
  });
  return seconds(found->first);
}

}  // namespace

Duration young_interval(Duration write, Duration between) {
  return seconds(std::sqrt(2.0 * write.base() * between.base()));
}

Duration daly_interval(Duration write, Duration between) {
  return std::max(Duration{}, young_interval(write, between) - write);
}

double effective_share(Duration interval, Duration write, Duration restart, Duration between) {
  return (1.0 - (restart + interval / 2.0) / between) / (1.0 + write / interval);
}

Duration best_interval(const InterruptedJob& of) {
  InterruptedJob job = of;
  job.fallback.reset();
  job.booked = Duration{};
  if (job.work <= Duration{} || job.rate() <= Frequency{}) return interval_of(job, 0.0);
  // Writes in a row have no room below their own time; and no schedule is finer than a second.
  const Duration least = std::max(job.writing.time, seconds(1.0));
  if (job.writing.background) return best_in_background(job, least);
  double low = 0.0;
  double high = std::max(0.0, std::floor(job.work / least) - 1.0);
  // The expected time falls with more checkpoints, then rises: thirds of the range, whole numbers.
  while (high - low > 8.0) {
    const double a = std::floor(low + (high - low) / 3.0);
    const double b = std::ceil(high - (high - low) / 3.0);
    const double at_a = time_with(job, a);
    const double at_b = time_with(job, b);
    // Where both are beyond a double there are too few.
    if (at_a < at_b) {
      high = b;
    } else {
      low = a;
    }
  }
  double best = low;
  double time = time_with(job, low);
  for (double count = low + 1.0; count <= high; count += 1.0) {
    const double now = time_with(job, count);
    if (now < time) {
      time = now;
      best = count;
    }
  }
  return interval_of(job, best);
}

}  // namespace feedrate::reliability
