#include "catalog/listing.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace feedrate {
namespace {

constexpr std::array sold = {Purchase::on_demand, Purchase::spot};

/// Words that stand where a region's name would.
bool is_place(const std::string& region) {
  return region != "all" && region != "US" && region != "not stated";
}

std::vector<std::string> services_of(const Machine& machine) {
  if (machine.cloud == "aws") return {"ec2", "sagemaker"};
  return {machine.cloud};
}

/// The places where each cloud has prices.
class Places {
 public:
  explicit Places(const Catalog& catalog) {
    for (const Offer& offer : catalog.offers) {
      if (is_place(offer.region)) places_.emplace(offer.service, offer.region);
    }
  }

  /// Whether any machine of this one's cloud has a price there. A price that holds everywhere, or
  /// in a region that nobody names, is none there.
  [[nodiscard]] bool has(const Machine& machine, const std::string& region) const {
    const std::vector<std::string> services = services_of(machine);
    return std::any_of(services.begin(), services.end(), [&](const std::string& service) {
      return places_.contains({service, region});
    });
  }

 private:
  std::set<std::pair<std::string, std::string>> places_;
};

/// Appends what the machine is sold as in the first of the regions that has it (an empty one: where
/// find_offer looks first); false when that is nothing.
bool add_sold(const Catalog& catalog, const Machine& machine,
              const std::vector<std::optional<std::string>>& regions, std::vector<Listing>& out) {
  const std::size_t before = out.size();
  for (const std::string& service : services_of(machine)) {
    for (const Purchase purchase : sold) {
      for (const std::optional<std::string>& region : regions) {
        const auto offer = find_offer(catalog, {service, machine.name, region, purchase, {}});
        if (!offer) continue;
        const std::string place = region ? *region : is_place(offer->region) ? offer->region : "";
        out.push_back({&machine, service, place, purchase, offer->price.value});
        break;
      }
    }
  }
  return out.size() > before;
}

}  // namespace

std::string Listing::instance() const {
  return (service == "sagemaker" ? "ml." : "") + machine->name;
}

std::vector<Listing> listings(const Catalog& catalog, const std::vector<std::string>& regions,
                              const std::optional<std::string>& wanted) {
  const Places places(catalog);
  std::vector<Listing> out;
  for (const Machine& machine : catalog.machines) {
    for (const std::string& region : regions) {
      if (places.has(machine, region)) add_sold(catalog, machine, {region}, out);
    }
    if (!regions.empty()) continue;
    std::vector<std::optional<std::string>> first;
    if (wanted && places.has(machine, *wanted)) {
      first = {wanted};
    } else if (places.has(machine, std::string(default_region))) {
      first = {std::string(default_region), std::nullopt};
    } else {
      first = {std::nullopt};
    }
    if (!add_sold(catalog, machine, first, out)) {
      const std::string place = first.back().value_or("");
      out.push_back({&machine, services_of(machine).front(), place, Purchase::on_demand, {}});
    }
  }
  return out;
}

std::vector<std::string> regions_of(const Catalog& catalog) {
  std::vector<std::string> regions;
  std::set<std::string> seen;
  for (const Offer& offer : catalog.offers) {
    if (is_place(offer.region) && seen.insert(offer.region).second) {
      regions.push_back(offer.region);
    }
  }
  return regions;
}

std::optional<double> tensor_peak(const Catalog& catalog, const std::string& gpu_model) {
  for (const Gpu& gpu : catalog.gpus) {
    if (gpu.name != gpu_model) continue;
    if (gpu.bf16) return gpu.bf16->value;
    if (gpu.fp16) return gpu.fp16->value;
  }
  return std::nullopt;
}

std::vector<PriceRow> price_rows(const std::vector<Listing>& listings) {
  std::vector<PriceRow> rows;
  for (const Listing& listing : listings) {
    auto same = std::find_if(rows.begin(), rows.end(), [&](const PriceRow& row) {
      return row.machine == listing.machine && row.region == listing.region;
    });
    if (same == rows.end()) {
      same = rows.insert(rows.end(), {listing.machine, listing.region, {}, {}, {}});
    }
    if (listing.service == "sagemaker") {
      if (listing.purchase == Purchase::on_demand) same->sagemaker = listing.price;
    } else if (listing.purchase == Purchase::spot) {
      same->spot = listing.price;
    } else {
      same->on_demand = listing.price;
    }
  }
  return rows;
}

std::vector<Listing> rented_with_gpus(const Catalog& catalog) {
  std::set<std::pair<std::string, std::string>> priced;
  for (const Offer& offer : catalog.offers) {
    // What is only booked for days is no answer to what to rent for a job.
    if (offer.price && !is_booked(offer.purchase)) priced.emplace(offer.service, offer.instance);
  }
  std::vector<Listing> out;
  for (const Machine& machine : catalog.machines) {
    if (!machine.gpus || machine.gpus->value < 1.0) continue;
    for (const std::string& service : services_of(machine)) {
      if (priced.contains({service, machine.name})) {
        out.push_back({&machine, service, "", Purchase::on_demand, {}});
      }
    }
  }
  return out;
}

std::vector<PriceRow> prices_of(const Catalog& catalog, const std::string& instance) {
  const Lookup<const Machine*> machine = find_machine(catalog, instance);
  if (!machine) return {};
  std::vector<PriceRow> rows;
  const auto price = [&](const std::optional<std::string>& region, Purchase purchase) {
    const auto offer = find_offer(catalog, {"", instance, region, purchase, {}});
    return offer ? std::optional(offer->price.value) : std::nullopt;
  };
  const auto add = [&](const std::optional<std::string>& region) {
    PriceRow row{*machine,
                 region.value_or(""),
                 price(region, Purchase::on_demand),
                 price(region, Purchase::spot),
                 {}};
    if (row.on_demand || row.spot) rows.push_back(std::move(row));
  };
  add(std::nullopt);
  const Places places(catalog);
  for (const std::string& region : regions_of(catalog)) {
    if (places.has(**machine, region)) add(region);
  }
  return rows;
}

}  // namespace feedrate
