#include "resolve/stack_defaults.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace feedrate::resolve {
namespace {

constexpr std::string_view workers_key = "/loader/num_workers";
constexpr std::string_view prefetch_key = "/loader/prefetch_factor";
constexpr std::string_view fetch_key = "/loader/fetch_threads";
constexpr std::string_view order_key = "/loader/in_order";

constexpr NamedDefault read_default(std::string_view key, double value, std::string_view why) {
  return {{key, value, value, value, why, "", ""}};
}
constexpr NamedDefault read_word(std::string_view key, std::string_view is, std::string_view why) {
  return {{key, 0.0, 0.0, 0.0, why, "", ""}, is};
}
constexpr NamedDefault guessed_default(std::string_view key, double low, double value, double high,
                                       std::string_view why, std::string_view range) {
  return {{key, value, low, high, why, range, ""}};
}

/// Of a cache that takes what its disk has room for.
constexpr NamedDefault keeps_all(std::string_view why) {
  return read_default(cache_key, std::numeric_limits<double>::infinity(), why);
}

constexpr NamedDefault torch_prefetch = read_default(
    prefetch_key, 2.0, "PyTorch's DataLoader, which hands out the work: 2 batches a worker (2025)");

constexpr std::array of_iterable = {
    torch_prefetch, read_word(divided_by_key, "objects",
                              "an iterable dataset's workers split its files (assumed)")};

constexpr std::array of_webdataset = {
    torch_prefetch,
    read_default(fetch_key, 1.0,
                 "WebDataset 1.0.2: one open shard a worker, read through a pipe (2026)"),
    read_word(divided_by_key, "objects",
              "WebDataset splits shards among nodes and workers (2026)")};

constexpr std::array of_streamingdataset = {
    torch_prefetch,
    read_default(fetch_key, 1.0,
                 "MosaicML streaming 0.14: a worker's thread downloads one shard at a "
                 "time (2025, assumed)"),
    read_word(divided_by_key, "samples",
              "MosaicML streaming 0.14 divides samples among workers (2025)"),
    keeps_all(
        "MosaicML streaming 0.14 keeps shards in its local directory: cache_limit None (2025)")};

constexpr std::array of_litdata = {
    torch_prefetch,
    read_default(fetch_key, 1.0,
                 "LitData 0.2.71: a worker's thread downloads one chunk at a time (2026)"),
    read_word(divided_by_key, "samples",
              "LitData 0.2.71 gives workers chunks and parts of them (2026)"),
    keeps_all("LitData 0.2.71 keeps chunks in three quarters of its disk's free space (2026)")};

constexpr std::array of_hf_streaming = {
    torch_prefetch,
    guessed_default(fetch_key, 1.0, 4.0, 16.0,
                    "datasets 5.0 reads Parquet without prefetch, Xet by 16 ranges a file (2026)",
                    "one request at a time, to the 16 ranges of Xet (engineering judgement)"),
    read_word(divided_by_key, "objects", "datasets splits files among ranks and workers (2026)")};

constexpr std::array of_ray_data = {
    read_word(workers_key, "auto",
              "Ray Data's tasks take one CPU each of all that there are (2026)"),
    guessed_default(
        prefetch_key, 1.0, 2.0, 8.0,
        "Ray Data fetches 1 batch ahead of the one in use, and blocks before that (2026)",
        "that one alone, to some blocks in the object store (engineering judgement)"),
    read_word(order_key, "false",
              "Ray Data keeps no order unless preserve_order asks for it (assumed)")};

constexpr std::array of_tf_data = {
    read_word(workers_key, "auto", "tf.data's AUTOTUNE spreads calls over the CPUs (assumed)"),
    guessed_default(prefetch_key, 1.0, 2.0, 8.0,
                    "tf.data's AUTOTUNE sizes the buffer of .prefetch (assumed)",
                    "one batch ahead, to several (engineering judgement)"),
    read_word(order_key, "true", "tf.data is deterministic unless told otherwise (assumed)")};

constexpr std::array of_tf_data_service = {
    read_word(workers_key, "auto", "tf.data's AUTOTUNE spreads calls over the CPUs (assumed)"),
    guessed_default(prefetch_key, 1.0, 4.0, 16.0,
                    "a tf.data service client has some elements of each worker under way (assumed)",
                    "one batch, to two of each of eight workers (engineering judgement)"),
    read_word(order_key, "false", "tf.data service: order over workers is not kept (assumed)")};

constexpr std::array of_dali = {
    read_default(prefetch_key, 2.0, "DALI: prefetch_queue_depth 2 (documentation of Pipeline)"),
    read_word(order_key, "true", "DALI returns batches in the order of its reader (assumed)"),
    read_word("/loader/pin_memory", "true",
              "DALI's CPU operators write into pinned memory (assumed)"),
    read_word(in_loader_key, "true",
              "DALI's operators on the GPU run ahead in its own stream (assumed)")};

constexpr std::array of_spdl = {
    read_default(workers_key, 8.0, "SPDL: num_threads 8 (dataloader, 2026)"),
    read_default(prefetch_key, 3.0, "SPDL: buffer_size 3 of the sink (dataloader, 2026)"),
    read_default(fetch_key, 1.0, "SPDL: concurrency 1 of a stage (pipeline builder, 2026)"),
    read_word(order_key, "false", "SPDL: output_order completion (pipeline builder, 2026)")};

constexpr std::array of_torchcodec = {
    read_default(workers_key, 0.0, "torchcodec 0.7 decodes in its caller: the main process (2025)"),
    torch_prefetch,
    read_word(divided_by_key, "samples", "torchcodec is called for any sample (assumed)")};

constexpr std::array of_grain = {
    read_default(workers_key, 0.0, "Grain 0.2.19: num_workers 0 (2026)"),
    read_default(prefetch_key, 2.0,
                 "Grain 0.2.19: per_worker_buffer_size 1, and one batch in work (2026)"),
    read_default(fetch_key, 16.0, "Grain 0.2.19: 16 threads read for each worker (2026)"),
    read_word("/loader/start", "spawn", "Grain starts its workers by spawn (grain_pool.py, 2025)"),
    read_word(divided_by_key, "samples", "Grain 0.2.19 reads records by their index (2026)")};

constexpr std::array of_energon = {
    read_default(prefetch_key, 2.0, "Megatron Energon: prefetch_factor 2 (2026)"),
    read_default(fetch_key, 1.0,
                 "Megatron Energon reads samples one by one by their byte range (assumed)"),
    read_word(divided_by_key, "samples", "Energon cuts shards by their samples (assumed)")};

constexpr std::array of_ffcv = {
    read_word(workers_key, "auto", "FFCV 1.0.1: a thread for each core (2024)"),
    read_default(prefetch_key, 3.0, "FFCV 1.0.1: batches_ahead 3 (2024)"),
    read_word(order_key, "true", "FFCV returns batches in the order of its traversal (2024)")};

constexpr std::array of_lance = {
    read_default(workers_key, 1.0, "Lance 1.0 decodes in its caller, one thread (2025)"),
    read_default(prefetch_key, 16.0, "Lance 1.0: batch_readahead 16 (2025)"),
    guessed_default(fetch_key, 8.0, 32.0, 64.0,
                    "Lance 1.0: 64 reads in flight on stores, 8 on disks (2025)",
                    "8 of a local disk, to 64 of an object store")};

constexpr double mebibyte = 1024.0 * 1024.0;
constexpr double one_object = std::numeric_limits<double>::infinity();

using S = const Scenario&;
/// What a scenario may give in place of what is left out.
constexpr Giving given_buffer{"/loader/shuffle_buffer",
                              [](S s) { return s.loader.shuffle_buffer.has_value(); }};
constexpr Giving given_memory_cache{"/loader/in_memory_cache",
                                    [](S s) { return s.loader.in_memory_cache.value_or(false); }};
constexpr Giving given_remote{"/loader/remote", [](S s) { return s.loader.remote.has_value(); }};
constexpr Giving given_groups{"/dataset/row_groups",
                              [](S s) { return s.dataset.row_groups.has_value(); }};
constexpr Giving given_cache{cache_key, [](S s) { return s.source.cache.has_value(); }};

constexpr std::array<LeftOut, 3> without(LeftOut one, LeftOut other = {}, LeftOut third = {}) {
  return {one, other, third};
}

/// PrepareChunksThread: a chunk is counted until its last sample was read, and the next is
/// downloaded while less than two are.
constexpr DownloadsAhead ahead_of_litdata{
    1.0, 0.0, 0.0, 0.0,
    "LitData 0.2.71: max_pre_download 2, the one in use among them (reader, 2026)"};

/// dataset.py: predownload is 8 batches; shuffle_block_size max(4,000,000 / nodes, 2^18), and py1e
/// moves a sample by half of it at most.
constexpr DownloadsAhead ahead_of_streamingdataset{
    0.0, 8.0, 4e6, 262144.0,
    "MosaicML streaming 0.14: predownload 8 batches, of shuffled samples (py1e, 2025)"};

constexpr std::array loader_list = std::to_array<NamedDefaults>({
    {"pytorch-iterable", of_iterable, without({"a shuffle buffer", &given_buffer})},
    {"webdataset", of_webdataset,
     without({"the first fill of its shuffle buffer (initial: 100 samples)", &given_buffer},
             {"what cache_dir keeps", &given_cache}),
     0.0, 3e9},  // ShardWriter's maxsize, 1.0.2
    {"streamingdataset", of_streamingdataset,
     without({"its local directory where that is on a root volume", &given_cache}), 0.0,
     64.0 * mebibyte,        // MDSWriter's size_limit, 0.14
     false, 0.0, 0.0, true,  // get_shuffle: nodes keep their shards over the epochs, 0.14 (2025)
     &ahead_of_streamingdataset},
    {"litdata", of_litdata,
     without({"the deletion of chunks that its disk has no room for"},
             {"its cache where that is on a root volume", &given_cache}),
     0.0, 64.0 * mebibyte, false, 0.25,  // chunk_bytes and the cache's share, 0.2.71
     0.0, true,  // FullShuffle: of several nodes, each shuffles its own chunks, 0.2.71 (2026)
     &ahead_of_litdata},
    {"hf-streaming", of_hf_streaming,
     without({"row groups (a request of at least 32 MiB)", &given_groups},
             {"the fill of its shuffle buffer (1,000 samples)", &given_buffer}),
     0.0, 500e6, true},  // MAX_SHARD_SIZE and split_dataset_by_node, datasets 5.0
    {"ray-data", of_ray_data,
     without({"the object store between its tasks, its spilling, and tasks on other nodes"})},
    {"tf.data", of_tf_data,
     without({"cache()", &given_memory_cache}, {"the first fill of shuffle()", &given_buffer})},
    {"tf.data-service", of_tf_data_service,
     without({"its workers on other machines", &given_remote})},
    {"dali", of_dali, without({"the decoder's cache on the GPU"})},
    {"spdl", of_spdl, without({"stages with a concurrency of their own"})},
    {"torchcodec", of_torchcodec,
     without({"the scan of a file that seek_mode exact makes when it is opened"})},
    {"grain", of_grain,
     without({"the buffer of 500 elements that its threads read ahead"},
             {"the start of its workers side by side"})},
    {"energon", of_energon, without({"its cache pool"})},
    {"ffcv", of_ffcv,
     without({"the compilation of its pipeline in the first epoch"}, {"its pages of 8 MiB"}), 0.0,
     one_object},
    {"lance", of_lance,
     without({"the decoding between steps in its caller: a thread decodes beside them"})},
});

constexpr std::string_view connections_key = "/source/connections";

/// A client in Python holds the interpreter's lock between reads of its sockets.
constexpr NamedDefault python_client =
    guessed_default("/source/client_cpu", 1e-9, 3e-9, 10e-9,
                    "a client in Python: about 300 MB/s on one core (assumed)",
                    "1 GB/s, to 100 MB/s of small objects (engineering judgement)");

constexpr std::array of_boto3 = {
    read_default(parts_key, 10.0, "boto3 1.43: max_concurrency 10 from 8 MiB on (2026)"),
    read_default(connections_key, 10.0, "boto3 1.43: max_concurrency 10 (2026)"), python_client};

constexpr std::array of_s3fs = {
    read_default(parts_key, 1.0, "s3fs: a file is read block after block (2026)"), python_client};

constexpr std::array of_s3_connector = {
    guessed_default(parts_key, 8.0, 14.0, 20.0,
                    "S3 connector 1.5: as many parts as 10 Gbit/s need, of 90 MB/s each (2026)",
                    "connections of 150 MB/s, to those of 60 (engineering judgement)")};

constexpr std::array of_mountpoint = {
    guessed_default(
        parts_key, 7.0, 14.0, 64.0,
        "Mountpoint 1.24: as many parts as 10 Gbit/s need where the line is not known (2026)",
        "half as many, to those of a line of 50 Gbit/s (engineering judgement)"),
    read_default(pages_key, 0.0, "Mountpoint 1.24 without --cache keeps no data (2026)")};

constexpr std::array of_s5cmd = {read_default(parts_key, 5.0, "s5cmd: 5 parts of a file (2025)"),
                                 read_default(connections_key, 256.0, "s5cmd: 256 workers (2025)")};

constexpr std::array of_gcsfuse = {
    read_default(parts_key, 1.0, "gcsfuse: one stream a file, buffered reads are off (2026)"),
    read_default(pages_key, 0.0, "gcsfuse without a cache-dir keeps no data (2026)")};

constexpr std::array of_gcs_connector = {
    read_default(parts_key, 1.0, "GCS connector for PyTorch: one request a worker (2025)")};

constexpr std::array of_blobfuse2 = {guessed_default(
    parts_key, 11.0, 16.0, 64.0, "blobfuse2: 11 blocks ahead, or two for each CPU (2026)",
    "11, to those of 32 CPUs (engineering judgement)")};

constexpr std::array of_juicefs = {
    guessed_default(parts_key, 2.0, 8.0, 60.0,
                    "JuiceFS reads ahead within a buffer of 300 MB (2026)",
                    "a block ahead, to four fifths of the buffer (engineering judgement)"),
    read_default(connections_key, 200.0, "JuiceFS: max-downloads 200 (2026)"),
    guessed_default(
        cache_key, 0.0, 100.0 * 1024.0 * mebibyte, 2000.0 * 1024.0 * mebibyte,
        "JuiceFS keeps what it reads: cache-size 102400 MiB, a tenth of the disk left free (2026)",
        "a cache-dir on a root volume with no room, to one on all local disks (engineering "
        "judgement)")};

constexpr std::array access_list = std::to_array<NamedDefaults>({
    {"boto3", of_boto3, without({"the HEAD request that asks for the size of an object"}),
     8.0 * mebibyte},
    {"s3fs", of_s3fs, without({"the block of 50 MiB that a random read within an object fetches"}),
     50.0 * mebibyte},
    {"s3-connector", of_s3_connector, {}, 8.0 * mebibyte},
    {"mountpoint", of_mountpoint,
     without({"a window that begins at 1.125 MiB and doubles"}, {"its --cache", &given_cache}),
     8.0 * mebibyte, 0.0, false, 0.0, 1.125 * mebibyte},  // of its first request, 1.24 (2026)
    {"s5cmd", of_s5cmd,
     without({"that it copies 5 parts of an object of more than 50 MiB at a time"}),
     50.0 * mebibyte},
    {"gcsfuse", of_gcsfuse, without({"read-ahead of the kernel"}, {"its cache-dir", &given_cache}),
     200e6},
    {"gcs-connector", of_gcs_connector,
     without({"the small objects that it composes into large ones"}), one_object},
    {"blobfuse2", of_blobfuse2,
     without({"its cache of blocks in memory"}, {"that on a disk", &given_cache}), 16e6},
    {"juicefs", of_juicefs,
     without({"its metadata engine"}, {"its cache where that is on a root volume", &given_cache}),
     4.0 * mebibyte, 0.0, false, 0.1},  // free-space-ratio (2026)
});

/// Nobody publishes what a small read of these takes, nor what one connection reaches.
template <int fastest_us, int usual_us, int slowest_us, int low_mb, int usual_mb, int high_mb>
struct MountedBy {
  static constexpr std::array defaults = {
      guessed_default("/source/first_byte_latency", fastest_us * 1e-6, usual_us * 1e-6,
                      slowest_us * 1e-6, "a small read over the network (assumed)",
                      "a cache of the server, to a loaded server (engineering judgement)"),
      guessed_default("/source/bandwidth_per_connection", low_mb * 1e6, usual_mb * 1e6,
                      high_mb * 1e6, "one reader of the mount (assumed)",
                      "without read-ahead, to several connections (engineering judgement)")};
};

/// Flash behind a client of its own, or a parallel file system.
constexpr auto& of_parallel = MountedBy<150, 400, 1500, 300, 1000, 3000>::defaults;
/// A server of files behind NFS or SMB.
constexpr auto& of_server = MountedBy<300, 1000, 5000, 100, 400, 1200>::defaults;

constexpr std::array store_list = std::to_array<NamedDefaults>({
    {"fsx-openzfs", of_server, without({"the memory of its servers"})},
    {"fsx-ontap", of_server, without({"the memory of its servers and tiers of capacity"})},
    {"filestore", of_server},
    {"managed-lustre", of_parallel},
    {"hyperdisk-ml", of_parallel, without({"its limit for each instance that it is attached to"})},
    {"azure-managed-lustre", of_parallel},
    {"azure-netapp-files", of_server},
    {"azure-files", of_server},
    {"weka", of_parallel, without({"the cores that its client takes for itself"})},
    {"vast", of_server},
    {"alluxio", of_server,
     without({"the store behind it: to have its first epoch read from there, name that store, "
              "/source/cache and /source/shared_cache"})},
    {"lustre", of_parallel},
    {"gpfs", of_parallel},
    {"beegfs", of_parallel},
    {"cephfs", of_parallel},
});

}  // namespace

double requests_of_object(const NamedDefaults* access, double bytes) {
  if (access == nullptr || access->part_bytes <= 0.0) return 1.0;
  const double first = access->first_part_bytes;
  const double parts = std::ceil((bytes - first) / access->part_bytes - 1e-9);
  return first > 0.0 ? 1.0 + std::max(0.0, parts) : std::max(1.0, parts);
}

std::span<const NamedDefaults> store_defaults() {
  return store_list;
}

std::span<const NamedDefaults> loader_defaults() {
  return loader_list;
}

std::span<const NamedDefaults> access_defaults() {
  return access_list;
}

const NamedDefaults* find_defaults(std::span<const NamedDefaults> rows, std::string_view name) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const NamedDefaults& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace feedrate::resolve
