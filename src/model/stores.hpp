#pragma once
// Where data is stored, and how a job reaches it, by the names that people use. What the name of an
// access brings in numbers stands in resolve/stack_defaults.cpp: a row here has its row there.
#include <array>
#include <optional>
#include <string_view>

#include "model/named.hpp"

namespace feedrate {

/// What a store is to the simulation: whose limits, prices and input modes it has.
enum class Service { s3, gcs, azure_blob, fsx_lustre, efs, nfs, ebs, http, local };

/// A store by the name that people use; one that is more than its family has its defaults in
/// resolve/stack_defaults.cpp.
struct ServiceRow {
  std::string_view name;
  Service family = Service::local;
  std::string_view title;  ///< within a sentence
  OtherNames also{};
  std::string_view storage_class = "";  ///< the one that the name means; "" for the scenario's
};

inline constexpr std::array service_rows = std::to_array<ServiceRow>({
    {"s3", Service::s3, "S3", {"aws-s3", "amazon-s3", "s3-standard"}},
    {"gcs", Service::gcs, "GCS", {"google-cloud-storage", "gs"}},
    {"azure-blob", Service::azure_blob, "Azure Blob", {"azure", "blob", "adls"}},
    {"fsx-lustre", Service::fsx_lustre, "FSx for Lustre", {"fsx"}},
    {"efs", Service::efs, "EFS", {"amazon-efs"}},
    {"nfs", Service::nfs, "the NFS server", {"nas"}},
    {"ebs", Service::ebs, "the EBS volume", {}},
    {"http", Service::http, "the HTTP server", {"https"}},
    {"local", Service::local, "the local disk", {}},
    // Classes of S3 by name
    {"s3-express",
     Service::s3,
     "S3 Express One Zone",
     {"s3-express-one-zone", "express-one-zone"},
     "EXPRESS_ONEZONE"},
    {"s3-ia", Service::s3, "S3 Standard-IA", {"s3-standard-ia"}, "STANDARD_IA"},
    {"s3-intelligent-tiering",
     Service::s3,
     "S3 Intelligent-Tiering",
     {"intelligent-tiering"},
     "INTELLIGENT_TIERING frequent"},
    // File systems that all instances mount, whose size the user has bought
    {"fsx-openzfs", Service::nfs, "FSx for OpenZFS", {"openzfs"}},
    {"fsx-ontap", Service::nfs, "FSx for ONTAP", {"ontap"}},
    {"filestore", Service::nfs, "Filestore", {"google-filestore"}},
    {"managed-lustre", Service::nfs, "Managed Lustre", {"gcp-managed-lustre", "google-lustre"}},
    {"hyperdisk-ml", Service::nfs, "Hyperdisk ML", {"hyperdisk"}},
    {"azure-managed-lustre", Service::nfs, "Azure Managed Lustre", {"amlfs", "azure-lustre"}},
    {"azure-netapp-files", Service::nfs, "Azure NetApp Files", {"anf", "netapp"}},
    {"azure-files", Service::nfs, "Azure Files", {}},
    {"weka", Service::nfs, "WEKA", {"wekafs", "wekaio"}},
    {"vast", Service::nfs, "VAST", {"vast-data"}},
    {"alluxio", Service::nfs, "Alluxio", {}},
    {"lustre", Service::nfs, "Lustre", {}},
    {"gpfs", Service::nfs, "Storage Scale", {"storage-scale", "spectrum-scale"}},
    {"beegfs", Service::nfs, "BeeGFS", {}},
    {"cephfs", Service::nfs, "CephFS", {"ceph"}},
    // Stores of objects that speak S3's protocol
    {"minio", Service::http, "MinIO", {}},
    {"aistore", Service::http, "AIStore", {"ais"}},
    {"r2", Service::http, "Cloudflare R2", {"cloudflare-r2"}},
});

using ServiceName = Named<service_rows>;

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
