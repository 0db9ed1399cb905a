#include "schema/catalog/offers_by_region.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

namespace feedrate::schema {
namespace {

constexpr std::string_view by_region = "by_region";

JsonPtr text_value(const std::string& text, int line) {
  auto made = std::make_shared<JsonValue>();
  made->kind = JsonKind::text;
  made->text = text;
  made->line = line;
  return made;
}

bool has(const JsonValue& object, std::string_view key) {
  return object.find(key) != nullptr;
}

/// What stands below "by_region"; null where the offer is not laid out so: no region is said twice.
const JsonValue* regions_of(const JsonPtr& offer) {
  if (offer->kind != JsonKind::object || has(*offer, "region")) return nullptr;
  const JsonValue* regions = offer->find(by_region);
  if (regions == nullptr || regions->kind != JsonKind::object || regions->members.empty()) {
    return nullptr;
  }
  const bool twice =
      std::any_of(regions->members.begin(), regions->members.end(), [](const JsonMember& region) {
        return region.value->kind == JsonKind::object && has(*region.value, "region");
      });
  return twice ? nullptr : regions;
}

/// The offer in one of its regions: what differs there comes before what is said of all.
JsonPtr in_region(const JsonValue& offer, const JsonMember& region) {
  auto made = std::make_shared<JsonValue>(offer);
  std::vector<JsonMember> own = {{"region", region.line, text_value(region.key, region.line)}};
  if (region.value->kind == JsonKind::object) {
    own.insert(own.end(), region.value->members.begin(), region.value->members.end());
  } else {
    own.push_back({"price", region.line, region.value});
  }
  std::erase_if(made->members, [&](const JsonMember& member) {
    return member.key == by_region ||
           std::any_of(own.begin(), own.end(),
                       [&](const JsonMember& other) { return other.key == member.key; });
  });
  made->members.insert(made->members.end(), own.begin(), own.end());
  return made;
}

}  // namespace

JsonPtr with_offers_by_region(const JsonPtr& root) {
  if (root->kind != JsonKind::object) return root;
  const auto offers = std::find_if(root->members.begin(), root->members.end(),
                                   [](const JsonMember& member) { return member.key == "offers"; });
  if (offers == root->members.end() || offers->value->kind != JsonKind::array) return root;
  const auto& items = offers->value->items;
  if (std::none_of(items.begin(), items.end(), regions_of)) return root;
  auto list = std::make_shared<JsonValue>(*offers->value);
  list->items.clear();
  for (const JsonPtr& offer : items) {
    const JsonValue* regions = regions_of(offer);
    if (regions == nullptr) {
      list->items.push_back(offer);
      continue;
    }
    for (const JsonMember& region : regions->members)
      list->items.push_back(in_region(*offer, region));
  }
  auto made = std::make_shared<JsonValue>(*root);
  made->members[static_cast<std::size_t>(offers - root->members.begin())].value = list;
  return made;
}

}  // namespace feedrate::schema
