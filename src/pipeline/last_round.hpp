#pragma once
// The round of batches that an epoch of workers ends in, or a loop that is left. Internal to
// pipeline.
#include "pipeline/inputs.hpp"

namespace feedrate::pipeline {

/// Workers make a batch each, round after round. In an epoch's last round some have nothing left to
/// make; of a loop that is left, they are at work on the round that its last batch is of. Batches
/// are counted as so many of the largest.
struct LastRound {
  double begun = 0.0;   ///< batches of the rounds before it
  double met = 0.0;     ///< batches of it that the loop takes, in number
  double busy = 1.0;    ///< workers that make the largest batches of it
  double work = 0.0;    ///< what these make
  double made = 0.0;    ///< what the loop takes of the round, a smaller batch included
  bool ends = false;    ///< with it the epoch does
  bool by_few = false;  ///< who owns more than others goes on without them
  /// Workers that cut batches of their own all end together, or few of them go on.
  bool of_own = false;
};

/// Of a loop that takes the batches of `taken`, the first of `epoch`, made by `active` workers.
LastRound last_round_of(const Inputs& inputs, const EpochShape& epoch, const EpochShape& taken,
                        double active);

}  // namespace feedrate::pipeline
