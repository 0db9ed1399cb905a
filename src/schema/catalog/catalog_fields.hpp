#pragma once
// Every key of the pricing files, once: for the reader, and for the manual.
#include <span>
#include <string_view>

#include "schema/catalog/catalog_record.hpp"

namespace feedrate::schema {

// machines: name and cloud, then a group a line
inline constexpr Field<Machine> machine_fields[] = {
    field<&Machine::name>("name", "the provider's name, without \"ml.\"", true),
    field<&Machine::cloud>("cloud", "aws, gcp, azure, lambda", true),
};
inline constexpr Field<Machine> cpu_fields[] = {
    field<&Machine::vcpus>("vcpus", "hardware threads"),
    field<&Machine::cores>("cores", "physical cores"),
    field<&Machine::cpu_model>("model", "the processor's name"),
    field<&Machine::coremark>("coremark", "CoreMark iterations/s of the whole machine"),
};
inline constexpr Field<Machine> memory_fields[] = {
    field<&Machine::memory>("size", "RAM"),
};
inline constexpr Field<Machine> gpu_group_fields[] = {
    field<&Machine::gpu_model>("model", "a name of gpus.json where that has it"),
    field<&Machine::gpus>("count", "GPUs of the machine"),
    field<&Machine::gpu_memory>("memory", "of one GPU"),
    field<&Machine::interconnect>("interconnect", "none, pcie, nvlink or nvswitch"),
    field<&Machine::nvlink>("nvlink", "of one GPU, one direction"),
    field<&Machine::nvlink_domain>("nvlink_domain",
                                   "GPUs that NVLink connects where it reaches other machines: 72"),
    field<&Machine::pcie_generation>("pcie_generation", ""),
    field<&Machine::pcie_lanes>("pcie_lanes", "of one GPU's link"),
    field<&Machine::pcie>("pcie", "theoretical, one GPU's link, one direction"),
};
inline constexpr Field<Machine> network_fields[] = {
    field<&Machine::network>("baseline", "what can be sustained indefinitely"),
    field<&Machine::network_burst>("burst", "what burst credits allow for minutes"),
    field<&Machine::efa>("efa", "Elastic Fabric Adapter"),
    field<&Machine::gpu_network>("gpu_network", "the GPUs' own ports together, beside baseline"),
    field<&Machine::fabric>("fabric", "what gradients pass: efa, infiniband, gpudirect_tcp, tcp"),
};
inline constexpr Field<Machine> ebs_group_fields[] = {
    field<&Machine::ebs_bandwidth>("bandwidth", "to all EBS volumes, sustained indefinitely"),
    field<&Machine::ebs_bandwidth_burst>("bandwidth_burst", "for 30 minutes a day"),
    field<&Machine::ebs_iops>("iops", "at 16 KiB, sustained indefinitely"),
    field<&Machine::ebs_iops_burst>("iops_burst", "for 30 minutes a day"),
};
inline constexpr Field<Machine> nvme_fields[] = {
    field<&Machine::nvme_disks>("disks", "local disks"),
    field<&Machine::nvme_size>("size", "all disks together"),
    field<&Machine::nvme_read_iops>("read_iops", "random, 4 KiB"),
    field<&Machine::nvme_write_iops>(
        "write_iops", "random, 4 KiB; data is copied in large writes, which do not ask for it"),
    field<&Machine::nvme_read>("read", "sequential"),
    field<&Machine::nvme_read_floor>("read_floor", "what the IOPS give at 4 KiB"),
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
    field<&Offer::service>("service", "ec2, sagemaker, gcp, azure, lambda", true),
    field<&Offer::instance>("instance", "as in \"machines\"", true),
    field<&Offer::region>(
        "region",
        "a region; all: the same everywhere; \"US\", \"not stated\": as in the source; or "
        "\"by_region\" in its place: an object of the price, or of what differs, by region",
        true),
    field<&Offer::purchase>("purchase", "on_demand, spot, savings_plan or capacity_block", true),
    field<&Offer::price>("price", "spot: median over zones; null: not known"),
    field<&Offer::lowest>("lowest", "spot: cheapest zone"),
    field<&Offer::highest>("highest", "spot: most expensive zone"),
    field<&Offer::zones>("zones", "spot: zones seen"),
    field<&Offer::interruption>("interruption", "spot: share of instances reclaimed in a month"),
    field<&Offer::current>("current", "false: an older price, kept to reproduce older results"),
};

inline constexpr Field<Gpu> gpu_fields[] = {
    field<&Gpu::name>("name", "", true),
    field<&Gpu::chip>("chip", "what several products share"),
    field<&Gpu::memory>("memory", ""),
    field<&Gpu::memory_bandwidth>("memory_bandwidth", ""),
    field<&Gpu::fp32>("fp32", "dense peak in 1e12 operations/s"),
    field<&Gpu::tf32>("tf32", "tensor cores, dense"),
    field<&Gpu::fp16>("fp16", "tensor cores, dense"),
    field<&Gpu::bf16>("bf16", "tensor cores, dense"),
    field<&Gpu::pcie_generation>("pcie_generation", ""),
    field<&Gpu::pcie_lanes>("pcie_lanes", "of the card; a machine may give it fewer"),
    field<&Gpu::nvlink>("nvlink", "one direction; 0: none"),
    field<&Gpu::power>("power", "W"),
};
inline constexpr Field<TrainingRates> training_fields[] = {
    field<&TrainingRates::gpu>("gpu", "a name of \"gpus\"", true),
    field<&TrainingRates::precision>("precision", "mixed or single", true),
    field<&TrainingRates::resnet50>("resnet50", "samples/s of one GPU"),
    field<&TrainingRates::ssd>("ssd", ""),
    field<&TrainingRates::bert_base>("bert_base", ""),
    field<&TrainingRates::bert_large>("bert_large", ""),
    field<&TrainingRates::transformer_xl_base>("transformer_xl_base", "tokens/s"),
    field<&TrainingRates::transformer_xl_large>("transformer_xl_large", "tokens/s"),
    field<&TrainingRates::gnmt>("gnmt", "tokens/s"),
};
inline constexpr Field<PcieLink> pcie_fields[] = {
    field<&PcieLink::generation>("generation", "", true),
    field<&PcieLink::theoretical>("theoretical", "16 lanes, one direction"),
    field<&PcieLink::pinned_copy>("pinned_copy",
                                  "what a copy from pinned memory typically reaches"),
};

inline constexpr Field<BillingRule> billing_fields[] = {
    field<&BillingRule::service>("service", "as in offers", true),
    field<&BillingRule::granularity>("granularity", "billed time is a multiple of it", true),
    field<&BillingRule::minimum>("minimum", "least billed time of one start", true),
    field<&BillingRule::startup_billed>("startup_billed",
                                        "whether the time before data arrives is billed", true),
};
inline constexpr Field<GridCarbon> grid_fields[] = {
    field<&GridCarbon::region>("region", "a region, or its cloud's name for it", true),
    field<&GridCarbon::grams_per_kwh>("grams_per_kwh", "CO2 equivalents, mean of a year"),
};
inline constexpr Field<ServiceLimits> service_limits[] = {
    field<&ServiceLimits::network_burst>("network_burst", "how long a network burst lasts"),
    field<&ServiceLimits::sagemaker_startup>("sagemaker_startup", "launch and container"),
    field<&ServiceLimits::sagemaker_volume_price>("sagemaker_volume_price", "training volume"),
    field<&ServiceLimits::savings_plan_max>("savings_plan_max", "fraction off on-demand"),
    field<&ServiceLimits::managed_spot_max>("managed_spot_max",
                                            "fraction off, fewer billed seconds"),
};

inline constexpr Field<S3Limits> s3_limits[] = {
    field<&S3Limits::gets_per_prefix>("gets_per_prefix", ""),
    field<&S3Limits::puts_per_prefix>("puts_per_prefix", ""),
    field<&S3Limits::first_byte>("first_byte", "latency of a request"),
    field<&S3Limits::small_request>("small_request", "median of requests under 512 KB"),
    field<&S3Limits::express_first_byte>("express_first_byte",
                                         "latency of a request to S3 Express One Zone"),
    field<&S3Limits::express_gets>("express_gets", "of one directory bucket of Express One Zone"),
    field<&S3Limits::per_connection>("per_connection", ""),
    field<&S3Limits::per_instance>("per_instance", ""),
};
inline constexpr Field<S3Price> s3_price_fields[] = {
    field<&S3Price::region>("region", "", true),
    field<&S3Price::storage_class>("storage_class", "", true),
    field<&S3Price::storage>("storage", "first 50 TB"),
    field<&S3Price::above_50_tb>("above_50_tb", "of the next 450 TB; left out: as storage"),
    field<&S3Price::above_500_tb>("above_500_tb", "beyond them; left out: as above_50_tb"),
    field<&S3Price::monitoring>("per_1000_objects",
                                "a month: Intelligent-Tiering watches objects of 128 KiB or more"),
    field<&S3Price::get>("per_1000_gets", ""),
    field<&S3Price::put>("per_1000_puts", ""),
    field<&S3Price::retrieval>("retrieval", "of a byte read"),
    field<&S3Price::upload>("upload", "of a byte written"),
    field<&S3Price::least_object>("least_object", "a smaller object is paid as one of this size"),
    field<&S3Price::least_held>("least_held",
                                "an object that is deleted sooner is paid for so long"),
};

inline constexpr Field<FsxTier> fsx_tier_fields[] = {
    field<&FsxTier::deployment_type>("deployment_type", "", true),
    field<&FsxTier::throughput>("throughput", "the tier's name", true),
    field<&FsxTier::disk_read>("disk_read", "from disk, sustained indefinitely"),
    field<&FsxTier::disk_burst>("disk_burst", "from disk, while burst credits last"),
};
inline constexpr Field<FsxSteps> fsx_step_fields[] = {
    field<&FsxSteps::deployment_type>("deployment_type",
                                      "left out: all types without steps of their own"),
    field<&FsxSteps::throughput>("throughput", "left out: all tiers of the type"),
    field<&FsxSteps::first>("first", "smallest capacity"),
    field<&FsxSteps::second>("second", ""),
    field<&FsxSteps::step>("step", "larger ones are multiples of it"),
};
inline constexpr Field<FsxLimits> fsx_limits[] = {
    field<&FsxLimits::latency>("latency", "at most"),
    field<&FsxLimits::open_small_file>("open_small_file", ""),
    field<&FsxLimits::one_disk>("one_disk", "one 1.2 TiB target"),
};
inline constexpr Field<FsxPrice> fsx_price_fields[] = {
    field<&FsxPrice::region>("region", "", true),
    field<&FsxPrice::deployment_type>("deployment_type", "", true),
    field<&FsxPrice::throughput>("throughput", "", true),
    field<&FsxPrice::storage>("storage", "a TiB is billed as 1,000 GB"),
};

inline constexpr Field<EfsMode> efs_mode_fields[] = {
    field<&EfsMode::mode>("mode", "", true),
    field<&EfsMode::read_latency>("read_latency", ""),
    field<&EfsMode::read>("read", "of the file system, by region"),
    field<&EfsMode::per_client>("per_client", ""),
    field<&EfsMode::read_iops>("read_iops", ""),
};
inline constexpr Field<EfsLimits> efs_limits[] = {
    field<&EfsLimits::earned>("earned", "baseline that stored data earns"),
    field<&EfsLimits::earned_minimum>("earned_minimum", ""),
    field<&EfsLimits::burst>("burst", ""),
    field<&EfsLimits::burst_minimum>("burst_minimum", ""),
    field<&EfsLimits::read_metering>("read_metering", "metered bytes of a byte read"),
    field<&EfsLimits::round_trips_per_file>("round_trips_per_file", "for open and close"),
};
inline constexpr Field<EfsPrice> efs_price_fields[] = {
    field<&EfsPrice::region>("region", "", true),
    field<&EfsPrice::storage_class>("storage_class", "", true),
    field<&EfsPrice::storage>("storage", ""),
    field<&EfsPrice::access>("access", "of a byte read"),
};
inline constexpr Field<EfsThroughputPrice> efs_throughput_fields[] = {
    field<&EfsThroughputPrice::region>("region", "", true),
    field<&EfsThroughputPrice::elastic_read>("elastic_read", ""),
    field<&EfsThroughputPrice::elastic_write>("elastic_write", ""),
    field<&EfsThroughputPrice::provisioned>("provisioned", "above what the stored data earns"),
};

inline constexpr Field<EbsVolume> ebs_volume_fields[] = {
    field<&EbsVolume::type>("type", "", true),
    field<&EbsVolume::baseline_iops>("baseline_iops", "included in the price"),
    field<&EbsVolume::max_iops>("max_iops", ""),
    field<&EbsVolume::baseline_bandwidth>("baseline_bandwidth", "included in the price"),
    field<&EbsVolume::max_bandwidth>("max_bandwidth", ""),
    field<&EbsVolume::latency>("latency", "at most"),
    field<&EbsVolume::earned>("earned",
                              "bandwidth that its size brings for good: \"40 MiB/s/TiB\""),
    field<&EbsVolume::burst>("burst", "likewise, while credit lasts"),
    field<&EbsVolume::credit>("credit", "bytes saved up at most, of each byte of its size"),
    field<&EbsVolume::operation>("operation",
                                 "up to so many bytes are one; 256 KiB where this is left out"),
    field<&EbsVolume::small>("small", "up to this size a volume has small_bandwidth at most"),
    field<&EbsVolume::small_bandwidth>("small_bandwidth", ""),
    field<&EbsVolume::smallest>("smallest", "size that is sold"),
    field<&EbsVolume::iops_per_gib>("iops_per_gib", "IOPS of a GiB that can be bought at most"),
    field<&EbsVolume::earned_iops_per_gib>(
        "earned_iops_per_gib", "IOPS that a GiB brings, from baseline_iops to max_iops"),
    field<&EbsVolume::burst_iops>("burst_iops", "where its size brings fewer, while credit lasts"),
    field<&EbsVolume::io_credit>("io_credit", "operations saved up at most"),
    field<&EbsVolume::bandwidth_per_iops>(
        "bandwidth_per_iops",
        "bandwidth that can be bought at most, of each of its IOPS: \"256 KiB\""),
};
inline constexpr Field<EbsPrice> ebs_price_fields[] = {
    field<&EbsPrice::region>("region", "", true),
    field<&EbsPrice::type>("type", "", true),
    field<&EbsPrice::storage>("storage", ""),
    field<&EbsPrice::iops>("iops", "of one above the included ones"),
    field<&EbsPrice::iops_above_32000>("iops_above_32000",
                                       "of one of a volume's beyond so many; left out: as iops"),
    field<&EbsPrice::iops_above_64000>("iops_above_64000", "left out: as iops_above_32000"),
    field<&EbsPrice::bandwidth>("bandwidth", "above the included one"),
};

inline constexpr Field<ObjectPrice> object_price_fields[] = {
    field<&ObjectPrice::service>("service", "gcs, azure_blob", true),
    field<&ObjectPrice::region>("region", "", true),
    field<&ObjectPrice::storage_class>("storage_class", "", true),
    field<&ObjectPrice::storage>("storage", ""),
    field<&ObjectPrice::read>("per_10000_reads", ""),
    field<&ObjectPrice::write>("per_10000_writes", ""),
};

inline constexpr Field<TransferTariff> transfer_fields[] = {
    field<&TransferTariff::path>(
        "path",
        "same region, between zones, to another region, to internet, REGION to REGION; of other "
        "clouds than AWS: CLOUD to internet, CLOUD to internet in CONTINENT",
        true),
    field<&TransferTariff::region>("region",
                                   "region that the data leaves; all: the same everywhere", true),
};
inline constexpr Field<NatGatewayPrice> nat_gateway_fields[] = {
    field<&NatGatewayPrice::region>("region", "", true),
    field<&NatGatewayPrice::hour>("hour", "of one gateway"),
    field<&NatGatewayPrice::through>("through", "of what passes through it"),
};

}  // namespace feedrate::schema
