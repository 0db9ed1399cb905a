#pragma once
// How far the times of a group of series drift together, for the reader who calibrates.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace feedrate {

/// What is assumed at least of a machine whose drift nobody measured. Neighbours share caches,
/// memory and hyper-threads: one operation took 4.5 to 6.5 ms in four calibrations of one machine
/// within half an hour, a deviation of 16 %.
inline constexpr double shared_machine_drift = 0.15;
/// Nobody else computes on a GPU; its clocks follow heat and power once they are steady.
inline constexpr double steady_gpu_drift = 0.02;

struct Drift {
  std::string group;      ///< "cpu", "disk", "network", "gpu"
  double seen = 0.0;      ///< relative standard deviation during one calibration; 0 of one round
  double stated = 0.0;    ///< what the profile says
  bool measured = false;  ///< false: at least a floor by class of host
  std::size_t calibrations = 1;  ///< that lie apart in time
  std::string words;             ///< why so much is stated
  std::string advice;  ///< where so much was seen that one calibration cannot tell the level
  bool operator==(const Drift&) const = default;
};

/// How long a probe's work takes on one host, beside the middle of all that were joined.
struct ProbeBeside {
  std::string probe;
  double ratio = 1.0;  ///< of times, the middle over its series; over 1: it takes longer
  bool slow = false;   ///< by so much that the others do not differ so among each other
  bool operator==(const ProbeBeside&) const = default;
};

struct HostBeside {
  std::string name;
  std::vector<ProbeBeside> probes;  ///< that several hosts measured
  [[nodiscard]] bool slow() const {
    return std::any_of(probes.begin(), probes.end(), [](const ProbeBeside& p) { return p.slow; });
  }
  bool operator==(const HostBeside&) const = default;
};

}  // namespace feedrate
