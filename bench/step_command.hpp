#pragma once
// A training step of the user's own, as --step-command prints it.
#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "model/measurement.hpp"

namespace feedrate::bench {

/// Reads lines "SAMPLES SECONDS", one per step. Of lines that begin with # these are understood,
/// all others are ignored:
///   # model NAME                of the steps after it
///   # how KEY VALUE             what else they are of: # how precision bf16
///   # launch SAMPLES SECONDS    the main process's part of a step: until all of it is started
///   # gpu SAMPLES SECONDS       the GPU's part, which had all of it queued before it began
///   # waited SAMPLES SECONDS    a step that the main process waits for, where others overlap
class StepLines {
 public:
  /// InputError that names the line when it is neither. What comes once there are `enough` is not
  /// kept.
  void read(const std::string& line);
  /// More steps would tell nothing more: 100,000.
  [[nodiscard]] bool enough() const;

  /// A measurement for each model, batch size and part, in the order in which they came.
  [[nodiscard]] const std::vector<Measurement>& measurements() const { return measurements_; }

 private:
  int line_ = 0;
  std::size_t kept_ = 0;
  std::map<std::string, std::string> how_;

  bool read_comment(const std::vector<std::string>& words);
  void add(const char* quantity, double samples, Duration took);
  std::vector<Measurement> measurements_;
};

struct StepLimits {
  Duration usual;
  /// Where the first step comes late: up to so long, to have a few. What is left of a budget may be
  /// less than `usual`, which counts then.
  Duration slow;
};

/// Runs `command` with the shell for as long as it may and puts its steps into `steps`; what came
/// before an error stays there. InputError when it failed, or printed no step or something else.
/// Returns what the user must know: that it was ended early; "" for nothing.
std::string run_step_command(const std::string& command, StepLimits limits,
                             const std::atomic<bool>& stop, StepLines& steps);

/// InputError when the shell finds no program of the name with which `command` begins.
void check_step_command(const std::string& command, const std::atomic<bool>& stop);

}  // namespace feedrate::bench
