#include "schema/record/document_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/version.hpp"
#include "schema/record/manual.hpp"

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
  const auto each = [&](std::string_view name, std::string_view type) {
    out.key(name).begin_object(Layout::line).text("type", type).end();
  };
  if (key.kind == KeyKind::numbers) each("items", "number");
  if (key.kind == KeyKind::texts) each("items", "string");
  if (key.kind == KeyKind::settings) each("additionalProperties", "string");
  if (key.kind == KeyKind::named) each("additionalProperties", "number");
  if (key.kind == KeyKind::objects && key.keys.empty()) each("items", "object");
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

Key document_root(const DocumentKind& of) {
  const auto text = [](std::string_view name, std::string_view manual) {
    Key key;
    key.name = name;
    key.manual = manual;
    return key;
  };
  Key root = text(of.kind, "");
  root.kind = KeyKind::object;
  root.keys = {text("feedrate", "version"), text("kind", of.kind),
               text("schema", of.version == 1.0 ? "1: the version of this format"
                                                : "2: the version of this format")};
  root.keys.back().kind = KeyKind::number;
  if (!of.scenario.empty()) {
    Key scenario = text("scenario", of.scenario);
    scenario.kind = KeyKind::object;
    scenario.keys = keys_of<ScenarioSource>();
    root.keys.push_back(std::move(scenario));
  }
  for (Key& key : of.keys()) root.keys.push_back(std::move(key));
  return root;
}

}  // namespace

std::string written_manual(const Key& root) {
  std::string page;
  add_manual(root.keys, 0, page);
  return page;
}

void begin_document(const DocumentKind& of, std::string_view name, std::string_view file,
                    JsonWriter& out) {
  out.begin_object().text("feedrate", version).text("kind", of.kind).number("schema", of.version);
  if (!of.scenario.empty()) Written<ScenarioSource>::put({name, file}, out.key("scenario"));
}

std::string document_manual(const DocumentKind& of) {
  std::string about =
      of.command.empty()
          ? ""
          : fmt::format("With --format json, feedrate {} prints one object. ", of.command);
  about += of.about;
  about += of.about.empty() ? "" : " ";
  about += "Units stand in the names (_s, _usd, _bytes); null means: does not apply, or not known.";
  return wrapped(about, 0) + "\n\n" + written_manual(document_root(of));
}

std::string document_json_schema(const DocumentKind& of) {
  JsonWriter out;
  out.begin_object().text("$schema", "https://json-schema.org/draft/2020-12/schema");
  out.text("title", fmt::format("feedrate {}", of.kind)).text("type", "object");
  out.text("description", of.command.empty()
                              ? std::string(of.about)
                              : fmt::format("What {} prints with --format json.", of.command));
  write_written_properties(document_root(of), out);
  out.end();
  return std::move(out).finish();
}

void write_written_properties(const Key& root, JsonWriter& out) {
  write_properties(root.keys, out);
}

}  // namespace feedrate::schema
