#pragma once
// What is taken for a number that nobody gave, measured or published, and between what it is
// expected to lie: one list. Beside it stand only what the catalogue has ranges of (network bursts,
// S3), how GPUs compare (catalog/gpu_speed.hpp), words with an alternative (disciplines) and how
// far machines drift (model/drift.hpp). `run` draws them from these ranges, so that an answer is
// never surer than its guesses. A default that the user's own program would have too (PyTorch's
// prefetch_factor, EFS's throughput mode) is a setting, not a guess, and not listed.
#include <span>
#include <string_view>

#include "base/units.hpp"

namespace feedrate::resolve {

/// SI base units. `low` and `high` hold nearly all that was seen or can be expected; half of what
/// is drawn lies on either side of the value. Where the value is an end of its range (a full
/// credit, a whole line rate), half of all draws are the value itself.
struct Assumption {
  std::string_view key;  ///< JSON pointer that sets it, or a name where none does
  double value = 0.0;    ///< a factor on what other inputs say, where it depends on them
  double low = 0.0;
  double high = 0.0;
  std::string_view why;    ///< why this value
  std::string_view range;  ///< what the range is taken from
  std::string_view probe;  ///< probe of `feedrate calibrate` that would measure it; "" for none

  /// The number that a draw u, 0 ≤ u ≤ 1, stands for: `low` at 0, `value` at 1/2, `high` at 1. In
  /// between it rises linearly, or by equal factors where all three are above 0.
  [[nodiscard]] double at(double u) const;
};

/// The assumption where no host profile is asked, so that no probe would help.
constexpr Assumption unmeasured(Assumption assumption) {
  assumption.probe = "";
  return assumption;
}

namespace assumed {

// cores
inline constexpr Assumption hyper_threading_gain = {
    "hyper-threading gain",
    0.3,
    0.1,
    0.5,
    "second threads of cores, no curve measured",
    "what image decoding gains from them on current x86 processors (engineering judgement)",
    "decode"};
/// n cores do the work of n / (1 + c·(n − 1)) (Gunther's universal scalability law without its last
/// term). 48 cores at 0.002 do the work of 44, about what their clocks fall when all are busy.
inline constexpr Assumption contention = {
    "/loader/contention",
    0.002,
    0.0,
    0.125,
    "clocks fall when all cores are busy; 0.055 was seen (DALI)",
    "none at all, to PyTorch's workers on a two-core virtual machine (0.12)",
    "decode"};
inline constexpr Assumption oversubscription = {
    "/loader/oversubscription",
    0.07,
    0.0,
    0.2,
    "more runnable threads than hardware threads cost about 7 % (two-core host, PyTorch)",
    "none at all, to three times what was measured (engineering judgement)",
    "decode"};

/// Cores per hardware thread, where no machine says how many threads share a core.
inline constexpr Assumption cores_of_threads = {
    "/cluster/cores",
    1.0,
    0.5,
    1.0,
    "each vCPU is taken for a core; set /cluster/cores",
    "two hardware threads a core, as on most rented x86 machines, to one",
    ""};

// the loader's processes
inline constexpr Assumption worker_startup = {
    "/loader/worker_startup",
    0.010,
    0.005,
    0.100,
    "forking one PyTorch worker",
    "small and large parent processes (engineering judgement)",
    "loader"};
inline constexpr Assumption worker_warmup = {
    "worker warm-up",
    0.0,
    0.0,
    0.050,
    "a worker's first batch costs as much as the others",
    "up to twice what a two-core host with PyTorch showed (25 ms)",
    "loader"};
inline constexpr Assumption worker_shutdown = {
    "worker shutdown",       0.005,   0.002, 0.020, "ending one PyTorch worker",
    "engineering judgement", "loader"};
inline constexpr Assumption handover = {
    "/loader/handover",
    0.003,
    0.0005,
    0.008,
    "the main process's own work per batch (3.4 and 4.1 ms on two two-core hosts, PyTorch)",
    "0.5 ms on a fast core with small batches, to twice what was measured",
    "loader"};
inline constexpr Assumption collate = {
    "/loader/collate",
    0.65e-9,
    0.2e-9,
    1.3e-9,
    "collate and first touch of shared memory (two-core host, PyTorch)",
    "memory that need not be zeroed, to twice what was measured",
    "loader"};
inline constexpr Assumption collate_inline = {
    "/loader/collate",
    0.2e-9,
    0.08e-9,
    0.65e-9,
    "collate without shared memory (two-core host, PyTorch)",
    "a plain copy, to memory that is zeroed again for each batch",
    "loader"};
inline constexpr Assumption delivery_latency = {
    "delivery latency",
    0.0005,
    0.0001,
    0.002,
    "one round trip inside an availability zone",
    "a placement group, to another zone (engineering judgement)",
    ""};

// other machines than the one where a number was measured; GPUs: catalog/gpu_speed.hpp
/// A factor on the ratio of the CoreMark results of one core of each processor.
inline constexpr Assumption thread_speed = {
    "thread speed relative to another processor",
    1.0,
    0.8,
    1.25,
    "as CoreMark of the catalogue compares a core of each",
    "a fifth slower, to a quarter faster than CoreMark says: decoding uses wider vectors and more "
    "memory (engineering judgement)",
    ""};
inline constexpr Assumption unknown_thread_speed = {
    "thread speed relative to an unknown processor",
    1.0,
    0.6,
    1.6,
    "nothing compares the two processors: taken as equally fast",
    "servers of ten years (engineering judgement)",
    ""};
/// A job on n GPUs of one instance is n to this power times as fast as on one.
inline constexpr Assumption gpus_together = {
    "gain of more GPUs in an instance",
    0.9,
    0.7,
    1.0,
    "eight GPUs are 6.5 times as fast as one",
    "4.3 times, as where the input pipeline does not grow with them, to 8 times (engineering "
    "judgement)",
    ""};

// how samples, batches and requests vary
inline constexpr Assumption size_cv = {
    "/dataset/size_cv",
    0.3,
    0.1,
    0.6,
    "samples differ in size and cost as photographs do",
    "images of one camera, to mixed collections (engineering judgement)",
    ""};
inline constexpr Assumption read_cv = {
    "/loader/read_cv",
    1.0,
    0.5,
    2.0,
    "a batch's reading varies from step to step (MLPerf Storage)",
    "half of that, to twice (engineering judgement)",
    ""};
inline constexpr Assumption make_cv = {
    "/loader/make_cv",
    0.08,
    0.03,
    0.15,
    "the rest of a batch's making varies from step to step (Lotus)",
    "around the 5.5 to 10.7 % of Lotus (IISWC 2024)",
    ""};

// storage
inline constexpr Assumption disk_latency = {
    "/disk/latency",
    1.0,
    0.3,
    2.5,
    "typical of the kind of disk",
    "0.4 of that, as a local disk showed (43 us), to two and a half times",
    "disk"};
/// Share of the memory that processes, workers and batches leave free on the instance.
inline constexpr Assumption page_cache_share = {
    "/disk/page_cache",
    0.9,
    0.6,
    0.97,
    "what the job's own memory leaves, less a tenth for the system",
    "other programs that take much of it, to none (engineering judgement)",
    ""};
inline constexpr Assumption process_memory = {
    "memory of a process",
    3e9,
    1e9,
    8e9,
    "a training process with its framework, one a GPU",
    "a small framework, to a large model's host copy (engineering judgement)",
    ""};
inline constexpr Assumption worker_memory = {
    "/loader/worker_memory",
    0.5e9,
    0.05e9,
    2e9,
    "memory of a PyTorch worker, what it shares with its parent left out",
    "one that shares nearly all, to a dataset with indices of its own (engineering judgement)",
    ""};
inline constexpr Assumption unknown_page_cache = {"/disk/page_cache",
                                                  0.0,
                                                  0.0,
                                                  64e9,
                                                  "memory not known: nothing is cached",
                                                  "nothing, to most of a machine of 96 GB",
                                                  ""};
inline constexpr Assumption nvme_floor = {
    "/disk/bandwidth",
    1.0,
    1.0,
    8.0,
    "4 KiB reads are taken, a floor",
    "the floor, to the sequential rates of larger disks of the kind (engineering judgement)",
    "disk"};
inline constexpr Assumption connection_share = {
    "/source/bandwidth_per_connection",
    1.0,
    0.1,
    1.0,
    "one connection can use all of it",
    "a tenth of the line, as TCP over a distance, to all of it (engineering judgement)",
    "download"};
inline constexpr Assumption gp2_credit = {
    "gp2 burst credit",           1.0, 0.0, 1.0, "operations of a new volume, none of them spent",
    "nothing left, to all of it", ""};
inline constexpr Assumption efs_credit = {
    "EFS burst credit",           1.0, 0.0, 1.0, "of a new file system, none of it spent",
    "nothing left, to all of it", ""};
inline constexpr Assumption staging_connections = {
    "/source/connections",
    16.0,
    8.0,
    64.0,
    "parallel copies of File mode",
    "a command-line client's ten or so, to a tuned one (engineering judgement)",
    ""};
inline constexpr Assumption pipe_connections = {
    "/source/connections",
    8.0,
    2.0,
    16.0,
    "objects that SageMaker's Pipe mode fetches at once: a multi-threaded reader, by which jobs "
    "took up to 35 % less time than with File (AWS, 2018)",
    "twice one connection, as in AWS's first figures, to as many as File mode's copies "
    "(engineering judgement)",
    ""};
inline constexpr Assumption stream_connections = {
    "/source/connections",
    1.0,
    1.0,
    8.0,
    "objects that a stream into a FIFO fetches at once",
    "one after the other, to a concurrent reader (engineering judgement)",
    ""};
// copies
inline constexpr Assumption pinned_copy = {"/cluster/pinned_bandwidth",
                                           12e9,
                                           6e9,
                                           55e9,
                                           "PCIe 3 with 16 lanes",
                                           "eight lanes of PCIe 3, to sixteen of PCIe 5",
                                           "h2d"};
inline constexpr Assumption typical_pinned_copy = {
    "/cluster/pinned_bandwidth",
    1.0,
    0.6,
    1.15,
    "typical of the link",
    "from a copy across NUMA nodes to the link's own limit (engineering judgement)",
    "h2d"};
inline constexpr Assumption host_copy = {"memcpy bandwidth",
                                         8e9,
                                         4e9,
                                         16e9,
                                         "one thread copying into pinned memory",
                                         "servers of the last ten years (engineering judgement)",
                                         "memcpy"};
inline constexpr Assumption pageable_share = {
    "/cluster/pageable_bandwidth",
    0.4,
    0.12,
    0.6,
    "two fifths of a pinned copy's rate",
    "6 of 55 GB/s as H100 hosts show, to three fifths on PCIe 3",
    "h2d"};
inline constexpr Assumption copy_latency = {
    "/cluster/copy_latency", 10e-6, 5e-6, 50e-6, "launching one copy",
    "engineering judgement", "h2d"};

// the step at another batch than it was measured at
inline constexpr Assumption fixed_share_of_samples = {
    "share of a step that does not grow with the batch",
    0.0,
    0.0,
    0.5,
    "the step is given per sample only",
    "none, to half of it at the batch where it was measured (engineering judgement)",
    "gpu"};
inline constexpr Assumption fixed_share_of_fixed = {
    "share of a step that does not grow with the batch",
    1.0,
    0.1,
    1.0,
    "the step is given as fixed only",
    "a tenth of it at the batch where it was measured, to all (engineering judgement)",
    "gpu"};

// gradients
/// Efficiency of a step where several instances train and nothing says what their gradients cost.
inline constexpr Assumption unknown_communication = {
    "efficiency of steps on several instances",
    0.93,
    0.7,
    1.0,
    "64 GPUs on 8 instances reached 93 % (SageMaker's data-parallel library)",
    "70 % as over a slow network, to gradients that cost nothing (engineering judgement)",
    ""};
inline constexpr Assumption hop_latency = {
    "/job/allreduce/latency",
    20e-6,
    5e-6,
    60e-6,
    "one hop of a ring",
    "NVLink, to TCP between instances (engineering judgement)",
    "allreduce"};
inline constexpr Assumption backward_share = {
    "backward share of a step",
    2.0 / 3.0,
    0.5,
    0.75,
    "the backward pass takes two thirds of a step; communication can hide behind it",
    "half, to three quarters (engineering judgement)",
    ""};
/// Blocks of a model whose parameters are sharded; they are gathered one after the other.
inline constexpr Assumption sharded_blocks = {
    "/job/allreduce/blocks",
    32.0,
    12.0,
    96.0,
    "a block of a transformer is gathered as a whole; models of 7 to 8 billion parameters have 32",
    "GPT-2 with 12 blocks, to models of 175 billion parameters with 96",
    ""};
/// Share of the line rate of a GPU's NVLinks in one direction.
inline constexpr Assumption nvlink_share = {
    "/job/allreduce/busbw_inside",
    0.77,
    0.6,
    0.95,
    "nccl-tests reach 230 to 240 of the 300 GB/s of 8 A100",
    "smaller messages, to 846 of the 900 GB/s of 8 B200 at 16 GiB",
    "allreduce"};
/// Share of the line rate of a GPU's PCIe link in one direction.
inline constexpr Assumption pcie_share = {
    "/job/allreduce/busbw_inside",
    0.6,
    0.3,
    0.85,
    "copies through host memory or switches share links (engineering judgement)",
    "a third, as between sockets, to what one copy reaches (engineering judgement)",
    "allreduce"};
/// Share of the line rate of an instance's network.
inline constexpr Assumption network_share = {
    "/job/allreduce/busbw",
    0.8,
    0.4,
    0.95,
    "between what 256 MiB and 1 GiB reach over EFA (0.57 and 0.9 of 400 GB/s, 4 p6-b200)",
    "64 MiB there (0.39), or TCP, to 16 GiB (0.95)",
    "allreduce"};

// interruptions
/// Failures of 1,000 instances in a day.
inline constexpr Assumption failures = {
    "/cluster/failures/per_1000_node_days",
    3.8,
    2.34,
    6.5,
    "419 unexpected interruptions of 2,048 nodes in 54 days (Llama 3, 2024)",
    "the two research clusters of Meta (arXiv 2410.21680)",
    ""};
/// Failures of an instance with fewer than the eight GPUs of those nodes. GPUs and their memory
/// caused 47.3 % (Llama 3): that share is in proportion to the number of GPUs. At the low end of
/// the range all failures are, at the high end none.
constexpr Assumption failures_of(double gpus) {
  constexpr double of_node = 8.0;
  constexpr double by_gpus = 0.473;
  if (gpus >= of_node || gpus <= 0.0) return failures;
  const double share = gpus / of_node;
  Assumption fewer = failures;
  fewer.value *= 1.0 - by_gpus + by_gpus * share;
  fewer.low *= share;
  fewer.why =
      "3.8 of nodes of 8 GPUs (Llama 3, 2024), 47.3 % of it for GPUs, less by those that are not "
      "there";
  fewer.range =
      "all of it by the GPU at Meta's better cluster, to all of it by the node at the worse "
      "(arXiv 2410.21680)";
  return fewer;
}
/// The mean over instances with these numbers of GPUs, the largest number first.
inline Assumption failures_of(std::span<const double> gpus) {
  Assumption mean = failures_of(gpus.back());
  mean.value = mean.low = mean.high = 0.0;
  const auto instances = static_cast<double>(gpus.size());
  for (const double of_one : gpus) {
    const Assumption one = failures_of(of_one);
    mean.value += one.value / instances;
    mean.low += one.low / instances;
    mean.high += one.high / instances;
  }
  return mean;
}
/// Share of spot instances interrupted in a month, where the catalogue has none for the instance.
inline constexpr Assumption spot_share = {"/cluster/spot/interruption_share_per_month",
                                          0.1,
                                          0.03,
                                          0.3,
                                          "no share is published for the instance",
                                          "between AWS's buckets below 5 % and above 20 %",
                                          ""};
inline constexpr Assumption wait_for_capacity = {
    "/cluster/spot/wait_for_capacity",
    2400.0,
    300.0,
    7200.0,
    "three on-demand requests for GPUs waited 28 to 58 min in us-west-2 (2026)",
    "capacity at hand, to two hours: spot draws on the same pools (engineering judgement)",
    ""};
inline constexpr Assumption restart = {
    "/job/checkpoint/restart",
    300.0,
    60.0,
    1200.0,
    "noticing, replacing and launching; loading the checkpoint comes on top",
    "an automatic restart in place, to a replaced node (engineering judgement)",
    ""};
/// Share of the bandwidth at which the storage of the data can be read.
inline constexpr Assumption checkpoint_share = {
    "/job/checkpoint/bandwidth",
    1.0,
    0.2,
    1.0,
    "written where the data comes from, as fast as that is read",
    "a fifth, as of one writer, to all of it (engineering judgement)",
    ""};

}  // namespace assumed

/// All assumptions of this list.
std::span<const Assumption* const> assumptions();

}  // namespace feedrate::resolve
