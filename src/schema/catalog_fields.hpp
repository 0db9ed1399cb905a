#pragma once
// Every key of the pricing files, once: for the reader, and for the manual.
#include <span>
#include <string_view>

#include "schema/catalog_record.hpp"

namespace feedrate::schema {

// machines: name and cloud, then a group a line
inline constexpr Field<Machine> machine_fields[] = {
    {"name", &Machine::name, "the provider's name, without \"ml.\"", true},
    {"cloud", &Machine::cloud, "aws, gcp, azure, lambda", true},
};
inline constexpr Field<Machine> cpu_fields[] = {
    {"vcpus", &Machine::vcpus, "hardware threads"},
    {"cores", &Machine::cores, "physical cores"},
    {"model", &Machine::cpu_model, "the processor's name"},
    {"coremark", &Machine::coremark, "CoreMark iterations/s of the whole machine"},
};
inline constexpr Field<Machine> memory_fields[] = {
    {"size", &Machine::memory, "RAM"},
};
inline constexpr Field<Machine> gpu_group_fields[] = {
    {"model", &Machine::gpu_model, "a name of gpus.json where that has it"},
    {"count", &Machine::gpus, "GPUs of the machine"},
    {"memory", &Machine::gpu_memory, "of one GPU"},
    {"interconnect", &Machine::interconnect, "none, pcie, nvlink or nvswitch"},
    {"nvlink", &Machine::nvlink, "of one GPU, one direction"},
    {"pcie_generation", &Machine::pcie_generation, ""},
    {"pcie_lanes", &Machine::pcie_lanes, "of one GPU's link"},
    {"pcie", &Machine::pcie, "theoretical, one GPU's link, one direction"},
};
inline constexpr Field<Machine> network_fields[] = {
    {"baseline", &Machine::network, "what can be held for ever"},
    {"burst", &Machine::network_burst, "what credits allow for minutes"},
    {"efa", &Machine::efa, "Elastic Fabric Adapter"},
};
inline constexpr Field<Machine> ebs_group_fields[] = {
    {"bandwidth", &Machine::ebs_bandwidth, "to all EBS volumes, for ever"},
    {"bandwidth_burst", &Machine::ebs_bandwidth_burst, "for 30 minutes a day"},
    {"iops", &Machine::ebs_iops, "at 16 KiB, for ever"},
    {"iops_burst", &Machine::ebs_iops_burst, "for 30 minutes a day"},
};
inline constexpr Field<Machine> nvme_fields[] = {
    {"disks", &Machine::nvme_disks, "local disks"},
    {"size", &Machine::nvme_size, "all disks together"},
    {"read_iops", &Machine::nvme_read_iops, "random, 4 KiB"},
    {"write_iops", &Machine::nvme_write_iops, "random, 4 KiB"},
    {"read", &Machine::nvme_read, "sequential"},
    {"read_floor", &Machine::nvme_read_floor, "what the IOPS give at 4 KiB"},
};

struct MachineGroup {
  std::string_view key;
  std::span<const Field<Machine>> fields;
};
inline constexpr MachineGroup machine_groups[] = {
    {"cpu", cpu_fields},         {"memory", memory_fields}, {"gpu", gpu_group_fields},
    {"network", network_fields}, {"ebs", ebs_group_fields}, {"nvme", nvme_fields},
};

inline constexpr Field<Offer> offer_fields[] = {
    {"service", &Offer::service, "ec2, sagemaker, gcp, azure, lambda", true},
    {"instance", &Offer::instance, "as in \"machines\"", true},
    {"region", &Offer::region, "a region; all: the same everywhere; US, not stated: as the source",
     true},
    {"purchase", &Offer::purchase, "on_demand, spot or savings_plan", true},
    {"price", &Offer::price, "spot: median over zones; null: not known"},
    {"lowest", &Offer::lowest, "spot: cheapest zone"},
    {"highest", &Offer::highest, "spot: dearest zone"},
    {"zones", &Offer::zones, "spot: zones seen"},
    {"interruption", &Offer::interruption, "spot: share of instances reclaimed in a month"},
    {"current", &Offer::current, "false: an older price, kept to reproduce older results"},
};

inline constexpr Field<Gpu> gpu_fields[] = {
    {"name", &Gpu::name, "", true},
    {"chip", &Gpu::chip, "what several products share"},
    {"memory", &Gpu::memory, ""},
    {"memory_bandwidth", &Gpu::memory_bandwidth, ""},
    {"fp32", &Gpu::fp32, "dense peak in 1e12 operations/s"},
    {"tf32", &Gpu::tf32, "tensor cores, dense"},
    {"fp16", &Gpu::fp16, "tensor cores, dense"},
    {"bf16", &Gpu::bf16, "tensor cores, dense"},
    {"fp8", &Gpu::fp8, "tensor cores, dense"},
    {"pcie_generation", &Gpu::pcie_generation, ""},
    {"pcie_lanes", &Gpu::pcie_lanes, "of the card; a machine may give it fewer"},
    {"nvlink", &Gpu::nvlink, "one direction; 0: none"},
    {"power", &Gpu::power, "W"},
};
inline constexpr Field<TrainingRates> training_fields[] = {
    {"gpu", &TrainingRates::gpu, "a name of \"gpus\"", true},
    {"precision", &TrainingRates::precision, "mixed or single", true},
    {"resnet50", &TrainingRates::resnet50, "samples/s of one GPU"},
    {"ssd", &TrainingRates::ssd, ""},
    {"bert_base", &TrainingRates::bert_base, ""},
    {"bert_large", &TrainingRates::bert_large, ""},
    {"transformer_xl_base", &TrainingRates::transformer_xl_base, "tokens/s"},
    {"transformer_xl_large", &TrainingRates::transformer_xl_large, "tokens/s"},
    {"gnmt", &TrainingRates::gnmt, "tokens/s"},
};
inline constexpr Field<PcieLink> pcie_fields[] = {
    {"generation", &PcieLink::generation, "", true},
    {"theoretical", &PcieLink::theoretical, "16 lanes, one direction"},
    {"pinned_copy", &PcieLink::pinned_copy, "what a copy from pinned memory typically reaches"},
};

inline constexpr Field<BillingRule> billing_fields[] = {
    {"service", &BillingRule::service, "as in offers", true},
    {"granularity", &BillingRule::granularity, "billed time is a multiple of it", true},
    {"minimum", &BillingRule::minimum, "least billed time of one start", true},
    {"startup_billed", &BillingRule::startup_billed, "whether the time before data is", true},
};
inline constexpr Field<ServiceLimits> service_limits[] = {
    {"single_flow", &ServiceLimits::single_flow, "one TCP flow"},
    {"single_flow_in_placement_group", &ServiceLimits::single_flow_in_placement_group, ""},
    {"single_flow_ena_express", &ServiceLimits::single_flow_ena_express, ""},
    {"network_burst", &ServiceLimits::network_burst, "how long a network burst lasts"},
    {"sagemaker_startup", &ServiceLimits::sagemaker_startup, "launch and container"},
    {"sagemaker_volume_price", &ServiceLimits::sagemaker_volume_price, "training volume"},
    {"savings_plan_max", &ServiceLimits::savings_plan_max, "fraction off on-demand"},
    {"managed_spot_max", &ServiceLimits::managed_spot_max, "fraction off, fewer billed seconds"},
};

inline constexpr Field<S3Limits> s3_limits[] = {
    {"gets_per_prefix", &S3Limits::gets_per_prefix, ""},
    {"puts_per_prefix", &S3Limits::puts_per_prefix, ""},
    {"first_byte", &S3Limits::first_byte, "latency of a request"},
    {"small_request", &S3Limits::small_request, "median of requests under 512 KB"},
    {"per_connection", &S3Limits::per_connection, ""},
    {"per_instance", &S3Limits::per_instance, ""},
    {"range_request", &S3Limits::range_request, "advised size of a ranged GET"},
};
inline constexpr Field<S3Price> s3_price_fields[] = {
    {"region", &S3Price::region, "", true},
    {"storage_class", &S3Price::storage_class, "", true},
    {"storage", &S3Price::storage, "first 50 TB"},
    {"per_1000_gets", &S3Price::get, ""},
    {"per_1000_puts", &S3Price::put, ""},
    {"retrieval", &S3Price::retrieval, ""},
};

inline constexpr Field<FsxTier> fsx_tier_fields[] = {
    {"deployment_type", &FsxTier::deployment_type, "", true},
    {"throughput", &FsxTier::throughput, "the tier's name", true},
    {"network", &FsxTier::network, "from memory, for ever"},
    {"network_burst", &FsxTier::network_burst, ""},
    {"disk_read", &FsxTier::disk_read, "from disk, for ever"},
    {"disk_write", &FsxTier::disk_write, ""},
    {"disk_burst", &FsxTier::disk_burst, "reads"},
    {"ram_cache", &FsxTier::ram_cache, "GiB per TiB"},
};
inline constexpr Field<FsxSteps> fsx_step_fields[] = {
    {"deployment_type", &FsxSteps::deployment_type, "left out: all that are not named"},
    {"first", &FsxSteps::first, "smallest capacity"},
    {"second", &FsxSteps::second, ""},
    {"step", &FsxSteps::step, "larger ones are multiples of it"},
};
inline constexpr Field<FsxLimits> fsx_limits[] = {
    {"latency", &FsxLimits::latency, "at most"},
    {"open_small_file", &FsxLimits::open_small_file, ""},
    {"one_disk", &FsxLimits::one_disk, "one 1.2 TiB target"},
    {"creation", &FsxLimits::creation, "until a new file system can be used"},
};
inline constexpr Field<FsxPrice> fsx_price_fields[] = {
    {"region", &FsxPrice::region, "", true},
    {"deployment_type", &FsxPrice::deployment_type, "", true},
    {"throughput", &FsxPrice::throughput, "", true},
    {"storage", &FsxPrice::storage, "a TiB is billed as 1,000 GB"},
};

inline constexpr Field<EfsMode> efs_mode_fields[] = {
    {"mode", &EfsMode::mode, "", true},
    {"read_latency", &EfsMode::read_latency, ""},
    {"write_latency", &EfsMode::write_latency, ""},
    {"read", &EfsMode::read, "of the file system, by region"},
    {"per_client", &EfsMode::per_client, ""},
    {"read_iops", &EfsMode::read_iops, ""},
};
inline constexpr Field<EfsLimits> efs_limits[] = {
    {"earned", &EfsLimits::earned, "baseline that stored data earns"},
    {"earned_minimum", &EfsLimits::earned_minimum, ""},
    {"burst", &EfsLimits::burst, ""},
    {"burst_minimum", &EfsLimits::burst_minimum, ""},
    {"read_metering", &EfsLimits::read_metering, "metered bytes of a byte read"},
    {"round_trips_per_file", &EfsLimits::round_trips_per_file, "for open and close"},
};
inline constexpr Field<EfsPrice> efs_price_fields[] = {
    {"region", &EfsPrice::region, "", true},
    {"storage_class", &EfsPrice::storage_class, "", true},
    {"storage", &EfsPrice::storage, ""},
};
inline constexpr Field<EfsThroughputPrice> efs_throughput_fields[] = {
    {"region", &EfsThroughputPrice::region, "", true},
    {"elastic_read", &EfsThroughputPrice::elastic_read, ""},
    {"elastic_write", &EfsThroughputPrice::elastic_write, ""},
    {"provisioned", &EfsThroughputPrice::provisioned, "above what the stored data earns"},
};

inline constexpr Field<EbsVolume> ebs_volume_fields[] = {
    {"type", &EbsVolume::type, "", true},
    {"baseline_iops", &EbsVolume::baseline_iops, "included in the price"},
    {"max_iops", &EbsVolume::max_iops, ""},
    {"baseline_bandwidth", &EbsVolume::baseline_bandwidth, "included in the price"},
    {"max_bandwidth", &EbsVolume::max_bandwidth, ""},
    {"latency", &EbsVolume::latency, "at most"},
};
inline constexpr Field<EbsPrice> ebs_price_fields[] = {
    {"region", &EbsPrice::region, "", true},
    {"type", &EbsPrice::type, "", true},
    {"storage", &EbsPrice::storage, ""},
    {"iops", &EbsPrice::iops, "of one above the included ones"},
    {"bandwidth", &EbsPrice::bandwidth, "above the included one"},
};

inline constexpr Field<ObjectPrice> object_price_fields[] = {
    {"service", &ObjectPrice::service, "gcs, azure_blob", true},
    {"region", &ObjectPrice::region, "", true},
    {"storage_class", &ObjectPrice::storage_class, "", true},
    {"storage", &ObjectPrice::storage, ""},
    {"per_10000_reads", &ObjectPrice::read, ""},
    {"per_10000_writes", &ObjectPrice::write, ""},
};

inline constexpr Field<TransferTariff> transfer_fields[] = {
    {"path", &TransferTariff::path, "same region, between zones, to another region, to internet",
     true},
    {"region", &TransferTariff::region, "from where; all: the same everywhere", true},
};

}  // namespace feedrate::schema
