#include "model/observation.hpp"

#include <algorithm>
#include <array>

namespace feedrate {
namespace {

using enum MetricId;
using enum MetricUnit;

constexpr bool gauge = true;
constexpr bool mean = false;
constexpr bool debugger = true;
constexpr bool ours = false;
constexpr bool in_name = true;

constexpr std::array<MetricRow, metric_count> table = {{
    {cpu_busy, "cpu", "CPUUtilization", percent, mean, debugger,
     "not idle and not waiting for a disk; Name: cpu0, or cpu for all of them"},
    {cpu_io_wait, "cpu", "I/OWaitPercentage", percent, mean, debugger,
     "idle while something that ran there waits for a disk"},
    {gpu_busy, "gpu", "GPUUtilization", percent, mean, debugger,
     "time in which a kernel runs, however well it fills the GPU"},
    {gpu_memory_used, "gpu", "GPUMemoryUtilization", percent, gauge, debugger,
     "share of the GPU's memory in use"},
    {memory_used, "memory", "MemoryUsedPercent", percent, gauge, debugger,
     "used, without the page cache", in_name},
    {io_read, "i/o", "ReadThroughputInBytesPerSecond", bytes_per_second, mean, debugger,
     "read from all disks", in_name},
    {io_write, "i/o", "WriteThroughputInBytesPerSecond", bytes_per_second, mean, debugger,
     "written to all disks", in_name},
    {io_operations, "i/o", "IOPS", per_second, mean, debugger, "reads and writes of all disks",
     in_name},
    {network_receive, "network", "ReceiveBytesPerSecond", bytes_per_second, mean, debugger,
     "received; Dimension: Algorithm (the job's) or Platform (the machine's)", in_name},
    {network_transmit, "network", "TransmitBytesPerSecond", bytes_per_second, mean, debugger,
     "sent", in_name},

    {cpu_steal, "cpu-steal", "StealPercentage", percent, mean, ours,
     "time in which the hypervisor ran another machine there"},
    {disk_busy, "disk", "BusyPercentage", percent, mean, ours,
     "time with a request in flight; Name: the device"},
    {disk_read, "disk", "ReadBytesPerSecond", bytes_per_second, mean, ours, "read from it"},
    {disk_write, "disk", "WriteBytesPerSecond", bytes_per_second, mean, ours, "written to it"},
    {disk_reads, "disk", "ReadsPerSecond", per_second, mean, ours, "read requests that ended"},
    {disk_limit_busy, "disk-limit", "BusyPercentage", percent, mean, ours,
     "what a control group reads, relative to its limit of bytes or requests, whichever is nearer",
     false, true},
    {disk_limit_bytes, "disk-limit", "ReadBytesPerSecond", bytes_per_second, gauge, ours,
     "most that the job's control groups may read; Name: the device"},
    {disk_limit_reads, "disk-limit", "ReadsPerSecond", per_second, gauge, ours,
     "most read requests that they may make"},
    {link_busy, "link", "BusyPercentage", percent, mean, ours,
     "received, relative to the line rate where that is known; Name: the interface"},
    {link_receive, "link", "ReceiveBytesPerSecond", bytes_per_second, mean, ours, "received"},
    {link_transmit, "link", "TransmitBytesPerSecond", bytes_per_second, mean, ours, "sent"},
    {memory_bytes, "memory-bytes", "UsedBytes", bytes, gauge, ours, "used, without the page cache"},
    {page_cache_bytes, "memory-bytes", "PageCacheBytes", bytes, gauge, ours,
     "files' pages in memory"},
    {dirty_bytes, "memory-bytes", "DirtyBytes", bytes, gauge, ours,
     "of these, not yet written to a disk"},
    {pressure_some, "pressure", "SomePercentage", percent, mean, ours,
     "time in which a task waited; Name: cpu, io or memory"},
    {pressure_full, "pressure", "FullPercentage", percent, mean, ours,
     "time in which all tasks waited"},
    {throttled_periods, "cgroup", "ThrottledPeriodsPercentage", percent, mean, ours,
     "periods in which the control group used up its quota"},
    {throttled_cores, "cgroup", "ThrottledPercentage", percent, mean, ours,
     "time for which its CPUs were held back, relative to one CPU", false, true},
    {gpu_memory_busy, "gpu-state", "MemoryBusyPercentage", percent, mean, ours,
     "time in which the GPU's memory is read or written"},
    {gpu_memory_bytes, "gpu-state", "MemoryUsedBytes", bytes, gauge, ours,
     "memory of the GPU in use"},
    {gpu_power, "gpu-state", "PowerWatts", watts, gauge, ours, "power that it draws"},
    {gpu_clock, "gpu-state", "ClockHertz", hertz, gauge, ours, "clock of its multiprocessors"},
    {gpu_receive, "gpu-state", "ReceiveBytesPerSecond", bytes_per_second, gauge, ours,
     "host to GPU over PCIe"},
    {gpu_transmit, "gpu-state", "TransmitBytesPerSecond", bytes_per_second, gauge, ours,
     "GPU to host over PCIe"},
    {process_cpu, "process", "CPUUtilization", percent, mean, ours,
     "CPU time, relative to one CPU; Name: role and number, as worker-4711", false, true},
    {process_cpu_wait, "process", "CPUWaitPercentage", percent, mean, ours,
     "time in which it could run and waited for a CPU, told when that ends: of a long wait it may "
     "be over 100",
     false, true},
    {process_lock_wait, "process", "LockWaitPercentage", percent, mean, ours,
     "looks at it in which a lock of others blocked it: 100 or 0"},
    {process_device_read, "process", "DeviceReadBytesPerSecond", bytes_per_second, mean, ours,
     "read from a device"},
    {process_cached_read, "process", "CachedReadBytesPerSecond", bytes_per_second, mean, ours,
     "read from the page cache, pipes and sockets"},
    {process_major_faults, "process", "MajorFaultsPerSecond", per_second, mean, ours,
     "page faults that waited for a disk"},
    {process_resident, "process", "ResidentBytes", bytes, gauge, ours, "its memory in use"},
    {process_threads, "process", "Threads", count, gauge, ours, "number of its threads"},

    {stage_busy, "stage", "BusyPercentage", percent, mean, ours,
     "time in which something works at it, in a simulation; Name: download, disk, decode, h2d, "
     "..."},

    {step_time, "step", "StepSeconds", seconds, mean, ours,
     "time of a step, with its wait for data; Name: the rank"},
    {data_wait, "step", "DataWaitSeconds", seconds, mean, ours,
     "of the step: the wait for the batch"},
    {host_time, "step", "HostSeconds", seconds, mean, ours,
     "of the step: what the host needs to launch it"},
    {gpu_time, "step", "GPUSeconds", seconds, mean, ours, "of the step: a kernel runs"},
    {copy_time, "step", "CopySeconds", seconds, mean, ours, "of the step: copies to the GPU"},
    {exposed_copy_time, "step", "ExposedCopySeconds", seconds, mean, ours,
     "of the copies: no kernel runs meanwhile"},
    {copied_bytes, "step", "CopiedBytes", bytes, mean, ours, "copied to the GPU"},
    {pinned_bytes, "step", "PinnedBytes", bytes, mean, ours, "of these, from pinned memory"},
    {collective_time, "step", "CollectiveSeconds", seconds, mean, ours,
     "of the step: collective operations"},
    {exposed_collective_time, "step", "ExposedCollectiveSeconds", seconds, mean, ours,
     "of the collective operations: no other kernel runs meanwhile"},
    {collective_bytes, "step", "AllReducedBytes", bytes, mean, ours,
     "bytes that each rank all-reduces, if it does no other collective operation"},
    {throughput, "job", "SamplesPerSecond", per_second, mean, ours,
     "training samples of all ranks"},
    {batch_size, "job", "BatchSize", count, gauge, ours, "training samples of a rank per step"},
    {ranks, "job", "Ranks", count, gauge, ours, "GPUs that train together"},
    {workers, "job", "Workers", count, gauge, ours, "loader workers of each rank"},
    {epoch_steps, "job", "EpochSteps", count, gauge, ours, "steps of a whole epoch"},
    {collective_latency, "collective", "LatencySeconds", seconds, gauge, ours,
     "latency by NCCL's own table; Name: AllReduce/Ring/Simple"},
    {collective_bandwidth, "collective", "BytesPerSecond", bytes_per_second, gauge, ours,
     "bandwidth by NCCL's own table"},
}};

constexpr bool ids_are_places() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].id) != i || table[i].type.empty()) return false;
  }
  return true;
}
static_assert(ids_are_places());

}  // namespace

std::span<const MetricRow> all_metrics() {
  return table;
}

const MetricRow& metric(MetricId id) {
  return table[static_cast<std::size_t>(id)];
}

const MetricRow* find_metric(std::string_view type, std::string_view name,
                             std::string_view dimension) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const MetricRow& row) {
    return row.type == type && row.metric == (row.in_name ? name : dimension);
  });
  return found == table.end() ? nullptr : &*found;
}

std::string_view name_of(MetricUnit unit) {
  switch (unit) {
    case percent: return "percent";
    case MetricUnit::bytes: return "bytes";
    case MetricUnit::bytes_per_second: return "bytes a second";
    case MetricUnit::per_second: return "a second";
    case MetricUnit::seconds: return "seconds";
    case count: return "count";
    case watts: return "watts";
    case hertz: return "hertz";
  }
  return "";
}

std::string_view name_of(MarkKind kind) {
  switch (kind) {
    case MarkKind::step: return "step";
    case MarkKind::epoch: return "epoch";
    case MarkKind::batch: return "batch";
  }
  return "";
}

std::string_view name_of(ProcessRole role) {
  switch (role) {
    case ProcessRole::trainer: return "trainer";
    case ProcessRole::worker: return "worker";
    case ProcessRole::pin: return "pin";
    case ProcessRole::other: return "other";
  }
  return "";
}

std::string process_name(ProcessRole role, std::int64_t id) {
  return std::string(name_of(role)) + '-' + std::to_string(id);
}

ProcessRole role_in(std::string_view process_name) {
  const std::string_view word = process_name.substr(0, process_name.find('-'));
  for (const ProcessRole role : {ProcessRole::trainer, ProcessRole::worker, ProcessRole::pin}) {
    if (name_of(role) == word) return role;
  }
  return ProcessRole::other;
}

}  // namespace feedrate
