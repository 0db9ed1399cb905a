#pragma once
// An epoch by as many of its events as are affordable: all of them, or those of a window, from
// which the mean leads to the end.
#include <cstdint>
#include <functional>
#include <optional>

#include "pipeline/simulate.hpp"

namespace feedrate::pipeline {

/// Steps in which the loader has certainly filled what it may be ahead by, and emptied it once.
double settling_steps(const Inputs& inputs);

struct AffordableEpoch {
  Span span;          ///< of one epoch
  bool whole = true;  ///< every step was simulated
  Duration unsure{};  ///< by how much the steps that were left out may be otherwise
  /// How often the steps are taken that say what one takes.
  double repeated = 1.0;
};

/// One epoch of a job by its mean.
using MeanOf = std::function<Span(const Inputs& job, const Epochs& one)>;

/// The first of `epochs`, of which about `options.most_events` events are simulated. Where a window
/// is simulated, as an epoch of its own unless the epoch is many times as long, the rest differs
/// from the mean as the second half of the window does:
///   T(N) = mean(N) + d(2W) + (d(2W) - d(W))·(N - 2W)/W,  d = events - mean,
/// but for that share of a step that the middle of an epoch shows, where it is less and the rest
/// would be over 2 % of the job: two thirds more events. Of an epoch that is many times as long a
/// window is its beginning; where its loader has settled there, the error of what follows is by how
/// much the half window before W says otherwise, and chance; else it is all by which that parts.
/// Empty where so few steps are affordable that the loader would not have settled. The same seed
/// gives the same epoch, on any machine: what is affordable is counted, not timed.
std::optional<AffordableEpoch> affordable_epoch(const Inputs& inputs, const Epochs& epochs,
                                                std::uint64_t seed,
                                                const SimulationOptions& options,
                                                const MeanOf& mean_of, Effort& effort);

}  // namespace feedrate::pipeline
