#pragma once
// A parallel efficiency that is given, or follows from measured times, as what it is made of:
// seconds of communication in each optimiser step. Internal to resolve.
#include "pipeline/inputs.hpp"

namespace feedrate::resolve {

/// Epochs of `job` are to take `ratio` of those of `alone`, the same job on one instance.
struct OfOneInstance {
  double ratio = 1.0;
  /// What caches of several instances hold more than one's is gained beside it: an efficiency is
  /// one of steps, while times that were measured have it in them.
  bool caches_gain = false;
};

/// Fills exposed_allreduce of `job` with the seconds for which its epochs take as long. They are
/// seconds of messages: whatever else a question makes faster later, they stay. Where most of them
/// would hide behind an input pipeline that is the limit on one instance already, it loses by that
/// (loading_loses). Where waiting for the slowest of all GPUs would take more than that already,
/// steps wait for fewer (slowest_of), since a time that was measured has it in it; where the
/// pipeline itself does, efficiency_missed says so.
void hold_to_one_instance(pipeline::Inputs& job, OfOneInstance wanted,
                          const pipeline::Inputs& alone);

}  // namespace feedrate::resolve
