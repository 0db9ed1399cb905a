#include "schema/catalog/catalog_record.hpp"

#include <algorithm>
#include <array>

#include "catalog/lookup.hpp"

namespace feedrate::schema {
namespace {

constexpr std::string_view recalled_source = "recalled, not read at a source";

const JsonValue* mark_of(const JsonValue& record, std::string_view key) {
  const JsonValue* member = record.find(key);
  return member == nullptr || member->kind == JsonKind::null ? nullptr : member;
}

std::string mark_text(const JsonValue& record, std::string_view key) {
  const JsonValue* member = record.find(key);
  return member != nullptr && member->kind == JsonKind::text ? member->text : "";
}

template <class Fits>
bool any_recalled(const JsonValue& record, Fits fits) {
  const JsonValue* list = mark_of(record, "recalled");
  return list != nullptr && std::any_of(list->items.begin(), list->items.end(), fits);
}

bool marked_recalled(const JsonValue& record, std::string_view key) {
  return any_recalled(record, [&](const JsonPtr& item) {
    return item->kind == JsonKind::text && item->text == key;
  });
}

/// Whether a rule of "derived" computes with a key that is recalled.
bool rests_on_recalled(const JsonValue& record, std::string_view rule) {
  // A rule names its parts by the last word of their keys: "generation and lanes".
  return any_recalled(record, [&](const JsonPtr& item) {
    const std::string_view key = item->text;
    return !key.empty() && rule.find(key.substr(key.rfind('_') + 1)) != std::string_view::npos;
  });
}

/// Whether a rule takes a number from another machine, region, month or service, because none is
/// published for this one ("on-demand less 58 %", "us-east-1 x 1.13 as c5.metal", "EC2 x 1.15");
/// else it is arithmetic.
bool by_likeness(std::string_view rule) {
  constexpr std::array<std::string_view, 5> signs = {" less ", " as ", "about ", "equal to ",
                                                     "EC2 x "};
  return std::any_of(signs.begin(), signs.end(), [&](std::string_view sign) {
    return rule.find(sign) != std::string_view::npos;
  });
}

constexpr std::array retired_limits = {
    std::string_view("creation"),
    std::string_view("range_request"),
    std::string_view("single_flow"),
    std::string_view("single_flow_in_placement_group"),
    std::string_view("single_flow_ena_express"),
    nat_gateway_service,  // transfer.json has its price now
};

}  // namespace

Provenance provenance_at(const Path& path, Reading& r) {
  const JsonValue& record = *r.record;
  const std::string_view key = path.token;
  const std::string date = mark_text(record, "date");
  const JsonValue* sources = mark_of(record, "sources");
  const JsonValue* own = sources == nullptr ? nullptr : sources->find(key);
  const bool has_own = own != nullptr && own->kind == JsonKind::text;
  const std::string source = has_own ? own->text : mark_text(record, "source");
  if (source == "recalled" || marked_recalled(record, key)) {
    return {Origin::assumed, std::string(recalled_source), 0.0, date};
  }
  Provenance from{Origin::published, "", 0.0};
  const JsonValue* derived = mark_of(record, "derived");
  const JsonValue* rule =
      derived == nullptr || derived->kind == JsonKind::text ? derived : derived->find(key);
  if (rule != nullptr && rule->kind == JsonKind::text) {
    from.source = "derived: " + rule->text;
    // What is derived is as good as its weakest part.
    if (by_likeness(rule->text) || rests_on_recalled(record, rule->text)) {
      from.origin = Origin::assumed;
    }
  }
  if (!source.empty()) from.source += (from.source.empty() ? "" : ", ") + source;
  if (from.source.empty()) {
    const JsonValue* number = record.find(key);
    r.problems.add(
        number == nullptr ? record : *number, path.text(),
        R"(expected "source" or "derived" in the record: every number names its origin)");
  }
  if (!date.empty() && !has_own) from.source += ", " + date;
  from.date = date;
  return from;
}

std::span<const Key> mark_keys() {
  static const std::array keys = {
      Key{.name = "source", .kind = KeyKind::text},
      Key{.name = "date", .kind = KeyKind::text},
      Key{.name = "note", .kind = KeyKind::text},
      Key{.name = "sources", .kind = KeyKind::labels},
      Key{.name = "recalled", .kind = KeyKind::texts},
      Key{.name = "derived", .kind = KeyKind::document},
  };
  return keys;
}

bool is_mark(std::string_view name) {
  const auto keys = mark_keys();
  return std::any_of(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; });
}

const Key& limit_key() {
  static const Key key{.name = "limit", .kind = KeyKind::word, .required = true};
  return key;
}

bool is_retired_limit(std::string_view name) {
  return std::find(retired_limits.begin(), retired_limits.end(), name) != retired_limits.end();
}

}  // namespace feedrate::schema
