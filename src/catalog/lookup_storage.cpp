// Look-ups of storage and transfer prices: by region, and where it has none by another one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/append_once.hpp"
#include "catalog/lookup.hpp"

namespace feedrate {
namespace {

/// Marks numbers that stand in for another region's.
template <class... T>
void stand_in(std::string_view region, Known<T>&... known) {
  const auto mark = [&](auto& one) {
    if (!one) return;
    one->from.origin = Origin::assumed;
    one->from.source += fmt::format(", taken for {}", region);
  };
  (mark(known), ...);
}

/// The record of `region`, or of one that stands in for it, among those that `fits`.
template <class Price, class Fits, class Mark>
Lookup<Price> by_region(const std::vector<Price>& prices, std::string_view asked,
                        const std::string& what, std::string_view key, Fits fits, Mark mark) {
  const std::string_view region = asked.empty() ? default_region : asked;
  const Price* other = nullptr;
  std::size_t place = price_stand_ins.size();
  LookupFailure failure{LookupProblem::unknown_price, "", {}, std::string(key)};
  for (const Price& price : prices) {
    if (!fits(price)) continue;
    if (price.region == region || price.region == "all") return {price, {}};
    const auto stands =
        std::find(price_stand_ins.begin(), price_stand_ins.begin() + place, price.region);
    if (stands != price_stand_ins.begin() + place) {
      other = &price;
      place = static_cast<std::size_t>(stands - price_stand_ins.begin());
    }
    append_once(failure.choices, price.region);
  }
  if (other != nullptr) {
    Lookup<Price> found{*other, {}};
    mark(*found.value, region);
    return found;
  }
  if (failure.choices.empty()) {
    failure.message = fmt::format("no price of {} is known", what);
  } else {
    failure.kind = LookupProblem::unknown_region;
    failure.message = fmt::format("no price of {} in \"{}\" is known, only in {}", what, region,
                                  fmt::join(failure.choices, ", "));
  }
  return {std::nullopt, std::move(failure)};
}

/// A tier's name as AWS writes it: "200 MB/s/TiB".
std::string tier_name(SpecificBandwidth throughput) {
  return fmt::format("{:g} MB/s/TiB", (throughput * tebibytes(1)).base() / 1e6);
}

bool same_tier(SpecificBandwidth a, SpecificBandwidth b) {
  constexpr double rounding = 1e-9;  // "0.2 GB/s/TiB" is the tier of "200 MB/s/TiB"
  return std::abs(a.base() - b.base()) <= rounding * b.base();
}

constexpr std::string_view storage_key = "/source/bill_storage";

}  // namespace

Lookup<S3Price> find_s3_price(const Catalog& catalog, std::string_view region,
                              std::string_view storage_class) {
  return by_region(
      catalog.s3_prices, region, "S3 " + std::string(storage_class), storage_key,
      [&](const S3Price& price) { return price.storage_class == storage_class; },
      [](S3Price& price, std::string_view asked) {
        stand_in(asked, price.storage, price.above_50_tb, price.above_500_tb, price.monitoring,
                 price.get, price.put, price.retrieval, price.upload);
      });
}

Lookup<ObjectPrice> find_object_price(const Catalog& catalog, std::string_view service,
                                      std::string_view region, std::string_view storage_class) {
  return by_region(
      catalog.object_prices, region, fmt::format("{} {}", service, storage_class), storage_key,
      [&](const ObjectPrice& price) {
        return price.service == service && price.storage_class == storage_class;
      },
      [](ObjectPrice& price, std::string_view asked) {
        stand_in(asked, price.storage, price.read, price.write);
      });
}

Lookup<FsxPrice> find_fsx_price(const Catalog& catalog, std::string_view region,
                                std::string_view deployment_type, SpecificBandwidth throughput) {
  return by_region(
      catalog.fsx_prices, region,
      fmt::format("FSx for Lustre {} at {}", deployment_type, tier_name(throughput)), storage_key,
      [&](const FsxPrice& price) {
        return price.deployment_type == deployment_type && same_tier(price.throughput, throughput);
      },
      [](FsxPrice& price, std::string_view asked) { stand_in(asked, price.storage); });
}

Lookup<EfsPrice> find_efs_price(const Catalog& catalog, std::string_view region,
                                std::string_view storage_class) {
  return by_region(
      catalog.efs_prices, region, fmt::format("EFS {}", storage_class), storage_key,
      [&](const EfsPrice& price) { return price.storage_class == storage_class; },
      [](EfsPrice& price, std::string_view asked) {
        stand_in(asked, price.storage, price.access);
      });
}

Lookup<EfsThroughputPrice> find_efs_throughput_price(const Catalog& catalog,
                                                     std::string_view region) {
  return by_region(
      catalog.efs_throughput_prices, region, "EFS throughput", "/source/throughput_mode",
      [](const EfsThroughputPrice&) { return true; },
      [](EfsThroughputPrice& price, std::string_view asked) {
        stand_in(asked, price.elastic_read, price.elastic_write, price.provisioned);
      });
}

Lookup<EbsPrice> find_ebs_price(const Catalog& catalog, std::string_view region,
                                std::string_view volume_type) {
  return by_region(
      catalog.ebs_prices, region, fmt::format("EBS {}", volume_type), "/disk/volume_type",
      [&](const EbsPrice& price) { return price.type == volume_type; },
      [](EbsPrice& price, std::string_view asked) {
        stand_in(asked, price.storage, price.iops, price.iops_above_32000, price.iops_above_64000,
                 price.bandwidth);
      });
}

Lookup<std::vector<TransferTier>> find_transfer(const Catalog& catalog, std::string_view path,
                                                std::string_view region) {
  const auto found = by_region(
      catalog.transfer, region, fmt::format("transfer {}", path), "/cluster/region",
      [&](const TransferTariff& tariff) { return tariff.path == path; },
      [](TransferTariff& tariff, std::string_view asked) {
        for (TransferTier& tier : tariff.tiers) {
          Known<TransferPrice> price = tier.price;
          stand_in(asked, price);
          tier.price = *price;
        }
      });
  if (!found) return {std::nullopt, found.failure};
  return {found->tiers, {}};
}

Lookup<std::vector<TransferTier>> find_way_out(const Catalog& catalog, std::string_view cloud,
                                               std::string_view from, std::string_view continent) {
  if (cloud == "aws") return find_transfer(catalog, to_internet, from);
  const std::string anywhere = fmt::format("{} {}", cloud, to_internet);
  const std::string there = fmt::format("{} in {}", anywhere, continent);
  const bool special = std::any_of(catalog.transfer.begin(), catalog.transfer.end(),
                                   [&](const TransferTariff& one) { return one.path == there; });
  return find_transfer(catalog, special ? there : anywhere, from);
}

Lookup<std::vector<TransferTier>> find_transfer_between(const Catalog& catalog,
                                                        std::string_view from,
                                                        std::string_view to) {
  const std::string pair = fmt::format("{} to {}", from, to);
  const bool special = std::any_of(catalog.transfer.begin(), catalog.transfer.end(),
                                   [&](const TransferTariff& one) { return one.path == pair; });
  return find_transfer(catalog, special ? pair : to_another_region, from);
}

Lookup<NatGatewayPrice> find_nat_gateway(const Catalog& catalog, std::string_view region) {
  return by_region(
      catalog.nat_gateways, region, "a NAT gateway", "/cluster/region",
      [](const NatGatewayPrice& price) { return price.hour && price.through; },
      [](NatGatewayPrice& price, std::string_view asked) {
        stand_in(asked, price.hour, price.through);
      });
}

Lookup<FsxTier> find_fsx_tier(const Catalog& catalog, std::string_view deployment_type,
                              SpecificBandwidth throughput) {
  LookupFailure failure{LookupProblem::unknown_name, "", {}, "/source/throughput_per_capacity"};
  for (const FsxTier& tier : catalog.fsx.tiers) {
    if (tier.deployment_type == deployment_type && same_tier(tier.throughput, throughput)) {
      return {tier, {}};
    }
    failure.choices.push_back(
        fmt::format("{} at {}", tier.deployment_type, tier_name(tier.throughput)));
  }
  failure.message = fmt::format("FSx for Lustre has no {} at {}; it has {}", deployment_type,
                                tier_name(throughput), fmt::join(failure.choices, ", "));
  return {std::nullopt, std::move(failure)};
}

Value<CapacitySteps> fsx_steps(const Catalog& catalog, std::string_view deployment_type,
                               SpecificBandwidth throughput) {
  // Those that name the type hold before those that name none, and the tier likewise.
  const auto named = [](const FsxSteps& steps) {
    return (steps.deployment_type.empty() ? 0 : 2) + (steps.throughput ? 1 : 0);
  };
  const FsxSteps* best = nullptr;
  for (const FsxSteps& steps : catalog.fsx.steps) {
    if (!steps.first || !steps.second || !steps.step) continue;
    if (!steps.deployment_type.empty() && steps.deployment_type != deployment_type) continue;
    if (steps.throughput && !same_tier(steps.throughput->value, throughput)) continue;
    if (best == nullptr || named(steps) > named(*best)) best = &steps;
  }
  if (best == nullptr) return Value<CapacitySteps>::assumed({}, "any capacity");
  return {{best->first->value, best->second->value, best->step->value}, best->first->from};
}

const EbsVolume* find_ebs_volume(const Catalog& catalog, std::string_view type) {
  for (const EbsVolume& volume : catalog.ebs) {
    if (volume.type == type) return &volume;
  }
  return nullptr;
}

const EfsMode* find_efs_mode(const Catalog& catalog, std::string_view mode) {
  for (const EfsMode& known : catalog.efs.modes) {
    if (known.mode == mode) return &known;
  }
  return nullptr;
}

Bytes billed_capacity(Bytes wanted, const CapacitySteps& steps) {
  if (steps.step <= Bytes{}) return wanted;
  if (wanted <= steps.first) return steps.first;
  if (wanted <= steps.second) return steps.second;
  constexpr double rounding = 1e-9;  // 4.8 TiB written with a point is two steps, not three
  return std::ceil(wanted / steps.step - rounding) * steps.step;
}

}  // namespace feedrate
