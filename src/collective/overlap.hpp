#pragma once
// What of the communication of a step its computing hides. One communication stream: messages go
// one after the other, each once it is ready, and what sticks out after the computing is exposed.
// Gradients become ready evenly, by bytes, along the backward pass.
#include <functional>

#include "base/units.hpp"

namespace feedrate::collective {

/// Time of one message of so many bytes.
using TimeOf = std::function<Duration(Bytes)>;

struct Exchange {
  Duration total;         ///< of all messages, one after the other
  Duration exposed;       ///< how much longer the step is than its computing alone
  double messages = 0.0;  ///< in all
  Bytes largest;          ///< of them
  Bytes smallest;         ///< of them
};

/// PyTorch's DDP: the bytes that are ready first are a bucket of their own, all others are cut into
/// equal ones, and the last is what is left (Li et al., VLDB 2020, and torch.nn.parallel's
/// `bucket_cap_mb`; PyTorch cuts only between parameters).
struct Buckets {
  Bytes first;  ///< > 0
  Bytes rest;   ///< > 0
};
Exchange bucketed(Bytes gradients, const Buckets& buckets, Duration backward, const TimeOf& time);

/// Horovod: at each turn of its cycle, all that is ready and fits the fusion buffer, in one
/// message; the next turn comes when it is done, a cycle after the last one at the earliest.
struct Fusion {
  Bytes buffer;    ///< > 0
  Duration cycle;  ///< > 0
};
Exchange fused(Bytes gradients, const Fusion& fusion, Duration backward, const TimeOf& time);

/// FSDP and ZeRO-3, of one micro-batch: the parameters of each of `blocks` equal blocks are
/// gathered before its forward pass and again before its backward pass, while the block before it
/// computes, and its gradients are scattered after that. One gather goes ahead at most.
Exchange sharded(double blocks, Duration gather, Duration scatter, Duration forward,
                 Duration backward);

}  // namespace feedrate::collective
