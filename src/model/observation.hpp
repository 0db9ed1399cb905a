#pragma once
// What is seen of a machine and of a job that runs on it, as time goes by: of a real one by
// `observe`, of a simulated one by `run --samples`, or imported from what other tools recorded.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/units.hpp"

namespace feedrate {

/// What a sample tells of.
enum class MetricId : std::uint8_t {
  // SageMaker Debugger's own.
  cpu_busy,
  cpu_io_wait,
  gpu_busy,
  gpu_memory_used,
  memory_used,
  io_read,
  io_write,
  io_operations,
  network_receive,
  network_transmit,
  // Ours.
  cpu_steal,
  disk_busy,
  disk_read,
  disk_write,
  disk_reads,
  disk_limit_busy,
  disk_limit_bytes,
  disk_limit_reads,
  link_busy,
  link_receive,
  link_transmit,
  memory_bytes,
  page_cache_bytes,
  dirty_bytes,
  pressure_some,
  pressure_full,
  throttled_periods,
  throttled_cores,
  gpu_memory_busy,
  gpu_memory_bytes,
  gpu_power,
  gpu_clock,
  gpu_receive,
  gpu_transmit,
  process_cpu,
  process_cpu_wait,
  process_lock_wait,
  process_device_read,
  process_cached_read,
  process_major_faults,
  process_resident,
  process_threads,
  stage_busy,
  step_time,
  data_wait,
  host_time,
  gpu_time,
  copy_time,
  exposed_copy_time,
  copied_bytes,
  pinned_bytes,
  collective_time,
  exposed_collective_time,
  collective_bytes,
  throughput,
  batch_size,
  ranks,
  workers,
  epoch_steps,
  collective_latency,
  collective_bandwidth,
};

inline constexpr std::size_t metric_count =
    static_cast<std::size_t>(MetricId::collective_bandwidth) + 1;

/// The unit of a sample's value.
enum class MetricUnit : std::uint8_t {
  percent,  ///< of one of what the sample is of: a hundred where it is busy throughout
  bytes,
  bytes_per_second,
  per_second,
  seconds,
  count,
  watts,
  hertz,
};

struct MetricRow {
  MetricId id{};
  std::string_view type;    ///< "Type" of the line
  std::string_view metric;  ///< "Dimension" of the line; with `in_name` its "Name"
  MetricUnit unit{};
  bool gauge = false;    ///< as it is at the sample's time; else the mean of the interval before it
  bool debugger = true;  ///< one of SageMaker Debugger's; else this program's own
  std::string_view meaning;
  bool in_name = false;  ///< as Debugger has it for memory, i/o and network
  /// A percentage of several CPUs together, or of a limit that lets bursts through, may be over
  /// 100; others are refused.
  bool over_a_hundred = false;
};

std::span<const MetricRow> all_metrics();
const MetricRow& metric(MetricId id);
/// Null where no metric is told by such a line.
const MetricRow* find_metric(std::string_view type, std::string_view name,
                             std::string_view dimension);

/// "percent", "bytes per second".
std::string_view name_of(MetricUnit unit);

/// What the times of an observation count from.
enum class ClockKind : std::uint8_t {
  utc,       ///< 1970-01-01, UTC
  relative,  ///< the job's start, or where a log without times begins
};

/// The source of observations whose steps are medians, which do not add up to the time they took.
inline constexpr std::string_view source_of_medians = "detectron2 metrics.json";

/// The source whose accelerators' use is the share of each step that is no wait for its batch,
/// where what a driver tells of a GPU is the time in which any kernel runs.
inline constexpr std::string_view source_of_use = "DLIO summary.json";

/// The first line of a file. One of Debugger has none: then this is as below.
struct ObservationHeader {
  std::string source;  ///< "observe", "simulation", or the format that was imported; "": Debugger's
  std::string program;  ///< that wrote it: "feedrate 1.2.0"
  std::string node;     ///< the machine's name
  ClockKind clock = ClockKind::utc;
  Duration started;                   ///< on that clock
  std::optional<Duration> interval;   ///< between samples
  std::optional<Duration> boot_time;  ///< of the machine, on that clock
  std::string command;                ///< what was observed; "": the machine as a whole
  std::optional<double> pid;          ///< its first process
  std::string instance;               ///< what the machine is rented as
  std::optional<double> cpus;         ///< hardware threads
  std::optional<double> cores;        ///< that they belong to, as the system shows them
  std::optional<Bytes> memory;
  std::optional<double> gpus;       ///< of the machine
  std::optional<double> instances;  ///< as this one, which train together
  std::optional<double> ranks;      ///< of its GPUs, those whose processes are seen; none: all

  [[nodiscard]] std::optional<double> gpus_of_job() const {
    return gpus ? std::optional(*gpus * instances.value_or(1.0)) : std::nullopt;
  }
};

struct Sample {
  Duration at;  ///< on the header's clock: the interval's end
  MetricId metric{};
  /// Which CPU ("cpu3"), GPU, disk, link, control group or process ("worker-4711"); of a step the
  /// rank ("rank0"); of Debugger's network "Algorithm" or "Platform", one of which is the other's
  /// part. Empty where there is one.
  std::string name{};
  std::string node{};
  double value = 0.0;       ///< finite; in the metric's unit
  bool cumulative = false;  ///< counts from a start on: a rate is the difference of two
  /// How much later than it was due, where that is more than latest_fine.
  std::optional<Duration> late{};
  std::optional<std::int64_t> epoch{};  ///< of a step, as its log counts
  std::optional<std::int64_t> step{};   ///< of a step: the last of those that `steps` counts
  double steps = 1.0;                   ///< the value is the mean of so many
};

/// A sample that is later is one of which the line says so.
inline constexpr Duration latest_fine = milliseconds(20);

enum class MarkKind : std::uint8_t {
  step,   ///< from taking a batch to the end of its step
  epoch,  ///< from its first batch to the end of its last step
  batch,  ///< the training loop's wait for it
};

/// "step"
std::string_view name_of(MarkKind kind);
inline constexpr MarkKind all_mark_kinds[] = {MarkKind::step, MarkKind::epoch, MarkKind::batch};

/// A moment at which something begins or ends.
struct Mark {
  Duration at;
  MarkKind kind{};
  bool begins = false;
  std::int64_t number = 0;  ///< as its source counts
  std::string name{};       ///< the rank, where there are several
  std::string node{};
};

/// What has to be known of the observation as a whole: what could not be seen.
struct ObservationRemark {
  Duration at;
  std::string text;
  std::string node{};
};

/// What a process does for the job.
enum class ProcessRole : std::uint8_t { trainer, worker, pin, other };

/// "worker"
std::string_view name_of(ProcessRole role);
/// "worker-4711": a process in `Sample::name`.
std::string process_name(ProcessRole role, std::int64_t id);
/// The role in such a name; other where there is none.
ProcessRole role_in(std::string_view process_name);

}  // namespace feedrate
