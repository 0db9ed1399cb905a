#pragma once
// What both implementations of an interrupted job start from. Internal to reliability.
#include <cmath>

#include "reliability/interruptions.hpp"

namespace feedrate::reliability {

/// A job that meets more of them is taken to never end.
inline constexpr double most_interruptions = 1e5;
inline constexpr double most_blocks = 1e4;

/// As expected(), of a share of the courses that it plays where it has to, but of 20 of them or
/// all.
Course expected_by(const InterruptedJob& job, double share);

/// The job as a stretch of exposure: `length` in all, a checkpoint of each multiple of `period`,
/// usable `delay` later.
struct Schedule {
  Duration writes;
  double length = 0.0;
  double period = 0.0;  ///< 0: no checkpoints
  double delay = 0.0;

  explicit Schedule(const InterruptedJob& job) {
    const double stop = job.interval > Duration{} ? job.writing.stop(job.interval).base() : 0.0;
    writes = seconds(job.checkpoints() * stop);
    length = (job.work + writes).base();
    if (job.interval <= Duration{}) return;
    period = job.interval.base() + stop;
    delay = job.writing.delay(job.interval).base();
  }

  /// What a sudden interruption at `at` goes back to.
  [[nodiscard]] double usable(double at) const {
    if (period <= 0.0 || at < period + delay) return 0.0;
    return std::floor((at - delay) / period) * period;
  }
};

}  // namespace feedrate::reliability
