#pragma once
// What gradients cost between GPUs. Every description ends in the same thing: exposed seconds per
// optimiser step.
#include "base/units.hpp"
#include "model/scenario.hpp"

namespace feedrate::resolve {

/// The links that a ring runs over.
struct Links {
  Bandwidth busbw;   ///< bus bandwidth, as nccl-tests defines it
  Duration latency;  ///< of one hop from GPU to GPU
};

/// Time of a ring all-reduce of `size` over n = `ranks`: 2(n−1)/n · size/busbw + 2(n−1) · latency.
/// 0 for one rank.
Duration ring(Bytes size, double ranks, const Links& links);

/// Time of two ring all-reduces of `size`, one after the other: inside each instance over its
/// `gpus`, then between the `instances` over their networks.
Duration hierarchical(Bytes size, double instances, double gpus, const Links& inside,
                      const Links& between);

/// A fit that leaves the time of one instance open (fewest > 0): with the loss that grows from the
/// fewest instances to the most as (N − 1)^`growth` does, and no further than either term alone
/// has it grow; none takes one instance below ScalingFit::least_of_one of the time of the fewest.
ScalingFit with_growth(const ScalingFit& fit, double growth);

/// T(N)/T(1) of a whole job from a fit of measured times (see ScalingFit):
/// (1 + (b₁/b) · (bandwidth · 2(N−1)/N + latency · 2(N−1))) / N, where N is `instances`, b is
/// `batch`, and b₁ is the batch of the fit, which `batch` 0 stands for too. Beyond the most
/// instances that were measured, the loss that this has beside 1 is multiplied by (N/most) to the
/// power of `departure`; where only two numbers of instances were measured, it is the geometric
/// mean of what it would be and of the straight line through both: nothing tells them apart.
double from_fit(const ScalingFit& fit, double instances, double batch = 0.0,
                double departure = 0.0);

}  // namespace feedrate::resolve
