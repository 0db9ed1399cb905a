#pragma once
// From the lines of an observation to what it says of the job: the operational laws.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/observation.hpp"
#include "model/observed_job.hpp"

namespace feedrate::observe {

/// Takes the lines of an observation, in their order. A few numbers a step and a sample are kept.
///
/// Only the time in which steps follow each other counts: not staging, the first steps of an epoch
/// (which come of full queues, or wait for the first batches), and what lies between epochs. A
/// resource's demand is its mean utilisation in that time over the throughput in it (the
/// utilisation law), so it holds whichever resource is the bottleneck.
class JobObserver {
 public:
  void add(const ObservationHeader& header) { header_ = header; }
  void add(const Sample& sample);
  void add(const Mark& mark);
  void add(const ObservationRemark&) {}

  /// InputError naming the flag that tells what the lines do not: --batch-size, --gpus,
  /// --num-workers, --throughput.
  [[nodiscard]] ObservedJob finish(const ToldOfJob& told, const std::string& source) const;

 private:
  struct Step {
    double end = 0.0;
    double length = 0.0;  ///< 0: since the one before
    double steps = 1.0;
    std::optional<double> wait;
  };
  /// Steps that follow each other.
  using Run = std::vector<Step>;
  struct Point {
    double at = 0.0;
    double length = 0.0;
    double sum = 0.0;
    double count = 0.0;
  };
  using Points = std::map<double, Point>;

  [[nodiscard]] std::vector<Run> runs(double workers) const;
  [[nodiscard]] double workers_seen() const;
  [[nodiscard]] std::optional<ObservedNumber> mean_of(const std::string& series,
                                                      const std::vector<Run>& runs, bool sum) const;
  [[nodiscard]] std::optional<ObservedNumber> step_figure(MetricId id) const;
  void tell_steps(ObservedJob& job, const std::vector<Run>& runs) const;
  void tell_demands(ObservedJob& job, const std::vector<Run>& runs) const;

  ObservationHeader header_;
  std::map<std::string, Points> points_;    ///< by what is seen, summed over those of a kind
  std::map<std::string, double> last_;      ///< time of the last sample of each series
  std::map<std::string, double> counters_;  ///< of cumulative series, the last value
  std::set<std::string> ranks_, trainers_;
  std::map<double, std::set<std::string>> workers_;  ///< that there are, by time
  std::vector<Mark> marks_;                          ///< of steps' ends, epochs and waits
  std::map<MetricId, std::vector<Sample>> of_steps_;
  std::map<MetricId, double> told_;  ///< batch size, ranks, workers
  std::optional<double> first_;      ///< time of any line
};

}  // namespace feedrate::observe
