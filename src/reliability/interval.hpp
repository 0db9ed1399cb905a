#pragma once
// How often to write a checkpoint.
#include "reliability/interruptions.hpp"

namespace feedrate::reliability {

/// √(2 · write · between): the first-order optimum (Young 1974). `between`: mean time between
/// interruptions.
Duration young_interval(Duration write, Duration between);
/// The same less the write itself, never below 0 (Daly 2006, lowest order).
Duration daly_interval(Duration write, Duration between);

/// The interval with the least expected time of this job, whatever `job.interval` is: of as many
/// equal stretches as are best. In the background, where writes cost no time, the longest that is
/// within half a thousandth of it. A hair longer than the job where no checkpoint pays. Of a job
/// with a fallback, the best of spot and on-demand instances by their shares of the work; of one in
/// blocks, with what their ends lose, by which a checkpoint pays that is usable just before.
Duration best_interval(const InterruptedJob& job);

}  // namespace feedrate::reliability
