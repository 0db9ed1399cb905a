// Terms of the instances' volumes, and of the snapshot that they are made from.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catalog/lookup.hpp"
#include "resolve/services.hpp"
#include "resolve/terms_beside.hpp"
#include "resolve/without_effect.hpp"

namespace feedrate::resolve {
namespace {

/// Of `n` volumes, each of whose operations go through the tiers of the price.
Tiers<Frequency, HourlyPrice> iops_tiers(const EbsPrice& price, double n) {
  Tiers<Frequency, HourlyPrice> tiers;
  begin_tier(tiers, {}, price.iops);
  begin_tier(tiers, per_second(32000.0) * n, price.iops_above_32000);
  begin_tier(tiers, per_second(64000.0) * n, price.iops_above_64000);
  return tiers;
}

/// Volumes of EC2 by their type, as SageMaker has none.
void ebs(Context& context, const LocalDisk& disk, const Lease& lease, const std::string& region) {
  Terms& terms = context.out.terms;
  const double n = context.out.inputs.cluster_instances();
  const std::string& type = disk.volume_type;
  const auto price = find_ebs_price(context.catalog, region, type);
  if (!price || !price->storage) {
    // Without a price it looks cheapest: that is said beside the headline.
    return warn_unpriced(
        context, "The EBS volume is not on the bill: " +
                     (price ? std::string("its price is not known") : price.failure.message) + ".");
  }
  terms.storage.push_back({{"EBS " + type, *disk.size * n, {{{}, *price->storage}}}, lease});
  // A type without a baseline has none to give away: all of what is provisioned is paid for.
  const EbsVolume* limits = find_ebs_volume(context.catalog, type);
  const auto free = [&](auto baseline) {
    const auto known = limits ? limits->*baseline : std::nullopt;
    return known ? known->value : decltype(known->value){};
  };
  const auto without_price = [&](const char* what) {
    warn_unpriced(context, fmt::format("The {} of the {} volume beyond what is free is not on the "
                                       "bill: its price in {} is not known.",
                                       what, type, region));
  };
  const Frequency free_iops = free(&EbsVolume::baseline_iops);
  // What follows from the size of a volume is not sold apart.
  const bool provisioned = context.scenario.disk.iops.has_value();
  if (provisioned && disk.iops && *disk.iops > free_iops && !price->iops && limits &&
      limits->baseline_iops) {
    without_price("rate of operations");
  }
  if (price->iops && disk.iops && *disk.iops > free_iops) {
    terms.iops.push_back(
        {{"EBS IOPS", *disk.iops * n, iops_tiers(*price, n), {}, free_iops * n}, lease});
    if (!context.scenario.disk.iops) {
      context.remark(RemarkKind::check,
                     fmt::format("the {} volume is taken to have {:g} IOPS, and pays "
                                 "for them; set /disk/iops",
                                 type, *disk.iops * seconds(1)));
    }
  }
  const Bandwidth free_bandwidth = free(&EbsVolume::baseline_bandwidth);
  if (disk.bandwidth && *disk.bandwidth > free_bandwidth && !price->bandwidth && limits &&
      limits->baseline_bandwidth) {
    without_price("throughput");
  }
  if (price->bandwidth && disk.bandwidth && *disk.bandwidth > free_bandwidth) {
    terms.bandwidth.push_back(
        {{"EBS throughput", *disk.bandwidth * n, {{{}, *price->bandwidth}}, {}, free_bandwidth * n},
         lease});
  }
}

}  // namespace

void add_volume_terms(Context& context, const LocalDisk& disk, const TermRegions& regions) {
  const Source& source = context.scenario.source;
  const bool holds_data = traits(source.service).volume;
  if (disk.kind == DiskKind::nvme) {  // in the instance's price
    if (!holds_data) return;
    return context.remark(RemarkKind::check,
                          "the data is in an EBS volume (/source/service), and what is read is the "
                          "machine's own NVMe (/disk/kind), which an instance begins with empty: "
                          "neither the time to fill it nor the volume is counted");
  }
  if (holds_data && !bills_file_system(source)) return;
  // A disk of another cloud's machine is no volume of AWS, whatever it is simulated as.
  if (disk.kind == DiskKind::other || context.outside("aws")) {
    if (disk.size) {
      remark_unpriced(context, "the disk is not on the bill: only AWS's volumes have a price here");
    }
    return;
  }
  if (!disk.size) {
    return remark_unpriced(context, "the EBS volume is not on the bill: set /disk/size");
  }
  const Lease lease{Lease::Until::instances_end, holds_data ? source.storage_held : std::nullopt};
  Terms& terms = context.out.terms;
  if (terms.compute.rule.service != "sagemaker") {
    return ebs(context, disk, lease, regions.aws);
  }
  if (const auto& price = context.catalog.limits.sagemaker_volume_price) {
    const Bytes size = *disk.size * context.out.inputs.cluster_instances();
    terms.storage.push_back({{"SageMaker training volume", size, {{{}, *price}}}, lease});
  }
}

void add_snapshot_terms(Context& context, const TermRegions& regions) {
  const Scenario& s = context.scenario;
  if (!s.disk.snapshot_held) return;
  Terms& terms = context.out.terms;
  const auto& disk = context.out.disk;
  if (!disk || disk->kind != DiskKind::ebs || context.outside("aws") ||
      terms.compute.rule.service == "sagemaker") {
    return tell_without_effect(
        context, "/disk/snapshot_held",
        "only an EBS volume of EC2 that the job reads from is made from a snapshot");
  }
  if (!context.out.inputs.staging && context.texts) {
    context.remark(RemarkKind::know,
                   "a volume that is made from a snapshot fetches each block from S3 when it is "
                   "first read, unless fast snapshot restore is paid for: the first epoch may take "
                   "longer than is simulated");
  }
  const auto price = find_ebs_price(context.catalog, regions.aws, ebs_snapshot);
  if (!price || !price->storage) {
    return remark_unpriced(context,
                           fmt::format("the snapshot is not on the bill: {}",
                                       price ? "no price of it is known" : price.failure.message));
  }
  if (context.out.inputs.staging) {
    context.remark(RemarkKind::check,
                   "/disk/snapshot_held: the volumes are made from a snapshot of the data, and the "
                   "data is copied to them nevertheless: both are on the bill. With "
                   "/source/service ebs nothing is copied");
  }
  const Bytes held = disk->size ? std::min(*disk->size, terms.dataset) : terms.dataset;
  terms.storage.push_back(
      {{"EBS snapshot", held, {{{}, *price->storage}}},
       {Lease::Until::job_ends, s.disk.snapshot_held, s.job.jobs.value_or(1.0)}});
}

}  // namespace feedrate::resolve
