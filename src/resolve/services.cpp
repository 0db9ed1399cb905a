#include "resolve/services.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/append_once.hpp"
#include "base/did_you_mean.hpp"
#include "base/quote.hpp"
#include "catalog/listing.hpp"
#include "catalog/regions.hpp"
#include "resolve/parallel.hpp"

namespace feedrate::resolve {
namespace {

constexpr double small_request_bytes = 512e3;             // S3 publishes another latency below this
constexpr Bytes new_file_system_credit = tebibytes(2.1);  // EFS user guide, 2023-06-15

Published of_s3(const Catalog& catalog, Bytes request, bool express) {
  const S3Limits& limits = catalog.s3;
  Published s3;
  s3.latency = middle_of(express                                ? limits.express_first_byte
                         : request.base() < small_request_bytes ? limits.small_request
                                                                : limits.first_byte);
  s3.per_connection = middle_of(limits.per_connection);
  s3.bandwidth = limits.per_instance;
  s3.requests = express ? limits.express_gets : limits.gets_per_prefix;
  return s3;
}

Published of_fsx(Context& context) {
  const Source& source = context.scenario.source;
  Published fsx;
  fsx.shared = true;
  fsx.latency = context.catalog.fsx.latency;
  fsx.open = context.catalog.fsx.open_small_file;
  fsx.per_connection = context.catalog.fsx.one_disk;
  if (source.bandwidth) return fsx;
  const FsxPlan& plan = planned_fsx(context);
  const auto tier = find_fsx_tier(context.catalog, plan.deployment_type, plan.tier);
  if (!tier && is_refused(context, "/source/deployment_type")) return fsx;
  if (!tier) {
    context.problem(tier.failure.key.empty() ? "/source/deployment_type" : tier.failure.key,
                    tier.failure.message);
    return fsx;
  }
  const Bytes capacity = billed_capacity(
      plan.capacity, fsx_steps(context.catalog, plan.deployment_type, plan.tier).value);
  if (tier->disk_read) {
    fsx.bandwidth = Value<Bandwidth>{tier->disk_read->value * capacity, tier->disk_read->from};
  }
  if (tier->disk_read && tier->disk_burst && context.texts) {
    const auto megabytes = [&](const Known<SpecificBandwidth>& rate) {
      return (rate->value * capacity).base() / 1e6;
    };
    context.remark(RemarkKind::know,
                   fmt::format("disks of FSx for Lustre give up to {:.4g} MB/s while burst credits "
                               "last, of which AWS publishes no number: {:.4g} MB/s are taken; set "
                               "/source/bandwidth to what yours give",
                               megabytes(tier->disk_burst), megabytes(tier->disk_read)));
  }
  return fsx;
}

/// Of what is not known there is no lesser.
template <class T>
Known<T> lesser(const Known<T>& a, const Known<T>& b) {
  return !a || (b && b->value < a->value) ? b : a;
}

Published of_efs(Context& context) {
  const Source& source = context.scenario.source;
  const EfsLimits& limits = context.catalog.efs;
  Published efs;
  efs.shared = true;
  const EfsPlan& plan = planned_efs(context);
  const std::string& name = plan.mode;
  const Bytes stored = plan.stored;
  const EfsMode* mode = find_efs_mode(context.catalog, name);
  if (mode == nullptr && is_refused(context, "/source/throughput_mode")) return efs;
  if (mode == nullptr) {
    context.problem("/source/throughput_mode",
                    "expected elastic, bursting or provisioned, got \"" + name + "\"");
    return efs;
  }
  // In one zone, none gives more than that lets through.
  const EfsMode* const one_zone = plan.storage_class == efs_one_zone
                                      ? find_efs_mode(context.catalog, efs_one_zone_mode)
                                      : nullptr;
  const auto within = [&](auto EfsMode::*limit) {
    return one_zone != nullptr ? lesser(mode->*limit, one_zone->*limit) : mode->*limit;
  };
  efs.latency = one_zone != nullptr ? one_zone->read_latency : mode->read_latency;
  if (efs.latency && limits.round_trips_per_file) {
    efs.open = efs.latency;
    efs.open->value *= limits.round_trips_per_file->value;
    efs.open->from.source += ", the round trips to open and close a file";
  }
  efs.per_connection = within(&EfsMode::per_client);
  efs.per_client = efs.per_connection;
  efs.bandwidth = one_zone != nullptr ? lesser(mode->read.low, one_zone->read.low) : mode->read.low;
  const Known<Bandwidth> most = efs.bandwidth;  // of all who read, in any mode
  const auto let_through = [&](Bandwidth read) {
    return most ? std::min(read, most->value) : read;
  };
  efs.requests = within(&EfsMode::read_iops);
  const double metered = limits.read_metering ? limits.read_metering->value : 1.0;
  // What is stored earns its throughput in both modes.
  const auto of_stored = [&](const auto& each, const auto& least) -> std::optional<Bandwidth> {
    if (!each) return std::nullopt;
    const Bandwidth all = each->value * stored;
    return least ? std::max(all, least->value) : all;
  };
  const std::optional<Bandwidth> earned = of_stored(limits.earned, limits.earned_minimum);
  if (name == "bursting" && earned) {
    efs.bandwidth = Value<Bandwidth>{let_through(*earned / metered), limits.earned->from};
    if (const auto burst = of_stored(limits.burst, limits.burst_minimum)) {
      efs.burst = Value<Bandwidth>{let_through(*burst / metered), limits.burst->from};
      efs.credit = context.assume(Stage::download, assumed::efs_credit,
                                  new_file_system_credit * assumed::efs_credit.value) /
                   metered;
    }
  } else if (name == "provisioned" && !source.bandwidth) {
    const Bandwidth provisioned = context.need<Bandwidth>(
        Stage::download, "/source/provisioned_throughput", source.provisioned_throughput, {}, {},
        "the throughput that is paid for");
    const Bandwidth read = std::max(provisioned, earned.value_or(provisioned)) / metered;
    efs.bandwidth = Value<Bandwidth>::given(let_through(read));
  }
  return efs;
}

/// A server that all instances mount; what it gives only those know who run or bought it.
Published of_nfs(Context& context) {
  const Source& source = context.scenario.source;
  Published nfs;
  nfs.shared = true;
  if (source.bandwidth || !source.throughput_per_capacity) return nfs;
  const SpecificBandwidth tier =
      context.use(Stage::download, "/source/throughput_per_capacity",
                  Value<SpecificBandwidth>::given(*source.throughput_per_capacity));
  const Bytes capacity =
      context.find_or<Bytes>(Stage::download, "/source/capacity", source.capacity, {}, {},
                             stored_dataset(context), "a file system of the dataset's size");
  nfs.bandwidth = Value<Bandwidth>::published(tier * capacity, "its capacity times its tier");
  return nfs;
}

/// `words` may be empty where a part of a catalogue (a baseline's) does not hold their list.
void check_word(Context& context, std::string_view key, const std::optional<std::string>& given,
                std::vector<std::string> words) {
  if (!given || words.empty()) return;
  if (std::find(words.begin(), words.end(), *given) != words.end()) return;
  std::sort(words.begin(), words.end());
  context.problem(
      std::string(key),
      fmt::format("expected {}\"{}\", got {}{}", words.size() > 1 ? "one of " : "",
                  fmt::join(words, "\", \""), in_quotes(*given), did_you_mean(*given, words)));
}

/// The names of `records` that `fits`, each once.
template <class Records, class Name, class Fits>
std::vector<std::string> names_in(const Records& records, Name name, Fits fits) {
  std::vector<std::string> names;
  for (const auto& record : records) {
    if (fits(record)) append_once(names, record.*name);
  }
  return names;
}

template <class Records, class Name>
std::vector<std::string> names_in(const Records& records, Name name) {
  return names_in(records, name, [](const auto&) { return true; });
}

}  // namespace

double requests_of_checkpoint(Context& context, const PartsOfObject& how) {
  const double objects = instances_with_parts(context);
  const Bytes object = context.checkpoint / objects;
  std::optional<Bytes>& of_client = context.checkpoint_part;
  if (!of_client) of_client = context.assume<Bytes>(Stage::checkpoint, assumed::checkpoint_part);
  const Bytes part = std::max(*of_client, object / how.most);
  const double parts = std::ceil(object / part - 1e-9);
  return objects * (parts > 1.0 ? parts + how.beside : 1.0);
}

Bytes in_fsx_units(Bytes data) {
  return data / gibibytes(1000) * tebibytes(1);
}

Bytes smallest_fsx(const Catalog& catalog, std::string_view deployment_type, SpecificBandwidth tier,
                   Bytes data) {
  return billed_capacity(in_fsx_units(std::max(data, Bytes{})),
                         fsx_steps(catalog, deployment_type, tier).value);
}

const FsxPlan& planned_fsx(Context& context) {
  if (context.fsx) return *context.fsx;
  const Source& source = context.scenario.source;
  FsxPlan plan;
  plan.deployment_type = context.find_or<std::string>(
      Stage::download, "/source/deployment_type", source.deployment_type, {}, {},
      default_fsx_deployment, "no FSx deployment type is given");
  plan.tier = context.find_or<SpecificBandwidth>(
      Stage::download, "/source/throughput_per_capacity", source.throughput_per_capacity, {}, {},
      default_fsx_tier, "no FSx throughput tier is given");
  // Its dimension is that of a frequency; people know it by another unit.
  if (context.texts) {
    context.out.used.back().text =
        text_of(plan.tier * tebibytes(1.0) / (megabytes(1.0) / seconds(1.0))) + " MB/s/TiB";
  }
  const CapacitySteps steps = fsx_steps(context.catalog, plan.deployment_type, plan.tier).value;
  const Bytes smallest =
      smallest_fsx(context.catalog, plan.deployment_type, plan.tier, stored_dataset(context));
  plan.capacity =
      context.find_or<Bytes>(Stage::download, "/source/capacity", source.capacity, {}, {}, smallest,
                             "the smallest FSx for Lustre file system that holds the dataset");
  constexpr double rounding = 1e-9;
  const double sold = billed_capacity(plan.capacity, steps) / plan.capacity;
  // A size as it stands, "1.2 TiB", was written in FSx's own units.
  if (std::abs(sold - 1.0) > rounding) plan.capacity = in_fsx_units(plan.capacity);
  context.fsx = std::move(plan);
  return *context.fsx;
}

const EfsPlan& planned_efs(Context& context) {
  if (context.efs) return *context.efs;
  const Source& source = context.scenario.source;
  EfsPlan plan;
  plan.mode = context.find_or<std::string>(Stage::download, "/source/throughput_mode",
                                           source.throughput_mode, {}, {}, "elastic",
                                           "the default of new EFS file systems");
  plan.storage_class = source.storage_class.value_or(
      plan.mode == efs_one_zone_mode ? efs_one_zone : default_efs_class);
  plan.stored = source.capacity.value_or(stored_dataset(context));
  if (plan.mode == "bursting" && !source.bandwidth) {
    context.find_or<Bytes>(Stage::download, "/source/capacity", source.capacity, {}, {},
                           plan.stored, "EFS stores the dataset and nothing else");
  }
  context.efs = std::move(plan);
  return *context.efs;
}

Published published_limits(Context& context, Service service, Bytes request) {
  const Source& source = context.scenario.source;
  switch (service) {
    case Service::s3:
      // Behind a file system lies the standard class.
      return of_s3(
          context.catalog, request,
          source.service.family() == Service::s3 && source.storage_class_or("") == s3_express);
    case Service::fsx_lustre: return of_fsx(context);
    case Service::efs: return of_efs(context);
    case Service::nfs: return of_nfs(context);
    default: return {};  // what it is depends on who runs it, or nobody publishes it
  }
}

/// Regions that the catalogue has prices in, of a store of a cloud, or of all ("").
std::vector<std::string> regions_with_prices(const Catalog& catalog, const StoreTraits& store) {
  const std::string_view cloud = store.cloud;
  std::vector<std::string> list;
  const auto add = [&](const std::string& region) {
    if (!cloud.empty() && cloud_of_region(region) != cloud) return;
    if (!continent_of(region).empty()) append_once(list, region);
  };
  for (const std::string& region : regions_of(catalog)) add(region);
  for (const TransferTariff& one : catalog.transfer) add(one.region);
  for (const ObjectPrice& one : catalog.object_prices) {
    // Of several regions ("EU multi-region") the store has prices, too.
    if (store.objects != nullptr && one.service == store.objects->record) {
      append_once(list, one.region);
    } else {
      add(one.region);
    }
  }
  return list;
}

/// What is taken for the prices of a region that is none of those, or is misspelt.
void tell_of_unknown(Context& context, std::string_view key,
                     const std::optional<std::string>& given, const StoreTraits& store,
                     std::string_view taken) {
  if (!given || !context.texts) return;
  const std::vector<std::string> known = regions_with_prices(context.catalog, store);
  if (std::find(known.begin(), known.end(), *given) != known.end()) return;
  // Catalogues lack regions that there are, and no name is one of a cloud that writes it otherwise.
  const std::string_view whose = cloud_of_region(*given);
  const bool may_be = !whose.empty() && (store.cloud.empty() || whose == store.cloud);
  if (may_be && !store.cloud.empty()) return;
  const std::string meant = may_be ? std::string() : did_you_mean(*given, known);
  context.remark(RemarkKind::check, fmt::format("{}: no price of the catalogue is of {}{}: {}", key,
                                                in_quotes(*given), meant, taken));
}

constexpr std::string_view prices_stand_in = "those of another region are taken for it";

/// Regions of AWS are refused where there are none of that name.
void check_regions(Context& context) {
  const Scenario& s = context.scenario;
  const auto check = [&](std::string_view key, const std::optional<std::string>& region,
                         const ServiceName& store) {
    if (!region) return;
    const StoreTraits& of = traits(store);
    if (of.cloud == "aws") {
      check_word(context, key, region,
                 names_in(context.catalog.transfer, &TransferTariff::region,
                          [](const TransferTariff& one) { return one.path == to_another_region; }));
    } else if (!of.cloud.empty())
      tell_of_unknown(context, key, region, of, prices_stand_in);
  };
  check("/source/region", s.source.region, s.source.service);
  if (const auto& saved = s.job.checkpoint) {
    check("/job/checkpoint/region", saved->region, saved->to.value_or(s.source.service));
  }
  // The region of a machine that has its price by the catalogue is refused with that.
  const Cluster& cluster = s.cluster;
  if (cluster.instance && !cluster.price && !cluster.prices) return;
  const bool in_a_cloud =
      cluster.instance || (cluster.region && !cloud_of_region(*cluster.region).empty());
  tell_of_unknown(context, "/cluster/region", cluster.region, StoreTraits{},
                  in_a_cloud
                      ? prices_stand_in
                      : "the machines are taken to stand outside of every cloud, and what leaves "
                        "one for them is paid as to the internet");
}

void check_catalog_words(Context& context) {
  const Catalog& catalog = context.catalog;
  const Source& source = context.scenario.source;
  if (const ObjectStore* const store = traits(source.service).objects) {
    check_word(context, "/source/storage_class", source.storage_class,
               names_in(catalog.object_prices, &ObjectPrice::storage_class,
                        [&](const ObjectPrice& price) { return price.service == store->record; }));
  }
  switch (source.service.family()) {
    case Service::s3:
      check_word(context, "/source/storage_class", source.storage_class,
                 names_in(catalog.s3_prices, &S3Price::storage_class));
      break;
    case Service::fsx_lustre:
      check_word(context, "/source/deployment_type", source.deployment_type,
                 names_in(catalog.fsx.tiers, &FsxTier::deployment_type));
      check_word(context, "/source/storage_class", source.storage_class,
                 names_in(catalog.s3_prices, &S3Price::storage_class));
      break;
    case Service::efs:
      check_word(context, "/source/throughput_mode", source.throughput_mode,
                 names_in(catalog.efs.modes, &EfsMode::mode));
      check_word(context, "/source/storage_class", source.storage_class,
                 names_in(catalog.efs_prices, &EfsPrice::storage_class));
      if (source.throughput_mode == efs_one_zone_mode && source.storage_class &&
          source.storage_class != efs_one_zone) {
        context.problem(
            "/source/storage_class",
            fmt::format("expected \"{}\", which is what the throughput mode \"{}\" is "
                        "of, got {}",
                        efs_one_zone, efs_one_zone_mode, in_quotes(*source.storage_class)));
      }
      break;
    default: break;
  }
  check_regions(context);
  if (context.scenario.disk.kind.value_or(DiskKind::ebs) == DiskKind::ebs) {
    check_word(context, "/disk/volume_type", context.scenario.disk.volume_type,
               names_in(catalog.ebs, &EbsVolume::type));
  }
}

bool bills_file_system(const Source& source) {
  return source.bill_storage.value_or(true);
}

bool is_refused(const Context& context, std::string_view key) {
  return std::any_of(context.problems.begin(), context.problems.end(),
                     [&](const Problem& problem) { return problem.pointer == key; });
}

}  // namespace feedrate::resolve
