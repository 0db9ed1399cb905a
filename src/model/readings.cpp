#include "model/readings.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/statistics.hpp"

namespace feedrate {
namespace {

using enum ReadingId;
using enum ReadingKind;

constexpr std::string_view of_cpu = "/preprocess, /loader/num_workers";
constexpr std::string_view of_gpu = "/job/step";
constexpr std::string_view of_disk = "/disk/bandwidth, /disk/iops, /disk/page_cache";
constexpr std::string_view of_network = "/dataset/bytes_per_sample, /cluster/network";
constexpr std::string_view of_memory = "/loader/worker_memory, /loader/num_workers";
constexpr std::string_view of_start = "/job/startup, /source/connections";
constexpr std::string_view of_gap = "/loader/num_workers";
constexpr std::string_view of_ratio = "/preprocess, /job/allreduce";

constexpr std::string_view job_log = "the times in the job's log";

constexpr std::array<ReadingRow, reading_count> table = {{
    {gpu, "gpu", share, "GPU", "GPU-Util of nvidia-smi: the time in which a kernel runs",
     "GPU-Util of `nvidia-smi`", of_gpu},
    {cpu, "cpu", share, "CPU", "share of all hardware threads in use: 100 - id - wa of top",
     "100 - id - wa of `top`", of_cpu},
    {disk, "disk", share, "disk", "%util of iostat: the time with a request in flight",
     "%util of `iostat -x 1`", of_disk},
    {network, "network", share, "network",
     "%ifutil of sar: what is received, relative to the line rate", "%ifutil of `sar -n DEV 1`",
     of_network},
    {ram, "ram", share, "RAM", "share of memory in use, without the page cache: free",
     "used of total of `free`", of_memory},
    {start, "start", time, "start", "time from the launch to the first step, as in \"12 min\"",
     job_log, of_start},
    {io_wait, "io-wait", share, "I/O wait",
     "wa of top: share of all hardware threads; stands for the disk where that is not known",
     "wa of `top`"},
    {gpu_memory, "gpu-memory", share, "GPU memory",
     "share of GPU memory in use, as nvidia-smi shows it", "Memory-Usage of `nvidia-smi`"},
    {gap_every, "gap-every", steps, "gap every", "steps from one long wait in a trace to the next",
     "a trace of some steps", of_gap},
    {step_ratio, "step-ratio", ratio, "step over one GPU's",
     "time of a step, relative to the same job on one GPU",
     "the time of a step on all GPUs and on one", of_ratio},
    {workers_per_cpu, "workers-per-cpu", ratio, "workers per CPU",
     "loader workers of all GPUs per hardware thread",
     "num_workers times the GPUs over what `nproc` prints", of_gap},
    {download, "download", time, "download",
     "time of the download before training, as SageMaker's status Downloading shows it", job_log,
     "/source/input_mode, /source/connections"},
    {job_time, "time", time, "time",
     "time of the whole job, or from its launch to now: how much of it is the download?", job_log},
    {download_share, "download-share", share, "download's share of the job", "of its time",
     "the times of the download and of the job in its log", "", 0.0, gpu, false},
    {more_workers, "more-workers", ratio, "epoch with twice the workers over today's",
     "time of an epoch, or of some hundred steps, with twice the num_workers, relative to today's",
     "the time of some hundred steps with twice the num_workers and with today's", of_gap},
    {gpu_p95, "gpu-p95", share, "GPU, 95 %", "95 % quantile over the samples",
     "a minute of `nvidia-smi dmon`", "", 0.95, gpu, false},
    {gpu_p5, "gpu-p5", share, "GPU, 5 %", "5 % quantile over the samples",
     "a minute of `nvidia-smi dmon`", "", 0.05, gpu, false},
    {cpu_p95, "cpu-p95", share, "CPU, 95 %", "95 % quantile over the samples",
     "a minute of `top -b -d 1 -n 60`", "", 0.95, cpu, false},
    {gpu_memory_p95, "gpu-memory-p95", share, "GPU memory, 95 %", "95 % quantile over the samples",
     "a minute of `nvidia-smi dmon`", "", 0.95, gpu_memory, false},
    {own_cpu, "own-cpu", share, "CPU of the job's own processes",
     "share of all hardware threads that the job's own processes use, where they were recorded",
     "a recording of `feedrate observe`", "", 0.0, gpu, false},
    {throttled, "throttled", share, "time held back by a CPU quota",
     "share of the periods in which the job's control group used up its quota",
     "nr_throttled over nr_periods of `cpu.stat`", "/cluster/cpu_quota", 0.0, gpu, false},
    {epoch_start, "epoch-start", share, "start of an epoch",
     "share of an epoch but the first before its first step, beyond what workers that are there "
     "take for a batch",
     "a recording with marks of epochs and steps", "/loader/persistent_workers", 0.0, gpu, false},
}};

constexpr bool ids_are_places() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].id) != i) return false;
  }
  return true;
}
static_assert(ids_are_places());

}  // namespace

std::span<const ReadingRow> all_readings() {
  return table;
}

const ReadingRow& reading(ReadingId id) {
  return table[static_cast<std::size_t>(id)];
}

const ReadingRow* find_reading(std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.name == name; });
  return found == table.end() ? nullptr : &*found;
}

bool Readings::any() const {
  return std::any_of(values_.begin(), values_.end(), [](const auto& v) { return v.has_value(); });
}

void complete(Readings& readings) {
  const auto& before = readings[readings[download] ? download : start];
  const auto& whole = readings[job_time];
  if (readings[download_share] || !before || !whole || *whole <= 0.0) return;
  readings[download_share] = std::min(1.0, *before / *whole);
}

double summary_of(const ReadingRow& row, std::vector<double> samples) {
  return row.quantile > 0.0 ? quantile(std::move(samples), row.quantile) : mean(samples);
}

Readings readings_of(const Result& result) {
  Readings readings;
  if (!result.monitors) return readings;
  const Monitors& m = *result.monitors;
  readings[gpu] = m.gpu;
  readings[cpu] = m.cpu;
  readings[disk] = m.disk;
  readings[network] = m.network;
  readings[ram] = m.memory;
  readings[start] = m.start.base();
  readings[gap_every] = m.gap_every;
  readings[download] = result.times.staging.base();
  readings[job_time] = result.times.total.base();
  complete(readings);
  return readings;
}

}  // namespace feedrate
