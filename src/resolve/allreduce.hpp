#pragma once
// What gradients cost between GPUs. Every description ends in the same thing: exposed seconds per
// optimiser step.
#include "base/units.hpp"
#include "model/scenario.hpp"

namespace feedrate::resolve {

/// What a ring goes over.
struct Links {
  Bandwidth busbw;   ///< bus bandwidth, as nccl-tests defines it
  Duration latency;  ///< of a hop
};

/// Ring all-reduce of `size` over `ranks`: 2(n−1)/n · size/busbw + 2(n−1) · latency. 0 for one
/// rank.
Duration ring(Bytes size, double ranks, const Links& links);

/// Inside each instance over `gpus`, then between `instances` over their networks: a ring of each,
/// one after the other.
Duration hierarchical(Bytes size, double instances, double gpus, const Links& inside,
                      const Links& between);

/// T(N)/T(1) of a whole job from a fit of measured times (see ScalingFit):
/// (1 + (b₁/b) · (bandwidth · 2(N−1)/N + latency · 2(N−1))) / N. `batch`: b; 0 for the fit's own.
double from_fit(const ScalingFit& fit, double instances, double batch = 0.0);

}  // namespace feedrate::resolve
