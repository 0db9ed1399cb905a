#include "schema/catalog/catalog_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/did_you_mean.hpp"
#include "base/quote.hpp"

namespace feedrate::schema {
namespace {

constexpr std::string_view recalled_source = "recalled, not read at a source";

std::vector<std::string> copies(std::span<const std::string_view> words) {
  return {words.begin(), words.end()};
}

/// Names of the JSON members that fill one C++ member: `low` and `high` for a range.
struct FieldKeys {
  std::string_view value, low, high;
};

template <int T, int B, int M, int S>
void read_one(const Record& record, std::string_view key, Known<Quantity<T, B, M, S>>& into) {
  using Q = Quantity<T, B, M, S>;
  if (const auto base = record.quantity(key, dimension_of(Q{}))) {
    into = Value<Q>{Q::of(*base), record.provenance(key)};
  }
}
void read_one(const Record& record, std::string_view key, Known<double>& into) {
  if (const auto number = record.number(key)) {
    into = Value<double>{*number, record.provenance(key)};
  }
}
template <int T, int B, int M, int S>
void read_one(const Record& record, std::string_view key,
              std::optional<Quantity<T, B, M, S>>& into) {
  using Q = Quantity<T, B, M, S>;
  if (const auto base = record.quantity(key, dimension_of(Q{}))) into = Q::of(*base);
}
template <int T, int B, int M, int S>
void read_one(const Record& record, std::string_view key, Quantity<T, B, M, S>& into) {
  std::optional<Quantity<T, B, M, S>> found;
  read_one(record, key, found);
  if (found) into = *found;
}
void read_one(const Record& record, std::string_view key, std::optional<double>& into) {
  into = record.number(key);
}
void read_one(const Record& record, std::string_view key, double& into) {
  into = record.number(key).value_or(into);
}
void read_one(const Record& record, std::string_view key, std::optional<bool>& into) {
  into = record.boolean(key);
}
void read_one(const Record& record, std::string_view key, bool& into) {
  into = record.boolean(key).value_or(into);
}
void read_one(const Record& record, std::string_view key, std::string& into) {
  if (auto text = record.text(key)) into = std::move(*text);
}
void read_one(const Record& record, std::string_view key, Purchase& into) {
  if (const auto i = record.word(key, purchase_words)) into = static_cast<Purchase>(*i);
}
void read_one(const Record& record, std::string_view key, Interconnect& into) {
  if (const auto i = record.word(key, interconnect_words)) into = static_cast<Interconnect>(*i);
}

void read_one(const Record& record, std::string_view key, std::optional<NetworkFabric>& into) {
  if (const auto i = record.word(key, fabric_words)) into = static_cast<NetworkFabric>(*i);
}

void read_one(const Record& record, std::string_view key, Precision& into) {
  if (const auto i = record.word(key, training_precision_words)) into = static_cast<Precision>(*i);
}

template <class V>
void read_member(const Record& record, const FieldKeys& keys, V& into) {
  read_one(record, keys.value, into);
}
template <class Q>
void read_member(const Record& record, const FieldKeys& keys, Range<Q>& into) {
  read_one(record, keys.low, into.low);
  read_one(record, keys.high, into.high);
}

}  // namespace

Record::Record(const JsonValue& object, std::string pointer, Problems& problems)
    : object_(&object), pointer_(std::move(pointer)), problems_(&problems) {
  if (object.kind != JsonKind::object) {
    problems.add(object, pointer_, fmt::format("expected an object, got {}", describe(object)));
    return;
  }
  source_ = text("source").value_or("");
  date_ = text("date").value_or("");
  note_ = text("note").value_or("");
}

namespace {

constexpr const char* within_all = "0 or a number from 1e-30 to 1e30";

/// What nothing has, and what a few of them multiplied are no number of.
bool beyond_all(double value) {
  return value != 0.0 && (value < 1e-30 || value > 1e30);
}

}  // namespace

const JsonValue* Record::at(std::string_view key) const {
  const JsonValue* member = object_->find(key);
  return member == nullptr || member->kind == JsonKind::null ? nullptr : member;
}

void Record::complain(std::string_view key, std::string message) const {
  const JsonValue* member = key.empty() ? nullptr : object_->find(key);
  problems_->add(member == nullptr ? *object_ : *member,
                 member == nullptr ? pointer_ : join_pointer(pointer_, key), std::move(message));
}

std::optional<std::string> Record::text(std::string_view key) const {
  const JsonValue* member = at(key);
  if (member == nullptr) return std::nullopt;
  if (member->kind == JsonKind::text) return member->text;
  complain(key, fmt::format("expected a text, got {}", describe(*member)));
  return std::nullopt;
}

std::optional<bool> Record::boolean(std::string_view key) const {
  const JsonValue* member = at(key);
  if (member == nullptr) return std::nullopt;
  if (member->kind == JsonKind::boolean) return member->boolean;
  complain(key, fmt::format("expected true or false, got {}", describe(*member)));
  return std::nullopt;
}

std::optional<double> Record::number(std::string_view key) const {
  const JsonValue* member = at(key);
  if (member == nullptr) return std::nullopt;
  if (member->kind != JsonKind::number || member->number < 0.0) {
    complain(key, fmt::format("expected a number, 0 or more, got {}", describe(*member)));
    return std::nullopt;
  }
  if (beyond_all(member->number)) {
    complain(key, fmt::format("expected {}, got {}", within_all, describe(*member)));
    return std::nullopt;
  }
  return member->number;
}

std::optional<double> Record::quantity(std::string_view key, Dimension dimension) const {
  const JsonValue* member = at(key);
  if (member == nullptr) return std::nullopt;
  if (member->kind != JsonKind::text) {
    const UnitHint hint = unit_hint(dimension);
    complain(key, fmt::format("expected {} such as \"{}\", got {}", hint.name, hint.example,
                              describe(*member)));
    return std::nullopt;
  }
  const ParsedQuantity parsed = parse_quantity(member->text, dimension);
  if (!parsed.ok()) {
    complain(key, parsed.problem);
    return std::nullopt;
  }
  if (parsed.base < 0.0) {
    complain(key, fmt::format("expected 0 or more, got {}", in_quotes(member->text)));
    return std::nullopt;
  }
  if (beyond_all(parsed.base)) {
    complain(key, fmt::format("expected {} in units of the SI, got {}", within_all,
                              in_quotes(member->text)));
    return std::nullopt;
  }
  return parsed.base;
}

std::optional<std::size_t> Record::word(std::string_view key,
                                        std::span<const std::string_view> words) const {
  const auto given = text(key);
  if (!given) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), *given);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  complain(key, fmt::format("expected one of {}, got {}{}", fmt::join(words, ", "),
                            in_quotes(*given), did_you_mean(*given, copies(words))));
  return std::nullopt;
}

bool Record::marked_recalled(std::string_view key) const {
  const JsonValue* list = at("recalled");
  if (list == nullptr) return false;
  return std::any_of(list->items.begin(), list->items.end(), [&](const JsonPtr& item) {
    return item->kind == JsonKind::text && item->text == key;
  });
}

namespace {

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

}  // namespace

bool Record::rests_on_recalled(std::string_view rule) const {
  const JsonValue* list = at("recalled");
  if (list == nullptr) return false;
  // A rule names its parts by the last word of their keys: "generation and lanes".
  return std::any_of(list->items.begin(), list->items.end(), [&](const JsonPtr& item) {
    const std::string_view key = item->text;
    return !key.empty() && rule.find(key.substr(key.rfind('_') + 1)) != std::string_view::npos;
  });
}

Provenance Record::provenance(std::string_view key) const {
  const JsonValue* sources = at("sources");
  const JsonValue* own = sources == nullptr ? nullptr : sources->find(key);
  const bool has_own = own != nullptr && own->kind == JsonKind::text;
  const std::string& source = has_own ? own->text : source_;
  if (source == "recalled" || marked_recalled(key)) {
    return {Origin::assumed, std::string(recalled_source), 0.0, date_};
  }
  Provenance from{Origin::published, "", 0.0};
  const JsonValue* derived = at("derived");
  const JsonValue* rule =
      derived == nullptr || derived->kind == JsonKind::text ? derived : derived->find(key);
  if (rule != nullptr && rule->kind == JsonKind::text) {
    from.source = "derived: " + rule->text;
    // What is derived is as good as its weakest part.
    if (by_likeness(rule->text) || rests_on_recalled(rule->text)) from.origin = Origin::assumed;
  }
  if (!source.empty()) from.source += (from.source.empty() ? "" : ", ") + source;
  if (from.source.empty()) {
    complain(key, R"(expected "source" or "derived" in the record: every number names its origin)");
  }
  if (!date_.empty() && !has_own) from.source += ", " + date_;
  from.date = date_;
  return from;
}

void Record::only(const std::vector<std::string>& keys) const {
  for (const JsonMember& member : object_->members) {
    const auto named = [&](std::string_view key) { return key == member.key; };
    if (std::any_of(keys.begin(), keys.end(), named)) continue;
    if (std::any_of(std::begin(mark_keys), std::end(mark_keys), named)) continue;
    std::vector<std::string> all = keys;
    all.insert(all.end(), std::begin(mark_keys), std::end(mark_keys));
    problems_->add_at(*member.value, member.line, join_pointer(pointer_, member.key),
                      fmt::format("expected one of {}, got {}{}", fmt::join(all, ", "),
                                  in_quotes(member.key), did_you_mean(member.key, all)));
  }
}

void read_field(const Record& record, std::string_view key, bool required, const Target& target,
                std::vector<std::string>& known) {
  std::visit(
      [&](auto* into) {
        if constexpr (requires { into->low; }) {
          const std::string low = std::string(key) + "_low";
          const std::string high = std::string(key) + "_high";
          known.push_back(low);
          known.push_back(high);
          read_member(record, {key, low, high}, *into);
        } else {
          known.emplace_back(key);
          if (required && record.at(key) == nullptr) {
            record.complain("", "expected the key \"" + std::string(key) + "\"");
          }
          read_member(record, {key, "", ""}, *into);
        }
      },
      target);
}

void read_value(const Record& record, const Target& target) {
  std::visit([&](auto* into) { read_member(record, {"value", "low", "high"}, *into); }, target);
}

}  // namespace feedrate::schema
