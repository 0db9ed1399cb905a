#pragma once
// Where data is stored, and how a job reaches it, by the names that people use. What the name of an
// access brings in numbers stands in resolve/stack_defaults.cpp: a row here has its row there.
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "model/named.hpp"

namespace feedrate {

/// What a store is to the simulation: whose limits, prices and input modes it has.
enum class Service { s3, gcs, azure_blob, fsx_lustre, efs, nfs, ebs, http, local };

enum class StoreForm {
  objects,      ///< asked for by requests, through public addresses
  file_system,  ///< mounted by all instances
  disk          ///< of each instance itself
};

/// How a store takes large objects: in so many parts at most, with so many requests beside them.
struct PartsOfObject {
  double most, beside;
};

/// A store of objects that is no service of AWS, as people and as object_stores.json know it.
struct ObjectStore {
  std::string_view name, record, storage_class;
  std::optional<PartsOfObject> parts{};  ///< empty: whatever its size, an object is one write
};
/// A resumable upload is one operation of GCS, however many requests it takes.
inline constexpr ObjectStore gcs_store{"GCS", "gcs", "STANDARD"};
/// Blocks, then their list.
inline constexpr ObjectStore azure_store{"Azure Blob", "azure_blob", "Hot, LRS, StorageV2",
                                         PartsOfObject{50000.0, 1.0}};

/// What is asked of a kind of store, in place of which kind it is.
struct StoreTraits {
  StoreForm form = StoreForm::disk;
  /// Near whose machines it is, and in whose regions it has prices; "": in nobody's.
  std::string_view cloud = "";
  const ObjectStore* objects = nullptr;  ///< null: AWS's S3, or no cloud's store of objects
  bool mounts = true;                    ///< what it holds may be mounted
  bool stated = false;  ///< what it gives and costs is known to those alone who run or bought it
  bool in_one_zone = false;  ///< of its region; EFS has a class that is
  bool volume = false;       ///< attached to an instance and paid for beside it

  /// Whether somebody publishes the time to its first byte.
  [[nodiscard]] constexpr bool answers_in_known_time() const {
    return form != StoreForm::objects || (objects == nullptr && !stated);
  }
};

/// By Service.
inline constexpr std::array store_traits = {
    StoreTraits{.form = StoreForm::objects, .cloud = "aws"},
    StoreTraits{.form = StoreForm::objects, .cloud = "gcp", .objects = &gcs_store},
    StoreTraits{.form = StoreForm::objects, .cloud = "azure", .objects = &azure_store},
    StoreTraits{.form = StoreForm::file_system, .cloud = "aws", .in_one_zone = true},
    StoreTraits{.form = StoreForm::file_system, .cloud = "aws"},
    StoreTraits{.form = StoreForm::file_system, .stated = true, .in_one_zone = true},
    StoreTraits{.volume = true},
    StoreTraits{.form = StoreForm::objects, .mounts = false, .stated = true},
    StoreTraits{},
};
static_assert(store_traits.size() == static_cast<std::size_t>(Service::local) + 1);

constexpr const StoreTraits& traits(Service kind) {
  return store_traits[static_cast<std::size_t>(kind)];
}

/// A store by the name that people use; one that is more than its family has its defaults in
/// resolve/stack_defaults.cpp.
struct ServiceRow {
  std::string_view name;
  Service family = Service::local;
  std::string_view title;  ///< within a sentence
  OtherNames also{};
  std::string_view storage_class = "";  ///< the one that the name means; "" for the scenario's
  bool by_nfs = false;                  ///< Linux mounts it as NFS, whose reads FS-Cache can keep
};

inline constexpr std::array service_rows = std::to_array<ServiceRow>({
    {"s3", Service::s3, "S3", {"aws-s3", "amazon-s3", "s3-standard"}},
    {"gcs", Service::gcs, "GCS", {"google-cloud-storage", "gs"}},
    {"azure-blob", Service::azure_blob, "Azure Blob", {"azure", "blob", "adls"}},
    {"fsx-lustre", Service::fsx_lustre, "FSx for Lustre", {"fsx"}},
    {"efs", Service::efs, "EFS", {"amazon-efs"}, "", true},
    {"nfs", Service::nfs, "the NFS server", {"nas"}, "", true},
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
    {"fsx-openzfs", Service::nfs, "FSx for OpenZFS", {"openzfs"}, "", true},
    {"fsx-ontap", Service::nfs, "FSx for ONTAP", {"ontap"}, "", true},
    {"filestore", Service::nfs, "Filestore", {"google-filestore"}, "", true},
    {"managed-lustre", Service::nfs, "Managed Lustre", {"gcp-managed-lustre", "google-lustre"}},
    {"hyperdisk-ml", Service::nfs, "Hyperdisk ML", {"hyperdisk"}},
    {"azure-managed-lustre", Service::nfs, "Azure Managed Lustre", {"amlfs", "azure-lustre"}},
    {"azure-netapp-files", Service::nfs, "Azure NetApp Files", {"anf", "netapp"}, "", true},
    {"azure-files", Service::nfs, "Azure Files", {}},
    {"weka", Service::nfs, "WEKA", {"wekafs", "wekaio"}},
    {"vast", Service::nfs, "VAST", {"vast-data"}, "", true},
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

constexpr const StoreTraits& traits(const ServiceName& name) {
  return traits(name.family());
}

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
    return traits(from).form == StoreForm::objects && service.value_or(from) == from;
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
