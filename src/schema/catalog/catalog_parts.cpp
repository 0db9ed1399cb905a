#include "schema/catalog/catalog_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <set>
#include <string_view>

#include "catalog/lookup.hpp"
#include "catalog/regions.hpp"
#include "schema/catalog/catalog_files.hpp"
#include "schema/catalog/offers_by_region.hpp"

namespace feedrate::schema {
namespace {

using Fits = std::function<bool(const JsonValue&)>;

constexpr std::array<std::string_view, 16> naming_keys = {
    "name",          "instance",        "limit",      "service", "path", "region",     "purchase",
    "storage_class", "deployment_type", "throughput", "type",    "mode", "generation", "model",
    "gpu",           "precision"};

constexpr std::array<std::string_view, 4> offer_keys = {"service", "instance", "region",
                                                        "purchase"};

std::string member_text(const JsonValue& record, std::string_view key) {
  const JsonValue* member = record.find(key);
  return member != nullptr && member->kind == JsonKind::text ? member->text : "";
}

bool everything(const JsonValue&) {
  return true;
}

JsonPtr without_note(const JsonPtr& record) {
  if (record->find("note") == nullptr) return record;
  auto out = std::make_shared<JsonValue>(*record);
  std::erase_if(out->members, [](const JsonMember& member) { return member.key == "note"; });
  return out;
}

/// Collects records by file and section, in the order in which they are asked for.
class Parts {
 public:
  void add(const std::string& file, const JsonPtr& root, std::string_view section,
           const Fits& fits) {
    const JsonValue* list = root ? root->find(section) : nullptr;
    if (list == nullptr) return;
    for (const JsonPtr& record : list->items) {
      if (record->kind == JsonKind::object && fits(*record)) {
        JsonValue& into = child(child(root_, file, JsonKind::object), section, JsonKind::array);
        into.items.push_back(without_note(record));
      }
    }
  }

  /// One offer in `region`, its price left out.
  void add_without_price(const std::string& file, const JsonPtr& root, const std::string& region) {
    const JsonValue* list = root ? root->find("offers") : nullptr;
    if (list == nullptr) return;
    const auto found = std::find_if(
        list->items.begin(), list->items.end(),
        [&](const JsonPtr& record) { return member_text(*record, "region") == region; });
    if (found == list->items.end()) return;
    auto bare = std::make_shared<JsonValue>(**found);
    std::erase_if(bare->members, [](const JsonMember& member) {
      return std::find(offer_keys.begin(), offer_keys.end(), member.key) == offer_keys.end();
    });
    child(child(root_, file, JsonKind::object), "offers", JsonKind::array).items.push_back(bare);
  }

  /// The records of a price list that hold in `region`: its own, else those that can stand in.
  void add_regional(const std::string& file, const JsonPtr& root, std::string_view section,
                    const std::string& region, const Fits& fits) {
    const auto in = [&](const std::set<std::string>& regions) -> Fits {
      return [&fits, regions](const JsonValue& record) {
        return regions.contains(member_text(record, "region")) && fits(record);
      };
    };
    const JsonValue* list = root ? root->find(section) : nullptr;
    if (list == nullptr) return;
    const bool own = std::any_of(list->items.begin(), list->items.end(), [&](const JsonPtr& item) {
      return in({region, "all"})(*item);
    });
    const std::set<std::string> regions =
        own ? std::set<std::string>{region, "all"}
            : std::set<std::string>(price_stand_ins.begin(), price_stand_ins.end());
    add(file, root, section, in(regions));
  }

  [[nodiscard]] JsonPtr finish() && { return std::make_shared<const JsonValue>(std::move(root_)); }

 private:
  // Built by this class alone, so its values may still change.
  static JsonValue& child(JsonValue& parent, std::string_view key, JsonKind kind) {
    parent.kind = JsonKind::object;
    for (const JsonMember& member : parent.members) {
      if (member.key == key) return const_cast<JsonValue&>(*member.value);
    }
    auto made = std::make_shared<JsonValue>();
    made->kind = kind;
    parent.members.push_back({std::string(key), 0, made});
    return *made;
  }

  JsonValue root_ = [] {
    JsonValue root;
    root.kind = JsonKind::object;
    return root;
  }();
};

std::string file_of(std::string_view name) {
  const std::size_t dot = name.find('.');
  return dot == std::string_view::npos ? "" : "aws/" + std::string(name.substr(0, dot)) + ".json";
}

/// Prices of another store or region that checkpoints are written to.
void add_checkpoint_parts(const Scenario& scenario, const std::string& region,
                          const std::string& data_region,
                          const std::function<JsonPtr(const std::string&)>& file, Parts& parts) {
  const auto& given = scenario.job.checkpoint;
  if (!given || !(given->to || given->region)) return;
  const Service family = (given->to ? *given->to : scenario.source.service).family();
  const std::string to = given->region.value_or(given->to ? region : data_region);
  const auto whole = [&](const char* name, const char* list) {
    parts.add_regional(name, file(name), list, to, everything);
  };
  if (family == Service::s3) whole("s3.json", "prices");
  if (traits(family).objects != nullptr) {
    parts.add("object_stores.json", file("object_stores.json"), "prices", everything);
  }
  if (family == Service::efs) {
    whole("efs.json", "prices");
    whole("efs.json", "throughput_prices");
  }
  parts.add("transfer.json", file("transfer.json"), "tariffs", [&](const JsonValue& record) {
    const std::string of = member_text(record, "region");
    return of == region || of == to;
  });
}

}  // namespace

JsonPtr PricingFiles::file(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = parsed_.try_emplace(name);
  if (!is_new) return found->second;
  const std::string path = (std::filesystem::path(folder_) / name).string();
  try {
    if (files_.has(path)) {
      found->second = with_offers_by_region(parse_json(files_.text(path), path));
    }
  } catch (...) {
    parsed_.erase(found);
    throw;
  }
  return found->second;
}

JsonPtr PricingFiles::parts_for(const Scenario& scenario, const Catalog& catalog) {
  Parts parts;
  std::set<std::string> names;
  if (scenario.cluster.instance) names.insert(*scenario.cluster.instance);
  if (scenario.loader.remote) names.insert(scenario.loader.remote->instance);
  std::string region = scenario.cluster.region.value_or("");
  std::set<std::string> services;
  for (const std::string& instance : names) {
    const auto found = find_machine(catalog, instance);
    const std::string name = found ? (*found)->name : std::string(without_prefix(instance));
    const std::string service = service_of(catalog, instance);
    services.insert(service);
    std::vector<std::string> files{file_of(name)};
    if (files.front().empty()) files.assign(other_clouds.begin(), other_clouds.end());
    const bool savings = scenario.cluster.purchase == Purchase::savings_plan;
    const auto offer = find_offer(
        catalog, {service, instance, scenario.cluster.region,
                  savings ? Purchase::on_demand : scenario.cluster.purchase, std::nullopt});
    if (offer && region.empty()) region = offer->region;
    for (const std::string& path : files) {
      const JsonPtr root = file(path);
      parts.add(path, root, "machines",
                [&](const JsonValue& record) { return member_text(record, "name") == name; });
      // Managed spot is on demand, less what EC2's spot price saves.
      const bool managed = service == "sagemaker" && scenario.cluster.purchase == Purchase::spot;
      parts.add(path, root, "offers", [&](const JsonValue& record) {
        const std::string purchase = member_text(record, "purchase");
        const std::string of = member_text(record, "region");
        if (managed && offer && member_text(record, "instance") == name) {
          return of == offer->region || of == "US" || of == "all" || of == "not stated";
        }
        return offer && member_text(record, "instance") == name &&
               member_text(record, "service") == service &&
               member_text(record, "region") == offer->region &&
               ((member_text(record, "date") == offer->date &&
                 (purchase == "spot") == (scenario.cluster.purchase == Purchase::spot)) ||
                // What spot instances are compared with, and may fall back to.
                (scenario.cluster.interrupted_spot() && purchase == "on_demand"));
      });
      // A price of another region answers only for a region that some offer shows to exist.
      if (offer && scenario.cluster.region && offer->region != *scenario.cluster.region) {
        parts.add_without_price(path, root, *scenario.cluster.region);
      }
    }
  }
  const Machine* machine = nullptr;
  if (scenario.cluster.instance) {
    if (const auto found = find_machine(catalog, *scenario.cluster.instance)) machine = *found;
  }
  // What numbers of other machines are compared with: those machines, and all GPUs, for a GPU
  // without published rates takes those of its chip's other products.
  const MeasuredOn& on = scenario.measured_on;
  std::set<std::string_view> compared;
  for (const auto* other : {&on.gpu_times, &on.cpu_times, &on.loader_times, &on.remote_times}) {
    if (*other) compared.insert(without_prefix(**other));
  }
  for (const std::string& known : names) compared.erase(without_prefix(known));
  for (const std::string_view name : compared) {
    std::vector<std::string> files{file_of(name)};
    if (files.front().empty()) files.assign(other_clouds.begin(), other_clouds.end());
    for (const std::string& path : files) {
      parts.add(path, file(path), "machines",
                [&](const JsonValue& record) { return member_text(record, "name") == name; });
    }
  }
  const auto& step = scenario.job.step;
  const bool compares = on.gpu_times || (step && (step->by_gpu || step->model));
  if (compares) {
    parts.add("gpus.json", file("gpus.json"), "training", everything);
  }
  if (machine != nullptr && !machine->gpu_model.empty()) {
    const JsonPtr gpus = file("gpus.json");
    parts.add("gpus.json", gpus, "gpus", [&](const JsonValue& record) {
      return compares || member_text(record, "name") == machine->gpu_model;
    });
    parts.add("gpus.json", gpus, "pcie", [&](const JsonValue& record) {
      const JsonValue* generation = record.find("generation");
      return generation != nullptr && machine->pcie_generation &&
             generation->number == machine->pcie_generation->value;
    });
  }
  const std::string region_of_job = region;
  region = aws_region(machine, region);
  const std::string data_region = scenario.source.region.value_or(region);
  const bool through_nat = scenario.source.nat_gateway.value_or(false);
  parts.add("services.json", file("services.json"), "billing", [&](const JsonValue& record) {
    const std::string of = member_text(record, "service");
    return services.contains(of) || (through_nat && of == nat_gateway_service);
  });
  parts.add("services.json", file("services.json"), "limits", [&](const JsonValue& record) {
    const std::string limit = member_text(record, "limit");
    return limit == "sagemaker_volume_price" || limit == "network_burst";
  });
  if (scenario.job.duration_on_one_instance) return std::move(parts).finish();
  const Service service = scenario.source.service.family();
  const bool lustre = service == Service::fsx_lustre;
  const auto of_path = [](std::string_view path) -> Fits {
    return [path](const JsonValue& record) { return member_text(record, "path") == path; };
  };
  const auto add_tariff = [&](std::string_view path) {
    parts.add_regional("transfer.json", file("transfer.json"), "tariffs", region, of_path(path));
  };
  if (through_nat) {
    parts.add_regional("transfer.json", file("transfer.json"), "nat_gateway_prices", region,
                       [](const JsonValue&) { return true; });
  }
  if (scenario.cluster.zones || scenario.source.other_zone) add_tariff(between_zones);
  add_checkpoint_parts(
      scenario, region, data_region, [this](const std::string& name) { return file(name); }, parts);
  if (traits(service).cloud == "aws") {
    const bool loaded = lustre && scenario.source.lazy_load_from_s3.value_or(false);
    const std::string storage_class = scenario.source.storage_class_or("STANDARD");
    parts.add("s3.json", file("s3.json"), "limits", everything);
    if (service == Service::s3 || loaded) {
      parts.add_regional("s3.json", file("s3.json"), "prices", data_region,
                         [&](const JsonValue& record) {
                           return member_text(record, "storage_class") == storage_class;
                         });
    }
    const bool nameless = !scenario.cluster.instance && outside_aws(nullptr, region_of_job);
    const bool abroad =
        nameless || std::any_of(names.begin(), names.end(), [&](const std::string& instance) {
          const auto found = find_machine(catalog, instance);
          return found && outside_aws(*found, "");
        });
    if (abroad) {
      parts.add_regional("transfer.json", file("transfer.json"), "tariffs", data_region,
                         of_path(to_internet));
      if (data_region != region) add_tariff(to_internet);
    }
    // By these a region is known to be one, too.
    if (scenario.source.region) {
      const auto between = [](const std::string& from, const std::string& to) -> Fits {
        return [=, pair = fmt::format("{} to {}", from, to)](const JsonValue& record) {
          const std::string path = member_text(record, "path");
          return member_text(record, "region") == from &&
                 (path == to_another_region || path == pair);
        };
      };
      const JsonPtr root = file("transfer.json");
      const auto add_between = [&](const std::string& from, const std::string& to) {
        const Fits either = between(from, to);
        parts.add("transfer.json", root, "tariffs", either);
        const JsonValue* all = root ? root->find("tariffs") : nullptr;
        const bool known =
            all != nullptr && std::any_of(all->items.begin(), all->items.end(),
                                          [&](const JsonPtr& record) { return either(*record); });
        if (!known) {
          parts.add_regional("transfer.json", root, "tariffs", from, of_path(to_another_region));
        }
      };
      add_between(data_region, region);
      if (data_region != region) add_between(region, data_region);
    }
  }
  const auto add_ways_out = [&](std::string_view cloud) {
    const std::string way = fmt::format("{} {}", cloud, to_internet);
    parts.add("transfer.json", file("transfer.json"), "tariffs", [&](const JsonValue& record) {
      return member_text(record, "path").starts_with(way);
    });
  };
  if (const std::string_view cloud = cloud_of_machine(machine, region_of_job); cloud != "aws") {
    add_ways_out(cloud);
  }
  if (const ObjectStore* const store = traits(service).objects) {
    if (outside(machine, region_of_job, traits(service).cloud)) add_ways_out(traits(service).cloud);
    parts.add("transfer.json", file("transfer.json"), "tariffs", of_path(gcs_on_one_continent));
    parts.add(
        "object_stores.json", file("object_stores.json"), "prices",
        [&](const JsonValue& record) { return member_text(record, "service") == store->record; });
  }
  if (lustre) {
    const std::string type = scenario.source.deployment_type.value_or(default_fsx_deployment);
    const JsonPtr root = file("fsx_lustre.json");
    const Fits of_type = [&](const JsonValue& record) {
      return member_text(record, "deployment_type") == type;
    };
    parts.add("fsx_lustre.json", root, "tiers", of_type);
    parts.add("fsx_lustre.json", root, "steps", [&](const JsonValue& record) {
      const std::string named = member_text(record, "deployment_type");
      return named.empty() || named == type;
    });
    parts.add("fsx_lustre.json", root, "limits", everything);
    parts.add_regional("fsx_lustre.json", root, "prices", data_region, of_type);
  }
  if (service == Service::efs) {
    const std::string mode = scenario.source.throughput_mode.value_or("elastic");
    const JsonPtr root = file("efs.json");
    const std::string storage_class = scenario.source.storage_class.value_or(
        mode == efs_one_zone_mode ? efs_one_zone : default_efs_class);
    parts.add("efs.json", root, "modes", [&](const JsonValue& record) {
      const std::string named = member_text(record, "mode");
      return named == mode || (named == efs_one_zone_mode && storage_class == efs_one_zone);
    });
    parts.add("efs.json", root, "limits", everything);
    parts.add_regional("efs.json", root, "prices", data_region, [&](const JsonValue& record) {
      return member_text(record, "storage_class") == storage_class;
    });
    parts.add_regional("efs.json", root, "throughput_prices", data_region, everything);
  }
  if (scenario.disk.kind.value_or(DiskKind::ebs) == DiskKind::ebs) {
    const std::string type = scenario.disk.volume_type.value_or("gp3");
    const Fits of_type = [&](const JsonValue& record) {
      return member_text(record, "type") == type;
    };
    parts.add("ebs.json", file("ebs.json"), "volumes", of_type);
    parts.add_regional("ebs.json", file("ebs.json"), "prices", region, of_type);
    if (scenario.disk.snapshot_held) {
      parts.add_regional(
          "ebs.json", file("ebs.json"), "prices", region,
          [](const JsonValue& record) { return member_text(record, "type") == ebs_snapshot; });
    }
  }
  return std::move(parts).finish();
}

std::string record_name(const JsonValue& record) {
  std::string name;
  for (const std::string_view key : naming_keys) {
    const JsonValue* member = record.find(key);
    if (member == nullptr || member->text.empty()) continue;
    name += (name.empty() ? "" : " ") + member->text;
  }
  return name;
}

}  // namespace feedrate::schema
