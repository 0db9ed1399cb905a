#pragma once
// Where the data comes from, and the disk of an instance that it lies on, as a scenario describes
// them.
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.hpp"
#include "model/discipline.hpp"
#include "model/named.hpp"
#include "model/stores.hpp"

namespace feedrate {

enum class Distribution { fully_replicated, sharded_by_s3_key };
inline constexpr std::array<std::string_view, 2> distribution_words = {"FullyReplicated",
                                                                       "ShardedByS3Key"};
static_assert(names_all(distribution_words, Distribution::sharded_by_s3_key));

struct Source {
  ServiceName service = Service::local;
  std::optional<InputMode> input_mode;  ///< default: input_mode_of(), model/input_mode.hpp
  std::optional<Access> access = {};    ///< the program that reads a store of objects; default: any
  Distribution distribution = Distribution::fully_replicated;
  std::optional<std::string> region = {};  ///< where the data is; default: where the job is
  std::optional<Duration> first_byte_latency;
  std::optional<Bandwidth> bandwidth_per_connection;
  std::optional<Bandwidth> bandwidth;            ///< of the service, in all
  std::optional<Frequency> requests_per_second;  ///< of the service, in all
  std::optional<double> connections;             ///< parallel requests of one instance at most
  std::optional<Discipline> discipline;          ///< how requests share `bandwidth`
  std::optional<Duration> open_latency;          ///< opening and closing an object, beside the rest
  std::optional<double> line_share;            ///< of the network's line rate that downloads reach
  std::optional<DurationPerByte> client_cpu;   ///< CPU of the client per byte that it fetches
  std::optional<bool> shared;                  ///< limits are for all instances together
  std::optional<std::string> deployment_type;  ///< FSx: "SCRATCH_2", "PERSISTENT_2" …
  std::optional<SpecificBandwidth> throughput_per_capacity;  ///< FSx tier: "200 MB/s/TiB"
  std::optional<Bytes> capacity;                             ///< FSx: provisioned; EFS: stored
  std::optional<std::string> throughput_mode;       ///< EFS: "elastic", "bursting", "provisioned"
  std::optional<Bandwidth> provisioned_throughput;  ///< EFS in provisioned mode
  std::optional<std::string> storage_class;         ///< of a store: "STANDARD", "One Zone" …
  std::optional<StoragePrice> storage_price;        ///< where the catalogue has none of the store
  std::optional<bool> nat_gateway = {};  ///< the job's instances reach the store through one
  std::optional<bool> other_zone = {};   ///< a file system of one zone: in another one than the job
  std::optional<Bytes> cache;  ///< of the instance's disk, at most, for what was read before
  std::optional<bool> shared_cache = {};  ///< those of all instances are one
  std::optional<bool> lazy_load_from_s3;  ///< mount: the first epoch comes from S3
  std::optional<bool> bill_storage;       ///< whether holding the data is on this job's bill
  std::optional<Duration> storage_held;   ///< how long the source holds it; default: the job's time
  bool operator==(const Source&) const = default;

  /// The class of storage that is given, else that the service's name means, else `by_default`.
  [[nodiscard]] std::string storage_class_or(std::string_view by_default) const {
    const std::string_view named = service.row().storage_class;
    return storage_class.value_or(std::string(named.empty() ? by_default : named));
  }
};

enum class DiskKind { ebs, nvme, other };
inline constexpr std::array<std::string_view, 3> disk_kind_words = {"ebs", "nvme", "other"};
static_assert(names_all(disk_kind_words, DiskKind::other));
enum class CachePolicy { linux_two_lists, lru, no_eviction };
inline constexpr std::array<std::string_view, 3> cache_policy_words = {"linux", "lru",
                                                                       "no_eviction"};
static_assert(names_all(cache_policy_words, CachePolicy::no_eviction));

struct Disk {
  std::optional<DiskKind> kind;            ///< default: nvme where the machine has one, else ebs
  std::optional<std::string> volume_type;  ///< EBS: "gp3" …
  std::optional<Bytes> size;
  std::optional<Duration> snapshot_held = {};  ///< EBS: of the data, from which volumes are made
  std::optional<Bandwidth> bandwidth;
  std::optional<Frequency> iops;
  std::optional<Duration> latency;          ///< of one read
  std::optional<Duration> open_latency;     ///< opening and closing a file
  std::optional<Discipline> discipline;     ///< how reads share `bandwidth`
  std::optional<double> reads_per_sample;   ///< device reads a sample costs, cold (≥ 0)
  std::optional<Bytes> page_cache;          ///< bytes of the dataset that RAM can keep
  std::optional<CachePolicy> cache_policy;  ///< default: linux_two_lists
  bool operator==(const Disk&) const = default;
};

}  // namespace feedrate
