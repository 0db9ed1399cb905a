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

/// Whether it is computed as GPUs do it: always, but where `ring` or `hierarchical` asks for the
/// textbook's, with nothing of what only the computed one has (parallelism, points, buckets).
bool is_computed(const Job& job);

/// Exposed seconds of an optimiser step. Fills Resolved::communication, the plan and the bytes over
/// the NIC.
Duration exchange(Context& context, const AllReduce& given);

}  // namespace feedrate::resolve
