#pragma once
// Communication from measured times of one job on different numbers of instances.
#include <span>
#include <utility>

#include "base/units.hpp"
#include "model/scenario.hpp"

namespace feedrate::fit {

/// (instances, time of the same work). Fits N·T(N) = T₁ · (1 + (b₁/b)·(bandwidth·2(N−1)/N +
/// latency·2(N−1))), all coefficients ≥ 0, relative residuals; b is the batch of a GPU, b₁ that on
/// the fewest instances. Two different N, one of them 1 or with `batch_sizes`, fit the bandwidth
/// alone: a term that grows with N needs three. Two others leave T₁ open: they fit the latency
/// alone, and `fewest` and `more_work` say what else reproduces them. Throws InputError with fewer
/// than two different N, and where the points lack one instance and give it less than 0.4 of the
/// time of the fewest. `batch_sizes`: (instances, b), of each N; empty: the same. Of two N, `slope`
/// is what the loss grows by with each instance.
ScalingFit fit_scaling(std::span<const std::pair<double, Duration>> points,
                       std::span<const std::pair<double, double>> batch_sizes = {});

}  // namespace feedrate::fit
