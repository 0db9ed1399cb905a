#pragma once
// Communication from measured times of one job on different numbers of instances.
#include <span>
#include <utility>

#include "base/units.hpp"
#include "model/scenario.hpp"

namespace feedrate::fit {

/// (instances, time of the same work). Fits N·T(N) = T₁ · (1 + bandwidth·2(N−1)/N +
/// latency·2(N−1)), all coefficients ≥ 0, relative residuals. Throws InputError with fewer than two
/// different N.
ScalingFit fit_scaling(std::span<const std::pair<double, Duration>> points);

}  // namespace feedrate::fit
