#pragma once
// The mean of an epoch over the variability that real jobs have, in closed form: microseconds, a
// smooth and monotone function of every input. The event simulation (random.hpp) is the second
// implementation that it is tested against.
#include <optional>
#include <vector>

#include "pipeline/flow.hpp"
#include "pipeline/simulate.hpp"

namespace feedrate::pipeline {

class KnownLoading;  ///< known_loading.hpp

struct MeanEpochs {
  Span span;            ///< of all of them
  Span last;            ///< of the last one alone
  double variance = 0;  ///< of the wall time of all epochs, s²: what their own randomness leaves
  std::vector<CreditEnd> ends;
};

/// The mean of `epochs`, which uses up `credits`. With `details` the waiting is shared out over the
/// stages of loading; else it is booked on decode. `loading`: of inputs whose loading is the same.
MeanEpochs mean_epochs(const Inputs& inputs, const Epochs& epochs, Credits& credits, bool details,
                       KnownLoading* loading = nullptr);

/// Time of the slowest of `gpus` between two all-reduces, `group` batches apart, over the mean.
queueing::Largest slowest_gpu(const Inputs& inputs, double gpus, double group);

/// What File mode's copying takes on one instance, and the stage that it waits for.
struct MeanStaging {
  Duration time;
  Stage waits_for = Stage::download;  ///< for most of it
};
MeanStaging mean_staging(const Inputs& inputs, Credits& credits);

/// Samples/s that each stage could carry for the whole job if it alone took time; 0 where it takes
/// none. Never below what the job reaches: limits pass at their burst rate, but for those whose
/// credit is among `ended`.
PerStage<Throughput> capacities(const Inputs& inputs, EpochKind kind, double epoch,
                                const std::vector<CreditEnd>& ended = {});

/// Workers that start together deliver together: while they make a round of batches, one for each,
/// the GPU steps through the round before and then waits for the rest of the time at one step.
struct RoundGap {
  double every = 0.0;  ///< steps: the workers of a rank
  Duration wait;       ///< of the GPU, in each round
};
/// The gap in the rounds of an epoch while bursts last. Empty where the loader is not PyTorch's,
/// has fewer than two workers a rank, or leaves the GPU waiting for less than a tenth of the time;
/// and with several instances, for it was compared with the events of one only.
std::optional<RoundGap> round_gap(const Inputs& inputs, EpochKind kind, double epoch);

}  // namespace feedrate::pipeline
