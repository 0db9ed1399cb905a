#include "schema/catalog/catalog_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "catalog/lookup.hpp"
#include "schema/catalog/catalog_fields.hpp"
#include "schema/catalog/catalog_files.hpp"
#include "schema/catalog/offers_by_region.hpp"

namespace feedrate::schema {
namespace {

namespace fs = std::filesystem;

constexpr double catalog_version = 1.0;

/// Reads one file at a time into a catalogue and keeps what is wrong with all of them.
class Reader {
 public:
  Reader(std::string folder, const Files& files) : files_(files) {
    catalog_.folder = std::move(folder);
  }

  void read(const std::string& name) {
    if (!done_.insert(name).second) return;
    const std::string path = path_of(name);
    const JsonPtr root = parse_json(files_.text(path), path);
    if (root->kind == JsonKind::object) {
      const JsonValue* version = root->find("schema");
      if (version == nullptr || version->number != catalog_version) {
        reading_.problems.add(version == nullptr ? *root : *version,
                              version == nullptr ? "" : "/schema",
                              fmt::format("expected \"schema\": {:g}", catalog_version));
      }
    }
    read_lists(name, root, {});
  }

  /// What was kept of the file `part.key`; `above` leads to it.
  void read_part(const JsonMember& part, const Path& above) {
    read_lists(part.key, part.value, {&above, part.key});
  }

  void read_services() {
    for (const PricingFile& file : pricing_files()) {
      if (&file != &pricing_files().front()) read(std::string(file.names));
    }
  }

  void read_other_clouds() {
    for (const std::string_view name : other_clouds) read(std::string(name));
  }

  /// The file of an AWS family, "p3" of "p3.2xlarge"; false when there is none.
  bool read_family(std::string_view family) {
    const auto fine = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    };
    if (family.empty() || !std::all_of(family.begin(), family.end(), fine)) return false;
    const std::string name = fmt::format("aws/{}.json", family);
    if (!files_.has(path_of(name))) return false;
    read(name);
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
    reading_.problems.throw_if_any();
    return std::move(catalog_);
  }

 private:
  [[nodiscard]] std::string path_of(std::string_view name) const {
    return (fs::path(catalog_.folder) / name).string();
  }

  void read_lists(std::string_view name, const JsonPtr& file, const Path& path) {
    const JsonPtr root = with_offers_by_region(file);
    keep_.push_back(root);
    const std::vector<PricingFile>& known = pricing_files();
    const auto own = std::find_if(known.begin(), known.end(),
                                  [&](const PricingFile& one) { return one.names == name; });
    Keys<Catalog> lists = own == known.end() ? known.front().lists : own->lists;
    lists.push_back(without_member<Catalog>({.name = "schema", .kind = KeyKind::number}));
    read_record(catalog_, *root, {.name = "", .kind = KeyKind::object}, path, reading_, lists);
  }

  const Files& files_;
  Catalog catalog_;
  Reading reading_;
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
  const Path above{.token = "", .above = pointer};
  for (const JsonMember& part : parts->members) reader.read_part(part, above);
  return reader.finish();
}

Catalog read_whole_catalog(const std::string& folder, const Files& files) {
  Reader reader(folder, files);
  reader.read_services();
  reader.read_all_machines();
  return reader.finish();
}

}  // namespace feedrate::schema
