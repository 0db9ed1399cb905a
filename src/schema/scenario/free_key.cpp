#include "schema/scenario/free_key.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "base/text_lines.hpp"
#include "schema/json/json_writer.hpp"
#include "schema/record/key_names.hpp"
#include "schema/scenario/scenario_keys.hpp"

namespace feedrate::schema {
namespace {

struct Sensible {
  Dimension dimension;
  double low;
  double high;
};

/// Plausible values of a quantity that is not stated, base units.
constexpr std::array sensible = {
    Sensible{{1, 0, 0, 0}, 1e-6, 86400.0},                 // 1 us … a day
    Sensible{{1, 0, 0, -1}, 1e-6, 10.0},                   // 1 us … 10 s a sample
    Sensible{{1, -1, 0, 0}, 1e-12, 1e-6},                  // 1 us … 1 s a MB
    Sensible{{-1, 1, 0, 0}, 1e6, 1e12},                    // 1 MB/s … 1 TB/s
    Sensible{{0, 1, 0, 0}, 1e3, 1e14},                     // 1 KB … 100 TB
    Sensible{{0, 1, 0, -1}, 1.0, 1e10},                    // 1 B … 10 GB a sample
    Sensible{{-1, 0, 0, 0}, 1e-1, 1e7},                    // 0.1 … ten million a second
    Sensible{{-1, 0, 1, 0}, 1e-3 / 3600.0, 1e3 / 3600.0},  // 0.001 … 1,000 USD/h
    // 0.001 … 10 USD/GB-month, of 730 hours
    Sensible{{-1, -1, 1, 0}, 1e-3 / 1e9 / 2.628e6, 10.0 / 1e9 / 2.628e6},
};
constexpr Sensible sensible_tier = {{-1, 0, 0, 0}, 1e-7, 1e-2};  // 0.1 … 11,000 MB/s/TiB
constexpr Sensible sensible_number = {{}, 1e-3, 1e6};
constexpr double around = 1000.0;  // of a value that is there

/// The item that an operation's name means, or its place; the list's size where there is none.
std::size_t place_of(const JsonValue& list, const std::string& token) {
  std::size_t index = 0;
  const char* const end = token.data() + token.size();
  const auto read = std::from_chars(token.data(), end, index);
  if (read.ec == std::errc() && read.ptr == end) return std::min(index, list.items.size());
  const auto named = std::find_if(list.items.begin(), list.items.end(), [&](const JsonPtr& item) {
    const JsonValue* name = item->find("operation");
    return name != nullptr && name->text == token;
  });
  return static_cast<std::size_t>(named - list.items.begin());
}

/// The value that stands at the tokens, or as the key that a text form gives: "step": "300 ms".
const JsonValue* value_at(const JsonValue* node, const Key* key,
                          const std::vector<std::string>& tokens) {
  for (const std::string& token : tokens) {
    if (node == nullptr) return nullptr;
    if (node->kind == JsonKind::array) {
      const std::size_t index = place_of(*node, token);
      if (index >= node->items.size()) return nullptr;
      node = node->items[index].get();
      continue;
    }
    const auto below = std::find_if(key->keys.begin(), key->keys.end(),
                                    [&](const Key& inner) { return inner.name == token; });
    if (below != key->keys.end() && node->kind == JsonKind::text && key->text_form &&
        &*below == &text_key(*key, node->text)) {
      key = &*below;
      continue;
    }
    node = node->kind == JsonKind::object ? node->find(token) : nullptr;
    if (below != key->keys.end()) key = &*below;  // else the name of an item: V100
  }
  return node == nullptr || node->kind == JsonKind::null ? nullptr : node;
}

std::optional<double> number_in(std::string_view text, const Key& key) {
  if (key.kind == KeyKind::quantity) {
    const ParsedQuantity parsed = parse_quantity(text, key.dimension, key.hint);
    return parsed.ok() ? std::optional(parsed.base) : std::nullopt;
  }
  const auto leading = leading_number(text);
  if (!leading) return std::nullopt;
  const bool percent = leading->rest == "%" || leading->rest == " %";
  if (!leading->rest.empty() && !percent) return std::nullopt;
  return percent ? leading->value / 100.0 : leading->value;
}

std::optional<double> number_of_value(const JsonValue* value, const Key& key) {
  if (value == nullptr) return std::nullopt;
  if (value->kind == JsonKind::number) {
    return key.kind == KeyKind::quantity ? std::nullopt : std::optional(value->number);
  }
  return value->kind == JsonKind::text ? number_in(value->text, key) : std::nullopt;
}

/// "ms" of "6.6 ms"
std::string unit_in(std::string_view quantity) {
  const auto leading = leading_number(quantity);
  if (!leading) return "";
  const std::string_view rest = leading->rest;
  return std::string(rest.substr(std::min(rest.find_first_not_of(' '), rest.size())));
}

/// What a key holds, for someone who asked for its number.
std::string_view kind_words(const Key& key) {
  switch (key.kind) {
    case KeyKind::whole:
    case KeyKind::count: return "a whole number: try its values with feedrate sweep --vary";
    case KeyKind::boolean: return "true or false";
    case KeyKind::word:
    case KeyKind::text:
    case KeyKind::texts:
    case KeyKind::labels: return "a text";
    case KeyKind::points:
    case KeyKind::numbers: return "a list";
    default: return "an object: name a key in it";
  }
}

void set_default_range(FreeKey& free, const Key& key) {
  const bool tier = !key.unit.empty() && key.dimension == sensible_tier.dimension;
  Sensible range = tier ? sensible_tier : sensible_number;
  for (const Sensible& each : sensible) {
    if (!tier && key.kind == KeyKind::quantity && each.dimension == key.dimension) range = each;
  }
  free.low = range.low;
  free.high = range.high;
  if (free.value && *free.value > 0.0 && free.by_factors) {
    free.low = *free.value / around;
    free.high = *free.value * around;
  }
  if (!free.by_factors) {
    free.low = key.limits.above ? 0.001 : key.limits.low;
    free.high = key.limits.high;
  }
  if (!key.limits.given()) return;
  free.high = std::min(free.high, key.limits.high);
  free.low = std::max(free.low, key.limits.low);
}

void set_range(FreeKey& free, const Key& key, std::string_view name, std::string_view text,
               std::string_view flag) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    refuse_flag(flag, fmt::format("expected {}=LOW..HIGH, got {}", name, in_quotes(text)));
  }
  const auto end = [&](std::string_view part) {
    part = trimmed(part, " ");
    const auto number = number_in(part, key);
    if (!number && key.kind == KeyKind::quantity) {
      refuse_flag(
          flag, fmt::format("{}: {}", name, parse_quantity(part, key.dimension, key.hint).problem));
    }
    if (!number)
      refuse_flag(flag, fmt::format("{}: expected a number, got {}", name, in_quotes(part)));
    const Limits& limits = key.limits;
    const bool fits =
        !limits.given() ||
        ((limits.above ? *number > limits.low : *number >= limits.low) && *number <= limits.high);
    if (!fits) {
      refuse_flag(flag, fmt::format("{}: expected a value in the range {}, got {}", name,
                                    limits_text(key), in_quotes(part)));
    }
    return *number;
  };
  free.low = end(text.substr(0, dots));
  free.high = end(text.substr(dots + 2));
  if (free.low >= free.high) {
    refuse_flag(flag, fmt::format("{}: expected LOW below HIGH, got {}", name, in_quotes(text)));
  }
  if (free.by_factors && free.low <= 0.0) {
    refuse_flag(flag, fmt::format("{}: expected LOW above 0, got {}", name, in_quotes(text)));
  }
}

/// Of an object that a text may stand for ("step"): where the document states one quantity of that
/// kind in it, in all or for a sample, that one; else what the text means.
const Key& key_meant(const Key& object, const Document& document,
                     const std::vector<std::string>& tokens) {
  const Key* stated = nullptr;
  for (const Key& inner : object.keys) {
    Dimension in_all = inner.dimension;
    in_all.sample = 0;
    if (inner.kind != KeyKind::quantity || in_all != object.keys.front().dimension) continue;
    std::vector<std::string> at = tokens;
    at.emplace_back(inner.name);
    if (value_at(document.root().get(), &scenario_root(), at) == nullptr) continue;
    if (stated != nullptr) return object.keys.front();
    stated = &inner;
  }
  return stated == nullptr ? object.keys.front() : *stated;
}

/// Operations are told by their names, where each has its own, and known by their places.
void name_both_ways(FreeKey& free, const Document& document, const KeyPlace& place,
                    std::string_view flag) {
  free.name = free.pointer = place.pointer();
  if (place.tokens.front() != "preprocess") return;
  const JsonValue* list = document.root()->find("preprocess");
  const std::string& token = place.tokens[1];
  if (list == nullptr || list->items.empty()) {
    refuse_flag(flag, fmt::format("expected an operation of the scenario, which has none, got {}",
                                  in_quotes(token)));
  }
  KeyPlace by = place;
  const std::size_t index = place_of(*list, token);
  if (index >= list->items.size()) {
    std::vector<std::string> names;
    for (const JsonPtr& item : list->items) {
      const JsonValue* name = item->find("operation");
      if (name != nullptr) names.push_back(name->text);
    }
    refuse_flag(flag,
                fmt::format("expected the number or the name of an operation of the scenario ({}), "
                            "got {}{}",
                            fmt::join(names, ", "), in_quotes(token), did_you_mean(token, names)));
  }
  by.tokens[1] = fmt::format("{}", index);
  free.pointer = by.pointer();
  const JsonValue* name = list->items[index]->find("operation");
  if (name == nullptr || name->kind != JsonKind::text) return;
  const bool digits =
      !name->text.empty() && name->text.find_first_not_of("0123456789") == std::string::npos;
  if (digits || place_of(*list, name->text) != index) return;
  by.tokens[1] = name->text;
  free.name = by.pointer();
}

FreeKey free_key(const Document& document, std::string_view item, std::string_view flag) {
  const std::string_view name = item.substr(0, item.find('='));
  if (name.empty()) {
    refuse_flag(flag, fmt::format("expected KEY or KEY=LOW..HIGH, got {}", in_quotes(item)));
  }
  KeyPlace place;
  try {
    place = find_key(scenario_root(), name);
  } catch (const InputError& error) {
    refuse_flag(flag, error.problems().front().message);
  }
  if (place.key->kind == KeyKind::object && place.key->text_form) {
    const Key& inner = key_meant(*place.key, document, place.tokens);
    place.tokens.emplace_back(inner.name);
    place.key = &inner;
  }
  const Key& key = *place.key;
  const bool number = key.kind == KeyKind::number || key.kind == KeyKind::fraction;
  if (!number && key.kind != KeyKind::quantity) {
    refuse_flag(flag,
                fmt::format("expected a key that holds a quantity or a share, got {}, which holds "
                            "{}",
                            in_quotes(name), kind_words(key)));
  }
  FreeKey free;
  name_both_ways(free, document, place, flag);
  free.unit = key.unit;
  free.by_factors = !number || (key.limits.above && key.limits.high > 1.0);
  if (!number) free.dimension = key.dimension;
  const JsonValue* value = value_at(document.root().get(), &scenario_root(), place.tokens);
  free.value = number_of_value(value, key);
  if (free.value && key.kind == KeyKind::quantity) free.unit = unit_in(value->text);
  if (item.size() > name.size()) {
    set_range(free, key, name, item.substr(name.size() + 1), flag);
  } else {
    set_default_range(free, key);
  }
  return free;
}

}  // namespace

std::string FreeKey::text_of(double number) const {
  if (dimension == Dimension{}) return number_text(number, NumberStyle::plain);
  if (!unit.empty()) return format_in(number, unit);
  // The unit that suits its size: many digits would by chance be fewest in another.
  const double size = with_digits(number, 1);
  return format_in(number, unit_in(format_quantity(size, dimension)));
}

std::optional<double> FreeKey::read(std::string_view text) {
  if (dimension == Dimension{}) return number_of(text);
  const ParsedQuantity parsed = parse_quantity(text, dimension);
  if (!parsed.ok()) return std::nullopt;
  unit = unit_in(text);
  return parsed.base;
}

double FreeKey::rounded(double number, int digits) const {
  const auto round = [&](double plain) { return with_digits(plain, digits); };
  if (dimension == Dimension{}) return round(number);
  const std::string text = text_of(number);
  const auto leading = leading_number(text);
  const std::string short_text =
      fmt::format("{}{}", number_text(round(leading->value)), leading->rest);
  const ParsedQuantity parsed =
      unit.empty() ? parse_quantity(short_text, dimension)
                   : parse_quantity(short_text, dimension, {"a quantity", short_text});
  return parsed.ok() ? parsed.base : number;
}

std::vector<FreeKey> free_keys(const Document& document, std::string_view text,
                               std::string_view flag) {
  std::vector<FreeKey> keys;
  for (const std::string_view item : split_at(text, ',', " ")) {
    if (item.empty()) {
      refuse_flag(flag, fmt::format("expected a key between the commas, got {}", in_quotes(text)));
    }
    keys.push_back(free_key(document, item, flag));
  }
  return keys;
}

}  // namespace feedrate::schema
