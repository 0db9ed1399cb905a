#pragma once
// The exchange of gradients and parameters, computed from the model and the network: what is sent,
// in which messages, and how much of it the backward pass hides. Internal to resolve.
#include "resolve/context.hpp"

namespace feedrate::resolve {

/// Whether each GPU keeps all parameters, and updates a part of them.
inline bool shards_optimiser(Parallelism how) {
  return how == Parallelism::zero1 || how == Parallelism::zero2;
}
/// Whether GPUs with the same part of the model are alike: gradients are summed, for all to update.
inline bool sums_for_all(Parallelism how) {
  return !is_sharded(how) && !shards_optimiser(how);
}

/// What each GPU sends in an optimiser step.
struct Volume {
  Bytes gradients;    ///< as the backward pass makes them
  double sent = 1.0;  ///< bytes sent for each byte of `gradients`
  Bytes gathered;     ///< parameters gathered, where they or the optimiser states are sharded
};
Volume volume(Context& context, const AllReduce& given);

/// Whether the exchange is computed as NCCL does it. It is, unless the scenario asks for `ring` or
/// `hierarchical`, which are one message of the textbook where all gradients are summed (ddp) and
/// nobody measured points. What a key is by default it is when it is written, too.
bool is_computed(const Job& job);

/// Batches from one exchange to the next: those of an optimiser step, or one where each gathers the
/// parameters anew. The groups of a layout exchange once for all micro-batches of a pipeline.
double batches_per_exchange(const Context& context);

/// The time of an exchange that nothing hides. Fills Resolved::communication, which is that of an
/// optimiser step, the plan, and the bytes that go over an instance's network.
Duration exchange(Context& context, const AllReduce& given);

}  // namespace feedrate::resolve
