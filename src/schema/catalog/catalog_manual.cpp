// The manual of the pricing files and their JSON Schema, from the same tables that read them.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "schema/catalog/catalog_fields.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/record/manual.hpp"

namespace feedrate::schema {
namespace {

/// In which a key's kind and meaning stand.
constexpr std::size_t column = 35;

std::string kind_text(const Key& key) {
  switch (key.kind) {
    case KeyKind::quantity: return fmt::format("\"{}\"", key.hint.example);
    case KeyKind::text: return "text";
    case KeyKind::boolean: return "true or false";
    case KeyKind::number: return "number";
    case KeyKind::word: return "word";
    case KeyKind::object: return kind_text(key.keys[1]) + ", low and high";  // behind "limit"
    default: return "";
  }
}

/// A group of keys, as machines have them: no range of a limit.
bool is_group(const Key& key) {
  return key.kind == KeyKind::object && key.keys.front().name != limit_key().name;
}

void append_rows(std::string& out, const std::string& title, const std::vector<Key>& keys) {
  out += fmt::format("  {}\n", title);
  for (const Key& key : keys) {
    if (key.retired || is_mark(key.name) || is_group(key)) continue;
    std::string what = kind_text(key);
    if (!what.empty() && !key.manual.empty()) what += "; ";
    what += key.manual;
    if (key.required && key.kind != KeyKind::objects) what += " (required)";
    out += fmt::format("    {:<31}{}\n", key.name, wrapped(what, column));
  }
  for (const Key& key : keys) {
    if (is_group(key)) append_rows(out, fmt::format("{}, \"{}\"", title, key.name), key.keys);
  }
}

/// Of limits, their names, and what is said of each.
const std::vector<Key>& rows_of(const Key& list) {
  const Key& first = list.keys.front();
  return first.name == limit_key().name ? first.keys : list.keys;
}

Key version_key() {
  return {.name = "schema", .kind = KeyKind::number, .required = true, .manual = "1"};
}

void describe_file(std::string_view names, std::vector<Key> keys, JsonWriter& out) {
  keys.insert(keys.begin(), version_key());
  out.begin_object().text("title", names).text("type", "object");
  properties({.name = "", .kind = KeyKind::object, .keys = std::move(keys)}, out);
  out.end();
}

}  // namespace

std::string pricing_manual() {
  std::string out =
      "Pricing files: \"schema\": 1 and lists of records. null, or a key left out, means not "
      "known.\n"
      "Besides its numbers, a record (or a group in it) holds\n"
      "  source    a key of sources.json; \"recalled\": from memory, so its numbers are assumed\n"
      "  date      when the source was made\n"
      "  sources   {KEY: source} of keys that have another source\n"
      "  recalled  [KEY …] keys whose numbers are from memory, although the record has a source\n"
      "  derived   the rule that made the record's numbers, or {KEY: rule}\n"
      "  note      words for readers\n"
      "A list called limits has {\"limit\": NAME, \"value\": …} or {\"limit\": NAME, \"low\": …,\n"
      "\"high\": …}.\n";
  for (const PricingFile& file : pricing_files()) {
    out += fmt::format("\n{}\n", file.names);
    for (const Entry<Catalog>& list : file.lists) {
      append_rows(out, std::string(list.key.name), rows_of(list.key));
    }
  }
  return out;
}

std::string pricing_json_schema() {
  JsonWriter out;
  out.begin_object();
  out.text("$schema", "https://json-schema.org/draft/2020-12/schema");
  out.text("title", "feedrate pricing");
  out.text("description", "one file of the folder pricing; null, or a key left out: not known");
  out.key("anyOf").begin_array();
  for (const PricingFile& file : pricing_files()) {
    std::vector<Key> keys;
    for (const Entry<Catalog>& list : file.lists) keys.push_back(list.key);
    describe_file(file.names, std::move(keys), out);
  }
  const Key sources{.name = "sources",
                    .kind = KeyKind::settings,
                    .required = true,
                    .manual = "what \"source\" of a record names"};
  describe_file("sources.json", {sources}, out);
  out.end().end();
  return std::move(out).finish();
}

}  // namespace feedrate::schema
