#pragma once
// Which stage pays when it gets faster.
#include "model/result.hpp"
#include "pipeline/inputs.hpp"
#include "pipeline/simulate.hpp"

namespace feedrate::study {

/// Below this share of the job's time a gain is no answer: "nothing pays" is one.
inline constexpr double least_gain = 0.01;

/// Each stage that costs anything made twice as fast in turn, everything else equal; the bottleneck
/// is the one that shortens the job most. `base` is its time without that.
Bottleneck find_bottleneck(const pipeline::Inputs& inputs, Duration base);

}  // namespace feedrate::study
