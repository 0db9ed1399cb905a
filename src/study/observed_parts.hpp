#pragma once
// The parts of a scenario that is made of an observed job. Internal to study/observed_*.cpp.
#include <string>
#include <string_view>

#include "model/observed_job.hpp"
#include "study/observed_scenario.hpp"
#include "words/observed.hpp"

namespace feedrate::study {

/// A rate that nothing here comes near to: the copy or the read takes no time of its own.
inline constexpr Bandwidth at_once = gigabytes(1e6) / seconds(1.0);

/// The scenario as it is being made, and what is said of each of its numbers.
class ObservedDraft {
 public:
  explicit ObservedDraft(const ObservedJob& of) : job(of) {}

  const ObservedJob& job;
  ObservedScenario out;
  bool reads_seen = false;  ///< what workers wait while they read was found, of the throughput

  /// "observed: 20 steps of train.log, ± 4 %", and `how`.
  void input(const std::string& pointer, const std::string& text, const ObservedNumber& number,
             std::string_view how = "");
  void unseen(Unseen what);
  void unseen(const words::NotSeen& what);

  /// Whether the job waits for batches that are not there, as far as it can be seen.
  [[nodiscard]] std::optional<bool> starved() const;
  /// Of the interval, what copies and the hand-over make each step wait.
  [[nodiscard]] double constant_share() const;
};

/// The step, and copies and communication apart from it where they were seen.
void write_step(ObservedDraft& draft);
/// Whether what holds the job's reads back is its control group, not the disk.
bool reaches_disk_limit(const ObservedJob& job);
/// Bytes that were seen over those that its control group lets through: above 1 where bursts, or
/// the ends of what was seen, make them more.
double over_disk_limit(const ObservedJob& job);
/// Reads of a sample, where a control group limits their number.
std::optional<double> reads_of_limit(const ObservedJob& job);
/// What the job's control groups let it read of the disk, whether or not it comes near to that.
/// After what workers wait, before what a sample's bytes are.
void write_disk_limit(ObservedDraft& draft);
/// What a sample asks of CPUs, and where workers wait: the disk, or what lies behind a network.
void write_loading(ObservedDraft& draft);
/// The observed figures.
void write_cases(ObservedDraft& draft);

}  // namespace feedrate::study
