#pragma once
// The mean of a job beside its events: which of the two is stated, and what the events say of the
// bottleneck.
#include "model/result.hpp"
#include "pipeline/simulate.hpp"
#include "study/run.hpp"

namespace feedrate::study {

/// The events that a run without --mean affords for the job's time, and again for what faster
/// stages would gain: about 0.1 s each. Counted, so that every machine gives the same answer.
inline constexpr double affordable_events = 6e5;
/// Where the events part from the mean by more, they are stated.
inline constexpr double parts_from = 0.01;

struct Stated {
  pipeline::Outcome outcome;  ///< what is stated: of the mean, or of the events
  pipeline::Outcome mean;
  /// How `outcome` was simulated, for what is compared with it.
  pipeline::SimulationOptions options;
  /// Without bottleneck and gains; empty where no events were asked for, or none are affordable.
  std::optional<ByEvents> by_events;

  /// What the events make of the mean's epochs; 1 where the mean is stated.
  [[nodiscard]] double stretch() const {
    return by_events && by_events->stated ? outcome.trained.wall / mean.trained.wall : 1.0;
  }
};

/// The job as RunOptions asks: by its mean, by all of its events, or by the mean beside as many
/// events as are affordable, unless nothing varies in it. Where these part from it, seeds are added
/// until the standard error of their mean is under 0.5 %, or the events are used up.
Stated simulate_stated(const pipeline::Inputs& inputs, const RunOptions& options,
                       pipeline::KnownLoading* loading = nullptr);

/// Whether the events name another bottleneck than the mean, but by no more than chance and 2
/// points: the mean's then stays the verdict.
bool cannot_tell_apart(const ByEvents& by_events);

/// Simulates the affordable events of the job, of which `job` is stated, with stages twice as fast,
/// all with the same seeds (common random numbers), and fills the gains, best first, and the
/// bottleneck. Tried are those that gain most by the mean, the one that the GPUs wait longest for,
/// and the GPUs. One seed is tried where three are not affordable; where one is not either, there
/// are no gains by events, and those in closed form stay.
void find_bottleneck_by_events(ByEvents& by_events, const pipeline::Inputs& inputs,
                               const pipeline::Span& job, const RunOptions& options,
                               const Bottleneck& by_mean);

/// Puts the events' gains in the place of the mean's where the events are stated, or where they
/// name another bottleneck by more than 2 points and twice their error.
void let_events_decide(Bottleneck& bottleneck, const ByEvents& by_events);

}  // namespace feedrate::study
