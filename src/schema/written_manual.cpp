#include "schema/written_manual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "schema/manual.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

bool is_list(const Key& key) {
  return key.kind == KeyKind::objects || key.kind == KeyKind::texts || key.kind == KeyKind::numbers;
}

std::string_view json_type(const Key& key) {
  if (is_list(key)) return "array";
  switch (key.kind) {
    case KeyKind::number: return "number";
    case KeyKind::boolean: return "boolean";
    case KeyKind::text: return "string";
    default: return "object";
  }
}

void write_type(const Key& key, JsonWriter& out) {
  if (!key.manual.empty()) out.text("description", key.manual);
  out.key("type");
  if (key.nullable) {
    out.begin_array().text(json_type(key)).text("null").end();
  } else {
    out.text(json_type(key));
  }
}

/// "properties" and "required" of an object's keys: all of them are always written.
void write_properties(const std::vector<Key>& keys, JsonWriter& out) {
  out.key("properties").begin_object();
  for (const Key& key : keys) {
    out.key(key.name).begin_object(key.keys.empty() ? Layout::line : Layout::block);
    write_type(key, out);
    if (!key.keys.empty()) {
      if (is_list(key)) out.key("items").begin_object().text("type", "object");
      write_properties(key.keys, out);
      if (is_list(key)) out.end();
    }
    out.end();
  }
  out.end();
  out.key("required").begin_array();
  for (const Key& key : keys) out.text(key.name);
  out.end();
}

void add_manual(const std::vector<Key>& keys, std::size_t depth, std::string& page) {
  for (const Key& key : keys) {
    std::string name(2 * depth, ' ');
    name += key.name;
    if (is_list(key)) name += " […]";
    if (!key.manual.empty()) {
      const std::size_t columns = name.size() - (is_list(key) ? 2 : 0);  // … is one, of three bytes
      const std::size_t column = std::max<std::size_t>(columns + 1, 32);
      name.append(column - columns, ' ');
      name += wrapped(key.manual, column);
    }
    page += name + '\n';
    add_manual(key.keys, depth + 1, page);
  }
}

}  // namespace

std::string written_manual(const Key& root) {
  std::string page;
  add_manual(root.keys, 0, page);
  return page;
}

std::string written_json_schema(const Key& root, std::string_view title, std::string_view command) {
  JsonWriter out;
  out.begin_object();
  out.text("$schema", "https://json-schema.org/draft/2020-12/schema");
  out.text("title", title).text("type", "object");
  out.text("description", fmt::format("What {} prints with --format json.", command));
  write_written_properties(root, out);
  out.end();
  return std::move(out).finish();
}

void write_written_properties(const Key& root, JsonWriter& out) {
  write_properties(root.keys, out);
}

}  // namespace feedrate::schema
