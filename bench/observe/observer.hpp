#pragma once
// Looks at a machine and a job on it once an interval. Needs no rights but to see the job's own
// processes, and stops nothing.
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/observe/roots.hpp"
#include "bench/observe/source.hpp"

namespace feedrate::bench::observe {

struct Target {
  std::optional<std::int64_t> pid;  ///< of the job's first process
  std::string command;              ///< in words; "": as the process has it
  bool secrets = false;             ///< keeps what looks like one in a process's command
  std::string node{};               ///< what the machine is called; "": as the system has it
};

struct Seen {
  std::vector<Sample> samples;
  std::vector<ObservationRemark> remarks;  ///< that were not made before
};

class Observer {
 public:
  /// InputError: there is no such process that can be seen.
  Observer(Target target, Duration interval, const Roots& roots = {},
           const std::string& nvml = "libnvidia-ml.so.1");
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  [[nodiscard]] const ObservationHeader& header() const { return header_; }

  /// The state now, which is `at` on the clock of the header. `late`: after it was due. The first
  /// look sees no samples: they are means since the look before. Precondition: `at` rises.
  Seen look(Duration at, Duration late = {});
  /// The process that was named has ended.
  [[nodiscard]] bool ended() const;

 private:
  class State;
  ObservationHeader header_;
  std::unique_ptr<State> state_;
};

/// Time since 1970-01-01 UTC that is never set back while the program runs.
Duration utc_clock();

}  // namespace feedrate::bench::observe
