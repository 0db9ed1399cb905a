#pragma once
// Who makes which batches of an epoch. A main process deals batches to its workers in turn. Workers
// that read what is theirs (objects of many samples, or every so many of the samples) cut it into
// batches by themselves: torch/utils/data/_utils/fetch.py, _IterableDatasetFetcher. Each ends with
// a smaller batch of its own, or drops it, and the loop goes round those that have not ended.
// epoch_shape (inputs.hpp) has the batches in that order.
#include "pipeline/inputs.hpp"

namespace feedrate::pipeline {

/// Whether each worker cuts samples of its own into batches.
bool cuts_batches(const Inputs& inputs);

/// Whether each worker reads objects of its own.
bool divides_objects(const Inputs& inputs);

/// Objects that the workers of a rank have among them in an epoch; 0: there are none of many
/// samples.
double objects_of_rank(const Inputs& inputs);

/// What one worker makes of its own samples in an epoch.
struct Cut {
  double batches = 0.0;
  double last = 0.0;     ///< samples of the last of them
  double samples = 0.0;  ///< of all; what it drops is not among them
  double dropped = 0.0;  ///< of an incomplete batch, once it has made them
};

/// How the batches of a rank fall to its workers, and which workers make any.
struct Division {
  bool own = false;  ///< each cuts what it owns; else they make the rank's batches in turn
  double workers = 1.0;
  double few = 0.0;      ///< so many, the first, own more than the others; 0: all own as much
  Cut each;              ///< of each of those others; of a rank where they own nothing
  Cut most;              ///< of each of those few
  double longest = 0.0;  ///< so many, the first, read more than the others, be it what they drop

  [[nodiscard]] const Cut& of(double worker) const { return worker < few ? most : each; }
  [[nodiscard]] double batches_of(double worker) const;
  /// Samples that it makes for no batch. That it has no more of them it learns as any iterator
  /// does, and the epoch ends once all workers have: torch/utils/data/dataloader.py, _next_data.
  [[nodiscard]] double dropped_by(double worker) const {
    return worker < longest ? most.dropped : each.dropped;
  }
  [[nodiscard]] bool drops() const { return each.dropped > 0.0 || most.dropped > 0.0; }
};
Division division_of(const Inputs& inputs);

}  // namespace feedrate::pipeline
