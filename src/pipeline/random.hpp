#pragma once
// An epoch event by event, with its variability: every chunk of every worker of every rank. The
// second implementation of what mean.hpp says in closed form, and what --exact runs.
#include <cstdint>
#include <functional>
#include <optional>

#include "pipeline/loading.hpp"
#include "pipeline/simulate.hpp"

namespace feedrate::pipeline {

/// Throws InputError where a job has more than can be simulated in hours.
void require_bounded(const Inputs& inputs);

/// Simulates the first of `epochs`; the same seed gives the same epoch. It begins with `credits`,
/// and leaves in them what it has not used and what was earned meanwhile. `look`, if any, is called
/// now and then with the number of steps simulated so far; what it throws ends the simulation.
Span random_epoch(const Inputs& inputs, const Epochs& epochs, std::uint64_t seed, Effort& effort,
                  Credits& credits, const std::function<void(double steps)>& look = {});
/// With all credits.
Span random_epoch(const Inputs& inputs, const Epochs& epochs, std::uint64_t seed, Effort& effort);

/// The same; empty where that takes more than `most_events`, of which no more are simulated.
std::optional<Span> random_epoch_within(const Inputs& inputs, const Epochs& epochs,
                                        std::uint64_t seed, Effort& effort, double most_events);

/// Whether anything that a loader's threads do varies from batch to batch. Where nothing does, all
/// of them read, compute and deliver in the same moments for the whole of the job, which no real
/// loader's do: its threads have drifted apart after a few batches, as the mean has them.
bool varies(const Inputs& inputs);

/// The number of instances whose loaders are simulated; empty: those of all are.
std::optional<double> instances_apart(const Inputs& inputs);

}  // namespace feedrate::pipeline
