#pragma once
// The whole job: start-up, staging, epochs, checkpoints. Epochs are means in closed form
// (mean.hpp), or simulated event by event with their variability (random.hpp).
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "model/stage.hpp"
#include "pipeline/inputs.hpp"

namespace feedrate::pipeline {

class KnownLoading;  ///< known_loading.hpp

struct SimulationOptions {
  bool exact = false;      ///< simulate every chunk of every worker with its variability
  std::uint64_t seed = 1;  ///< of that variability
  /// > 0, without `exact`: epochs by about so many of their events, each kind of epoch once; those
  /// beyond that by the mean (affordable.hpp).
  double most_events = 0.0;
  bool only_whole = false;  ///< with most_events: whole epochs, or none
  bool short_ones = true;   ///< with most_events: epochs of a few steps, of which there are no
                            ///< windows, may have many times as many
  int seeds = 1;            ///< with most_events: so many, from `seed` on, and their mean
  /// Of the mean: of calls before whose inputs have the same loading; this one adds to it.
  KnownLoading* loading = nullptr;
  double stretch = 1.0;  ///< of the mean's epochs: as events said of this job
  bool details = true;   ///< share out the waiting over the stages of loading
  /// One course of interruptions, by chance, instead of their mean: which.
  std::optional<std::uint64_t> course{};
  /// Called now and then where events are simulated, with the job's steps until then and all of
  /// them; what it throws ends the simulation.
  std::function<void(double done, double total)> look{};
};

/// Of one epoch, or of several: wall time and where each GPU's time went (mean over ranks).
struct Span {
  Duration wall;
  Duration busy;
  PerStage<Duration> stall;
  Duration straggling;  ///< of stall[allreduce]: waiting for the slowest rank
  /// Of wall: from an epoch's beginning until one GPU has done the step of its first batch.
  Duration first_step;

  Span& operator+=(const Span& other);
  friend Span operator*(double factor, Span span);
};

/// Brings the span to another wall time, of which GPUs work `busy`: waiting makes up the rest.
void bring_to(Span& span, Duration wall, Duration busy);

/// Burst credit that the job uses up.
struct CreditEnd {
  std::string limit;  ///< "gp2 IOPS"
  Stage stage = Stage::disk;
  Duration after;         ///< of training since the epochs began that used it; 0: copying did
  Duration epoch_before;  ///< an epoch's time while it lasted
};

/// How checkpoints and interruptions were counted.
struct Interrupted {
  reliability::InterruptedJob job;  ///< with the work, the launch and the interval of this one
  reliability::Course mean;
  reliability::Course counted;  ///< in the times of the outcome: the mean, or the course asked for
  double checkpoints = 0.0;     ///< written, but for those that are written again
};

/// The whole job. `wall` of the parts and stalls + busy add up.
struct Outcome {
  Duration startup, staging;
  Span first, later;     ///< whole epochs, the first and the last; the same where there is but one
  Span trained;          ///< all epochs, one that is left in its middle included
  Duration checkpoints;  ///< over the whole job: what training stops for them
  Interrupted interrupted;
  Span total;                    ///< start-up, staging, checkpoints and interruptions included
  double epochs = 1.0;           ///< passes over the dataset, parts of one included
  double steps = 0.0;            ///< of an epoch
  double samples = 0.0;          ///< trained in an epoch, all ranks: drop_last leaves some out
  double trained_samples = 0.0;  ///< the same of the whole job
  double variance = 0.0;         ///< of the epochs' time, s²: what its own randomness leaves
  double slowest_ranks = 0.0;    ///< of unequal instances, GPUs of the one that keeps the others
  std::vector<CreditEnd> ends;
  Effort effort;
  /// With SimulationOptions::most_events: every step of every kind of epoch was simulated, or for
  /// the longer ones a window; or for some of them nothing was affordable, and they are the mean's.
  bool whole_epochs = true;
  bool only_mean = false;
  double events_variance = 0.0;  ///< of the mean over seeds of the epochs' time, s²

  /// All epochs, without start-up, staging and checkpoints.
  [[nodiscard]] Duration training() const { return trained.wall; }
};

Outcome simulate(const Inputs& inputs, const SimulationOptions& options = {});

/// The job with a stage twice as fast. A NIC that downloads and gradients share carries both: what
/// follows from its line in an exchange is that of a line twice as fast.
Inputs twice_as_fast(const Inputs& inputs, Stage stage);

/// The first epoch after which all are alike: what `Outcome::later` is of. 1 where there is but
/// one.
double steady_epoch(const Inputs& inputs);

}  // namespace feedrate::pipeline
