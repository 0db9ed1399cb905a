#include "formats/prices/catalog_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "base/errors.hpp"
#include "base/replace_files.hpp"
#include "base/text_file.hpp"
#include "base/unit_text.hpp"
#include "catalog/lookup.hpp"
#include "formats/prices/aws_storage.hpp"
#include "formats/prices/storage_record.hpp"
#include "schema/catalog/catalog_files.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/catalog/pricing_lines.hpp"
#include "schema/json/json_reader.hpp"
#include "schema/json/json_values.hpp"
#include "schema/json/json_writer.hpp"

namespace feedrate::formats {
namespace {

bool is_current(const schema::JsonValue& record) {
  const schema::JsonValue* current = record.find("current");
  return current == nullptr || current->kind != schema::JsonKind::boolean || current->boolean;
}

/// `interruption` is what stood there before: an import does not know it.
std::string record_text(const ImportedPrice& price, const ImportedPrices& imported,
                        const std::string& interruption) {
  const auto hourly = [](HourlyPrice value) { return format_in(value.base(), "USD/h"); };
  schema::JsonWriter out;
  out.begin_object(schema::JsonWriter::Layout::line);
  out.text("service", price.service).text("instance", price.instance);
  out.text("region", price.region).text("purchase", word_of(price.purchase));
  out.text("price", hourly(price.price));
  if (price.lowest) out.text("lowest", hourly(*price.lowest));
  if (price.highest) out.text("highest", hourly(*price.highest));
  if (price.zones) out.number("zones", *price.zones);
  if (!interruption.empty()) out.text("interruption", interruption);
  out.text("source", imported.source).text("date", imported.date).end();
  std::string text = std::move(out).finish();
  text.pop_back();
  return text;
}

Offer offer_of(const ImportedPrice& price, const ImportedPrices& imported) {
  Offer offer;
  offer.service = price.service;
  offer.instance = price.instance;
  offer.region = price.region;
  offer.purchase = price.purchase;
  offer.price = Value<HourlyPrice>::published(price.price, imported.source);
  offer.date = imported.date;
  return offer;
}

class Importer {
 public:
  Importer(const std::string& folder, const Catalog& catalog, const ImportedPrices& imported,
           ImportPlan before)
      : folder_(folder),
        catalog_(catalog),
        imported_(imported),
        regions_(imported.covered.begin(), imported.covered.end()),
        plan_(std::move(before)) {
    for (const Offer& offer : catalog.offers) {
      regions_.insert(offer.region);
      if (offer.region == "all") everywhere_.insert(offer.instance);
    }
  }

  ImportPlan plan() {
    std::map<std::string, std::vector<ImportedPrice>> by_file;
    for (const ImportedPrice& price : resolved()) by_file[file_of(price.instance)].push_back(price);
    bool any = false;
    for (const auto& [name, prices] : by_file) any = change_file(name, prices) || any;
    std::map<std::pair<std::string, std::string>, std::vector<ImportedStorage>> stored;
    for (const ImportedStorage& price : imported_.storage) {
      stored[{price.file, price.section}].push_back(price);
    }
    for (const auto& [where, prices] : stored) {
      any = change_storage(where.first, where.second, prices) || any;
    }
    if (any) tell_source();
    return std::move(plan_);
  }

 private:
  /// The prices with their services; one "all" where the catalogue has one price for all regions.
  std::vector<ImportedPrice> resolved() {
    std::vector<ImportedPrice> out;
    std::map<std::string, std::set<double>> of_all;
    for (const ImportedPrice& price : imported_.prices) {
      if (price.purchase == Purchase::on_demand && everywhere_.contains(price.instance)) {
        of_all[price.instance].insert(price.price.base());
      }
    }
    std::set<std::string> done;
    std::map<std::tuple<std::string, std::string, std::string, Purchase>, HourlyPrice> known;
    for (ImportedPrice price : imported_.prices) {
      if (price.service.empty()) price.service = service_of(catalog_, price.instance);
      const auto same = of_all.find(price.instance);
      const bool one =
          same != of_all.end() && same->second.size() == 1 && price.purchase == Purchase::on_demand;
      if (one) price.region = "all";
      if (one && !done.insert(price.instance).second) continue;
      if (!regions_.contains(price.region)) {
        ++plan_.elsewhere;
        continue;
      }
      // Two current records of one offer would make a catalogue that contradicts itself.
      const auto [before, is_new] = known.emplace(
          std::tuple(price.service, price.instance, price.region, price.purchase), price.price);
      if (!is_new && before->second != price.price) {
        throw InputError(fmt::format("{}: expected one price for {} in {}, got {} and {}",
                                     imported_.what, price.instance, price.region,
                                     format_in(before->second.base(), "USD/h"),
                                     format_in(price.price.base(), "USD/h")));
      }
      if (is_new) out.push_back(price);
    }
    return out;
  }

  [[nodiscard]] std::string file_of(const std::string& instance) const {
    const auto machine = find_machine(catalog_, instance);
    const std::string cloud = machine ? (*machine)->cloud : "";
    if (cloud == "aws") return "aws/" + instance.substr(0, instance.find('.')) + ".json";
    return schema::file_of_cloud(cloud);
  }

  [[nodiscard]] std::string text_at(const std::string& path) const {
    for (const NewFile& file : plan_.files) {
      if (file.path == path) return file.text;
    }
    return read_text_file(path);
  }

  void put(const std::string& path, std::string text) {
    for (NewFile& file : plan_.files) {
      if (file.path != path) continue;
      file.text = std::move(text);
      return;
    }
    plan_.files.push_back({path, std::move(text)});
  }

  bool change_file(const std::string& name, const std::vector<ImportedPrice>& prices) {
    const std::string path = (std::filesystem::path(folder_) / name).string();
    schema::PricingLines lines(path, text_at(path));
    const schema::JsonPtr root = schema::parse_json(lines.text(), path);
    const schema::JsonValue* offers = root->find("offers");
    if (offers == nullptr || offers->items.empty()) {
      throw InputError(std::vector<Problem>{
          {path, root->line, "/offers", "expected a list of at least one offer to add to"}});
    }
    for (const ImportedPrice& price : prices) merge(price, *offers, lines);
    const std::string after = lines.joined();
    if (after == lines.text()) return false;
    read_back(name, schema::parse_json(after, path));
    put(path, after);
    return true;
  }

  bool change_storage(const std::string& name, const std::string& section,
                      const std::vector<ImportedStorage>& prices) {
    const std::string path = (std::filesystem::path(folder_) / name).string();
    schema::PricingLines lines(path, text_at(path));
    const schema::JsonPtr root = schema::parse_json(lines.text(), path);
    const schema::JsonValue* records = root->find(section);
    if (records == nullptr) {  // a folder that an older version made
      ++plan_.partial;
      return false;
    }
    if (records->items.empty()) {
      throw InputError(std::vector<Problem>{
          {path, root->line, "/" + section, "expected a list of at least one price to add to"}});
    }
    std::map<std::pair<std::string, decltype(ImportedStorage::record)>,
             std::vector<const ImportedStorage*>>
        of_record;
    for (const ImportedStorage& price : prices) {
      of_record[{price.region, price.record}].push_back(&price);
    }
    for (const auto& [record, fields] : of_record) merge_storage(fields, *records, lines);
    const std::string after = lines.joined();
    if (after == lines.text()) return false;
    read_back(name, schema::parse_json(after, path));
    put(path, after);
    return true;
  }

  /// The prices of one record, which has one source and date for all it says.
  void merge_storage(const std::vector<const ImportedStorage*>& fields,
                     const schema::JsonValue& records, schema::PricingLines& lines) {
    const ImportedStorage& first = *fields.front();
    const auto is_of = [&](const schema::JsonPtr& record) {
      return std::all_of(first.record.begin(), first.record.end(), [&](const auto& member) {
        return text_of(record->find(member.first)) == member.second;
      });
    };
    const auto same = std::find_if(
        records.items.begin(), records.items.end(), [&](const schema::JsonPtr& record) {
          return is_of(record) && text_of(record->find("region")) == first.region;
        });
    const bool is_new = same == records.items.end();
    if (is_new && !regions_.contains(first.region)) {
      plan_.elsewhere += fields.size();
      return;
    }
    // A part of a new record would hide the whole one that stands in for the region.
    if (is_new && fields.size() < storage_fields(first.file, first.section, first.record)) {
      ++plan_.partial;
      return;
    }
    const std::string date = is_new ? "" : text_of((*same)->find("date"));
    if (is_newer(date)) {
      plan_.older += fields.size();
      return;
    }
    // What is no price, such as the least object that is paid for, is alike in all regions.
    const auto like =
        is_new ? std::find_if(records.items.begin(), records.items.end(), is_of) : same;
    const auto text = storage_record(fields, like == records.items.end() ? nullptr : like->get(),
                                     is_new, imported_);
    if (!text) {
      ++plan_.partial;
      return;
    }
    for (const ImportedStorage* price : fields) {
      const std::string before = is_new ? "" : text_of((*same)->find(price->field));
      if (same_price(before, price->price)) {
        ++plan_.confirmed;
      } else {
        plan_.storage.push_back({first.file.substr(0, first.file.find('.')), title_of(*price),
                                 first.region, before, date, price->price});
      }
    }
    if (is_new) {
      lines.append(records.items.back()->line, *text);
    } else {
      lines.replace((*same)->line, *text);
    }
  }

  void merge(const ImportedPrice& price, const schema::JsonValue& offers,
             schema::PricingLines& lines) {
    const auto same =
        std::find_if(offers.items.begin(), offers.items.end(), [&](const schema::JsonPtr& record) {
          return text_of(record->find("service")) == price.service &&
                 text_of(record->find("instance")) == price.instance &&
                 text_of(record->find("region")) == price.region &&
                 text_of(record->find("purchase")) == word_of(price.purchase) &&
                 is_current(*record);
        });
    const Offer after = offer_of(price, imported_);
    if (same == offers.items.end()) {
      add_offer(price, after, offers.items.back()->line, lines);
      return;
    }
    const schema::JsonValue& record = **same;
    const std::string date = text_of(record.find("date"));
    if (is_newer(date)) {
      ++plan_.older;
      return;
    }
    lines.replace(record.line, record_text(price, imported_, text_of(record.find("interruption"))));
    Offer before = after;
    before.date = date;
    before.price.reset();
    const ParsedQuantity was =
        parse_quantity(text_of(record.find("price")), dimension_of(HourlyPrice{}));
    if (was.ok()) {
      before.price =
          Value<HourlyPrice>::published(HourlyPrice::of(was.base), text_of(record.find("source")));
    }
    if (before.price && before.price->value == after.price->value) {
      ++plan_.confirmed;
    } else {
      plan_.changes.push_back({before, after});
    }
  }

  /// An offer without a record of its own in the file: a new one, or of a region that shares one
  /// with others, before which it holds from then on.
  void add_offer(const ImportedPrice& price, const Offer& after, int line,
                 schema::PricingLines& lines) {
    const Offer* known = nullptr;
    for (const Offer& offer : catalog_.offers) {
      const bool same = offer.service == price.service && offer.instance == price.instance &&
                        offer.region == price.region && offer.purchase == price.purchase;
      if (same && offer.current && (known == nullptr || offer.date >= known->date)) known = &offer;
    }
    if (known != nullptr && is_newer(known->date)) {
      ++plan_.older;
      return;
    }
    lines.append(line, record_text(price, imported_, known != nullptr ? known->interruption : ""));
    Offer before = known != nullptr ? *known : after;
    if (known == nullptr) before.price.reset();
    if (before.price && before.price->value == after.price->value) {
      ++plan_.confirmed;
    } else {
      plan_.changes.push_back({before, after});
    }
  }

  /// Texts of a date sort as dates do; a bare "2026" sorts before any of its days.
  [[nodiscard]] bool is_newer(const std::string& date) const {
    const bool dated = !date.empty() && date.front() >= '0' && date.front() <= '9';
    return dated && date > imported_.date;
  }

  /// A file that this program could not read must not come into being.
  static void read_back(const std::string& name, const schema::JsonPtr& root) {
    auto sections = std::make_shared<schema::JsonValue>(*root);
    std::erase_if(sections->members,
                  [](const schema::JsonMember& member) { return member.key == "schema"; });
    auto parts = std::make_shared<schema::JsonValue>();
    parts->kind = schema::JsonKind::object;
    parts->members.push_back({name, 1, sections});
    static_cast<void>(schema::read_catalog_parts(parts, ""));
  }

  void tell_source() {
    const std::string path = (std::filesystem::path(folder_) / "sources.json").string();
    schema::PricingLines lines(path, text_at(path));
    schema::JsonWriter out;
    out.begin_object(schema::JsonWriter::Layout::line).text("what", imported_.what);
    out.text("where", imported_.where).text("date", imported_.date).end();
    std::string value = std::move(out).finish();
    value.pop_back();
    const std::string entry = fmt::format("  \"{}\": {}", imported_.source, value);
    if (const int line = lines.find(fmt::format("\"{}\":", imported_.source)); line > 0) {
      std::string& old = lines.at(line);
      old = entry + (old.ends_with(',') ? "," : "");
    } else if (const int head = lines.find("\"sources\": {"); head > 0) {
      lines.insert(head, entry + ',');
    }
    const std::string after = lines.joined();
    if (after == lines.text()) return;
    static_cast<void>(schema::parse_json(after, path));
    put(path, after);
  }

  std::string folder_;
  const Catalog& catalog_;
  const ImportedPrices& imported_;
  std::set<std::string> regions_;
  std::set<std::string> everywhere_;
  ImportPlan plan_;
};

}  // namespace

Wanted machines_of(const Catalog& catalog) {
  std::map<std::string, std::string, std::less<>> names;
  for (const Machine& machine : catalog.machines) {
    std::string other = machine.name;
    if (machine.cloud == "azure") {
      std::replace(other.begin(), other.end(), ' ', '_');
      other = "Standard_" + other;
    } else if (machine.cloud == "aws") {
      other = "ml." + other;
    }
    names.emplace(machine.name, machine.name);
    names.emplace(std::move(other), machine.name);
  }
  return [names = std::move(names)](const std::string& name) {
    const auto found = names.find(name);
    return found == names.end() ? std::string() : found->second;
  };
}

ImportPlan plan_import(const std::string& folder, const Catalog& catalog,
                       const ImportedPrices& imported, ImportPlan before) {
  return Importer(folder, catalog, imported, std::move(before)).plan();
}

std::vector<Offer> missing_from(const Catalog& catalog, const ImportedPrices& imported) {
  std::set<std::pair<std::string, std::string>> priced;
  std::set<std::tuple<std::string, std::string, std::string>> there;
  for (const ImportedPrice& price : imported.prices) {
    if (price.purchase != Purchase::on_demand) continue;
    const std::string service =
        price.service.empty() ? service_of(catalog, price.instance) : price.service;
    priced.emplace(service, price.region);
    there.emplace(service, price.region, price.instance);
  }
  std::vector<Offer> missing;
  std::copy_if(catalog.offers.begin(), catalog.offers.end(), std::back_inserter(missing),
               [&](const Offer& offer) {
                 return offer.current && offer.purchase == Purchase::on_demand && offer.price &&
                        priced.contains({offer.service, offer.region}) &&
                        !there.contains({offer.service, offer.region, offer.instance});
               });
  return missing;
}

Catalog catalog_after(const std::string& folder, const ImportPlan& plan) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> texts;
  std::error_code failed;
  for (const auto& entry : fs::recursive_directory_iterator(folder, failed)) {
    if (entry.path().extension() != ".json" || !entry.is_regular_file(failed)) continue;
    texts[entry.path().lexically_normal().string()] = read_text_file(entry.path().string());
  }
  for (const NewFile& file : plan.files) {
    texts[fs::path(file.path).lexically_normal().string()] = file.text;
  }
  return schema::read_whole_catalog(folder, FilesInMemory({texts.begin(), texts.end()}));
}

bool write_plan(const HeldFolder& folder, const ImportPlan& plan) {
  return plan.files.empty() || replace_files(folder, plan.files) == Replaced::as_one;
}

}  // namespace feedrate::formats
