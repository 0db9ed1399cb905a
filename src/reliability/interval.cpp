#include "reliability/interval.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

/// In the background the expected time has a dip wherever one checkpoint more is just usable before
/// the end, so all of the range is looked at before the best place is narrowed down by golden
/// section.
Duration best_in_background(InterruptedJob job, Duration least) {
  constexpr double golden = 0.6180339887498949;
  constexpr int places = 200;
  const auto time = [&](double interval) {
    job.interval = seconds(interval);
    return expected(job).wall;
  };
  const double longest = interval_of(job, 0.0).base();
  const double step = std::pow(std::min(1.0, least / job.work), 1.0 / places);
  double best = longest;
  for (double at = longest; at >= least.base(); at *= step) {
    if (time(at) < time(best)) best = at;
  }
  double low = std::max(least.base(), best * step);
  double high = std::min(longest, best / step);
  const double found = best;
  double a = high - golden * (high - low);
  double b = low + golden * (high - low);
  for (int i = 0; i < 30; ++i) {
    if (time(a) < time(b)) {
      high = std::exchange(b, a);
      a = high - golden * (high - low);
    } else {
      low = std::exchange(a, b);
      b = low + golden * (high - low);
    }
  }
  return seconds(time(a) < time(found) ? a : found);
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
