#pragma once
// Where data is stored, and how a job reaches it, by the names that people use. What the name of an
// access brings in numbers stands in resolve/stack_defaults.cpp: a row here has its row there.
#include <array>
#include <optional>
#include <string_view>

#include "model/named.hpp"

namespace feedrate {

enum class Service { s3, gcs, azure_blob, fsx_lustre, efs, nfs, ebs, http, local };
inline constexpr std::array<std::string_view, 9> service_words = {
    "s3", "gcs", "azure-blob", "fsx-lustre", "efs", "nfs", "ebs", "http", "local"};
static_assert(names_all(service_words, Service::local));
enum class InputMode { file, fast_file, stream, pipe, mount, local };
inline constexpr std::array<std::string_view, 6> input_mode_words = {"File", "FastFile", "stream",
                                                                     "Pipe", "mount",    "local"};
static_assert(names_all(input_mode_words, InputMode::local));

/// A program or library by which objects of a store are read.
struct AccessRow {
  std::string_view name;
  InputMode mode = InputMode::stream;  ///< file, stream or mount
  std::optional<Service> service{};    ///< whose client it is; empty: of every store of objects
  OtherNames also{};

  /// Another server may speak S3's protocol: it is stated as http.
  [[nodiscard]] constexpr bool reads(Service from) const {
    if (from == Service::http) return service == Service::s3 && mode != InputMode::mount;
    const bool store = from == Service::s3 || from == Service::gcs || from == Service::azure_blob;
    return store && service.value_or(from) == from;
  }
  /// A client that streams may copy objects to files as well.
  [[nodiscard]] constexpr bool works_as(InputMode given) const {
    return given == mode || (mode == InputMode::stream && given == InputMode::file);
  }
};

inline constexpr std::array access_rows = std::to_array<AccessRow>({
    {"boto3", InputMode::stream, Service::s3, {"s3transfer", "aws-sdk-python"}},
    {"s3fs", InputMode::stream, Service::s3, {"fsspec"}},
    {"s3-connector",
     InputMode::stream,
     Service::s3,
     {"s3torchconnector", "s3-connector-for-pytorch"}},
    {"mountpoint", InputMode::mount, Service::s3, {"mount-s3", "mountpoint-s3"}},
    {"s5cmd", InputMode::file, Service::s3, {}},
    {"gcsfuse", InputMode::mount, Service::gcs, {"gcs-fuse"}},
    {"gcs-connector", InputMode::stream, Service::gcs, {"dataflux", "gcs-connector-for-pytorch"}},
    {"blobfuse2", InputMode::mount, Service::azure_blob, {"blobfuse"}},
    {"juicefs", InputMode::mount, {}, {}},
});

using Access = Named<access_rows>;

}  // namespace feedrate
