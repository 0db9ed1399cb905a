#include "schema/catalog/catalog_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/did_you_mean.hpp"
#include "base/quote.hpp"
#include "catalog/lookup.hpp"
#include "schema/catalog/catalog_fields.hpp"
#include "schema/catalog/catalog_files.hpp"
#include "schema/catalog/offers_by_region.hpp"

namespace feedrate::schema {
namespace {

namespace fs = std::filesystem;

template <class T, std::size_t N>
void add(const Record& record, const Field<T> (&fields)[N], std::vector<T>& list) {
  read_fields(record, std::span<const Field<T>>(fields), list.emplace_back());
}

template <class T, std::size_t N>
void limit(const Record& record, const Field<T> (&fields)[N], T& into) {
  read_limit(record, std::span<const Field<T>>(fields), into);
}

void add_machine(const Record& record, Catalog& catalog) {
  static constexpr std::string_view groups[] = {"cpu", "memory", "gpu", "network", "ebs", "nvme"};
  Machine& machine = catalog.machines.emplace_back();
  read_fields(record, std::span<const Field<Machine>>(machine_fields), machine, groups);
  for (const MachineGroup& group : machine_groups) {
    const JsonValue* value = record.at(group.key);
    if (value == nullptr) continue;
    const Record inner(*value, join_pointer(record.pointer(), group.key), record.problems());
    read_fields(inner, group.fields, machine);
  }
  if (!machine.gpus && machine.vcpus && record.at("gpu") == nullptr) {
    machine.gpus = Value<double>{0.0, machine.vcpus->from};
  }
}

void add_offer(const Record& record, Catalog& catalog) {
  add(record, offer_fields, catalog.offers);
  Offer& offer = catalog.offers.back();
  offer.date = record.date();
  offer.note = record.note();
}

void add_billing(const Record& record, Catalog& catalog) {
  add(record, billing_fields, catalog.billing);
  catalog.billing.back().from = record.provenance("granularity");
}

void add_gpu(const Record& record, Catalog& catalog) {
  add(record, gpu_fields, catalog.gpus);
  catalog.gpus.back().note = record.note();
}

/// Files price requests and objects by the thousand, as providers do; the catalogue holds the price
/// of one.
template <class Q>
void share(Known<Q>& price, double number) {
  if (price) price->value /= number;
}

void add_s3_price(const Record& record, Catalog& catalog) {
  add(record, s3_price_fields, catalog.s3_prices);
  share(catalog.s3_prices.back().get, 1000.0);
  share(catalog.s3_prices.back().put, 1000.0);
  share(catalog.s3_prices.back().monitoring, 1000.0);
}

void add_object_price(const Record& record, Catalog& catalog) {
  add(record, object_price_fields, catalog.object_prices);
  share(catalog.object_prices.back().read, 10000.0);
  share(catalog.object_prices.back().write, 10000.0);
}

void add_tariff(const Record& record, Catalog& catalog) {
  static constexpr std::string_view nested[] = {"tiers"};
  TransferTariff& tariff = catalog.transfer.emplace_back();
  read_fields(record, std::span<const Field<TransferTariff>>(transfer_fields), tariff, nested);
  const JsonValue* tiers = record.at("tiers");
  if (tiers == nullptr || tiers->items.empty()) {
    record.complain("tiers", "expected a list of at least one tier");
    return;
  }
  for (std::size_t i = 0; i < tiers->items.size(); ++i) {
    const std::string pointer = join_pointer(join_pointer(record.pointer(), "tiers"), i);
    const Record tier(*tiers->items[i], pointer, record.problems());
    tier.only({"up_to", "price"});
    std::optional<Bytes> up_to;
    if (const auto size = tier.quantity("up_to", dimension_of(Bytes{}))) up_to = Bytes::of(*size);
    if (up_to && !tariff.tiers.empty() && *up_to <= *tariff.tiers.back().up_to) {
      tier.complain("up_to", "expected tiers in ascending order");
    }
    if (!up_to && i + 1 < tiers->items.size()) {
      tier.complain("", "expected \"up_to\": only the last tier has no end");
      return;
    }
    // A tier without a price ends what is known; find_transfer's caller meets the end of the list.
    const auto price = tier.quantity("price", dimension_of(TransferPrice{}));
    if (price)
      tariff.tiers.push_back({up_to, {TransferPrice::of(*price), record.provenance("price")}});
  }
}

/// A key of a file that holds a list of records.
struct Section {
  std::string_view key;
  void (*read)(const Record& record, Catalog& catalog);
};

using R = const Record&;
using C = Catalog&;

constexpr Section machine_sections[] = {{"machines", add_machine}, {"offers", add_offer}};
constexpr Section service_sections[] = {{"billing", add_billing},
                                        {"limits",
                                         [](R r, C c) {
                                           // In pricing folders of older versions; transfer.json
                                           // has its price now.
                                           const JsonValue* name = r.at("limit");
                                           if (name == nullptr || name->text != nat_gateway_service)
                                             limit(r, service_limits, c.limits);
                                         }},
                                        {"grids", [](R r, C c) { add(r, grid_fields, c.grids); }}};
constexpr Section gpu_sections[] = {
    {"gpus", add_gpu},
    {"training", [](R r, C c) { add(r, training_fields, c.training); }},
    {"pcie", [](R r, C c) { add(r, pcie_fields, c.pcie); }}};
constexpr Section s3_sections[] = {{"limits", [](R r, C c) { limit(r, s3_limits, c.s3); }},
                                   {"prices", add_s3_price}};
constexpr Section fsx_sections[] = {
    {"tiers", [](R r, C c) { add(r, fsx_tier_fields, c.fsx.tiers); }},
    {"steps", [](R r, C c) { add(r, fsx_step_fields, c.fsx.steps); }},
    {"limits", [](R r, C c) { limit(r, fsx_limits, c.fsx); }},
    {"prices", [](R r, C c) { add(r, fsx_price_fields, c.fsx_prices); }}};
constexpr Section efs_sections[] = {
    {"modes", [](R r, C c) { add(r, efs_mode_fields, c.efs.modes); }},
    {"limits", [](R r, C c) { limit(r, efs_limits, c.efs); }},
    {"prices", [](R r, C c) { add(r, efs_price_fields, c.efs_prices); }},
    {"throughput_prices",
     [](R r, C c) { add(r, efs_throughput_fields, c.efs_throughput_prices); }}};
constexpr Section ebs_sections[] = {
    {"volumes", [](R r, C c) { add(r, ebs_volume_fields, c.ebs); }},
    {"prices", [](R r, C c) { add(r, ebs_price_fields, c.ebs_prices); }}};
constexpr Section object_sections[] = {{"prices", add_object_price}};
constexpr Section transfer_sections[] = {
    {"tariffs", add_tariff},
    {"nat_gateway_prices", [](R r, C c) { add(r, nat_gateway_fields, c.nat_gateways); }}};

struct File {
  std::string_view name;
  std::span<const Section> sections;
};

constexpr File service_files[] = {
    {"services.json", service_sections},
    {"gpus.json", gpu_sections},
    {"s3.json", s3_sections},
    {"fsx_lustre.json", fsx_sections},
    {"efs.json", efs_sections},
    {"ebs.json", ebs_sections},
    {"object_stores.json", object_sections},
    {"transfer.json", transfer_sections},
};

constexpr double catalog_version = 1.0;

/// Reads one file at a time into a catalogue and keeps what is wrong with all of them.
class Reader {
 public:
  Reader(std::string folder, const Files& files) : files_(files) {
    catalog_.folder = std::move(folder);
  }

  void read(std::string_view name, std::span<const Section> sections) {
    if (!done_.insert(std::string(name)).second) return;
    const std::string path = path_of(name);
    const JsonPtr root = with_offers_by_region(parse_json(files_.text(path), path));
    if (root->kind != JsonKind::object) {
      problems_.add(*root, "", fmt::format("expected an object, got {}", describe(*root)));
      return;
    }
    keep_.push_back(root);
    const JsonValue* version = root->find("schema");
    if (version == nullptr || version->number != catalog_version) {
      problems_.add(version == nullptr ? *root : *version, version == nullptr ? "" : "/schema",
                    fmt::format("expected \"schema\": {:g}", catalog_version));
    }
    for (const JsonMember& member : root->members) {
      if (member.key != "schema") read_section(member, sections, "");
    }
  }

  /// What was kept of the file `part.key`; `pointer` leads to it.
  void read_part(const JsonMember& part, const std::string& pointer) {
    const JsonPtr value = with_offers_by_region(part.value);
    keep_.push_back(value);
    const auto file = std::find_if(std::begin(service_files), std::end(service_files),
                                   [&](const File& known) { return known.name == part.key; });
    const bool service = file != std::end(service_files);
    for (const JsonMember& member : value->members) {
      read_section(member, service ? file->sections : machine_sections, pointer);
    }
  }

  void read_services() {
    for (const File& file : service_files) read(file.name, file.sections);
  }

  void read_other_clouds() {
    for (const std::string_view name : other_clouds) read(name, machine_sections);
  }

  /// The file of an AWS family, "p3" of "p3.2xlarge"; false when there is none.
  bool read_family(std::string_view family) {
    const auto fine = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    };
    if (family.empty() || !std::all_of(family.begin(), family.end(), fine)) return false;
    const std::string name = fmt::format("aws/{}.json", family);
    if (!files_.has(path_of(name))) return false;
    read(name, machine_sections);
    return true;
  }

  void read_all_machines() {
    for (const std::string& name : files_.names(path_of("aws"))) {
      const fs::path file(name);
      if (file.extension() == ".json") read_family(file.stem().string());
    }
    read_other_clouds();
  }

  [[nodiscard]] const Catalog& catalog() const { return catalog_; }

  Catalog finish() {
    problems_.throw_if_any();
    return std::move(catalog_);
  }

 private:
  [[nodiscard]] std::string path_of(std::string_view name) const {
    return (fs::path(catalog_.folder) / name).string();
  }

  void read_section(const JsonMember& member, std::span<const Section> sections,
                    const std::string& above) {
    const std::string pointer = join_pointer(above, member.key);
    const auto section = std::find_if(sections.begin(), sections.end(),
                                      [&](const Section& s) { return s.key == member.key; });
    if (section == sections.end()) {
      std::vector<std::string> keys{"schema"};
      for (const Section& s : sections) keys.emplace_back(s.key);
      problems_.add_at(*member.value, member.line, pointer,
                       fmt::format("expected one of {}, got {}{}", fmt::join(keys, ", "),
                                   in_quotes(member.key), did_you_mean(member.key, keys)));
      return;
    }
    if (member.value->kind != JsonKind::array) {
      problems_.add(*member.value, pointer,
                    fmt::format("expected a list, got {}", describe(*member.value)));
      return;
    }
    for (std::size_t i = 0; i < member.value->items.size(); ++i) {
      section->read(Record(*member.value->items[i], join_pointer(pointer, i), problems_), catalog_);
    }
  }

  const Files& files_;
  Catalog catalog_;
  Problems problems_;
  std::set<std::string> done_;
  std::vector<JsonPtr> keep_;  // problems point into the documents until they are reported
};

}  // namespace

Catalog read_catalog(const std::string& folder, std::span<const std::string> instances,
                     const Files& files) {
  Reader reader(folder, files);
  reader.read_services();
  bool all = false;
  for (const std::string& instance : instances) {
    const std::string_view name = without_prefix(instance);
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) {
      reader.read_other_clouds();
    } else {
      all = all || !reader.read_family(name.substr(0, dot));
    }
    all = all || !find_machine(reader.catalog(), instance);
  }
  if (all) reader.read_all_machines();
  return reader.finish();
}

Catalog read_catalog_parts(const JsonPtr& parts, const std::string& pointer) {
  Reader reader("", files_on_disk());
  for (const JsonMember& part : parts->members) {
    reader.read_part(part, join_pointer(pointer, part.key));
  }
  return reader.finish();
}

Catalog read_whole_catalog(const std::string& folder, const Files& files) {
  Reader reader(folder, files);
  reader.read_services();
  reader.read_all_machines();
  return reader.finish();
}

}  // namespace feedrate::schema
