#include "schema/offers_by_region.hpp"

#include <algorithm>
#include <memory>
#include <string_view>

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

const JsonValue* regions_of(const JsonPtr& offer) {
  const JsonValue* regions = offer->kind == JsonKind::object ? offer->find(by_region) : nullptr;
  return regions != nullptr && regions->kind == JsonKind::object ? regions : nullptr;
}

/// The offer in one of its regions.
JsonPtr in_region(const JsonValue& offer, const JsonMember& region) {
  auto made = std::make_shared<JsonValue>(offer);
  std::erase_if(made->members, [](const JsonMember& member) { return member.key == by_region; });
  made->members.push_back({"region", region.line, text_value(region.key, region.line)});
  if (region.value->kind == JsonKind::object) {
    made->members.insert(made->members.end(), region.value->members.begin(),
                         region.value->members.end());
  } else {
    made->members.push_back({"price", region.line, region.value});
  }
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
