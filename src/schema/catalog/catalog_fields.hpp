#pragma once
// Every key of the pricing files, once: for the reader, the manual and the JSON Schema.
#include <optional>
#include <string_view>
#include <vector>

#include "schema/catalog/catalog_record.hpp"

namespace feedrate::schema {

inline Keys<Machine> cpu_fields() {
  return record<Machine>({
      field<&Machine::vcpus>("vcpus", "hardware threads"),
      field<&Machine::cores>("cores", "physical cores"),
      field<&Machine::cpu_model>("model", "the processor's name"),
      field<&Machine::coremark>("coremark", "CoreMark iterations/s of the whole machine"),
  });
}
inline Keys<Machine> memory_fields() {
  return record<Machine>({
      field<&Machine::memory>("size", "RAM"),
  });
}
inline Keys<Machine> gpu_group_fields() {
  return record<Machine>({
      field<&Machine::gpu_model>("model", "a name of gpus.json where that has it"),
      field<&Machine::gpus>("count", "GPUs of the machine"),
      field<&Machine::gpu_memory>("memory", "of one GPU"),
      field<&Machine::interconnect>("interconnect", "none, pcie, nvlink or nvswitch"),
      field<&Machine::nvlink>("nvlink", "of one GPU, one direction"),
      field<&Machine::nvlink_domain>(
          "nvlink_domain", "GPUs that NVLink connects where it reaches other machines: 72"),
      field<&Machine::pcie_generation>("pcie_generation"),
      field<&Machine::pcie_lanes>("pcie_lanes", "of one GPU's link"),
      field<&Machine::pcie>("pcie", "theoretical, one GPU's link, one direction"),
  });
}
inline Keys<Machine> network_fields() {
  return record<Machine>({
      field<&Machine::network>("baseline", "what can be sustained indefinitely"),
      field<&Machine::network_burst>("burst", "what burst credits allow for minutes"),
      field<&Machine::efa>("efa", "Elastic Fabric Adapter"),
      field<&Machine::gpu_network>("gpu_network", "the GPUs' own ports together, beside baseline"),
      field<&Machine::fabric>("fabric", "what gradients pass: efa, infiniband, gpudirect_tcp, tcp"),
  });
}
inline Keys<Machine> ebs_group_fields() {
  return record<Machine>({
      field<&Machine::ebs_bandwidth>("bandwidth", "to all EBS volumes, sustained indefinitely"),
      field<&Machine::ebs_bandwidth_burst>("bandwidth_burst", "for 30 minutes a day"),
      field<&Machine::ebs_iops>("iops", "at 16 KiB, sustained indefinitely"),
      field<&Machine::ebs_iops_burst>("iops_burst", "for 30 minutes a day"),
  });
}
inline Keys<Machine> nvme_fields() {
  return record<Machine>({
      field<&Machine::nvme_disks>("disks", "local disks"),
      field<&Machine::nvme_size>("size", "all disks together"),
      field<&Machine::nvme_read_iops>("read_iops", "random, 4 KiB"),
      field<&Machine::nvme_write_iops>(
          "write_iops", "random, 4 KiB; data is copied in large writes, which do not ask for it"),
      field<&Machine::nvme_read>("read", "sequential"),
      field<&Machine::nvme_read_floor>("read_floor", "what the IOPS give at 4 KiB"),
  });
}

template <>
struct Recorded<Machine> {
  static Keys<Machine> keys() {
    return record<Machine>({
        field<&Machine::name>("name", "the provider's name, without \"ml.\"", true),
        field<&Machine::cloud>("cloud", "aws, gcp, azure, lambda", true),
        grouped<cpu_fields>("cpu"),
        grouped<memory_fields>("memory"),
        grouped<gpu_group_fields>("gpu"),
        grouped<network_fields>("network"),
        grouped<ebs_group_fields>("ebs"),
        grouped<nvme_fields>("nvme"),
    });
  }
};

/// An offer's region, in whose place others may stand: offers_by_region.hpp has taken them apart
/// before a record is read.
inline Entry<Offer> region_key() {
  Entry<Offer> made = field<&Offer::region>(
      "region",
      "a region; all: the same everywhere; \"US\", \"not stated\": as in the source; or "
      "\"by_region\" in its place: an object of the price, or of what differs, by region",
      true);
  made.key.instead = "by_region";
  return made;
}
inline Entry<Offer> by_region_key() {
  Entry<Offer> made{};
  made.key = {.name = "by_region", .kind = KeyKind::settings};
  made.key.manual = "in the place of region: the price of each, or what differs there";
  made.read = [](Offer&, const JsonValue& v, const Key&, const Path& path, Reading& r) {
    r.problems.add(v, path.text(),
                   "expected regions, none of them said twice, in the place of \"region\"");
  };
  return made;
}

template <>
struct Recorded<Offer> {
  static Keys<Offer> keys() {
    return record<Offer>({
        field<&Offer::service>("service", "ec2, sagemaker, gcp, azure, lambda", true),
        field<&Offer::instance>("instance", "as in \"machines\"", true),
        region_key(),
        field<&Offer::purchase>("purchase", "on_demand, spot, savings_plan or capacity_block",
                                true),
        field<&Offer::price>("price", "spot: median over zones; null: not known"),
        field<&Offer::lowest>("lowest", "spot: cheapest zone"),
        field<&Offer::highest>("highest", "spot: most expensive zone"),
        field<&Offer::zones>("zones", "spot: zones seen"),
        field<&Offer::interruption>("interruption",
                                    "spot: share of instances reclaimed in a month"),
        field<&Offer::current>("current", "false: an older price, kept to reproduce older results"),
        by_region_key(),
    });
  }
};

template <>
struct Recorded<Gpu> {
  static Keys<Gpu> keys() {
    return record<Gpu>(
        {
            field<&Gpu::name>("name", "", true),
            field<&Gpu::chip>("chip", "what several products share"),
            field<&Gpu::memory>("memory"),
            field<&Gpu::memory_bandwidth>("memory_bandwidth"),
            field<&Gpu::fp32>("fp32", "dense peak in 1e12 operations/s"),
            field<&Gpu::tf32>("tf32", "tensor cores, dense"),
            field<&Gpu::fp16>("fp16", "tensor cores, dense"),
            field<&Gpu::bf16>("bf16", "tensor cores, dense"),
            field<&Gpu::pcie_generation>("pcie_generation"),
            field<&Gpu::pcie_lanes>("pcie_lanes", "of the card; a machine may give it fewer"),
            field<&Gpu::nvlink>("nvlink", "one direction; 0: none"),
            field<&Gpu::power>("power", "W"),
        },
        {"fp8"});
  }
};
template <>
struct Recorded<TrainingRates> {
  static Keys<TrainingRates> keys() {
    return record<TrainingRates>({
        field<&TrainingRates::gpu>("gpu", "a name of \"gpus\"", true),
        field<&TrainingRates::precision>("precision", "mixed or single", true),
        field<&TrainingRates::resnet50>("resnet50", "samples/s of one GPU"),
        field<&TrainingRates::ssd>("ssd"),
        field<&TrainingRates::bert_base>("bert_base"),
        field<&TrainingRates::bert_large>("bert_large"),
        field<&TrainingRates::transformer_xl_base>("transformer_xl_base", "tokens/s"),
        field<&TrainingRates::transformer_xl_large>("transformer_xl_large", "tokens/s"),
        field<&TrainingRates::gnmt>("gnmt", "tokens/s"),
    });
  }
};
template <>
struct Recorded<PcieLink> {
  static Keys<PcieLink> keys() {
    return record<PcieLink>({
        field<&PcieLink::generation>("generation", "", true),
        field<&PcieLink::theoretical>("theoretical", "16 lanes, one direction"),
        field<&PcieLink::pinned_copy>("pinned_copy",
                                      "what a copy from pinned memory typically reaches"),
    });
  }
};

/// The record's origin is that of its first number.
inline Entry<BillingRule> granularity_key() {
  auto made =
      field<&BillingRule::granularity>("granularity", "billed time is a multiple of it", true);
  made.read = [](BillingRule& out, const JsonValue& v, const Key& key, const Path& path,
                 Reading& r) {
    read_field<&BillingRule::granularity>(out, v, key, path, r);
    out.from = provenance_at(path, r);
  };
  return made;
}
template <>
struct Recorded<BillingRule> {
  static Keys<BillingRule> keys() {
    return record<BillingRule>({
        field<&BillingRule::service>("service", "as in offers", true),
        granularity_key(),
        field<&BillingRule::minimum>("minimum", "least billed time of one start", true),
        field<&BillingRule::startup_billed>("startup_billed",
                                            "whether the time before data arrives is billed", true),
    });
  }
};
template <>
struct Recorded<GridCarbon> {
  static Keys<GridCarbon> keys() {
    return record<GridCarbon>({
        field<&GridCarbon::region>("region", "a region, or its cloud's name for it", true),
        field<&GridCarbon::grams_per_kwh>("grams_per_kwh", "CO2 equivalents, mean of a year"),
    });
  }
};
template <>
struct Recorded<ServiceLimits> {
  static Keys<ServiceLimits> keys() {
    return {
        field<&ServiceLimits::network_burst>("network_burst", "how long a network burst lasts"),
        field<&ServiceLimits::sagemaker_startup>("sagemaker_startup", "launch and container"),
        field<&ServiceLimits::sagemaker_volume_price>("sagemaker_volume_price", "training volume"),
        field<&ServiceLimits::savings_plan_max>("savings_plan_max", "fraction off on-demand"),
        field<&ServiceLimits::managed_spot_max>("managed_spot_max",
                                                "fraction off, fewer billed seconds"),
    };
  }
};

template <>
struct Recorded<S3Limits> {
  static Keys<S3Limits> keys() {
    return {
        field<&S3Limits::gets_per_prefix>("gets_per_prefix"),
        field<&S3Limits::puts_per_prefix>("puts_per_prefix"),
        field<&S3Limits::first_byte>("first_byte", "latency of a request"),
        field<&S3Limits::small_request>("small_request", "median of requests under 512 KB"),
        field<&S3Limits::express_first_byte>("express_first_byte",
                                             "latency of a request to S3 Express One Zone"),
        field<&S3Limits::express_gets>("express_gets",
                                       "of one directory bucket of Express One Zone"),
        field<&S3Limits::per_connection>("per_connection"),
        field<&S3Limits::per_instance>("per_instance"),
    };
  }
};
template <>
struct Recorded<S3Price> {
  static Keys<S3Price> keys() {
    return record<S3Price>({
        field<&S3Price::region>("region", "", true),
        field<&S3Price::storage_class>("storage_class", "", true),
        field<&S3Price::storage>("storage", "first 50 TB"),
        field<&S3Price::above_50_tb>("above_50_tb", "of the next 450 TB; left out: as storage"),
        field<&S3Price::above_500_tb>("above_500_tb", "beyond them; left out: as above_50_tb"),
        field_of<1000, &S3Price::monitoring>(
            "per_1000_objects", "a month: Intelligent-Tiering watches objects of 128 KiB or more"),
        field_of<1000, &S3Price::get>("per_1000_gets"),
        field_of<1000, &S3Price::put>("per_1000_puts"),
        field<&S3Price::retrieval>("retrieval", "of a byte read"),
        field<&S3Price::upload>("upload", "of a byte written"),
        field<&S3Price::least_object>("least_object",
                                      "a smaller object is paid as one of this size"),
        field<&S3Price::least_held>("least_held",
                                    "an object that is deleted sooner is paid for so long"),
    });
  }
};

template <>
struct Recorded<FsxTier> {
  static Keys<FsxTier> keys() {
    return record<FsxTier>(
        {
            field<&FsxTier::deployment_type>("deployment_type", "", true),
            field<&FsxTier::throughput>("throughput", "the tier's name", true),
            field<&FsxTier::disk_read>("disk_read", "from disk, sustained indefinitely"),
            field<&FsxTier::disk_burst>("disk_burst", "from disk, while burst credits last"),
        },
        {"network", "network_burst", "disk_write", "ram_cache"});
  }
};
template <>
struct Recorded<FsxSteps> {
  static Keys<FsxSteps> keys() {
    return record<FsxSteps>({
        field<&FsxSteps::deployment_type>("deployment_type",
                                          "left out: all types without steps of their own"),
        field<&FsxSteps::throughput>("throughput", "left out: all tiers of the type"),
        field<&FsxSteps::first>("first", "smallest capacity"),
        field<&FsxSteps::second>("second"),
        field<&FsxSteps::step>("step", "larger ones are multiples of it"),
    });
  }
};
template <>
struct Recorded<FsxLimits> {
  static Keys<FsxLimits> keys() {
    return {
        field<&FsxLimits::latency>("latency", "at most"),
        field<&FsxLimits::open_small_file>("open_small_file"),
        field<&FsxLimits::one_disk>("one_disk", "one 1.2 TiB target"),
    };
  }
};
template <>
struct Recorded<FsxPrice> {
  static Keys<FsxPrice> keys() {
    return record<FsxPrice>({
        field<&FsxPrice::region>("region", "", true),
        field<&FsxPrice::deployment_type>("deployment_type", "", true),
        field<&FsxPrice::throughput>("throughput", "", true),
        field<&FsxPrice::storage>("storage", "a TiB is billed as 1,000 GB"),
    });
  }
};

template <>
struct Recorded<EfsMode> {
  static Keys<EfsMode> keys() {
    return record<EfsMode>(
        {
            field<&EfsMode::mode>("mode", "", true),
            field<&EfsMode::read_latency>("read_latency"),
            field<&EfsMode::read, &Range<Bandwidth>::low>("read_low",
                                                          "of the file system, by region"),
            field<&EfsMode::read, &Range<Bandwidth>::high>("read_high",
                                                           "of the file system, by region"),
            field<&EfsMode::per_client>("per_client"),
            field<&EfsMode::read_iops>("read_iops"),
        },
        {"write_latency"});
  }
};
template <>
struct Recorded<EfsLimits> {
  static Keys<EfsLimits> keys() {
    return {
        field<&EfsLimits::earned>("earned", "baseline that stored data earns"),
        field<&EfsLimits::earned_minimum>("earned_minimum"),
        field<&EfsLimits::burst>("burst"),
        field<&EfsLimits::burst_minimum>("burst_minimum"),
        field<&EfsLimits::read_metering>("read_metering", "metered bytes of a byte read"),
        field<&EfsLimits::round_trips_per_file>("round_trips_per_file", "for open and close"),
    };
  }
};
template <>
struct Recorded<EfsPrice> {
  static Keys<EfsPrice> keys() {
    return record<EfsPrice>({
        field<&EfsPrice::region>("region", "", true),
        field<&EfsPrice::storage_class>("storage_class", "", true),
        field<&EfsPrice::storage>("storage"),
        field<&EfsPrice::access>("access", "of a byte read"),
    });
  }
};
template <>
struct Recorded<EfsThroughputPrice> {
  static Keys<EfsThroughputPrice> keys() {
    return record<EfsThroughputPrice>({
        field<&EfsThroughputPrice::region>("region", "", true),
        field<&EfsThroughputPrice::elastic_read>("elastic_read"),
        field<&EfsThroughputPrice::elastic_write>("elastic_write"),
        field<&EfsThroughputPrice::provisioned>("provisioned", "above what the stored data earns"),
    });
  }
};

template <>
struct Recorded<EbsVolume> {
  static Keys<EbsVolume> keys() {
    return record<EbsVolume>({
        field<&EbsVolume::type>("type", "", true),
        field<&EbsVolume::baseline_iops>("baseline_iops", "included in the price"),
        field<&EbsVolume::max_iops>("max_iops"),
        field<&EbsVolume::baseline_bandwidth>("baseline_bandwidth", "included in the price"),
        field<&EbsVolume::max_bandwidth>("max_bandwidth"),
        field<&EbsVolume::latency>("latency", "at most"),
        field<&EbsVolume::earned>("earned",
                                  "bandwidth that its size brings for good: \"40 MiB/s/TiB\""),
        field<&EbsVolume::burst>("burst", "likewise, while credit lasts"),
        field<&EbsVolume::credit>("credit", "bytes saved up at most, of each byte of its size"),
        field<&EbsVolume::operation>("operation",
                                     "up to so many bytes are one; 256 KiB where this is left out"),
        field<&EbsVolume::small>("small", "up to this size a volume has small_bandwidth at most"),
        field<&EbsVolume::small_bandwidth>("small_bandwidth"),
        field<&EbsVolume::smallest>("smallest", "size that is sold"),
        field<&EbsVolume::iops_per_gib>("iops_per_gib", "IOPS of a GiB that can be bought at most"),
        field<&EbsVolume::earned_iops_per_gib>(
            "earned_iops_per_gib", "IOPS that a GiB brings, from baseline_iops to max_iops"),
        field<&EbsVolume::burst_iops>("burst_iops",
                                      "where its size brings fewer, while credit lasts"),
        field<&EbsVolume::io_credit>("io_credit", "operations saved up at most"),
        field<&EbsVolume::bandwidth_per_iops>(
            "bandwidth_per_iops",
            "bandwidth that can be bought at most, of each of its IOPS: \"256 KiB\""),
    });
  }
};
template <>
struct Recorded<EbsPrice> {
  static Keys<EbsPrice> keys() {
    return record<EbsPrice>({
        field<&EbsPrice::region>("region", "", true),
        field<&EbsPrice::type>("type", "", true),
        field<&EbsPrice::storage>("storage"),
        field<&EbsPrice::iops>("iops", "of one above the included ones"),
        field<&EbsPrice::iops_above_32000>(
            "iops_above_32000", "of one of a volume's beyond so many; left out: as iops"),
        field<&EbsPrice::iops_above_64000>("iops_above_64000", "left out: as iops_above_32000"),
        field<&EbsPrice::bandwidth>("bandwidth", "above the included one"),
    });
  }
};

template <>
struct Recorded<ObjectPrice> {
  static Keys<ObjectPrice> keys() {
    return record<ObjectPrice>({
        field<&ObjectPrice::service>("service", "gcs, azure_blob", true),
        field<&ObjectPrice::region>("region", "", true),
        field<&ObjectPrice::storage_class>("storage_class", "", true),
        field<&ObjectPrice::storage>("storage"),
        field_of<10000, &ObjectPrice::read>("per_10000_reads"),
        field_of<10000, &ObjectPrice::write>("per_10000_writes"),
    });
  }
};

/// A tier as files have it; its price has the tariff's origin.
struct PricedTier {
  std::optional<Bytes> up_to;
  std::optional<TransferPrice> price;
};
template <>
struct Recorded<PricedTier> {
  static Keys<PricedTier> keys() {
    return {field<&PricedTier::up_to>("up_to"), field<&PricedTier::price>("price")};
  }
};
/// In catalog_files.cpp.
void read_tiers(TransferTariff& out, const JsonValue& v, const Key& key, const Path& path,
                Reading& r);
inline Entry<TransferTariff> tiers_key() {
  Entry<TransferTariff> made{};
  made.key = make_key<std::vector<PricedTier>>(
      "tiers", {.manual = "list of {\"up_to\": \"10 TB\", \"price\": \"0.09 USD/GB\"}, the last "
                          "without up_to",
                .required = true});
  made.read = read_tiers;
  return made;
}
template <>
struct Recorded<TransferTariff> {
  static Keys<TransferTariff> keys() {
    return record<TransferTariff>({
        field<&TransferTariff::path>(
            "path",
            "same region, between zones, to another region, to internet, REGION to REGION; of "
            "other "
            "clouds than AWS: CLOUD to internet, CLOUD to internet in CONTINENT",
            true),
        field<&TransferTariff::region>(
            "region", "region that the data leaves; all: the same everywhere", true),
        tiers_key(),
    });
  }
};
template <>
struct Recorded<NatGatewayPrice> {
  static Keys<NatGatewayPrice> keys() {
    return record<NatGatewayPrice>({
        field<&NatGatewayPrice::region>("region", "", true),
        field<&NatGatewayPrice::hour>("hour", "of one gateway"),
        field<&NatGatewayPrice::through>("through", "of what passes through it"),
    });
  }
};

/// A pricing file, or several that are alike: the lists in it are those of the catalogue.
struct PricingFile {
  std::string_view names;
  Keys<Catalog> lists;
};

/// In catalog_files.cpp, in the order of the manual; machines come first.
const std::vector<PricingFile>& pricing_files();

}  // namespace feedrate::schema
