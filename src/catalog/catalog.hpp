#pragma once
// What can be rented, what it can do and what it costs: read from pricing/ by schema, asked by
// catalog/lookup.hpp. A field without a value is not known: it is never zero by default.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "model/bill.hpp"
#include "model/provenance.hpp"
#include "model/scenario.hpp"

namespace feedrate {

/// A number with its origin, or empty where no source gives it.
template <class T>
using Known = std::optional<Value<T>>;

/// The number alone, in base units.
template <class T>
std::optional<double> base_of(const Known<T>& known) {
  if (!known) return std::nullopt;
  if constexpr (std::is_same_v<T, double>) {
    return known->value;
  } else {
    return known->value.base();
  }
}

/// A published range. Either end may be missing.
template <class T>
struct Range {
  Known<T> low;
  Known<T> high;
  bool operator==(const Range&) const = default;
};

/// How the GPUs of a machine reach each other; none: it has one.
enum class Interconnect { unknown, none, pcie, nvlink, nvswitch };

/// A machine's shape. Names are the provider's, without SageMaker's "ml."; a share of a machine
/// that its provider gives no name is "PROVIDER-1x-GPU".
struct Machine {
  std::string name;
  std::string cloud;    ///< "aws", "gcp", "azure", "nebius" …
  Known<double> vcpus;  ///< hardware threads
  Known<double> cores;
  Known<Bytes> memory;
  std::string cpu_model;    ///< empty where not known
  Known<double> coremark;   ///< iterations/s relative CPU speed of the whole machine
  std::string gpu_model;    ///< empty without GPUs
  Known<double> gpus;       ///< 0 without GPUs
  Known<Bytes> gpu_memory;  ///< of one GPU
  Interconnect interconnect = Interconnect::unknown;
  Known<Bandwidth> nvlink;      ///< of one GPU, one direction
  Known<double> nvlink_domain;  ///< GPUs that NVLink connects, of several machines; else its own
  Known<double> pcie_generation;
  Known<double> pcie_lanes;        ///< of one GPU's link
  Known<Bandwidth> pcie;           ///< theoretical, of one GPU's link, one direction
  Known<Bandwidth> network;        ///< sustained indefinitely, all flows together
  Known<Bandwidth> network_burst;  ///< held for 5 to 60 minutes
  std::optional<bool> efa;
  Known<Bandwidth> gpu_network;          ///< the GPUs' own ports, beside `network`: of gradients
  std::optional<NetworkFabric> fabric;   ///< of what gradients pass; empty: efa or TCP
  Known<Bandwidth> ebs_bandwidth;        ///< sustained indefinitely
  Known<Bandwidth> ebs_bandwidth_burst;  ///< held for 30 minutes a day
  Known<Frequency> ebs_iops;             ///< at 16 KiB
  Known<Frequency> ebs_iops_burst;
  Known<double> nvme_disks;         ///< empty without local disks (or where not known)
  Known<Bytes> nvme_size;           ///< all disks together
  Known<Frequency> nvme_read_iops;  ///< random, 4 KiB
  Known<Frequency> nvme_write_iops;
  Known<Bandwidth> nvme_read;        ///< sequential
  Known<Bandwidth> nvme_read_floor;  ///< what the IOPS give at 4 KiB: large reads reach more
};

/// A price. `region` may also be "all" (the same everywhere), "US" (a US region that the source
/// does not name) or "not stated"; see find_offer for when these are taken.
struct Offer {
  std::string service;   ///< "ec2", "sagemaker", "gcp", "azure", "lambda"
  std::string instance;  ///< as in Machine::name
  std::string region;
  Purchase purchase = Purchase::on_demand;
  Known<HourlyPrice> price;            ///< spot: median over zones
  std::optional<HourlyPrice> lowest;   ///< spot: cheapest zone
  std::optional<HourlyPrice> highest;  ///< spot: most expensive zone
  std::optional<double> zones;         ///< spot: zones seen
  std::string interruption;            ///< spot: share of instances reclaimed in a month, "5-10%"
  std::string date;                    ///< when the source was made
  bool current = true;                 ///< false: an older price, kept to reproduce older results
  std::string note;
};

struct Gpu {
  std::string name;
  std::string chip;  ///< "GA100": what several products share
  Known<Bytes> memory;
  Known<Bandwidth> memory_bandwidth;
  Known<double> fp32, tf32, fp16, bf16;  ///< dense peak, in units of 1e12 operations/s
  Known<double> pcie_generation;
  Known<double> pcie_lanes;
  Known<Bandwidth> nvlink;  ///< one direction
  Known<double> power;      ///< W
  std::string note;
};

/// Samples (or tokens) that one GPU trains on in a second, by model; only ratios are used.
struct TrainingRates {
  std::string gpu;  ///< a Gpu::name
  Precision precision = Precision::mixed;
  Known<double> resnet50, ssd;
  Known<double> bert_base, bert_large, transformer_xl_base, transformer_xl_large;
  Known<double> gnmt;
};

/// A PCIe link of 16 lanes.
struct PcieLink {
  double generation = 0.0;
  Known<Bandwidth> theoretical;  ///< one direction
  Known<Bandwidth> pinned_copy;  ///< what a copy from pinned memory typically reaches
};

struct S3Price {
  std::string region;
  std::string storage_class;
  Known<StoragePrice> storage;
  /// Of what lies above so much; empty: as what lies below.
  Known<StoragePrice> above_50_tb, above_500_tb;
  Known<HourlyPrice> monitoring;  ///< of one object that is large enough to be moved
  Known<Money> get;               ///< of one request
  Known<Money> put;
  Known<TransferPrice> retrieval;
  Known<TransferPrice> upload;
  Known<Bytes> least_object;   ///< a smaller one is paid as one of this size
  Known<Duration> least_held;  ///< what is deleted sooner is paid for so long
};

struct S3Limits {
  Known<Frequency> gets_per_prefix;
  Known<Frequency> puts_per_prefix;
  Range<Duration> first_byte;
  Range<Duration> small_request;       ///< median of requests under 512 KB
  Range<Duration> express_first_byte;  ///< of S3 Express One Zone, within its zone
  Known<Frequency> express_gets;       ///< of one directory bucket
  Range<Bandwidth> per_connection;
  Known<Bandwidth> per_instance;
};

/// One kind of FSx for Lustre; the rates are per provisioned capacity.
struct FsxTier {
  std::string deployment_type;   ///< "SCRATCH_2", "PERSISTENT_2" …
  SpecificBandwidth throughput;  ///< the tier's name: "200 MB/s/TiB"
  Known<SpecificBandwidth> disk_read;
  Known<SpecificBandwidth> disk_burst;  ///< while credits last, whose number is not published
};

struct FsxPrice {
  std::string region;
  std::string deployment_type;
  SpecificBandwidth throughput;
  Known<StoragePrice> storage;
};

/// Capacities on sale: `first`, `second`, then multiples of `step`.
struct FsxSteps {
  std::string deployment_type;          ///< empty: all that are not named
  Known<SpecificBandwidth> throughput;  ///< empty: all tiers of the type
  Known<Bytes> first, second, step;
};

struct FsxLimits {
  std::vector<FsxTier> tiers;
  std::vector<FsxSteps> steps;
  Known<Duration> latency;          ///< at most, metadata and data on SSD
  Known<Duration> open_small_file;  ///< measured
  Known<Bandwidth> one_disk;        ///< of one 1.2 TiB object storage target
};

struct EfsPrice {
  std::string region;
  std::string storage_class;  ///< "Standard (regional)", "One Zone" …
  Known<StoragePrice> storage;
  Known<TransferPrice> access;  ///< of reading
};

struct EfsThroughputPrice {
  std::string region;
  Known<TransferPrice> elastic_read, elastic_write;
  Known<BandwidthPrice> provisioned;  ///< above what the stored data earns
};

struct EfsMode {
  std::string mode;  ///< "elastic", "provisioned", "bursting"
  Known<Duration> read_latency;
  Range<Bandwidth> read;  ///< of the file system, by region
  Known<Bandwidth> per_client;
  Known<Frequency> read_iops;
};

struct EfsLimits {
  std::vector<EfsMode> modes;
  Known<SpecificBandwidth> earned;  ///< baseline of stored data, bursting mode
  Known<SpecificBandwidth> burst;
  Known<Bandwidth> earned_minimum, burst_minimum;
  Known<double> read_metering;         ///< metered bytes of one byte read
  Known<double> round_trips_per_file;  ///< extra ones for open and close
};

struct EbsVolume {
  std::string type;  ///< "gp3"
  Known<Frequency> baseline_iops, max_iops;
  Known<Bandwidth> baseline_bandwidth, max_bandwidth;
  Known<Duration> latency;                     ///< at most
  Known<SpecificBandwidth> earned{}, burst{};  ///< by its size: forever, and while credit lasts
  Known<double> credit{};    ///< bytes that it saves up at most, of each byte of its size
  Known<Bytes> operation{};  ///< up to so many bytes are one
  Known<Bytes> small{};      ///< up to this size a volume has `small_bandwidth` at most
  Known<Bandwidth> small_bandwidth{};
  Known<Bytes> smallest{};              ///< that is sold
  Known<double> iops_per_gib{};         ///< a second: that can be bought at most
  Known<double> earned_iops_per_gib{};  ///< a second: that its size brings, for nothing
  Known<Frequency> burst_iops{};        ///< where its size brings fewer, while credit lasts
  Known<double> io_credit{};            ///< operations that it saves up at most
  Known<Bytes> bandwidth_per_iops{};    ///< that can be bought at most, a second
};

struct EbsPrice {
  std::string region;
  std::string type;
  Known<StoragePrice> storage;
  Known<HourlyPrice> iops;  ///< of one, above the baseline
  /// Of one of a volume's beyond so many; empty: as those below.
  Known<HourlyPrice> iops_above_32000, iops_above_64000;
  Known<BandwidthPrice> bandwidth;  ///< above the baseline
};

/// Prices of object stores beside S3: Google's Cloud Storage, Azure's Blob Storage.
struct ObjectPrice {
  std::string service;  ///< "gcs", "azure_blob"
  std::string region;
  std::string storage_class;
  Known<StoragePrice> storage;
  Known<Money> read;  ///< of one operation
  Known<Money> write;
};

struct TransferTariff {
  std::string path;                 ///< "same region", "between zones", "to another region",
                                    ///< "to internet", "us-east-1 to us-east-2"
  std::string region;               ///< "all": the same everywhere
  std::vector<TransferTier> tiers;  ///< a last tier with `up_to` means: above it, not known
};

struct NatGatewayPrice {
  std::string region;
  Known<HourlyPrice> hour;       ///< of one gateway
  Known<TransferPrice> through;  ///< of what passes through it
};

/// What generating a kilowatt-hour of a region's electricity emits, in the mean over a year.
struct GridCarbon {
  std::string region;
  Known<double> grams_per_kwh;  ///< of CO2 equivalents
};

/// Limits and rates of AWS that belong to no one machine.
struct ServiceLimits {
  Range<Duration> network_burst;  ///< how long Machine::network_burst lasts
  Range<Duration> sagemaker_startup;
  Known<StoragePrice> sagemaker_volume_price;  ///< the attached training volume
  Known<double> savings_plan_max;              ///< fraction off the on-demand price
  Known<double> managed_spot_max;              ///< fraction off, as fewer billed seconds
};

/// A number that studies taught, in SI base units, and between what it is expected to lie.
struct LearnedNumber {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
};

struct Catalog {
  std::string folder;             ///< where it was read
  std::vector<Machine> machines;  ///< those asked for, or all
  std::vector<Offer> offers;
  std::vector<Gpu> gpus;
  std::vector<TrainingRates> training;
  std::vector<PcieLink> pcie;
  std::vector<BillingRule> billing;
  ServiceLimits limits;
  std::vector<GridCarbon> grids;
  S3Limits s3;
  std::vector<S3Price> s3_prices;
  FsxLimits fsx;
  std::vector<FsxPrice> fsx_prices;
  EfsLimits efs;
  std::vector<EfsPrice> efs_prices;
  std::vector<EfsThroughputPrice> efs_throughput_prices;
  std::vector<EbsVolume> ebs;
  std::vector<EbsPrice> ebs_prices;
  std::vector<ObjectPrice> object_prices;
  std::vector<TransferTariff> transfer;
  std::vector<NatGatewayPrice> nat_gateways;
  /// In place of rows of resolve/priors.hpp, by their names: who judges the program by a study
  /// leaves out what it taught.
  std::map<std::string, LearnedNumber, std::less<>> relearned{};
};

}  // namespace feedrate
