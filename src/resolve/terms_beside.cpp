#include "resolve/terms_beside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/number_text.hpp"
#include "catalog/lookup.hpp"
#include "resolve/distance.hpp"
#include "resolve/parallel.hpp"
#include "resolve/services.hpp"
#include "resolve/without_effect.hpp"

namespace feedrate::resolve {
namespace {

/// Where checkpoints go, and what that costs.
struct CheckpointPricer {
  Context& context;
  const TermRegions& regions;
  Terms& terms;
  ServiceName store;
  bool own;  ///< another store or region than the data's
  std::string region{};
  std::string storage_class{};

  void remark(std::string text) const { context.remark(RemarkKind::check, std::move(text)); }
  void unpriced(std::string text) const { remark_unpriced(context, std::move(text)); }
  [[nodiscard]] bool writes() const { return terms.checkpoint > Bytes{}; }
  /// Restarts load what was written.
  [[nodiscard]] bool loads() const {
    return writes() && context.out.inputs.interruptions.has_value();
  }

  /// Requests that write one checkpoint; without those beside its parts, that load it. What each
  /// instance writes at once with the others is an object of its own at least; large ones go in
  /// parts.
  double of_one(const std::optional<PartsOfObject>& how) {
    if (!writes()) return 1.0;
    return how ? requests_of_checkpoint(context, *how) : instances_with_parts(context);
  }
  void requests(std::string what, const Known<Money>& price,
                const std::optional<PartsOfObject>& how,
                RequestTerms::Of of = RequestTerms::Of::checkpoints) {
    if (price) {
      terms.requests.push_back({std::move(what), *price, of, 1.0, of_one(how)});
    } else if (context.out.inputs.checkpoint_time > Duration{}) {
      unpriced(
          fmt::format("{} are not on the bill: no price of them is known in \"{}\"", what, region));
    }
  }
  void load_requests(std::string what, const Known<Money>& price,
                     std::optional<PartsOfObject> how) {
    if (!loads()) return;
    if (how) how->beside = 0.0;
    requests(std::move(what), price, how, RequestTerms::Of::checkpoints_loaded);
  }
  void bytes(std::string what, const Known<TransferPrice>& price, TransferTerms::Of of) {
    if (!price || price->value <= TransferPrice{} || !writes()) return;
    terms.transfer.push_back({std::move(what), {{{}, *price}}, of, "", ""});
  }
  void bytes_written(std::string what, const Known<TransferPrice>& price) {
    bytes(std::move(what), price, TransferTerms::Of::checkpoints);
  }
  void bytes_loaded(std::string what, const Known<TransferPrice>& price) {
    if (loads()) bytes(std::move(what), price, TransferTerms::Of::checkpoints_loaded);
  }
  /// Those that are kept; and what the others owe, where each is paid for `least` however soon it
  /// is overwritten.
  void keep(std::string_view where, const Known<StoragePrice>& price, Duration least = {}) {
    const auto& given = context.scenario.job.checkpoint;
    if (!given || !writes()) return;
    const double kept = given->kept.value_or(0.0);
    if (kept <= 0.0 && least <= Duration{}) return;
    const std::string what = fmt::format("checkpoints in {}", where);
    if (!price) return unpriced(what + " are not on the bill: no price of them is known");
    if (kept > 0.0) {
      Lease lease{Lease::Until::job_ends, given->held};
      lease.least = least;
      lease.checkpoints = kept;
      terms.storage.push_back({{what, {}, {{{}, *price}}}, lease});
    }
    if (least > Duration{}) {
      Lease lease{Lease::Until::job_ends, given->held};
      lease.least = least;
      lease.overwritten_but = kept;
      terms.storage.push_back({{"overwritten " + what, {}, {{{}, *price}}}, lease});
    }
  }

  void s3() {
    const auto price = find_s3_price(context.catalog, region, storage_class);
    if (!price) {
      // Of the data's own class and region, reading has said so.
      if (own) unpriced("checkpoints in S3 are not on the bill: " + price.failure.message);
      return;
    }
    if (price->put) requests("S3 PUT of checkpoints", price->put, parts_of_s3);
    if (price->get) load_requests("S3 GET of checkpoints", price->get, parts_of_s3);
    bytes_written("S3 upload of checkpoints", price->upload);
    bytes_loaded("S3 retrieval of checkpoints", price->retrieval);
    keep("S3 " + storage_class, price->storage,
         price->least_held ? price->least_held->value : Duration{});
  }

  void objects(const ObjectStore& of) {
    if (writes() && context.outside(traits(store).cloud)) cross_clouds(traits(store).cloud);
    const auto price =
        find_object_price(context.catalog, of.record, region,
                          storage_class.empty() ? std::string(of.storage_class) : storage_class);
    if (!price) {
      if (own) {
        unpriced(fmt::format("checkpoints in {} are not on the bill: {}", of.name,
                             price.failure.message));
      }
      return;
    }
    requests(fmt::format("{} writes of checkpoints", of.name), price->write, of.parts);
    load_requests(fmt::format("{} reads of checkpoints", of.name), price->read, of.parts);
    keep(of.name, price->storage);
  }

  /// From instances to a store of another cloud, and back.
  void cross_clouds(std::string_view to) {
    const std::string_view cloud = cloud_of_machine(context.machine(), regions.job);
    const std::string& there = cloud == "aws" ? regions.aws : regions.job;
    // What leaves a data centre of one's own costs what its line does.
    if (!cloud.empty()) leave_cloud(cloud, there, to, region, TransferTerms::Of::checkpoints);
    if (!loads()) return;
    leave_cloud(to, region, cloud.empty() ? own_machines : cloud, there,
                TransferTerms::Of::checkpoints_loaded);
  }
  void leave_cloud(std::string_view cloud, const std::string& from, std::string_view to,
                   std::string_view there, TransferTerms::Of of) {
    auto tiers = find_way_out(context.catalog, cloud, from, continent_of(there));
    if (!tiers) {
      warn_unpriced(context, fmt::format("What checkpoints cost that leave {} for {} is not on the "
                                         "bill: no price of it is known.",
                                         cloud_title(cloud), cloud_title(to)));
      return;
    }
    terms.transfer.push_back(
        {fmt::format("transfer of checkpoints from {} to the internet", cloud_title(cloud)),
         std::move(*tiers.value), of, from, "", 1.0, true});
  }

  void efs() {
    const auto paid = find_efs_throughput_price(context.catalog, region);
    const bool elastic = own || planned_efs(context).mode == "elastic";
    if (paid && elastic) {
      bytes_written("EFS elastic writes of checkpoints", paid->elastic_write);
      bytes_loaded("EFS elastic reads of checkpoints", paid->elastic_read);
    }
    const auto price = find_efs_price(context.catalog, region, default_efs_class);
    keep("EFS", price ? price->storage : std::nullopt);
  }

  /// File systems and volumes, of which capacity is bought, whatever is written to it: that of one
  /// that the job has anyway is on its bill as it is, and of another one nobody says how large it
  /// is.
  void capacity_bought() {
    const Scenario& s = context.scenario;
    const auto& given = s.job.checkpoint;
    const std::string_view title = store.row().title;
    const auto& disk = context.out.disk;
    const bool of_data = store.name() == s.source.service.name() && !(given && given->region);
    const bool has_volume = disk && disk->kind == DiskKind::ebs;
    const bool had =
        !own || of_data ||
        (traits(store).form == StoreForm::disk && (!traits(store).volume || has_volume));
    if (!had && writes()) {
      unpriced(
          fmt::format("checkpoints in {} are not on the bill: how much of it is bought for them "
                      "is not known",
                      title));
    }
    if (given && given->kept) {
      tell_without_effect(context, "/job/checkpoint/kept",
                          had ? fmt::format("what {} holds is paid for as it is", title)
                              : fmt::format("how much of {} is bought is not known", title));
    }
  }

  /// What goes from the job's region of AWS to another one, and back.
  void between_regions() {
    if (!writes() || traits(store).cloud != "aws") return;
    if (context.outside("aws")) return cross_clouds("aws");
    if (region == regions.aws) return;
    send_between_regions(context, regions.aws, region, " of checkpoints",
                         TransferTerms::Of::checkpoints);
    if (!loads()) return;
    send_between_regions(context, region, regions.aws, " of checkpoints",
                         TransferTerms::Of::checkpoints_loaded);
  }
};

/// The store that checkpoints are written to.
ServiceName checkpoint_store(const Scenario& scenario) {
  const auto& given = scenario.job.checkpoint;
  return given && given->to ? *given->to : scenario.source.service;
}

/// Whether instances reach it by public addresses; file systems and volumes are in their network.
bool is_public(const ServiceName& store) {
  return traits(store).form == StoreForm::objects;
}

/// Of what AWS alone has a price for: another cloud's bill has it, too, and machines of one's own
/// have none. `what`: with its verb.
void not_of_aws(Context& context, const TermRegions& regions, std::string_view what) {
  if (cloud_of_machine(context.machine(), regions.job).empty()) {
    return context.remark(RemarkKind::check,
                          fmt::format("{} not on the bill: the instances are in no cloud", what));
  }
  warn_unpriced(context,
                fmt::format("{} not on the bill: outside AWS no price of it is known.", what));
}

/// Whether helpers are not in AWS, where the cluster is.
bool helpers_elsewhere(const Context& context) {
  const auto found = find_machine(context.catalog, context.scenario.loader.remote->instance);
  return found && context.outside(*found, "aws") != context.outside("aws");
}

/// Takes a share off prices of units, and remembers whether there was any to take it off.
struct Discount {
  double share;
  bool taken = false;

  template <class Price>
  void off(Value<Price>& price) {
    if (price.from.origin == Origin::given) return;
    taken = true;
    price.value *= 1.0 - share;
    price.from.source += fmt::format(", less {} % discount", three_digits(100.0 * share));
  }
  template <class Amount, class Price>
  void off(Tiers<Amount, Price>& tiers) {
    for (auto& tier : tiers) off(tier.price);
  }
};

}  // namespace

std::string_view cloud_title(std::string_view cloud) {
  if (cloud == "aws") return "AWS";
  if (cloud == "gcp") return "GCP";
  if (cloud == "azure") return "Azure";
  if (cloud == own_machines) return "machines of your own";
  return cloud;
}

void remark_unpriced(Context& context, std::string text) {
  context.out.terms.unpriced = true;
  context.remark(RemarkKind::check, std::move(text));
}

void warn_unpriced(Context& context, std::string text) {
  context.out.terms.unpriced = true;
  if (context.texts) context.out.caveats.push_back(std::move(text));
}

void send_between_regions(Context& context, const std::string& from, const std::string& to,
                          std::string_view what, TransferTerms::Of counts) {
  auto tiers = find_transfer_between(context.catalog, from, to);
  if (!tiers) {
    return remark_unpriced(context, fmt::format("transfer from {} to {} is not on the bill: {}",
                                                from, to, tiers.failure.message));
  }
  context.out.terms.transfer.push_back({fmt::format("transfer{} from {} to {}", what, from, to),
                                        std::move(*tiers.value), counts, from, ""});
}

std::optional<HourlyPrice> stated_price(const Scenario& scenario) {
  const Cluster& cluster = scenario.cluster;
  const bool beside_spot = cluster.purchase == Purchase::on_demand && cluster.spot;
  if (beside_spot && cluster.spot->on_demand_price) return cluster.spot->on_demand_price;
  const auto& of = scenario.measured_on.price_purchase;
  // No catalogue has the price of a machine without a name, or of one that nobody bills.
  const bool another = of && *of != cluster.purchase && cluster.instance && cluster.price &&
                       *cluster.price > HourlyPrice{};
  return another ? std::nullopt : cluster.price;
}

void add_checkpoint_terms(Context& context, const TermRegions& regions) {
  const Scenario& s = context.scenario;
  const auto& given = s.job.checkpoint;
  const bool named = given && given->to;
  CheckpointPricer pricer{context, regions, context.out.terms, checkpoint_store(s),
                          named || (given && given->region)};
  const Service family = pricer.store.family();
  pricer.region = region_of_checkpoints(context, regions.job, regions.data);
  if (named) {
    const std::string_view means = pricer.store.row().storage_class;
    pricer.storage_class = means.empty() && family == Service::s3 ? "STANDARD" : means;
  } else {
    pricer.storage_class = family == Service::s3 ? s.source.storage_class_or("STANDARD")
                                                 : s.source.storage_class.value_or("");
  }
  if (const ObjectStore* const objects = traits(family).objects) {
    pricer.objects(*objects);
  } else if (family == Service::s3) {
    pricer.s3();
  } else if (family == Service::efs) {
    pricer.efs();
  } else {
    pricer.capacity_bought();
  }
  pricer.between_regions();
}

void add_nat_terms(Context& context, const TermRegions& regions) {
  const Scenario& s = context.scenario;
  if (!s.source.nat_gateway.value_or(false)) return;
  const Catalog& catalog = context.catalog;
  Terms& terms = context.out.terms;
  const bool data = is_public(s.source.service);
  const bool saved = terms.checkpoint > Bytes{} && is_public(checkpoint_store(s));
  if (!data && !saved) {
    tell_without_effect(context, "/source/nat_gateway",
                        "neither data nor checkpoints lie beyond the job's own network");
    return;
  }
  if (context.outside("aws")) return not_of_aws(context, regions, "The NAT gateway is");
  const auto price = find_nat_gateway(catalog, regions.aws);
  if (!price) {
    return remark_unpriced(context, "the NAT gateway is not on the bill: " + price.failure.message);
  }
  const auto pass = [&](const char* what, TransferTerms::Of of) {
    terms.transfer.push_back({what, {{std::nullopt, *price->through}}, of, regions.aws, ""});
  };
  if (data) pass("NAT gateway", TransferTerms::Of::bytes_read);
  if (saved) pass("NAT gateway, checkpoints", TransferTerms::Of::checkpoints);
  if (saved) pass("NAT gateway, checkpoints loaded", TransferTerms::Of::checkpoints_loaded);
  terms.auxiliary.push_back({"NAT gateway", 1.0 / s.job.jobs.value_or(1.0), *price->hour,
                             billing_rule(catalog, nat_gateway_service), true});
}

void add_zone_terms(Context& context, const TermRegions& regions) {
  const Scenario& s = context.scenario;
  const double read = share_from_other_zones(context);
  const double zones = s.cluster.zones_used();
  if (s.source.other_zone.value_or(false) && read <= 0.0) {
    tell_without_effect(context, "/source/other_zone",
                        "what instances read lies in all zones of its region, or on themselves");
  }
  if (s.cluster.zones.value_or(1.0) > zones) {
    context.remark(RemarkKind::know,
                   fmt::format("/cluster/zones: {:g} of them hold an instance", zones));
  }
  const auto& given = s.job.allreduce;
  const bool nothing = given && given->gradient_bytes && *given->gradient_bytes <= Bytes{};
  const Inputs& inputs = context.out.inputs;
  // Each instance has its batches of all helpers alike, and of all other instances' caches what
  // its own has not.
  const double apart = (zones - 1.0) / zones;
  const bool sent = apart > 0.0 && inputs.remote && !helpers_elsewhere(context);
  const bool cached = apart > 0.0 && inputs.caches.from_peers > 0.0;
  const bool exchanged = zones > 1.0 && !nothing;
  if (read <= 0.0 && !sent && !cached && !exchanged) return;
  if (context.outside("aws")) return not_of_aws(context, regions, "What crosses zones is");
  const auto missing = [&](std::string_view what, std::string_view why) {
    warn_unpriced(context, fmt::format("{} between zones are not on the bill: {}.", what, why));
  };
  const auto tiers = find_transfer(context.catalog, between_zones, regions.aws);
  if (!tiers) return missing("Bytes", tiers.failure.message);
  if (s.job.duration_on_one_instance) {
    return missing("Bytes", "of a job whose duration is given it is not known how many they are");
  }
  const auto cross = [&](const char* what, TransferTerms::Of of, double share) {
    constexpr double both_ways = 2.0;  // who sends pays, and who receives
    context.out.terms.transfer.push_back(
        {what, *tiers.value, of, regions.aws, "", both_ways * share});
  };
  if (read > 0.0) cross("reads from another zone, both ways", TransferTerms::Of::bytes_read, read);
  if (cached) {
    cross("cached data from another zone, both ways", TransferTerms::Of::from_caches,
          apart / inputs.caches.from_peers);
  }
  if (sent) {
    cross("batches from helpers in another zone, both ways", TransferTerms::Of::batches_sent,
          apart);
  }
  const bool saved = context.out.terms.checkpoint > Bytes{} &&
                     checkpoint_store(s).family() == s.source.service.family();
  if (read > 0.0 && saved) {
    cross("checkpoints to another zone, both ways", TransferTerms::Of::checkpoints, read);
    cross("checkpoints from another zone, both ways", TransferTerms::Of::checkpoints_loaded, read);
  }
  if (!exchanged) return;
  if (context.layout) {
    missing("Gradients", "which groups of a layout lie in one zone is not known");
  } else if (context.out.inputs.network_allreduce > Bytes{}) {
    // A ring that goes through one zone after the other leaves each once.
    cross("gradients between zones, both ways", TransferTerms::Of::gradients, zones);
  } else {
    missing("Gradients", "how many bytes are exchanged is not known (/job/allreduce)");
  }
}

void take_free_transfer(Context& context) {
  const auto& free = context.scenario.accounting.free_transfer;
  if (!free || *free <= Bytes{}) return;
  Terms& terms = context.out.terms;
  terms.free_transfer = *free;
  const bool leaves = std::any_of(terms.transfer.begin(), terms.transfer.end(),
                                  [](const TransferTerms& one) { return one.to_internet; });
  if (leaves) return;
  tell_without_effect(context, "/accounting/free_transfer", "nothing goes to the internet");
}

void take_discounts(Context& context) {
  const auto& discounts = context.scenario.accounting.discounts;
  if (!discounts) return;
  Terms& terms = context.out.terms;
  const auto take = [&](const std::optional<double>& share, BillPart part, auto&& from) {
    if (share.value_or(0.0) <= 0.0) return;
    Discount discount{*share};
    from(discount);
    if (discount.taken) return;
    const std::string_view name = bill_part_words[static_cast<std::size_t>(part)];
    tell_without_effect(context, fmt::format("/accounting/discounts/{}", name),
                        "nothing of it is on the bill at a price of the catalogue");
  };
  take(discounts->compute, BillPart::compute, [&](Discount& discount) {
    discount.off(terms.compute.price);
    if (terms.on_demand) discount.off(terms.on_demand->price);
    if (terms.beside) discount.off(terms.beside->price);
  });
  take(discounts->auxiliary, BillPart::auxiliary, [&](Discount& discount) {
    for (MachineTerms& one : terms.auxiliary) discount.off(one.price);
  });
  take(discounts->storage, BillPart::storage, [&](Discount& discount) {
    for (auto& one : terms.storage) discount.off(one.use.tiers);
    for (auto& one : terms.objects) discount.off(one.use.tiers);
    for (auto& one : terms.iops) discount.off(one.use.tiers);
    for (auto& one : terms.bandwidth) discount.off(one.use.tiers);
  });
  take(discounts->requests, BillPart::requests, [&](Discount& discount) {
    for (RequestTerms& one : terms.requests) discount.off(one.price);
  });
  take(discounts->transfer, BillPart::transfer, [&](Discount& discount) {
    for (TransferTerms& one : terms.transfer) discount.off(one.tiers);
  });
}

void say_beside(Context& context) {
  if (!context.texts) return;
  const Scenario& s = context.scenario;
  const auto& startup = context.catalog.limits.sagemaker_startup;
  const bool sagemaker = context.out.terms.compute.rule.service == "sagemaker";
  if (sagemaker && !s.job.startup && startup.low && startup.high) {
    context.remark(
        RemarkKind::check,
        fmt::format("SageMaker takes {} to {} more to launch instances and container, which is not "
                    "billed and "
                    "not in these times; /job/startup counts it",
                    short_text_of(startup.low->value), short_text_of(startup.high->value)));
  }
  Duration offline;
  for (const Operation& op : s.preprocess) {
    if (op.where == Place::offline && op.cpu) {
      offline += *op.cpu * samples(context.out.inputs.samples);
    }
  }
  if (offline > Duration{}) {
    context.remark(
        RemarkKind::know,
        fmt::format("preprocessing offline takes {} CPU hours once, which are not on this bill",
                    three_digits(offline / hours(1.0))));
  }
}

}  // namespace feedrate::resolve
