#include "formats/prices/storage_record.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/number_text.hpp"
#include "schema/json/json_values.hpp"
#include "schema/json/json_writer.hpp"

namespace feedrate::formats {
namespace storage_records {
namespace {

bool is_price(const std::string& text) {
  return text.find("USD") != std::string::npos && !text.starts_with("0 ");
}

/// What a record keeps beside the prices of the list.
struct Kept {
  std::vector<std::pair<std::string, std::string>> members, sources;
  std::vector<std::string> recalled;
};

/// Nothing where a price is among it.
std::optional<Kept> kept_of(const schema::JsonValue& record, bool is_new,
                            const auto& written_anew) {
  Kept kept;
  if (const schema::JsonValue* recalled = record.find("recalled")) {
    for (const schema::JsonPtr& key : recalled->items) {
      if (!written_anew(key->text)) kept.recalled.push_back(key->text);
    }
  }
  constexpr std::array<std::string_view, 6> of_record = {"region", "source",  "sources",
                                                         "date",   "derived", "recalled"};
  const schema::JsonValue* sources = record.find("sources");
  for (const schema::JsonMember& member : record.members) {
    const bool told = std::find(of_record.begin(), of_record.end(), member.key) != of_record.end();
    const bool note = member.key == "note";
    if (told || written_anew(member.key) || (is_new && note)) continue;
    const std::string& text = member.value->text;
    if (member.value->kind != schema::JsonKind::text || is_price(text)) return std::nullopt;
    kept.members.emplace_back(member.key, text);
    const bool recalled =
        std::find(kept.recalled.begin(), kept.recalled.end(), member.key) != kept.recalled.end();
    if (note || recalled) continue;
    const std::string own = sources == nullptr ? "" : text_of(sources->find(member.key));
    kept.sources.emplace_back(member.key, own.empty() ? text_of(record.find("source")) : own);
  }
  return kept;
}

}  // namespace
}  // namespace storage_records

std::optional<std::string> storage_record(const std::vector<const ImportedStorage*>& prices,
                                          const schema::JsonValue* like, bool is_new,
                                          const ImportedPrices& list) {
  using namespace storage_records;
  const ImportedStorage& first = *prices.front();
  const auto written_anew = [&](std::string_view key) {
    return std::any_of(prices.begin(), prices.end(),
                       [&](const auto* price) { return price->field == key; }) ||
           std::any_of(first.record.begin(), first.record.end(),
                       [&](const auto& member) { return member.first == key; });
  };
  Kept kept;
  if (like != nullptr) {
    auto found = kept_of(*like, is_new, written_anew);
    if (!found) return std::nullopt;
    kept = std::move(*found);
  }
  schema::JsonWriter out;
  out.begin_object(schema::JsonWriter::Layout::line);
  out.text("region", first.region);
  for (const auto& [key, value] : first.record) out.text(key, value);
  for (const auto& [key, value] : kept.members) out.text(key, value);
  for (const ImportedStorage* price : prices) {
    const std::string before = is_new || like == nullptr ? "" : text_of(like->find(price->field));
    out.text(price->field, same_price(before, price->price) ? before : price->price);
  }
  out.text("source", list.source).text("date", list.date);
  if (!kept.sources.empty()) {
    out.key("sources").begin_object(schema::JsonWriter::Layout::line);
    for (const auto& [key, source] : kept.sources) out.text(key, source);
    out.end();
  }
  if (!kept.recalled.empty()) {
    out.key("recalled").begin_array();
    for (const std::string& key : kept.recalled) out.text(key);
    out.end();
  }
  out.end();
  std::string text = std::move(out).finish();
  text.pop_back();
  return text;
}

std::string title_of(const ImportedStorage& price) {
  std::string words;
  for (const auto& [key, value] : price.record) words += value + ", ";
  if (words.empty()) {
    words = price.section.substr(0, price.section.rfind("_prices"));
    std::replace(words.begin(), words.end(), '_', ' ');
    words += ", ";
  }
  return words + price.field;
}

bool same_price(std::string_view one, std::string_view other) {
  const auto a = leading_number(one);
  const auto b = leading_number(other);
  constexpr double rounding = 1e-9;
  return a && b && a->rest == b->rest &&
         std::abs(a->value - b->value) <= rounding * std::abs(a->value);
}

}  // namespace feedrate::formats
