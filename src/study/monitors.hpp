#pragma once
// What monitors would show of a simulated job, by the utilisation law: the share of a resource in
// use is its demand per sample, times samples per second, over its capacity.
#include "model/result.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/resolve.hpp"

namespace feedrate::study {

/// What monitors of one instance show in the last epoch of `outcome`. `gap_every` is left empty.
Monitors monitors_of(const resolve::Resolved& resolved, const pipeline::Outcome& outcome);

/// What an instance receives: with each sample that it trains on, and of gradients in each step.
struct Received {
  DataPerSample by_sample;
  Bytes by_step;
};
Received received_in(const pipeline::Inputs& inputs, pipeline::EpochKind kind, double epoch);

/// What is read from a disk for a sample that is trained on, in the mean of the epoch, by so many
/// requests, and how long the disk takes for it where it gives all it can.
struct ReadFromDisk {
  DataPerSample bytes;
  double requests = 0.0;
  DurationPerSample takes;
};
ReadFromDisk reading_in(const pipeline::Inputs& inputs, double epoch);

/// Time that a disk takes to keep what a cache on it takes of a sample that is trained on, in the
/// mean of the epoch: nobody waits for it.
DurationPerSample writing_in(const pipeline::Inputs& inputs, double epoch);

/// The smallest number of threads that deliver `work` core-seconds per second together, by `cores`;
/// its largest number where none does. Precondition: `cores` is not empty.
double threads_for(const Curve<double>& cores, double work);

}  // namespace feedrate::study
