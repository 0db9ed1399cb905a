#pragma once
// From the lines of an observation to what it says of the job: the operational laws.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/observation.hpp"
#include "model/observed_job.hpp"
#include "model/readings.hpp"
#include "observe/resource_series.hpp"
#include "observe/step_runs.hpp"

namespace feedrate::observe {

/// Takes the lines of an observation, in their order. A few numbers a step and a sample are kept.
///
/// Only the time in which steps follow each other counts: not staging, the first steps of an epoch
/// (which come of full queues, or wait for the first batches), and what lies between epochs. A
/// resource's demand is its mean utilization in that time over the throughput in it (the
/// utilization law), so it holds whichever resource is the bottleneck.
class JobObserver {
 public:
  /// More lines would not fit into memory, and tell no more of the job.
  static constexpr std::size_t most_kept = 10'000'000;
  explicit JobObserver(std::size_t most = most_kept) : most_(most) {}

  void add(const ObservationHeader& header) {
    header_ = header;
    has_header_ = true;
  }
  void add(const Sample& sample);
  void add(const Mark& mark);
  void add(const ObservationRemark&) {}
  /// Of samples what tells of the job's course alone: enough for typical_time() and add_course().
  void add_course(const Sample& sample);
  /// Whether it takes another line.
  [[nodiscard]] bool has_room() const;

  /// Whether the lines tell of steps.
  [[nodiscard]] bool tells_steps() const;
  /// Takes the steps that another node of the same job told, where this one told none, but not what
  /// that one waited for. Precondition: both clocks are of UTC.
  void take_steps_of(const JobObserver& other);
  [[nodiscard]] const ObservationHeader& header() const { return header_; }

  /// InputError naming the flag that tells what the lines do not: --batch-size, --gpus,
  /// --num-workers, --throughput; but for the last, none where the plainest is to be taken.
  [[nodiscard]] ObservedJob finish(const ToldOfJob& told, const std::string& source) const;

  /// As observe::typical_time() has it of the lines so far.
  [[nodiscard]] std::vector<SeenTime> typical_time() const;
  /// Of the time of an epoch, but the first, what passes before its first step beyond what workers
  /// that are there need for a batch each; nothing where whole epochs are not told, or their
  /// processes live on.
  [[nodiscard]] std::optional<double> start_share() const;
  /// From the header's start to the first epoch's begin; nothing where either is not told.
  [[nodiscard]] std::optional<Duration> start() const;
  /// Of these two and the GPUs, the readings.
  void add_course(Readings& readings) const;

 private:
  /// InputError where that is too much.
  void keep_one_more();
  [[nodiscard]] double workers_seen() const;
  /// Ranks of the job over those whose processes were seen, where that is not of all.
  [[nodiscard]] double ranks_of_one(const ObservedJob& job) const;
  /// What steps take of which no stretch is told.
  [[nodiscard]] std::optional<ObservedNumber> mean_step() const;
  /// Samples of a rank and step, where a log's rates and times of steps tell them.
  [[nodiscard]] std::optional<double> batch_logged(double ranks) const;
  /// InputError where the log tells the samples of a step, and these ranks cannot share them.
  void expect_shared_batch(double ranks, const ToldOfJob& told, const std::string& source) const;
  void tell_pace(ObservedJob& job, const ToldOfJob& told, const std::vector<Run>& runs) const;
  void tell_demands(ObservedJob& job, const std::vector<Run>& runs) const;
  void tell_wait_by_use(ObservedJob& job) const;
  void tell_ranks(ObservedJob& job) const;
  void tell_epochs(ObservedJob& job) const;
  [[nodiscard]] std::optional<bool> workers_live_on() const;
  void tell_neighbours(ObservedJob& job, const std::vector<Run>& runs) const;
  [[nodiscard]] std::string nearest_limit(const std::string& disk,
                                          const std::vector<Run>& runs) const;
  [[nodiscard]] std::optional<ObservedDevice> device(const std::string& busy,
                                                     const std::string& bytes,
                                                     const std::string& written,
                                                     const std::vector<Run>& runs) const;

  ObservationHeader header_;
  bool has_header_ = false;
  ResourceSeries series_;
  std::set<std::string> ranks_, trainers_;
  std::map<double, std::set<std::string>> workers_;  ///< that there are, by time
  std::vector<Mark> marks_;                          ///< of steps' ends, epochs and waits
  StepSamples of_steps_;
  std::vector<Sample> rates_;        ///< samples per second
  std::map<MetricId, double> told_;  ///< batch size, ranks, workers, steps of an epoch
  std::optional<double> first_;      ///< time of any line
  std::size_t kept_ = 0;
  std::size_t most_;
};

}  // namespace feedrate::observe
