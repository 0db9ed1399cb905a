#pragma once
// How often to write a checkpoint.
#include "reliability/interruptions.hpp"

namespace feedrate::reliability {

/// √(2 · write · between): the first-order optimum (Young 1974). `between`: mean time between
/// interruptions.
Duration young_interval(Duration write, Duration between);
/// The same less the write itself, never below 0 (Daly 2006, lowest order).
Duration daly_interval(Duration write, Duration between);

/// In the background a write costs no time, so that the least time is as often as the storage can:
/// writes in a row, each of which may be paid for, and slows what the storage does beside it. The
/// longest interval is taken that is no worse than a hundredth.
inline constexpr double as_good_in_background = 1.01;

/// The interval with the least expected time of this job, whatever `job.interval` is: of as many
/// equal stretches as are best; in the background the longest that is as good. A hair longer than
/// the job where no checkpoint pays. Of a job with a fallback, the best of spot and on-demand
/// instances by their shares of the work; of one in blocks, with what their ends lose, by which a
/// checkpoint pays that is usable just before.
Duration best_interval(const InterruptedJob& job);

}  // namespace feedrate::reliability
