#pragma once
// What was measured on a host: every sample as it was taken, never edited. `fit` turns it into a
// host profile. bench/README.md lists each quantity of each probe.
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace feedrate {

/// What a GPU said of itself while it worked on a series; empty where it would not say.
struct GpuState {
  double round = 1.0;  ///< of the set, from 1
  std::optional<Frequency> sm_clock;
  std::optional<Frequency> memory_clock;
  std::optional<double> power;        ///< W
  std::optional<double> temperature;  ///< degrees Celsius
  std::string
      held_back;  ///< why its clocks were lower than they may be, "power limit"; "" for none
  bool operator==(const GpuState&) const = default;
};

/// One thing timed again and again in one setting. Each time is that of `work` units.
struct Measurement {
  std::string probe;                       ///< "disk"
  std::string quantity;                    ///< "random_read"
  std::string unit;                        ///< of work: bytes samples batches requests flop …
  double work = 1.0;                       ///< units per sample of `times`, > 0
  std::map<std::string, double> at;        ///< where: {"bytes": 4096, "users": 8}; SI base units
  std::map<std::string, std::string> how;  ///< and how: {"cache": "direct"}
  std::vector<Duration> times;             ///< every sample, in the order taken; none is dropped
  /// How many of `times` were taken in each round of the set, in order; empty: all in one round.
  std::vector<std::size_t> rounds;
  std::string remark;           ///< what a reader must know of it; "" for nothing
  std::vector<GpuState> gpu{};  ///< of a series on a GPU: one or more a round
  bool operator==(const Measurement&) const = default;
};

/// What became of a probe.
struct ProbeOutcome {
  std::string probe;
  bool measured = false;             ///< it left at least one measurement
  std::string reason;                ///< why not, or what went wrong on the way; "" for nothing
  std::vector<std::string> remarks;  ///< "3 of 200 files are no JPEG: …"
  Duration took;
  bool operator==(const ProbeOutcome&) const = default;
};

/// One turn through all series, and what else the machine did meanwhile. Rounds are the unit of
/// sampling: within one, samples share whatever the machine's neighbours do.
struct Round {
  std::string began;         ///< ISO 8601, UTC
  double calibration = 1.0;  ///< which of those that were merged, from 1
  Duration took;
  std::optional<double> steal;      ///< share of the CPU time that the hypervisor gave to others
  std::optional<double> foreign;    ///< share of the CPU time that other processes used
  std::optional<double> throttled;  ///< share of the time that the control group was held back
  std::optional<double> pressure;   ///< share of the time that some task waited for a CPU
  std::optional<Frequency> clock;   ///< of the cores, mean
  std::string disturbed;            ///< why it is marked as a bad one; "" for a good one
  std::string host{};               ///< of several that were joined, which; else ""
  bool operator==(const Round&) const = default;
};

/// How much of a machine its user has alone, which decides how far it can be expected to drift.
enum class HostClass { unknown, bare_metal, dedicated_virtual_machine, shared_virtual_machine };

/// A GPU, as it described itself. Empty where it would not say.
struct GpuFacts {
  std::string name;  ///< "NVIDIA H100 80GB HBM3"
  std::optional<Bytes> memory;
  std::optional<double> multiprocessors;
  std::optional<bool> ecc;
  std::optional<bool> mig;                ///< it is cut into parts
  std::optional<double> pcie_generation;  ///< while data are copied: idle links slow down
  std::optional<double> pcie_lanes;       ///< the same
  std::optional<double> most_pcie_generation;
  std::optional<double> most_pcie_lanes;
  std::optional<Frequency> most_sm_clock;
  std::optional<Frequency> most_memory_clock;
  std::optional<double> power_limit;  ///< W
  bool operator==(const GpuFacts&) const = default;
};

/// The machine, as it described itself. Empty where it would not say.
struct HostFacts {
  std::string hostname;
  std::string cpu;
  std::optional<double> cores;
  std::optional<double> hardware_threads;
  std::optional<Bytes> memory;
  std::string kernel;
  std::string disk;                   ///< "nvme0n1, ext4" of the directory that was read
  std::string instance;               ///< "p4d.24xlarge" where the firmware says so
  std::vector<std::string> gpus;      ///< a name each
  std::vector<GpuFacts> gpu_details;  ///< in CUDA's order, of those that CUDA may use
  std::string driver;
  std::string cuda;
  HostClass kind = HostClass::unknown;
  std::string name{};  ///< what its user calls it; "": nothing
  bool operator==(const HostFacts&) const = default;
};

struct MeasurementSet {
  std::string date;          ///< start, ISO 8601, UTC
  std::string command_line;  ///< as typed
  std::string version;       ///< of feedrate, or of the tool that was imported
  HostFacts host;
  std::vector<Round> rounds;  ///< empty: measured before there were rounds, or by another tool
  std::vector<ProbeOutcome> probes;
  std::vector<Measurement> measurements;
  bool operator==(const MeasurementSet&) const = default;
};

}  // namespace feedrate
