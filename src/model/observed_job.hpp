#pragma once
// What an observation says of a job in the terms of the operational laws: how fast it goes, what it
// waits for, and what a sample asks of each resource (busy time over throughput).
#include <map>
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

/// What the job's control groups let it read from a disk: they hold reads back before these reach
/// the disk, which then looks idle.
struct ObservedLimit {
  std::optional<ObservedNumber> bytes;  ///< bytes/s at most
  std::optional<ObservedNumber> reads;  ///< requests/s at most
  std::optional<ObservedNumber> used;   ///< of it; over 1 in bursts
};

/// A disk or a link, while the job goes on.
struct ObservedDevice {
  std::string name;
  std::optional<ObservedNumber> busy;  ///< of its time; of a link, of its line rate
  /// Of the time: in intervals in which it is busy throughout, or as busy as a full line is.
  double saturated = 0.0;
  ObservedNumber rate;                 ///< bytes/s read or received
  double highest_rate = 0.0;           ///< in any interval
  double written = 0.0;                ///< bytes/s; of a disk
  std::optional<ObservedLimit> limit;  ///< of a disk

  /// Whether it was seen to give all that it can.
  [[nodiscard]] bool is_saturated() const { return saturated >= 0.95; }
};

/// What the observation does not tell, and what was taken instead.
struct Unseen {
  std::string what;
  std::string instead;
};

struct ObservedJob {
  // Of the job; told by the observation, or by somebody who knows.
  double batch_size = 0.0;       ///< of a rank
  double gpus = 1.0;             ///< of an instance
  double instances = 1.0;        ///< as this one
  bool ranks_elsewhere = false;  ///< of the GPUs some are in machines that were not observed
  double workers = 0.0;          ///< of a rank; 0: the training process loads
  std::string instance;
  std::optional<double> cpus;   ///< hardware threads
  std::optional<double> cores;  ///< that they belong to
  std::optional<Bytes> memory;
  std::optional<double> epoch_steps;  ///< of a whole epoch
  std::optional<Duration> startup;    ///< before the first epoch, or the first step
  // Of epochs but the first, s.
  std::optional<ObservedNumber> first_step;  ///< from an epoch's beginning to its first step's end
  std::optional<ObservedNumber> epoch;       ///< from its beginning to its end
  /// Whether an epoch has workers of the one before it; empty where processes do not tell.
  std::optional<bool> workers_live_on;

  // Of steps, when it is under way.
  ObservedNumber throughput;           ///< samples/s of all ranks
  ObservedNumber interval;             ///< s from step to step
  std::optional<ObservedNumber> wait;  ///< s of it: for the batch
  /// s of the rest: in an all-reduce, for ranks whose batches come later than this one's.
  std::optional<ObservedNumber> others_wait;
  /// What each step waits at least (the 10 % quantile).
  std::optional<double> least_wait;
  std::optional<double> step_cv;  ///< of the interval without the wait
  /// Of the interval without all waits its standard error over it, where that is not the
  /// interval's.
  std::optional<double> rest_error;
  std::map<std::string, double> rank_waits;  ///< s a step, where several ranks tell of theirs
  std::optional<ObservedNumber> gpu_time;    ///< s of a step in which a kernel runs
  std::optional<ObservedNumber> host_time;
  std::optional<ObservedNumber> exposed_collective;
  std::optional<ObservedNumber> collective_time;
  std::optional<ObservedNumber> all_reduced_bytes;  ///< a step, of each rank
  std::optional<ObservedNumber> copy_time;          ///< s a step
  std::optional<ObservedNumber> exposed_copy;       ///< of it, while no kernel runs
  std::optional<ObservedNumber> copied_bytes;       ///< a step and rank
  std::optional<double> pinned_share;               ///< of these
  std::optional<ObservedNumber> pinned_rate;        ///< bytes/s while it copies
  std::optional<ObservedNumber> pageable_rate;

  // Shares of one, of the time of the steps above.
  std::optional<ObservedNumber> gpu_busy;
  std::optional<ObservedNumber> gpu_clock;  ///< Hz, the mean of the GPUs
  std::optional<ObservedNumber> cpu_busy;   ///< of all hardware threads
  std::optional<ObservedNumber> steal;      ///< the hypervisor's, of all hardware threads
  std::optional<ObservedNumber> throttled;  ///< of a CPU quota's periods: those that used it up
  std::optional<double> others;             ///< of these busy with what is no process of the job
  // Of the disk and the link that are busiest, or carry most where that is not told.
  std::optional<ObservedDevice> disk, link;

  // Demands of a sample: busy / throughput.
  std::optional<ObservedNumber> worker_cpu;       ///< s
  std::optional<ObservedNumber> worker_cpu_wait;  ///< s for which workers could run, and had no CPU
  std::optional<ObservedNumber> worker_lock_wait;  ///< s for which a lock of others blocked them
  std::optional<ObservedNumber> main_cpu;          ///< s, of the training processes
  std::optional<ObservedNumber> all_cpu;           ///< s, of the machine
  std::optional<ObservedNumber> device_bytes;
  std::optional<ObservedNumber> cached_bytes;
  std::optional<ObservedNumber> network_bytes;
  std::optional<ObservedNumber> device_reads;
  std::optional<ObservedNumber> gpu_bytes;  ///< from the host over PCIe, whatever they are

  std::string source;  ///< the files
  std::vector<std::string> notes;

  /// s of the interval in which some rank waits for its batch, and all others with it; 0 where that
  /// is not told.
  [[nodiscard]] double waited() const {
    return (wait ? wait->value : 0.0) + (others_wait ? others_wait->value : 0.0);
  }
  /// Of the interval: 0…1.
  [[nodiscard]] std::optional<double> wait_share() const {
    if (!wait) return std::nullopt;
    return waited() / interval.value;
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
  std::optional<double> cpus = {};   ///< hardware threads of each machine
  double nodes = 1.0;                ///< over which the GPUs are spread; what is seen is of one
  /// What neither says nor was seen is taken as the plainest: a sample is a batch, one GPU, no
  /// workers. Otherwise it is asked for.
  bool plainest = false;
};

}  // namespace feedrate
