#pragma once
// One epoch's mean, of which mean_epochs.cpp makes several and the gap in a round. Internal to
// pipeline.
#include "pipeline/mean.hpp"

namespace feedrate::pipeline {

struct Made {
  Span span;
  double variance = 0.0;
  double period = 0.0;  ///< of a step
  double step = 0.0;    ///< what it would be if the loader were always ahead
  double loader = 0.0;  ///< what it would be if the GPU were; 0: the main process loads
  double around = 0.0;  ///< seconds of the epoch beside its batches, where the GPU waits for them
  double beside = 0.0;  ///< of them, those in which no worker makes any
};

/// The first of `which` with `active` customers a rank, under the limits as `flow` has them.
Made one_epoch(const Inputs& inputs, const Epochs& which, const Misses& misses, const Flow& flow,
               double active, bool details);

/// Adds seconds in which GPUs wait for what is made: to each stage by its share of the making, to
/// decode where nobody has asked for shares.
void book_making(Span& span, double waited, PerStage<double> making);

/// Seconds in which `active` customers of each rank read what they read before they make anything,
/// by the stage that they wait for; nothing where they do not. Limits are as `flow` has them.
PerStage<double> reading_before(const Inputs& inputs, EpochKind kind, const Misses& misses,
                                const Flow& flow, double active);

}  // namespace feedrate::pipeline
