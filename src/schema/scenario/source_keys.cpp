// Keys of "source": where the data lies, and how it reaches the job.
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "model/loaders.hpp"
#include "schema/record/named_codec.hpp"
#include "schema/scenario/scenario_keys.hpp"

namespace feedrate::schema {

// In the order of the enumerators in model/stores.hpp and model/scenario.hpp.
template <>
inline constexpr std::span<const std::string_view> words_of<InputMode> = input_mode_words;
template <>
inline constexpr std::span<const std::string_view> words_of<Distribution> = distribution_words;
template <>
inline constexpr std::span<const std::string_view> words_of<Discipline> = discipline_names;

template <>
inline constexpr bool is_record<Source> = true;

namespace {

/// In words; the loaders that stream are those whose rows say so.
std::string_view default_input_mode() {
  static const std::string text = [] {
    std::vector<std::string_view> names;
    for (const LoaderRow& row : loader_rows) {
      if (row.streams) names.push_back(row.name);
    }
    return fmt::format(
        "that of access; object stores, http: stream for {}, else File; file "
        "systems: mount",
        fmt::join(names, ", "));
  }();
  return text;
}

}  // namespace

template <>
const std::vector<Entry<Source>>& entries<Source>() {
  static const std::vector<Entry<Source>> list = {
      entry<&Source::service>("service", {"where the data is stored", "local"}),
      entry<&Source::input_mode>("input_mode",
                                 {"how the data reaches the job", default_input_mode()}),
      entry<&Source::access>(
          "access",
          {"program by which a store of objects is read: its input mode, requests in flight and "
           "costs are the defaults",
           "none named: one request at a time"}),
      entry<&Source::distribution>(
          "distribution", {"which part of the data each instance gets", "FullyReplicated"}),
      entry<&Source::region>(
          "region", {"region that stores the data; what is read from another one is on the bill",
                     "the job's region"}),
      entry<&Source::first_byte_latency>("first_byte_latency",
                                         {.manual = "latency of a request",
                                          .fallback = "published for the service",
                                          .example = "30 ms"}),
      entry<&Source::bandwidth_per_connection>("bandwidth_per_connection",
                                               {.manual = "rate of one request",
                                                .fallback = "published for the service",
                                                .example = "90 MB/s"}),
      entry<&Source::bandwidth>("bandwidth",
                                {"bandwidth of the service, total", "published for the service"}),
      entry<&Source::requests_per_second>(
          "requests_per_second",
          {"request rate of the service, total", "published for the service"}),
      entry<&Source::connections>("connections",
                                  {"parallel requests of one instance at most",
                                   "File: 16; Pipe: 8 from S3, else 1", whole(1, 1e5)}),
      entry<&Source::discipline>("discipline", {"how requests share bandwidth", "rate-limit"}),
      entry<&Source::open_latency>(
          "open_latency",
          {.manual = "time to open and close an object, in addition to its requests",
           .fallback = "0 s; file systems: one more request",
           .example = "2 ms"}),
      entry<&Source::line_share>(
          "line_share",
          {"share of the network's line rate that downloads reach, and what helpers deliver", "0.9",
           between(0.01, 1)}),
      entry<&Source::client_cpu>("client_cpu", {.manual = "CPU time of the client per byte fetched",
                                                .fallback = "0 s/B",
                                                .example = "1 ms/MB"}),
      entry<&Source::shared>(
          "shared", {"whether bandwidth is shared by all instances; requests_per_second always is",
                     "true for file systems, and where bandwidth is given"}),
      entry<&Source::deployment_type>("deployment_type",
                                      {"FSx: \"SCRATCH_2\", \"PERSISTENT_2\" …"}),
      entry<&Source::throughput_per_capacity>(
          "throughput_per_capacity",
          {.manual = "FSx: throughput tier; other file systems: bandwidth by "
                     "capacity",
           .limits = above(0, 1),
           .unit = "MB/s/TiB",
           .hint = {"a throughput per capacity", "200 MB/s/TiB"}}),
      entry<&Source::capacity>(
          "capacity", {.manual = "FSx, other file systems: provisioned capacity; EFS: stored bytes",
                       .example = "1200 GiB"}),
      entry<&Source::throughput_mode>("throughput_mode",
                                      {"EFS: \"elastic\", \"bursting\", \"provisioned\""}),
      entry<&Source::provisioned_throughput>(
          "provisioned_throughput",
          {.manual = "EFS: throughput in provisioned mode", .example = "500 MB/s"}),
      entry<&Source::nat_gateway>(
          "nat_gateway", {"S3 and other stores with public addresses are reached through a NAT "
                          "gateway, which is paid by the hour and the byte",
                          "false"}),
      entry<&Source::other_zone>(
          "other_zone", {"a file system that lies in one zone (FSx, NFS, EFS One Zone) is in "
                         "another one than the instances: what they read is paid both ways",
                         "false"}),
      entry<&Source::storage_class>(
          "storage_class",
          {"storage class of an object store, of the bucket behind FSx for Lustre, or of EFS: "
           "\"STANDARD\", \"One Zone\" …",
           "the standard class"}),
      entry<&Source::storage_price>(
          "storage_price",
          {.manual = "price of a file system or store that has none in the catalogue",
           .fallback = "not on the bill",
           .limits = between(0, 1e-9),
           .example = "0.2 USD/GB-month"}),
      entry<&Source::cache>(
          "cache",
          {.manual = "stream, mount: room on the instance's disk for what was read before "
                     "(Mountpoint --cache, gcsfuse cache-dir, LitData, StreamingDataset); the disk "
                     "is that of /disk",
           .fallback = "none",
           .example = "500 GB"}),
      entry<&Source::shared_cache>(
          "shared_cache",
          {"the caches of all instances are one: what any of them has fetched, the others read "
           "from its disk (Alluxio, JuiceFS cache groups)",
           "false"}),
      entry<&Source::lazy_load_from_s3>("lazy_load_from_s3",
                                        {"mount: the first epoch is read from S3", "false"}),
      entry<&Source::bill_storage>("bill_storage",
                                   {"whether storing the data is on this job's bill"}),
      entry<&Source::storage_held>("storage_held", {.manual = "how long the source stores it",
                                                    .fallback = "the job's time, of each of `jobs`",
                                                    .example = "24 h"}),
  };
  return list;
}

}  // namespace feedrate::schema
