#pragma once
// The parts of a scenario that is made from an observed job. Internal to study/observed_*.cpp.
#include <string>
#include <string_view>

#include "model/observed_job.hpp"
#include "study/observed_scenario.hpp"
#include "words/observed.hpp"

namespace feedrate::study {

/// A rate far above all others: a copy or read at this rate takes no time of its own.
inline constexpr Bandwidth at_once = gigabytes(1e6) / seconds(1.0);

/// The scenario while it is being made, and the origin of each of its numbers.
class ObservedDraft {
 public:
  explicit ObservedDraft(const ObservedJob& of) : job(of) {}

  const ObservedJob& job;
  ObservedScenario out;

  /// Lists a number of the scenario with its origin, "observed: 20 steps of train.log, ± 4 %" and
  /// `how`.
  void input(const std::string& pointer, const std::string& text, const ObservedNumber& number,
             std::string_view how = "");
  /// Lists what could not be seen.
  void unseen(Unseen what);
  void unseen(const words::NotSeen& what);

  /// Whether the job waits for batches that are not ready; empty where that cannot be seen.
  [[nodiscard]] std::optional<bool> starved() const;
  /// Share of a step's interval that it waits for copies and the hand-over of batches.
  [[nodiscard]] double constant_share() const;
};

/// Hardware threads of the machine; where nobody tells, so many that more workers find some: what a
/// machine with fewer would do to them is not known, and no result.
double threads_of(const ObservedJob& job);
/// Writes the step, and copies and communication apart from it where they were seen.
void write_step(ObservedDraft& draft);
/// Whether the job's control group, and not the disk, limits its reads.
bool reaches_disk_limit(const ObservedJob& job);
/// Bytes that the job was seen to read over those that its control group allows: above 1 after
/// bursts, or by the inexact ends of the observation.
double over_disk_limit(const ObservedJob& job);
/// Number of reads per sample, where a control group limits reads per second.
std::optional<double> reads_of_limit(const ObservedJob& job);
/// Writes the limits of the job's control groups on reads from the disk, whether or not the job
/// reaches them. To be called after the workers' waits are written and before a sample's bytes.
void write_disk_limit(ObservedDraft& draft);
/// Writes a sample's CPU time, and what workers wait for: the disk, or a source behind the network.
void write_loading(ObservedDraft& draft);
/// Whether an epoch's first step comes later than workers explain that are there already.
bool starts_late(const ObservedJob& job);
/// Writes whether workers live on between epochs, by their processes or by that, else how long they
/// take to start. To be called
/// after what a sample asks of them is written.
void write_starts(ObservedDraft& draft);
/// Writes the observed figures as cases.
void write_cases(ObservedDraft& draft);

}  // namespace feedrate::study
