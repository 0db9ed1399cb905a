#include "schema/plain_manual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "schema/json_writer.hpp"
#include "schema/manual.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;

void add_lines(const std::vector<PlainKey>& keys, std::size_t indent, std::string& page) {
  for (const PlainKey& key : keys) {
    const std::string name = std::string(indent, ' ') + key.name;
    page += fmt::format("{:<40}{}\n", name, wrapped(key.about, 40));
    add_lines(key.keys, indent + 2, page);
  }
}

void write_types(const std::string& types, JsonWriter& out) {
  if (types.find('|') == std::string::npos) {
    out.text("type", types);
    return;
  }
  out.key("type").begin_array();
  for (std::size_t at = 0; at <= types.size();) {
    const std::size_t end = std::min(types.find('|', at), types.size());
    out.text(std::string_view(types).substr(at, end - at));
    at = end + 1;
  }
  out.end();
}

void write_object(const std::vector<PlainKey>& keys, JsonWriter& out);

void write_key(const PlainKey& key, JsonWriter& out) {
  out.key(key.name).begin_object(key.keys.empty() ? Layout::line : Layout::block);
  write_types(key.types, out);
  out.text("description", key.about);
  if (!key.keys.empty() && key.types.starts_with("array")) {
    out.key("items").begin_object().text("type", "object");
    write_object(key.keys, out);
    out.end();
  } else if (!key.keys.empty()) {
    write_object(key.keys, out);
  }
  out.end();
}

void write_object(const std::vector<PlainKey>& keys, JsonWriter& out) {
  out.key("properties").begin_object();
  for (const PlainKey& key : keys) write_key(key, out);
  out.end().key("required").begin_array();
  for (const PlainKey& key : keys) out.text(key.name);
  out.end().boolean_member("additionalProperties", false);
}

}  // namespace

std::string plain_manual(std::string_view about, const std::vector<PlainKey>& keys) {
  std::string page = std::string(about) + "\n";
  add_lines(keys, 0, page);
  return page;
}

std::string plain_json_schema(std::string_view title, const std::vector<PlainKey>& keys) {
  JsonWriter out;
  out.begin_object().text("$schema", "https://json-schema.org/draft/2020-12/schema");
  out.text("title", title).text("type", "object");
  write_object(keys, out);
  out.end();
  return std::move(out).finish();
}

}  // namespace feedrate::schema
