#pragma once
// Of logs that do not tell every step: what their lines are worth.
#include <optional>
#include <string>
#include <vector>

#include "model/observation.hpp"
#include "model/observed_job.hpp"
#include "observe/step_runs.hpp"

namespace feedrate::observe {

/// Why the mean of the steps that are told may be far from that of all: a note. Workers take turns,
/// so of W of them every W-th step may be the one that waits. Lines of every n-th step alone show
/// those of some workers where n and W have a divisor in common, and a median leaves out what fewer
/// than half of the steps do. `interval` tells nothing of that.
std::optional<std::string> why_unsure(const StepSamples& told, const ObservationHeader& header,
                                      double workers, const std::string& source);

/// Notes it in the job, and widens the errors of its interval and wait. With what somebody told of
/// the throughput of these `samples` a step these are that instead, and nothing is widened; a note
/// says where the lines contradict it.
void tell_unsure(ObservedJob& job, const std::string& why, const std::optional<double>& throughput,
                 double samples);

/// Rates that are each of one step or more, or of an epoch: all of the work over all of the time.
std::optional<ObservedNumber> mean_rate(const std::vector<Sample>& rates);

/// Samples of a step of all ranks, where lines tell a step's time and their rate in it.
std::optional<double> batch_of_lines(const StepSamples& told, const std::vector<Sample>& rates);

}  // namespace feedrate::observe
