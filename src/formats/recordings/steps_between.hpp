#pragma once
// Of a log that prints every n-th step, what the steps between its lines took. Internal to formats.
//
// Workers take turns, so that the steps that wait for one come every W-th: a log of every n-th step
// may show those of some workers only, whose mean is not that of all steps. But a line with a
// running mean, or with the time of day, tells of all steps until then.
#include <map>
#include <optional>
#include <vector>

#include "formats/recordings/collector.hpp"

namespace feedrate::formats {

/// The means of steps that no line tells one by one.
struct StepsBetween {
  double steps = 0.0;
  std::optional<double> time;           ///< s
  std::optional<double> wait;           ///< s
  std::optional<double> samples_per_s;  ///< of all ranks
};

/// The numbers with which programs begin to count: PyTorch's example counted from 0 until 2022, and
/// counts from 1 since.
std::map<FormatId, double> first_steps(const std::vector<TimedStep>& steps);

/// How many steps lie between the lines of a format. What the first line of a job that went on from
/// a checkpoint tells is the mean of no more than these: "iteration 1010" comes after ten.
class LineSpacing {
 public:
  /// Precondition: sorted by format, round and step.
  explicit LineSpacing(const std::vector<TimedStep>& steps);
  /// Of the first line of a round or of a log, which so many steps may go before.
  [[nodiscard]] double before_first(FormatId format, double steps) const;

 private:
  std::map<FormatId, double> most_;
};

/// For each of `steps` those between the line before and it. Lines whose running means are rounded
/// too coarsely share the means of a longer stretch. Precondition: sorted by format, round and
/// step.
std::vector<std::optional<StepsBetween>> steps_between(const std::vector<TimedStep>& steps,
                                                       const std::map<FormatId, double>& first);

}  // namespace feedrate::formats
