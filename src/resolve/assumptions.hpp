#pragma once
// What is taken for a number that nobody gave, measured or published, and between what it is
// expected to lie: one list. Beside it stand only what the names of loaders and accesses bring
// (stack_defaults.cpp), what the catalogue has ranges of (network bursts, S3), how GPUs compare
// (catalog/gpu_speed.hpp), words with an alternative (disciplines) and how far machines drift
// (model/drift.hpp). `run` draws them from these ranges, so that an answer is never surer than its
// guesses. A default that the user's own program would have too (PyTorch's prefetch_factor, EFS's
// throughput mode) is a setting, not a guess, and not listed.
#include <span>
#include <string_view>

#include "base/units.hpp"
#include "model/scenario.hpp"
#include "resolve/assumed_gpus.hpp"
#include "resolve/assumed_interruptions.hpp"
#include "resolve/assumed_stores.hpp"
#include "resolve/assumption.hpp"

namespace feedrate::resolve {

namespace assumed {

// pieces
inline constexpr Assumption footer_requests = {
    "requests for an object's footer",
    2.0,
    1.0,
    3.0,
    "Parquet: a reader asks for the footer's length, then for the footer",
    "one where it guesses the length or knows the footer, to three (engineering judgement)",
    ""};

/// A cache that instances share answers through a server of its own.
inline constexpr Assumption peer_latency = {
    "latency of another instance's cache",
    0.5e-3,
    0.1e-3,
    2e-3,
    "a small read from a cache's server in the same zone (assumed)",
    "the network's round trip alone, to a loaded server (engineering judgement)",
    ""};

// cores
inline constexpr Assumption hyper_threading_gain =
    from_studies("hyper-threading gain", learned::hyper_threading_gain,
                 "second threads of cores, no curve measured", "decode");
/// How much longer each core takes when all of them are busy: clocks fall, caches and memory are
/// shared. Some of them lose their part of that: ten studies of PyTorch's workers on 2 to 128 cores
/// show that half of the cores lose far more than by the square of their share.
inline constexpr Assumption contention = from_studies(
    "loss of cores that are all busy", learned::contention,
    "each core is slower when all are busy: clocks, caches and memory are shared", "decode");
/// Workers of one pool: they share an allocator, a queue and, where they are processes, the one
/// that feeds them.
inline constexpr Assumption pool_contention =
    from_studies("loss of a pool's workers", learned::pool_contention,
                 "each further worker of a pool makes the others slower", "decode");
/// Of all cores together, what a core has of it. The data sheets' 4.3 to 6.4 GB/s (Xeon and EPYC of
/// 2016 to 2023), of which three quarters are reached.
inline constexpr Assumption memory_bandwidth = {
    "memory bandwidth of a core",
    3.8e9,
    3.0e9,
    4.8e9,
    "three quarters of what the data sheets of servers' processors say",
    "4.3 to 6.4 GB/s of data sheets, less a quarter (engineering judgement)",
    ""};
/// Bytes that cross the memory's bus for a sample, over those that it has as read and as made.
inline constexpr Assumption memory_passes = {
    "passes over a sample in memory",
    2.5,
    2.0,
    3.2,
    "what is read is read once; what is made is written, which reads it too, and copied",
    "twice, to three times and some (engineering judgement)",
    ""};
/// Of reading, decoding and making a sample, where it was measured on samples of other bytes.
inline constexpr Assumption fixed_share_of_operation = {
    "share of an operation that does not grow with a sample's bytes",
    0.4,
    0.15,
    0.65,
    "JPEGs of 5 KB took 1/2.2 and of 1.55 MB 9.5 times as long as of 105 KB (two-core host)",
    "large images that are all decoding, to small files that are mostly opening (engineering "
    "judgement)",
    "loader"};
/// What a decoder does for a pixel, in bits of the file whose decoding takes as long.
inline constexpr Assumption bits_as_dear_as_a_pixel = {
    "bits of an image whose decoding takes as long as a pixel's",
    1.4,
    0.6,
    3.0,
    "libjpeg-turbo: 1.6 ns a pixel and 1.15 ns a bit at 0.5 to 4 bits a pixel and 0.05 to 3 "
    "megapixels (two-core host)",
    "decoders that do more for a bit, to chains that go over all pixels again (engineering "
    "judgement)",
    "loader"};
inline constexpr Assumption oversubscription = {
    "/loader/oversubscription",
    0.07,
    0.0,
    0.2,
    "more runnable threads than hardware threads cost about 7 % (two-core host, PyTorch)",
    "none at all, to three times what was measured (engineering judgement)",
    "decode"};

/// Cores per hardware thread, where no machine says how many threads share a core.
inline constexpr Assumption cores_of_threads = from_studies(
    "physical cores", learned::cores_of_threads,
    "vCPUs are threads of half as many cores on most rented x86 machines, or cores; set "
    "/cluster/cores",
    "");

// the loader's processes
inline constexpr Assumption worker_startup = {
    "/loader/worker_startup",
    0.010,
    0.002,
    0.050,
    "forking one PyTorch worker",
    "small and large parent processes (engineering judgement)",
    "loader"};
/// The main process waits until a new interpreter has read what it is to load, where that is more
/// than a pipe holds: then until it has imported its modules.
inline constexpr Assumption worker_spawn = {
    "/loader/worker_startup",
    0.6,
    0.1,
    3.5,
    "starting an interpreter for one PyTorch worker, which imports its modules",
    "imports that run beside those of the other workers (engineering judgement), to 3.4 s each one "
    "after the other (SPDL's table of PyTorch's DataLoader, 2024)",
    "loader"};
inline constexpr Assumption worker_forkserver = {
    "/loader/worker_startup",
    0.1,
    0.01,
    3.5,
    "forking one PyTorch worker from a server, to which the dataset is sent",
    "a server that has imported the modules, to one that has not: 3.4 s (SPDL's table of PyTorch's "
    "DataLoader, 2024; engineering judgement)",
    "loader"};
constexpr const Assumption& worker_startup_by(WorkerStart start) {
  switch (start) {
    case WorkerStart::fork: break;
    case WorkerStart::forkserver: return worker_forkserver;
    case WorkerStart::spawn: return worker_spawn;
  }
  return worker_startup;
}
inline constexpr Assumption worker_warmup = {
    "worker warm-up",
    0.014,
    0.004,
    0.050,
    "a worker's first batch takes longer than the others (12 and 15 ms on two-core hosts, PyTorch)",
    "a third of that, to twice what one calibration showed (25 ms; engineering judgement)",
    "loader"};
inline constexpr Assumption worker_shutdown = {
    "worker shutdown",       0.005,   0.002, 0.020, "ending one PyTorch worker",
    "engineering judgement", "loader"};
/// What the main process does for a batch whatever is in it.
inline constexpr Assumption handover_of_any = {
    "/loader/handover",
    0.37e-3,
    0.2e-3,
    0.7e-3,
    "the main process's own work per batch: taking it, and handing out the next indices",
    "0.2 to 0.7 ms (MLPerf Storage v1.0, CosmoFlow on one emulated GPU; PyTorch, two-core hosts)",
    "loader",
    2};
/// Per byte of the batch: tensors that the worker left in memory that both see are mapped, and each
/// page faults once.
inline constexpr Assumption handover_shared =
    from_studies("/loader/handover", learned::handover_shared,
                 "mapping a batch in shared memory, beside 0.4 ms for any batch", "loader");
/// Per byte of the batch: anything else is read from a pipe, and copied as it is unpickled.
inline constexpr Assumption handover_pickled = {
    "/loader/handover",
    0.8e-9,
    0.6e-9,
    1.1e-9,
    "a pickled batch costs 0.8 ms/MB",
    "0.6 to 1.1 ms/MB: lists of arrays and named tuples through a pipe (eleven decoders in PyTorch "
    "loaders on one processor, 2026; engineering judgement)",
    "loader"};
/// Per tensor beyond those that are stacked: each has a segment of shared memory of its own, whose
/// file descriptor is sent by itself.
inline constexpr Assumption handover_of_tensor = {
    "handing a tensor over",
    0.25e-3,
    0.1e-3,
    0.5e-3,
    "each tensor of a batch costs 0.25 ms where workers leave it in shared memory",
    "0.25 to 0.28 ms (rf-detr: batches of 114 tensors, g2-standard-32); half of that, to twice "
    "(engineering judgement)",
    "loader",
    1};
/// Per byte, where a thread pins batches: it takes them from the workers, and unpickles them.
inline constexpr Assumption unpickled_by_pinning = {
    "unpickling in the pinning thread",
    handover_pickled.value,
    handover_pickled.low,
    handover_pickled.high,
    "a pickled batch costs the thread that pins it 0.8 ms/MB before it copies",
    handover_pickled.range,
    "loader"};
constexpr const Assumption& handover_of_byte(Transport transport) {
  return transport == Transport::pickled ? handover_pickled : handover_shared;
}
/// Of a batch of so many bytes, `each` of them.
constexpr Assumption handover_of(const Assumption& each, Bytes batch) {
  Assumption all = handover_of_any;
  if (batch.base() <= 0.0) return all;
  all.value += batch.base() * each.value;
  all.low += batch.base() * each.low;
  all.high += batch.base() * each.high;
  all.why = each.why;
  all.range = each.range;
  return all;
}
inline constexpr Assumption handover_cv = {
    "/loader/handover_cv",
    0.32,
    0.2,
    0.5,
    "handing a batch over takes another time for each",
    "0.2 to 0.5 (MLPerf Storage v1.0: how utilization falls as the emulated GPUs of a host that "
    "wait for each other grow from 1 to 26; engineering judgement)",
    ""};
inline constexpr Assumption collate = {
    "/loader/collate",
    0.65e-9,
    0.2e-9,
    1.3e-9,
    "collate and first touch of shared memory (two-core host, PyTorch)",
    "memory that need not be zeroed, to twice what was measured (engineering judgement)",
    "loader"};
inline constexpr Assumption collate_inline = {
    "/loader/collate",
    0.2e-9,
    0.08e-9,
    0.65e-9,
    "collate without shared memory (two-core host, PyTorch)",
    "a plain copy, to memory that is zeroed again for each batch (engineering judgement)",
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
inline constexpr Assumption gpus_together =
    from_studies("gain of more GPUs in an instance", learned::gpus_together,
                 "eight GPUs are 7.3 times as fast as one", "");

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
    "around the 5.5 to 10.7 % of Lotus (IISWC 2024; engineering judgement)",
    ""};

// storage
inline constexpr Assumption disk_latency = {
    "/disk/latency",
    1.0,
    0.3,
    2.5,
    "typical of the kind of disk",
    "0.4 of that, as a local disk showed (43 us), to two and a half times (engineering judgement)",
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
/// A share of memory that nobody named, in bytes.
inline constexpr Assumption unknown_page_cache = {
    "/disk/page_cache",
    8e9,
    1e9,
    64e9,
    "memory not known: a machine of 16 GB caches about 8",
    "a small machine, to most of one of 96 GB (engineering judgement)",
    ""};
inline constexpr Assumption nvme_floor =
    from_studies("/disk/bandwidth", learned::nvme_floor,
                 "4 KiB reads are published; long ones are twice as fast", "disk");
/// Of each disk, in bytes a second.
inline constexpr Assumption nvme_disk_rate = {
    "/disk/bandwidth",
    2.5e9,
    1e9,
    6.5e9,
    "neither IOPS nor rate of the local disks are published: 2.5 GB/s each",
    "a small drive on PCIe 3, to a large one on PCIe 4 (engineering judgement)",
    "disk"};
/// Of the time that a published training rate says.
inline constexpr Assumption published_rate =
    from_studies("/job/step/per_sample", learned::published_rate,
                 "what a published rate says, made with other software and batches", "step");
/// Of what expected_utilization() says, which is at most 0.63 of a GPU's dense tensor peak.
inline constexpr Assumption model_utilization = from_studies(
    "/job/step/utilization", learned::transformer_utilization,
    "of the GPU's peak, by the model's parameters, its sequences and the GPU's operations a byte, "
    "of transformers from BERT to 1T (bench/evidence/transformers)",
    "step");
/// Where the whole source or the line has less, one connection reaches that.
inline constexpr Assumption connection_rate =
    from_studies("/source/bandwidth_per_connection", learned::connection_rate,
                 "what one connection reaches, of sources whose rate nobody gave", "download");
/// Of a network's line rate: one host's downloads.
inline constexpr Assumption line_share = {
    "/source/line_share",
    0.9,
    0.5,
    1.0,
    "a host's downloads reach nine tenths of its line",
    "from S3 0.5 of 100 Gbit/s (p3dn), 0.87 of 25 Gbit/s (c5, p2, p3), 0.92 of 10 Gbit/s "
    "(s3-benchmark, 2019; engineering judgement)",
    "download"};
/// Round trips to open and close a file on a server, each as long as one that reads.
inline constexpr Assumption file_open = {
    "/source/open_latency",
    1.0,
    0.3,
    3.0,
    "opening a file is a request to the server as reading it is",
    "names and attributes that the client remembers, to three requests (engineering judgement)",
    ""};
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
    0.8,
    8.0,
    "objects that a stream into a FIFO fetches at once",
    "one after the other with pauses, to a concurrent reader (engineering judgement)",
    ""};
// copies
inline constexpr Assumption pinned_copy = {
    "/cluster/pinned_bandwidth",
    12e9,
    6e9,
    55e9,
    "PCIe 3 with 16 lanes",
    "eight lanes of PCIe 3, to sixteen of PCIe 5 (engineering judgement)",
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
    "6 of 55 GB/s as H100 hosts show, to three fifths on PCIe 3 (engineering judgement)",
    "h2d"};
inline constexpr Assumption copy_latency = {
    "/cluster/copy_latency", 10e-6, 5e-6, 50e-6, "launching one copy",
    "engineering judgement", "h2d"};

}  // namespace assumed

/// All assumptions of this list.
std::span<const Assumption* const> assumptions();

}  // namespace feedrate::resolve
