#pragma once
// What an observation says of a job in the terms of the operational laws: how fast it goes, what it
// waits for, and what a sample asks of each resource (busy time over throughput).
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace feedrate {

/// A mean that was observed; in base units.
struct ObservedNumber {
  double value = 0.0;
  double relative_error = 0.0;  ///< standard error over value; 0 when not known
  double count = 0.0;           ///< of steps, or of samples of a monitor
  std::string what{};           ///< what was counted: "steps", "samples"
};

/// What the observation does not tell, and what was taken instead.
struct Unseen {
  std::string what;
  std::string instead;
};

struct ObservedJob {
  // Of the job; told by the observation, or by somebody who knows.
  double batch_size = 0.0;  ///< of a rank
  double gpus = 1.0;
  double workers = 0.0;  ///< of a rank; 0: the training process loads
  std::string instance;
  std::optional<double> cpus;  ///< hardware threads
  std::optional<Bytes> memory;
  std::optional<double> epoch_steps;  ///< of a whole epoch
  std::optional<Duration> startup;    ///< before the first epoch, or the first step

  // Of steps, when it is under way.
  ObservedNumber throughput;           ///< samples/s of all ranks
  ObservedNumber interval;             ///< s from step to step
  std::optional<ObservedNumber> wait;  ///< s of it: for the batch
  /// What each step waits at least (the 10 % quantile).
  std::optional<double> least_wait;
  std::optional<double> step_cv;           ///< of the interval without the wait
  std::optional<ObservedNumber> gpu_time;  ///< s of a step in which a kernel runs
  std::optional<ObservedNumber> host_time;
  std::optional<ObservedNumber> exposed_collective;
  std::optional<ObservedNumber> copy_time;  ///< s a step
  std::optional<double> copied_bytes;       ///< a step and rank
  std::optional<double> pinned_share;       ///< of these

  // Shares of one, of the time of the steps above.
  std::optional<ObservedNumber> gpu_busy;
  std::optional<ObservedNumber> cpu_busy;  ///< of all hardware threads
  std::optional<ObservedNumber> disk_busy;

  // Demands of a sample: busy / throughput.
  std::optional<ObservedNumber> worker_cpu;  ///< s
  std::optional<ObservedNumber> main_cpu;    ///< s, of the training processes
  std::optional<ObservedNumber> all_cpu;     ///< s, of the machine
  std::optional<ObservedNumber> device_bytes;
  std::optional<ObservedNumber> cached_bytes;
  std::optional<ObservedNumber> network_bytes;
  std::optional<ObservedNumber> device_reads;

  std::string source;  ///< the files
  std::vector<std::string> notes;

  /// Of the interval: 0…1.
  [[nodiscard]] std::optional<double> wait_share() const {
    if (!wait) return std::nullopt;
    return wait->value / interval.value;
  }
  [[nodiscard]] std::optional<double> hit_ratio() const {
    if (!device_bytes || !cached_bytes) return std::nullopt;
    const double all = device_bytes->value + cached_bytes->value;
    if (all <= 0.0) return std::nullopt;
    return cached_bytes->value / all;
  }
};

/// What an observation does not tell of a job, where somebody does.
struct ToldOfJob {
  std::optional<double> batch_size;
  std::optional<double> gpus;
  std::optional<double> workers;
  std::optional<double> samples;     ///< of an epoch
  std::optional<double> throughput;  ///< samples/s of all ranks
};

}  // namespace feedrate
