#pragma once
// Gradients and parameters on their way, computed: what is sent, in which messages, and what the
// backward pass hides of it. Internal to resolve.
#include "resolve/context.hpp"

namespace feedrate::resolve {

/// What each GPU hands over in an optimiser step.
struct Volume {
  Bytes gradients;    ///< as they become ready
  double sent = 1.0;  ///< of each byte of them
  Bytes gathered;     ///< of parameters, where they or the optimiser are sharded
};
Volume volume(Context& context, const AllReduce& given);

/// Whether the scenario leaves it to be computed: it asks for that (nccl, tree, parallelism,
/// points, buckets), or gives neither an algorithm nor a figure of the textbook's ring.
bool is_computed(const Job& job);

/// Exposed seconds of an optimiser step. Fills Resolved::communication and the bytes over the NIC.
Duration exchange(Context& context, const AllReduce& given);

}  // namespace feedrate::resolve
