#include "schema/scenario/input_groups.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "base/fingerprint.hpp"
#include "schema/catalog/catalog_parts.hpp"
#include "schema/json/json_values.hpp"
#include "schema/json/json_writer.hpp"

namespace feedrate::schema {
namespace {

/// The longest prefix decides. What no row names (name, about …) changes no figure.
constexpr std::array<std::pair<std::string_view, InputGroup>, 26> groups = {{
    {"/cluster/price", InputGroup::price},
    {"/cluster/prices", InputGroup::price},
    {"/cluster/purchase", InputGroup::price},
    {"/cluster/savings", InputGroup::price},
    {"/cluster/booked", InputGroup::price},
    {"/cluster/kept_warm", InputGroup::price},
    {"/cluster/spot", InputGroup::price},
    {"/cluster/region", InputGroup::price},
    {"/loader/remote/price", InputGroup::price},
    {"/source/bill_storage", InputGroup::price},
    {"/source/storage_held", InputGroup::price},
    {"/source/nat_gateway", InputGroup::price},
    {"/job/value_of_hour", InputGroup::price},
    {"/job/checkpoint/kept", InputGroup::price},
    {"/job/checkpoint/held", InputGroup::price},
    {"/accounting/discounts", InputGroup::price},
    {"/accounting/free_transfer", InputGroup::price},
    {"/disk/snapshot_held", InputGroup::price},
    {"/currency", InputGroup::price},
    {"/cluster", InputGroup::machine},
    {"/measured_on", InputGroup::machine},
    {"/disk", InputGroup::machine},
    {"/dataset", InputGroup::dataset},
    {"/source", InputGroup::dataset},
    {"/loader", InputGroup::loader},
    {"/preprocess", InputGroup::loader},
}};

bool covers(std::string_view prefix, std::string_view pointer) {
  return pointer.starts_with(prefix) &&
         (pointer.size() == prefix.size() || pointer[prefix.size()] == '/');
}

/// Whether keys below `pointer` belong to more than one group.
bool is_split(std::string_view pointer) {
  return std::any_of(groups.begin(), groups.end(), [&](const auto& row) {
    return row.first.size() > pointer.size() && covers(pointer, row.first);
  });
}

bool is_object(const JsonPtr& value) {
  return value && value->kind == JsonKind::object;
}

JsonPtr mix(const std::string& pointer, const JsonPtr& before, const JsonPtr& now,
            std::span<const InputGroup> taken) {
  const bool together = is_split(pointer) && is_object(before) && is_object(now);
  if (!together) {
    const bool take = std::find(taken.begin(), taken.end(), group_of(pointer)) != taken.end();
    return take ? now : before;
  }
  auto out = std::make_shared<JsonValue>(*before);
  out->members.clear();
  const auto add = [&](const JsonMember& member) {
    const JsonPtr value = mix(join_pointer(pointer, member.key), member_of(before, member.key),
                              member_of(now, member.key), taken);
    if (value) out->members.push_back({member.key, member.line, value});
  };
  for (const JsonMember& member : before->members) add(member);
  for (const JsonMember& member : now->members) {
    if (member_of(before, member.key) == nullptr) add(member);
  }
  return out;
}

using Leaves = std::map<std::string, std::string>;

void flatten(const JsonValue& value, const std::string& pointer, Leaves& out) {
  // A point or a range is one value to whoever reads of it.
  const bool plain_list =
      value.kind == JsonKind::array &&
      std::none_of(value.items.begin(), value.items.end(),
                   [](const JsonPtr& item) { return item->kind == JsonKind::object; });
  if (value.kind == JsonKind::object) {
    for (const JsonMember& member : value.members) {
      flatten(*member.value, join_pointer(pointer, member.key), out);
    }
  } else if (value.kind == JsonKind::array && !plain_list) {
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      flatten(*value.items[i], join_pointer(pointer, i), out);
    }
  } else {
    out[pointer] = setting_text(value);
  }
}

bool is_price_section(std::string_view section) {
  return section == "offers" || section == "billing" || section == "tariffs" ||
         section.ends_with("prices");
}

struct PricingLeaf {
  InputGroup group = InputGroup::machine;
  std::string key;
  std::string text;
};

/// Key of a leaf → its text, by record, so that records of one side alone can be told.
using Records = std::map<std::string, std::vector<PricingLeaf>>;

/// Offers of the way in which the scenario buys are what is paid; others stand beside them.
Records records_of(const JsonPtr& catalog, const JsonPtr& scenario) {
  const bool buys_spot = scenario && nearest_value(scenario, "/cluster/purchase").text == "spot";
  static const std::set<std::string_view> marks = {"source", "sources",  "date",
                                                   "note",   "recalled", "derived"};
  Records records;
  if (!catalog) return records;
  for (const JsonMember& file : catalog->members) {
    for (const JsonMember& section : file.value->members) {
      for (const JsonPtr& record : section.value->items) {
        // An offer that is taken instead of another one is a price that changed.
        const JsonValue* instance = record->find("instance");
        const bool offer = section.key == "offers" && instance != nullptr;
        if (offer && record->find("price") == nullptr) continue;
        const JsonValue* purchase = record->find("purchase");
        const bool beside = offer && purchase != nullptr && (purchase->text == "spot") != buys_spot;
        const std::string name =
            offer ? (beside ? purchase->text + " offer of " : "offer of ") + instance->text
                  : record_name(*record);
        const bool price = is_price_section(section.key) || name.ends_with("_price");
        const InputGroup group = price ? InputGroup::price : InputGroup::machine;
        auto trimmed = std::make_shared<JsonValue>(*record);
        std::erase_if(trimmed->members,
                      [](const JsonMember& member) { return marks.contains(member.key); });
        Leaves leaves;
        flatten(*trimmed, "", leaves);
        std::vector<PricingLeaf>& list = records[file.key + ' ' + section.key + ' ' + name];
        for (const auto& [pointer, text] : leaves) {
          list.push_back({group, "pricing: " + name + ' ' + pointer.substr(1), text});
        }
      }
    }
  }
  return records;
}

/// Before and after of each key; the texts that differ are the changes.
class Differences {
 public:
  void before(InputGroup group, const std::string& key, const std::string& text) {
    at(group, key).before = text;
  }
  void after(InputGroup group, const std::string& key, const std::string& text) {
    at(group, key).after = text;
  }
  [[nodiscard]] std::vector<KeyChange> list() const {
    std::vector<KeyChange> changed;
    for (const auto& [key, change] : changes_) {
      if (change.before != change.after) changed.push_back(change);
    }
    std::stable_sort(changed.begin(), changed.end(),
                     [](const KeyChange& a, const KeyChange& b) { return a.group < b.group; });
    return changed;
  }

 private:
  KeyChange& at(InputGroup group, const std::string& key) {
    KeyChange& change = changes_[key];
    change.group = group;
    change.key = key;
    return change;
  }
  std::map<std::string, KeyChange> changes_;
};

Leaves leaves_of(const JsonPtr& value) {
  Leaves leaves;
  if (value) flatten(*value, "", leaves);
  return leaves;
}

}  // namespace

InputGroup group_of(std::string_view pointer) {
  InputGroup best = InputGroup::model;
  std::size_t length = 0;
  for (const auto& [prefix, group] : groups) {
    if (prefix.size() <= length || !covers(prefix, pointer)) continue;
    best = group;
    length = prefix.size();
  }
  return best;
}

std::vector<KeyChange> changes(const StoredInputs& before, const StoredInputs& now,
                               const JsonPtr& source) {
  Differences found;
  for (const auto& [key, text] : leaves_of(before.scenario)) found.before(group_of(key), key, text);
  for (const auto& [key, text] : leaves_of(now.scenario)) found.after(group_of(key), key, text);
  for (const auto& [key, text] : leaves_of(before.host)) {
    found.before(InputGroup::machine, "profile: " + key, text);
  }
  for (const auto& [key, text] : leaves_of(now.host)) {
    found.after(InputGroup::machine, "profile: " + key, text);
  }
  const Records was = records_of(before.catalog, before.scenario);
  const Records is = records_of(now.catalog, now.scenario);
  for (const auto& [name, leaves] : was) {
    if (!is.contains(name)) continue;
    for (const PricingLeaf& leaf : leaves) found.before(leaf.group, leaf.key, leaf.text);
    for (const PricingLeaf& leaf : is.at(name)) found.after(leaf.group, leaf.key, leaf.text);
  }
  std::vector<KeyChange> list = found.list();
  for (KeyChange& change : list) {
    if (!change.key.starts_with('/')) continue;
    const JsonValue& place = nearest_value(source, change.key);
    change.file = place.file ? *place.file : "";
    change.line = place.line;
  }
  return list;
}

JsonPtr mixed(const JsonPtr& before, const JsonPtr& now, std::span<const InputGroup> taken) {
  return mix("", before, now, taken);
}

const JsonValue& nearest_value(const JsonPtr& root, std::string_view pointer) {
  const JsonValue* value = root.get();
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    const std::string_view token = pointer.substr(0, end);
    const JsonValue* next = value->find(token);
    if (value->kind == JsonKind::array) {
      std::size_t index = value->items.size();
      std::from_chars(token.data(), token.data() + token.size(), index);
      if (index < value->items.size()) next = value->items[index].get();
    }
    if (next == nullptr) break;
    value = next;
    pointer.remove_prefix(end);
  }
  return *value;
}

std::string hash_of(std::string_view text) {
  Fingerprint fingerprint;
  fingerprint.add(text);
  return fingerprint.text();
}

std::string hash_of(const StoredInputs& inputs) {
  std::string text;
  for (const JsonPtr& part : {inputs.scenario, inputs.catalog, inputs.host}) {
    text += (part ? compact_text(*part) : "null") + '\n';
  }
  return hash_of(text);
}

}  // namespace feedrate::schema
