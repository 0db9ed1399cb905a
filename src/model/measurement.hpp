#pragma once
// What was measured on a host: every sample as it was taken, never edited. `fit` turns it into a
// host profile. bench/README.md lists each quantity of each probe.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace feedrate {

/// One thing timed again and again in one setting. Each time is that of `work` units.
struct Measurement {
  std::string probe;                       ///< "disk"
  std::string quantity;                    ///< "random_read"
  std::string unit;                        ///< of work: bytes samples batches requests flop …
  double work = 1.0;                       ///< units per sample of `times`, > 0
  std::map<std::string, double> at;        ///< where: {"bytes": 4096, "users": 8}; SI base units
  std::map<std::string, std::string> how;  ///< and how: {"cache": "direct"}
  std::vector<Duration> times;             ///< every sample, in the order taken; none is dropped
  std::string remark;                      ///< what a reader must know of it; "" for nothing
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

/// The machine, as it described itself. Empty where it would not say.
struct HostFacts {
  std::string hostname;
  std::string cpu;
  std::optional<double> cores;
  std::optional<double> hardware_threads;
  std::optional<Bytes> memory;
  std::string kernel;
  std::string disk;               ///< "nvme0n1, ext4" of the directory that was read
  std::string instance;           ///< "p4d.24xlarge" where the firmware says so
  std::vector<std::string> gpus;  ///< a name each
  std::string driver;
  std::string cuda;
  bool operator==(const HostFacts&) const = default;
};

struct MeasurementSet {
  std::string date;          ///< start, ISO 8601, UTC
  std::string command_line;  ///< as typed
  std::string version;       ///< of feedrate, or of the tool that was imported
  HostFacts host;
  std::vector<ProbeOutcome> probes;
  std::vector<Measurement> measurements;
  bool operator==(const MeasurementSet&) const = default;
};

}  // namespace feedrate
