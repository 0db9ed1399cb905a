#pragma once
// `feedrate` on a host with simulated GPUs (fake/README.md), as a process.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/child_process.hpp"
#include "base/temporary_folder.hpp"
#include "model/measurement.hpp"

namespace feedrate::test {

/// Variables without their "FEEDRATE_SIM_" in front; those of process groups in full.
using Variables = std::map<std::string, std::string>;

struct SimulatedEnd {
  int status = -1;  ///< exit status; 128 + n when signal n ended it, -1 when it had to be ended
  std::string out;
  std::string err;
  std::map<std::string, long> calls;  ///< how often each call of CUDA was made
  std::vector<std::string> bugs;      ///< what it did wrong with CUDA
  bool measured = false;
  MeasurementSet set;   ///< when measured
  std::string profile;  ///< path of the host profile, which lasts as long as the run
};

/// A command that runs; ended with this.
class SimulatedRun {
 public:
  /// `feedrate calibrate ARGUMENTS` with files of its own.
  SimulatedRun(const Variables& host, const std::vector<std::string>& arguments);
  SimulatedRun(const SimulatedRun&) = delete;
  SimulatedRun& operator=(const SimulatedRun&) = delete;
  ~SimulatedRun();

  /// Once it has measured a round; gives up after `seconds`.
  void interrupt_after_a_round(double seconds = 240.0);
  /// Patience is no test: a busy machine may take minutes.
  SimulatedEnd end(double seconds = 240.0);  ///< files last as long as this

 private:
  TemporaryFolder folder_;
  std::unique_ptr<ChildProcess> process_;
};

SimulatedEnd simulated_calibrate(const Variables& host, const std::vector<std::string>& arguments);

}  // namespace feedrate::test
