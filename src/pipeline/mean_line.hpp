#pragma once
// What follows the loader in the mean of an epoch: the main process, the copy and the GPU's loop,
// as a line of stations. Internal to pipeline.
#include "pipeline/inputs.hpp"
#include "queueing/pace.hpp"

namespace feedrate::pipeline {

/// What one rank does with a batch, at the virtual speeds.
struct Consumer {
  double handover = 0.0, pin = 0.0, copy = 0.0;  // seconds a full batch
  double step = 0.0;                             // mean of one GPU
  double before = 0.0;                           // its preprocessing in the step's stream
  double ahead = 0.0;                            // the same in the loader's
  bool threads_wait = false;                     // with the next batch, for that
  double straggling = 0.0;                       // what the slowest GPU adds to it
  double handed_late = 0.0;                      // what the slowest main process adds to handover
  double handover_cv = 0.0;
  double buffer = 1.0;       // batches that it may be ahead of its GPU
  double reduction = 0.0;    // one exposed all-reduce
  double reduce = 0.0;       // a step's share of those before the last
  double reductions = 0.0;   // in an epoch
  bool one_process = false;  // the loop waits for its step
  bool copy_beside = false;  // in a stream of its own
  bool copy_waited = false;  // by the main process, which launches steps
  bool inline_load = false;
  bool pinning = false;
};

/// Of an epoch of `steps` batches of `full` samples, and so many `smaller` ones.
Consumer consumer_of(const Inputs& inputs, double full, double steps, double smaller);

/// Stations after the loader, as a line: seconds a full batch.
struct Line {
  double gpu = 0.0;         // the process in which the GPU steps
  double straggling = 0.0;  // what of it the slowest rank adds
  double other = 0.0;       // the slowest of the others
  Stage slowest = Stage::handover;
  double sum = 0.0;       // of all but the GPU's
  double variance = 0.0;  // squared cv of `other`
  double buffer = 1.0;    // batches between the two

  /// Of a batch, where the loader is always ahead.
  [[nodiscard]] double period() const { return queueing::slower_of(gpu, other, variance, buffer); }
};

/// Each rank's lateness is the sum of independent ones, and the slowest is the latest of both.
double late_of(const Consumer& c, double crowding);

/// Seconds of a batch in a loader that keeps its loop waiting: threads make it in `making`. Where
/// they wait for the GPU's part, that comes then, beside the step of the batch before, which began
/// once that was handed over and copied; else the GPU does it while threads make the next.
double made_with_ahead(const Consumer& c, double making, double crowding);

/// `load`: seconds that a loop which loads its batches itself loads for, and in which threads make
/// one that wait for their loader's stream on the GPU; `crowding`: CPU time of the main process, over what it
/// needs alone.
Line line_of(const Consumer& c, double load, double straggling, double crowding);

}  // namespace feedrate::pipeline
