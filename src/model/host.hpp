#pragma once
// A host profile: what was measured on one machine, by `feedrate calibrate` or by hand.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "model/curve.hpp"
#include "model/provenance.hpp"

namespace feedrate {

/// Times of a step at the batches that were measured, ascending.
struct StepTable {
  std::vector<std::pair<double, Duration>> points;
  double relative_error = 0.0;
  bool operator==(const StepTable&) const = default;
};

/// Times of single steps as they were recorded at one batch: (how many, time).
struct RecordedSteps {
  double batch = 0.0;
  std::vector<std::pair<double, Duration>> times;
  bool operator==(const RecordedSteps&) const = default;
};

/// One of NCCL's ways to do an operation, as its tuning log prints it: latency + bytes / bandwidth.
struct TunedWay {
  std::string operation;  ///< "all_reduce", "all_gather", "reduce_scatter"
  std::string algorithm;  ///< "ring", "tree", "nvls" …
  std::string protocol;   ///< "LL", "LL128", "Simple"
  Duration latency;
  Bandwidth bandwidth;  ///< of the buffer, not of the bus
  bool operator==(const TunedWay&) const = default;
};

/// What NCCL reckons with itself, over so many GPUs.
struct TuningTable {
  double gpus = 0.0;
  double nodes = 1.0;
  std::vector<TunedWay> ways;
  bool operator==(const TuningTable&) const = default;
};

struct HostProfile {
  // Compiled once, in nouns.cpp: with all its members each is long.
  HostProfile();
  HostProfile(const HostProfile& other);
  HostProfile(HostProfile&& other) noexcept;
  HostProfile& operator=(const HostProfile& other);
  HostProfile& operator=(HostProfile&& other) noexcept;
  ~HostProfile();

  std::string name;
  std::string instance;  ///< catalogue name where known
  std::string date;
  std::optional<double> hardware_threads;
  std::optional<Curve<double>> cpu;  ///< core-seconds per second with n busy threads
  /// The same of PyTorch's workers, which share the cores with their main process.
  std::optional<Curve<double>> pytorch_cpu;
  std::map<std::string, Value<DurationPerSample>> operations;  ///< by name, one thread
  /// Mean bytes, as stored, of the samples that an operation was measured on, where it is known.
  std::map<std::string, double> operation_bytes;
  std::map<std::string, double> operation_pixels;       ///< the same of images' pixels
  std::map<std::string, std::string> operation_format;  ///< how these samples are stored: "jpeg"
  /// Of its time on such samples, the share that does not grow with their bytes; where it was
  /// measured on data of several sizes.
  std::map<std::string, Value<double>> operation_fixed_share;
  std::map<std::string, Value<DurationPerSample>> gpu_operations;  ///< the same on one GPU
  std::optional<Curve<Bandwidth>> disk;
  std::optional<Value<Duration>> disk_latency;
  std::optional<Value<Frequency>> disk_iops;
  std::optional<Curve<Bandwidth>> download;
  std::optional<Value<Duration>> first_byte_latency;
  std::optional<Value<Frequency>> requests_per_second;
  std::optional<Value<Bandwidth>> memcpy_bandwidth;
  std::optional<Value<Bandwidth>> pinned_bandwidth;
  std::optional<Value<Bandwidth>> pageable_bandwidth;
  std::optional<Value<Duration>> copy_latency;
  // Host-to-device in all, by the number of GPUs of the host that copy at once.
  std::optional<Curve<Bandwidth>> pinned_copies;
  std::optional<Curve<Bandwidth>> pageable_copies;
  /// Of a pinned copy's rate what is left of it while the GPU computes, 0 to 1.
  std::optional<Value<double>> copy_beside_kernel;
  std::optional<Value<Duration>> step_fixed;
  std::optional<Value<DurationPerSample>> step_per_sample;
  std::optional<StepTable> step_table;         ///< in their place, where a line misses the steps
  std::optional<RecordedSteps> step_times;     ///< how single steps vary
  std::optional<Value<Duration>> step_launch;  ///< of the main process, to start a step
  std::optional<Value<Bandwidth>> allreduce_busbw;           ///< among the GPUs of this host
  std::optional<Value<Duration>> allreduce_latency;          ///< of a hop of a ring, there
  std::optional<Value<Bandwidth>> allreduce_busbw_between;   ///< of a group over several hosts
  std::optional<Value<Duration>> allreduce_latency_between;  ///< of a hop of a ring, there
  std::optional<TuningTable> nccl_tuning;                    ///< instead of NCCL's published model
  std::optional<Value<DurationPerByte>> collate;             ///< in a worker, into shared memory
  std::optional<Value<DurationPerByte>> collate_inline;      ///< without workers
  std::optional<Value<Duration>> handover;
  std::optional<Value<Duration>> worker_startup;
  std::optional<Value<Duration>> worker_warmup;    ///< CPU that a worker's first batch costs more
  std::optional<Value<Duration>> worker_shutdown;  ///< per worker, at the end of an epoch
  std::optional<Value<double>> oversubscription;
  std::optional<Value<double>> reads_per_sample;
  // How far the machine drifts from one hour to another: a relative standard deviation that all
  // times of a group share. What is not there is assumed (src/resolve/assumptions.hpp).
  std::optional<Value<double>> cpu_drift;
  std::optional<Value<double>> disk_drift;
  std::optional<Value<double>> network_drift;
  std::optional<Value<double>> gpu_drift;
  /// Times of small fixed pieces of work, by name ("registers", "copy_all"): run again, they say
  /// how much slower the machine has become.
  std::map<std::string, Value<Duration>> canary;
  // The machine, to tell it from others.
  std::string hostname;
  std::string processor;
  std::string kernel;
  std::string driver;
  std::vector<std::string> remarks;  ///< what to doubt: fits that are not good, and why

  /// Whether one of `operations` is a native loop's, beside what PyTorch's own loader took for a
  /// whole sample: no measurement of what Python's workers do.
  [[nodiscard]] bool is_of_native_code(const Value<DurationPerSample>& operation) const {
    return operation.from.source.starts_with("probe decode") && operations.contains("getitem");
  }
  bool operator==(const HostProfile&) const = default;
};

}  // namespace feedrate
