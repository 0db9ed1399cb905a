#include "study/billing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "catalog/lookup.hpp"
#include "pipeline/loading.hpp"
#include "study/cost.hpp"

namespace feedrate::study {
namespace {

/// A service of AWS that is read over a network.
bool held_in_aws(Service service) {
  return service == Service::s3 || service == Service::fsx_lustre || service == Service::efs;
}

struct Biller {
  const Scenario& scenario;
  const Catalog& catalog;
  const pipeline::Inputs& inputs;
  const pipeline::Outcome& outcome;
  const Machine* cluster_machine;  ///< null: not in the catalogue
  std::vector<std::string>& remarks;
  BillInput bill;
  std::string region;  ///< of the instances' price, then that of AWS's services
  Duration held;       ///< how long the source holds the data for the job

  MachineUse machine(const std::string& name, double count, const std::optional<HourlyPrice>& given,
                     const char* key) {
    MachineUse use;
    use.what = name;
    use.instances = count;
    use.startup = outcome.startup;
    use.busy = outcome.total.wall - outcome.startup;
    use.rule = billing_rule(catalog, service_of(catalog, name));
    if (given) {
      use.price = Value<HourlyPrice>::given(*given);
      return use;
    }
    const auto offer = find_offer(catalog, {"", name, scenario.cluster.region,
                                            scenario.cluster.purchase, scenario.cluster.savings});
    if (!offer) {
      const std::string at = offer.failure.key.empty() ? key : offer.failure.key;
      throw InputError(std::vector<Problem>{{"", 0, at, offer.failure.message}});
    }
    if (!offer->remark.empty()) remarks.push_back(name + ": " + offer->remark);
    if (region.empty()) region = offer->region;
    use.price = offer->price;
    return use;
  }

  void cluster() {
    const auto& given = scenario.cluster;
    if (!given.instance && !given.price) {
      throw InputError(
          std::vector<Problem>{{"", 0, "/cluster/price",
                                "needed: no instance of the catalogue is named that has a price"}});
    }
    bill.compute = machine(given.instance.value_or("instance"), given.instances, given.price,
                           "/cluster/price");
    if (const auto& remote = scenario.loader.remote) {
      bill.auxiliary.push_back(
          machine(remote->instance, remote->instances, remote->price, "/loader/remote/price"));
    }
  }

  /// As the source holds it: what operations made offline, where there are any.
  [[nodiscard]] Bytes dataset_bytes() const {
    return resolve::bytes_in_chain(scenario).stored * samples(inputs.samples);
  }

  /// Bytes that all instances together read from the source: each its copy in File mode; else what
  /// the epochs ask for, cache hits left out.
  [[nodiscard]] Bytes bytes_read() const {
    if (const auto& copy = inputs.staging) {
      return copy->object_size * copy->objects * inputs.instances;
    }
    if (!inputs.source) return {};
    return dataset_bytes() * pipeline::epochs_read(inputs);
  }

  void requests(const char* what, double count, const Known<Money>& price) {
    if (!price || count <= 0.0) return;
    bill.requests.push_back({what, count, *price});
  }

  void s3() {
    const std::string storage_class = scenario.source.storage_class.value_or("STANDARD");
    const auto price = find_s3_price(catalog, region, storage_class);
    if (!price) {
      remarks.push_back("S3 is not on the bill: " + price.failure.message);
      return;
    }
    double gets = 0.0;
    if (inputs.staging) gets = inputs.staging->objects * inputs.instances;
    if (inputs.source) {
      gets = inputs.samples * inputs.source->requests * pipeline::epochs_read(inputs);
    }
    requests("S3 GET", gets, price->get);
    if (inputs.checkpoint_time.base() > 0.0) {
      requests("S3 PUT of checkpoints", outcome.checkpoints / inputs.checkpoint_time, price->put);
    }
    if (scenario.source.bill_storage.value_or(false) && price->storage) {
      bill.storage.push_back({"S3 " + storage_class, dataset_bytes(), {}, held, *price->storage});
    }
  }

  void fsx() {
    const std::string type = scenario.source.deployment_type.value_or(default_fsx_deployment);
    const SpecificBandwidth tier =
        scenario.source.throughput_per_capacity.value_or(default_fsx_tier);
    const auto price = find_fsx_price(catalog, region, type, tier);
    if (!price || !price->storage) {
      remarks.push_back("FSx for Lustre is not on the bill: " +
                        (price ? std::string("its price is not known") : price.failure.message));
      return;
    }
    bill.storage.push_back({"FSx for Lustre " + type,
                            scenario.source.capacity.value_or(tebibytes(1.2)),
                            fsx_steps(catalog, type).value, held, *price->storage});
  }

  /// What is read is the job's own; what is stored and the throughput that is kept for it are on
  /// the bill where holding the data is.
  void efs() {
    const bool holding = scenario.source.bill_storage.value_or(true);
    const auto price = find_efs_price(catalog, region, "Standard (regional)");
    if (holding && price && price->storage) {
      bill.storage.push_back({"EFS Standard",
                              scenario.source.capacity.value_or(dataset_bytes()),
                              {},
                              held,
                              *price->storage});
    } else if (holding) {
      remarks.push_back("EFS storage is not on the bill: " + price.failure.message);
    }
    const std::string mode = scenario.source.throughput_mode.value_or("elastic");
    const auto throughput = find_efs_throughput_price(catalog, region);
    if (!throughput) {
      remarks.push_back("EFS throughput is not on the bill: " + throughput.failure.message);
    } else if (mode == "elastic" && throughput->elastic_read) {
      bill.transfer.push_back(
          {"EFS elastic reads", bytes_read(), {{{}, *throughput->elastic_read}}});
    } else if (holding && mode == "provisioned" && throughput->provisioned &&
               scenario.source.provisioned_throughput) {
      // What the stored data earns in bursting mode is not paid for twice.
      const Bytes stored = scenario.source.capacity.value_or(dataset_bytes());
      const auto& earned = catalog.efs.earned;
      bill.bandwidth.push_back(
          {"EFS provisioned throughput", *scenario.source.provisioned_throughput,
           earned ? earned->value * stored : Bandwidth{}, held, *throughput->provisioned});
    }
  }

  /// The auxiliary instances, where they do all of the reading; else those of the cluster.
  [[nodiscard]] const Machine* reader() const {
    const bool remote_only = inputs.remote && !inputs.staging && inputs.cpu.base() <= 0.0;
    if (!remote_only) return cluster_machine;
    const auto found = find_machine(catalog, scenario.loader.remote->instance);
    return found ? *found : nullptr;
  }

  /// What leaves AWS for the instances of another cloud: the data, or what auxiliary instances in
  /// AWS have made of it. The way in is free.
  void transfer_out() {
    const Machine* reads = reader();
    Bytes crossing;
    if (outside_aws(reads)) {
      crossing = bytes_read();
    } else if (inputs.remote && outside_aws(cluster_machine)) {
      crossing = inputs.remote->sent * samples(outcome.trained_samples);
    }
    if (crossing <= Bytes{}) return;
    const auto tiers = find_transfer(catalog, "to internet", region);
    if (!tiers) {
      remarks.push_back("transfer out of AWS is not on the bill: " + tiers.failure.message);
      return;
    }
    const std::string& cloud = (outside_aws(reads) ? reads : cluster_machine)->cloud;
    remarks.push_back(fmt::format(
        "the data is in AWS, taken to be in {}, and is read from another cloud ({}): {} "
        "cross the internet",
        region, cloud, format_quantity(crossing)));
    // Where the tariff's last tier has an end, nothing is known of what lies above it.
    const std::optional<Bytes> known = tiers->back().up_to;
    if (known && crossing > *known) {
      remarks.push_back(fmt::format(
          "{} of transfer out of AWS are not on the bill: no price is known above {} in {}",
          format_quantity(crossing - *known), format_quantity(*known), region));
    }
    bill.transfer.push_back({"transfer from AWS to the internet",
                             known ? std::min(crossing, *known) : crossing, *tiers});
  }

  /// The disk of every instance, as it was simulated: an EBS volume where its size is given. It
  /// lives as long as its instance is billed; where it is itself the source of the data, as long as
  /// that is held.
  void volume(const resolve::LocalDisk& disk) {
    if (disk.kind == DiskKind::nvme) return;  // in the instance's price
    const Source& source = scenario.source;
    const bool holds_data = source.service == Service::ebs;
    if (holds_data && !source.bill_storage.value_or(true)) return;
    if (disk.kind == DiskKind::other) {
      if (disk.size) {
        remarks.emplace_back("the disk is not on the bill: one of kind other has no price");
      }
      return;
    }
    if (!disk.size) {
      remarks.emplace_back("the EBS volume is not on the bill: set /disk/size");
      return;
    }
    const MachineUse& instance = bill.compute;
    const Duration billed = billed_time(instance.rule, instance.startup, instance.busy);
    ebs(disk, holds_data ? source.storage_held.value_or(billed) : billed);
  }

  void ebs(const resolve::LocalDisk& disk, Duration lives) {
    const double n = inputs.instances;
    if (bill.compute.rule.service == "sagemaker") {
      if (const auto& price = catalog.limits.sagemaker_volume_price) {
        bill.storage.push_back({"SageMaker training volume", *disk.size * n, {}, lives, *price});
      }
      return;
    }
    const std::string& type = disk.volume_type;
    const auto price = find_ebs_price(catalog, region, type);
    if (!price || !price->storage) {
      remarks.push_back("the EBS volume is not on the bill: " +
                        (price ? std::string("its price is not known") : price.failure.message));
      return;
    }
    bill.storage.push_back({"EBS " + type, *disk.size * n, {}, lives, *price->storage});
    // A type without a baseline has none to give away: all of what is provisioned is paid for.
    const EbsVolume* limits = find_ebs_volume(catalog, type);
    const auto free = [&](auto baseline) {
      const auto known = limits ? limits->*baseline : std::nullopt;
      return known ? known->value : decltype(known->value){};
    };
    const Frequency free_iops = free(&EbsVolume::baseline_iops);
    if (price->iops && disk.iops && *disk.iops > free_iops) {
      bill.iops.push_back({"EBS IOPS", *disk.iops * n, free_iops * n, lives, *price->iops});
      if (!scenario.disk.iops) {
        remarks.push_back(
            fmt::format("the {} volume has the {:g} IOPS that its type allows, and pays for them; "
                        "set /disk/iops",
                        type, *disk.iops * seconds(1)));
      }
    }
    const Bandwidth free_bandwidth = free(&EbsVolume::baseline_bandwidth);
    if (price->bandwidth && disk.bandwidth && *disk.bandwidth > free_bandwidth) {
      bill.bandwidth.push_back(
          {"EBS throughput", *disk.bandwidth * n, free_bandwidth * n, lives, *price->bandwidth});
    }
  }
};

}  // namespace

BillInput bill_input(const Scenario& scenario, const Catalog& catalog,
                     const resolve::Resolved& resolved, const pipeline::Outcome& outcome,
                     std::vector<std::string>& remarks) {
  Biller biller{scenario, catalog, resolved.inputs, outcome, resolved.machine, remarks, {}, {}, {}};
  biller.region = scenario.cluster.region.value_or("");
  biller.held = scenario.source.storage_held.value_or(outcome.total.wall);
  biller.cluster();
  biller.region = aws_region(resolved.machine, biller.region);
  const bool data = !scenario.job.duration_on_one_instance;
  if (data && scenario.source.service == Service::s3) biller.s3();
  if (data && scenario.source.service == Service::fsx_lustre &&
      scenario.source.bill_storage.value_or(true)) {
    biller.fsx();
  }
  if (data && scenario.source.service == Service::efs) biller.efs();
  if (data && held_in_aws(scenario.source.service)) biller.transfer_out();
  if (resolved.disk) biller.volume(*resolved.disk);
  biller.bill.job = outcome.total.wall;
  biller.bill.value_of_hour = scenario.job.value_of_hour.value_or(HourlyPrice{});
  biller.bill.stall = outcome.total.stall;
  return biller.bill;
}

}  // namespace feedrate::study
