#pragma once
// What gradients cost between GPUs. Every description ends in the same thing: exposed seconds per
// optimiser step.
#include "base/units.hpp"
#include "model/scenario.hpp"

namespace feedrate::resolve {

/// Ring all-reduce of `size` over `ranks`: 2(n−1)/n · size/busbw + 2(n−1) · latency, with busbw as
/// nccl-tests defines it. 0 for one rank.
Duration ring(Bytes size, double ranks, Bandwidth busbw, Duration latency);

/// Inside each instance over `gpus`, then between `instances` over their networks:
/// ring inside + 2(N−1)/N · size/between + 2(N−1) · latency, one after the other.
Duration hierarchical(Bytes size, double instances, double gpus, Bandwidth inside,
                      Bandwidth between, Duration latency);

/// T(N)/T(1) of a whole job from a fit of measured times (see ScalingFit):
/// (1 + bandwidth · 2(N−1)/N + latency · 2(N−1)) / N.
double from_fit(const ScalingFit& fit, double instances);

}  // namespace feedrate::resolve
