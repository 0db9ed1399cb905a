#pragma once
// Of an observation's marks and of the steps that logs tell: stretches of steps that follow each
// other, in which a job goes on as it does in the long run.
#include <map>
#include <optional>
#include <vector>

#include "model/observation.hpp"
#include "model/observed_job.hpp"

namespace feedrate::observe {

struct SeenStep {
  double end = 0.0;     ///< s
  double length = 0.0;  ///< s; of the first of its stretch that marks tell, 0
  double steps = 1.0;   ///< this is the mean of so many
  std::optional<double> wait;
};

/// Steps that follow each other.
using Run = std::vector<SeenStep>;

/// Whether a sample tells of a step, and is kept whole until the end.
bool is_of_step(MetricId id);

using StepSamples = std::map<MetricId, std::vector<Sample>>;

/// Without the first steps of each epoch, which come of full queues or wait for the first batches,
/// and without the first epoch where there are others, because it reads what the others find in
/// memory. `marks` are of steps' ends, of epochs and of waits; `workers` are of a rank.
std::vector<Run> runs_of(std::vector<Mark> marks, const StepSamples& told, double workers);

/// A part of the observation's time.
struct SeenTime {
  double begin = 0.0;  ///< s
  double end = 0.0;    ///< s
};

/// The time in which monitors show what they show of the job as a whole: epochs that were seen from
/// their beginning to their end, of others what runs_of() has of them; without the first epoch
/// where there are others. In the order of time; empty where no steps are told.
std::vector<SeenTime> typical_time(const std::vector<Mark>& marks, const StepSamples& told,
                                   double workers);

/// Each epoch whose beginning was seen, to its end or to the next one's beginning. Precondition:
/// marks in the order of time.
std::vector<SeenTime> epochs_seen(const std::vector<Mark>& marks);

/// Of epochs but the first that were seen from their beginning on, s each.
struct EpochTimes {
  std::vector<double> first_steps;  ///< from the beginning to the end of its first step
  std::vector<double> whole;        ///< from the beginning to the end, where that was seen
};

/// Precondition: marks in the order of time.
EpochTimes epoch_times(const std::vector<Mark>& marks);
/// By the lines of logs, of epochs whose first step has one of its own: nothing lies between the
/// beginning of these and of that. `epoch_steps` of a whole epoch, where they are known: steps that
/// no line tells are as long as the others of their epoch.
EpochTimes epoch_times(const StepSamples& told, const std::optional<double>& epoch_steps);

/// Whether the end of a sample's interval does.
bool lies_in(const std::vector<SeenTime>& times, Duration at);

/// What the steps of the runs come to: the interval, the wait, and how they differ. Precondition:
/// there are some.
void tell_steps(ObservedJob& job, const std::vector<Run>& runs);

/// The mean of what samples of steps tell, but for the first.
std::optional<ObservedNumber> step_figure(const StepSamples& told, MetricId id);

/// The mean wait of steps of the first rank that tells one, each as often as it counts.
std::optional<ObservedNumber> mean_wait(const StepSamples& told);

/// Copies and collective operations of the steps: how long, how much, and what of it nothing hides.
void tell_transfers(ObservedJob& job, const StepSamples& told);

}  // namespace feedrate::observe
