#include "catalog/lookup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/append_once.hpp"
#include "base/did_you_mean.hpp"
#include "base/portable_math.hpp"
#include "catalog/regions.hpp"

namespace feedrate {
namespace {

LookupFailure unknown_instance(const Catalog& catalog, std::string_view instance) {
  LookupFailure failure{LookupProblem::unknown_name, "", {}, "/cluster/instance"};
  // Suggestions are written as the question was: with SageMaker's prefix or without.
  const std::string prefix(instance.substr(0, instance.size() - without_prefix(instance).size()));
  const auto& all = catalog.machines;
  const std::string_view bare = without_prefix(instance);
  const auto elsewhere = std::find_if(all.begin(), all.end(), [&](const Machine& machine) {
    return !prefix.empty() && machine.name == bare;
  });
  if (elsewhere != all.end()) {
    failure.message = fmt::format(
        "no instance \"{}\" in the catalogue: \"{}\" names SageMaker's, which are AWS's alone; "
        "\"{}\" is another cloud's",
        instance, prefix, bare);
    return failure;
  }
  for (const Machine& machine : all) {
    if (prefix.empty() || machine.cloud == "aws") failure.choices.push_back(prefix + machine.name);
  }
  std::string meant = did_you_mean(instance, failure.choices);
  const auto has_it = [&](const Machine& machine) {
    return !machine.gpu_model.empty() && !nearest(instance, {&machine.gpu_model, 1}).empty();
  };
  // "a100" is in names of machines, too; who writes no more means the GPU.
  const auto is_part = [&](const Machine& machine) {
    const auto same = [](unsigned char a, unsigned char b) {
      return std::tolower(a) == std::tolower(b);
    };
    const std::string& model = machine.gpu_model;
    return instance.size() > 1 && std::search(model.begin(), model.end(), instance.begin(),
                                              instance.end(), same) != model.end();
  };
  if (std::any_of(all.begin(), all.end(), is_part) ||
      (meant.empty() && std::any_of(all.begin(), all.end(), has_it))) {
    meant =
        fmt::format("; it is a GPU: feedrate catalog list 'gpu={}' lists its machines", instance);
  }
  // Who names nothing that is like one of them may mean a machine of their own.
  if (meant.empty()) {
    meant =
        "; for a machine of your own, leave \"instance\" out of \"cluster\" and give \"vcpus\", "
        "\"memory\", \"gpus_per_instance\" and \"price\" (\"0 USD/h\" if nobody bills it)";
  }
  failure.message = fmt::format("no instance \"{}\" in the catalogue{}", instance, meant);
  return failure;
}

std::string_view words_of(Purchase purchase) {
  switch (purchase) {
    case Purchase::on_demand: return "on-demand";
    case Purchase::spot: return "spot";
    case Purchase::savings_plan: return "savings-plan";
    case Purchase::capacity_block: return "capacity-block";
    case Purchase::training_plan: return "training-plan";
  }
  return "";
}

bool in_us(std::string_view region) {
  return region.starts_with("us-");
}

constexpr int elsewhere = 5;

/// How well a price's region answers the question, 0 best; -1: not at all.
int region_rank(std::string_view offered, const std::optional<std::string>& asked) {
  if (asked) {
    if (offered == *asked) return 0;
    if (offered == "all") return 1;
    return offered == "US" && in_us(*asked) ? 2 : -1;
  }
  if (offered == default_region) return 0;
  if (offered == "all") return 1;
  if (offered == twin_region) return 2;
  if (offered == "US") return 3;
  return offered == default_azure_region || offered == default_gcp_region ? 4 : elsewhere;
}

/// Of the same date the one that stands later: it was added to what stood there.
bool better(const Offer& a, const Offer& b, const std::optional<std::string>& region) {
  const int rank_a = region_rank(a.region, region);
  const int rank_b = region_rank(b.region, region);
  if (rank_a != rank_b) return rank_a < rank_b;
  if (a.current != b.current) return a.current;
  // Whoever names no region looks for none that is dearer than others.
  if (rank_a == elsewhere && !region && a.region != b.region && a.price && b.price) {
    return a.price->value < b.price->value;
  }
  return a.date >= b.date;
}

double hourly(HourlyPrice price) {
  return price * hours(1.0) / usd(1.0);
}

/// Of what will be paid, nine in ten lie as far apart as the zones' prices of one day, and at least
/// a tenth to either side, which prices are taken to move within a month.
double spot_spread(const Offer& offer) {
  constexpr double moves = 0.06, ninety_percent = 2.0 * 1.645;
  if (!offer.lowest || !offer.highest || *offer.lowest <= HourlyPrice{}) return moves;
  return std::max(moves, portable::log(*offer.highest / *offer.lowest) / ninety_percent);
}

void remark(PricedOffer& found, std::string_view text) {
  if (!found.remark.empty()) found.remark += "; ";
  found.remark += text;
}

PricedOffer priced(const Offer& offer, const OfferQuery& query) {
  PricedOffer found{*offer.price, offer.service, offer.region, offer.date, offer.current, ""};
  if (offer.region == "US") {
    remark(found, "for a US region that the source does not name");
  } else if (offer.region == "not stated") {
    remark(found, "the source names no region");
    found.price.from.origin = Origin::assumed;
  } else if (!query.region && offer.region != "all") {
    remark(found, fmt::format("no region given: {}", offer.region));
  }
  if (offer.purchase == Purchase::spot) {
    found.spread = spot_spread(offer);
    const std::string date = offer.date.empty() ? "" : fmt::format(" of {}", offer.date);
    if (offer.lowest && offer.highest && offer.zones) {
      remark(found, fmt::format("spot price{} that changes by the hour: {:g} to {:g} USD/h in {:g} "
                                "zone{}",
                                date, hourly(*offer.lowest), hourly(*offer.highest), *offer.zones,
                                *offer.zones == 1.0 ? "" : "s"));
    } else {
      remark(found, fmt::format("spot price{} that changes by the hour, and that no zone was asked "
                                "for: {}",
                                date, offer.price->from.source));
    }
    if (!offer.interruption.empty()) {
      remark(found,
             fmt::format("{} of such instances are interrupted in a month", offer.interruption));
    }
  }
  if (!offer.current) remark(found, fmt::format("price of {}, no longer current", offer.date));
  if (!offer.note.empty()) remark(found, offer.note);
  return found;
}

LookupFailure no_offer(const Catalog& catalog, const OfferQuery& query, const std::string& service,
                       std::vector<std::string> regions) {
  LookupFailure failure;
  failure.choices = std::move(regions);
  const std::string what =
      fmt::format("{} price of {} ({})", words_of(query.purchase), query.instance, service);
  if (failure.choices.empty() || !query.region) {
    failure.kind = LookupProblem::unknown_price;
    failure.key = query.price_key;
    failure.message = fmt::format("no {} is known; set {}", what, query.price_key);
    const auto& most = catalog.limits.managed_spot_max;
    if (most && service == "sagemaker" && query.purchase == Purchase::spot) {
      failure.message += fmt::format(
          ": managed spot has no price list, it bills up to {:g} % fewer seconds at the on-demand "
          "price",
          100.0 * most->value);
    }
  } else {
    failure.kind = LookupProblem::unknown_region;
    failure.key = "/cluster/region";
    failure.message =
        fmt::format("no {} in \"{}\" is known, only in {}; set /cluster/region or {}", what,
                    *query.region, fmt::join(failure.choices, ", "), query.price_key);
  }
  return failure;
}

LookupFailure no_savings(const Catalog& catalog) {
  std::string most;
  if (const auto& known = catalog.limits.savings_plan_max) {
    most = fmt::format(" (at most {:g} is published)", known->value);
  }
  return {LookupProblem::unknown_price,
          "a savings plan's discount depends on its contract; set /cluster/savings, the fraction "
          "off the on-demand price" +
              most + ", or /cluster/price",
          {},
          "/cluster/savings"};
}

}  // namespace

std::string_view in_few_words(LookupProblem problem) {
  switch (problem) {
    case LookupProblem::unknown_name: return "not in the catalogue";
    case LookupProblem::unknown_region: return "no price in this region";
    case LookupProblem::unknown_price: return "no price";
  }
  return "";
}

std::string_view without_prefix(std::string_view instance) {
  return instance.starts_with("ml.") ? instance.substr(3) : instance;
}

/// "Standard_ND96isr_H100_v5", as Azure's API has it: "ND96isr H100 v5"; "" of any other name.
static std::string azure_name(std::string_view instance) {
  constexpr std::string_view prefix = "Standard_";
  if (!instance.starts_with(prefix)) return "";
  std::string name(instance.substr(prefix.size()));
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

/// Null where there is none of that name.
static const Machine* machine_named(const Catalog& catalog, std::string_view instance) {
  const std::string of_azure = azure_name(instance);
  const std::string_view name = of_azure.empty() ? without_prefix(instance) : of_azure;
  for (const Machine& machine : catalog.machines) {
    if (machine.name != name) continue;
    if (of_azure.empty() && name.size() != instance.size() && machine.cloud != "aws") break;
    return &machine;
  }
  return nullptr;
}

std::string service_of(const Catalog& catalog, std::string_view instance) {
  if (instance.starts_with("ml.")) return "sagemaker";
  const Machine* const machine = machine_named(catalog, instance);
  if (machine == nullptr) return "";
  return machine->cloud == "aws" ? "ec2" : machine->cloud;
}

Lookup<const Machine*> find_machine(const Catalog& catalog, std::string_view instance) {
  if (const Machine* const machine = machine_named(catalog, instance)) return {machine, {}};
  return {std::nullopt, unknown_instance(catalog, instance)};
}

/// SageMaker's managed spot, which has no price list: on demand, less what EC2's spot price of the
/// machine saves in the same region. Empty where one of these is not known.
static std::optional<PricedOffer> managed_spot(const Catalog& catalog, const OfferQuery& query) {
  const auto price = [&](const char* service, Purchase purchase) {
    OfferQuery other = query;
    other.service = service;
    other.instance = without_prefix(query.instance);
    other.purchase = purchase;
    return find_offer(catalog, other);
  };
  auto paid = price("sagemaker", Purchase::on_demand);
  const auto spot = price("ec2", Purchase::spot);
  const auto on_demand = price("ec2", Purchase::on_demand);
  if (!paid || !spot || !on_demand) return std::nullopt;
  const auto& most = catalog.limits.managed_spot_max;
  const double saves =
      std::clamp(1.0 - spot->price.value / on_demand->price.value, 0.0, most ? most->value : 1.0);
  PricedOffer found = std::move(*paid.value);
  found.price.value *= 1.0 - saves;
  found.price.from = {
      Origin::assumed,
      fmt::format("on demand less the {:.0f} % that EC2's spot price saves", 100.0 * saves), 0.0};
  remark(found,
         fmt::format("managed spot has no price list, it bills{} fewer seconds at the on-demand "
                     "price: what EC2's spot price{} saves is taken, {:.0f} %",
                     most ? fmt::format(" up to {:g} %", 100.0 * most->value) : "",
                     spot->date.empty() ? "" : " of " + spot->date, 100.0 * saves));
  return found;
}

std::optional<Duration> block_as_sold(Duration held) {
  constexpr double of_week = 7.0, by_day = 14.0, most = 182.0, noise = 1e-9;
  double days = std::max(1.0, std::ceil(held / hours(24.0) - noise));
  if (days > by_day) days = of_week * std::ceil(days / of_week);
  if (days > most) return std::nullopt;
  return days * hours(24.0);
}

Lookup<PricedOffer> find_offer(const Catalog& catalog, const OfferQuery& query) {
  const auto machine = find_machine(catalog, query.instance);
  if (!machine) return {std::nullopt, machine.failure};
  if (query.purchase == Purchase::savings_plan) {
    if (!query.savings) return {std::nullopt, no_savings(catalog)};
    OfferQuery on_demand = query;
    on_demand.purchase = Purchase::on_demand;
    Lookup<PricedOffer> found = find_offer(catalog, on_demand);
    if (found) {
      found.value->price.value *= 1.0 - *query.savings;
      found.value->price.from.source +=
          fmt::format(", less {:g} % savings plan", 100.0 * *query.savings);
    }
    return found;
  }
  const std::string service =
      query.service.empty() ? service_of(catalog, query.instance) : query.service;
  const std::string_view name = (*machine)->name;
  const Offer* best = nullptr;
  const Offer* placeless = nullptr;
  const auto answers = [&](const Offer& offer) {
    // Most offers are of instances whose names are longer or shorter.
    return offer.instance.size() == name.size() && offer.purchase == query.purchase &&
           offer.price && offer.instance == name && offer.service == service;
  };
  bool placed = false;
  for (const Offer& offer : catalog.offers) {
    if (!answers(offer)) continue;
    if (offer.region == "not stated") {
      if (placeless == nullptr || better(offer, *placeless, query.region)) placeless = &offer;
      continue;
    }
    placed = true;
    if (region_rank(offer.region, query.region) < 0) continue;
    if (best == nullptr || better(offer, *best, query.region)) best = &offer;
  }
  // A price for "a US region" answers for a region that exists; the name must be one.
  const bool exists =
      !query.region || best == nullptr || best->region != "US" ||
      std::any_of(catalog.offers.begin(), catalog.offers.end(),
                  [&](const Offer& offer) { return offer.region == *query.region; });
  if (!exists) best = nullptr;
  if (best == nullptr && !placed) best = placeless;
  if (best != nullptr) return {priced(*best, query), {}};
  if (service == "sagemaker" && query.purchase == Purchase::spot) {
    if (auto managed = managed_spot(catalog, query)) return {std::move(managed), {}};
  }
  std::vector<std::string> regions;
  for (const Offer& offer : catalog.offers) {
    if (answers(offer) && offer.region != "not stated") append_once(regions, offer.region);
  }
  return {std::nullopt, no_offer(catalog, query, service, std::move(regions))};
}

std::string_view cloud_of_machine(const Machine* machine, std::string_view region) {
  return machine != nullptr ? std::string_view(machine->cloud) : cloud_of_region(region);
}

bool outside(const Machine* machine, std::string_view region, std::string_view cloud) {
  return (machine != nullptr || !region.empty()) && cloud_of_machine(machine, region) != cloud;
}

bool outside_aws(const Machine* machine, std::string_view region) {
  return outside(machine, region, "aws");
}

std::string_view default_region_of(std::string_view cloud) {
  if (cloud == "aws") return default_region;
  if (cloud == "gcp") return default_gcp_region;
  if (cloud == "azure") return default_azure_region;
  return "";
}

std::string aws_region(const Machine* machine, std::string_view region) {
  return std::string(region.empty() || outside_aws(machine, region) ? default_region : region);
}

std::string region_of_price(const Catalog& catalog, const Cluster& cluster) {
  if (!cluster.instance || cluster.price) return "";
  const bool own = cluster.prices && cluster.prices->contains(*cluster.instance) &&
                   cluster.purchase != Purchase::spot && !is_booked(cluster.purchase);
  if (own) return "";
  const auto offer =
      find_offer(catalog, {"", *cluster.instance, std::nullopt, cluster.purchase, cluster.savings});
  const bool named =
      offer && offer->region != "all" && offer->region != "US" && offer->region != "not stated";
  return named ? offer->region : "";
}

BillingRule billing_rule(const Catalog& catalog, std::string_view service) {
  for (const BillingRule& rule : catalog.billing) {
    if (rule.service == service) return rule;
  }
  return {std::string(service),
          seconds(1),
          seconds(0),
          true,
          {Origin::assumed, "billing per second without a minimum", 0.0}};
}

Known<Bandwidth> typical_pinned_copy(const Catalog& catalog, const Machine& machine, bool texts) {
  const auto typical = [&](const Known<double>& generation, const Known<double>& lanes,
                           std::string_view whose) -> Known<Bandwidth> {
    if (!generation || !lanes) return std::nullopt;
    for (const PcieLink& link : catalog.pcie) {
      if (link.generation != generation->value || !link.pinned_copy) continue;
      return Value<Bandwidth>::assumed(link.pinned_copy->value * (lanes->value / 16.0),
                                       texts ? fmt::format("typical of PCIe {:g} with {:g} lanes{}",
                                                           link.generation, lanes->value, whose)
                                             : std::string());
    }
    return std::nullopt;
  };
  if (auto own = typical(machine.pcie_generation, machine.pcie_lanes, "")) return own;
  for (const Gpu& gpu : catalog.gpus) {
    if (gpu.name == machine.gpu_model) {
      return typical(gpu.pcie_generation, gpu.pcie_lanes, ", which the GPU has");
    }
  }
  return std::nullopt;
}

}  // namespace feedrate
