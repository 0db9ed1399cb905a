// What the documents of result.cpp mean, for people and for editors.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "model/figures.hpp"
#include "schema/json_writer.hpp"
#include "schema/result.hpp"
#include "schema/result_record.hpp"

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
      name.append(name.size() < 32 ? 32 - name.size() : 1, ' ');
      name += key.manual;
    }
    page += name + '\n';
    add_manual(key.keys, depth + 1, page);
  }
}

void reference(std::string_view name, std::string_view target, JsonWriter& out) {
  out.key(name).begin_object(Layout::line).text("$ref", target).end();
}

void write_envelope(JsonWriter& out) {
  out.key("properties").begin_object();
  out.key("feedrate").begin_object(Layout::line).text("type", "string").end();
  out.key("kind").begin_object(Layout::line).key("enum").begin_array();
  out.text("result").text("sweep").text("comparison").end().end();
  out.key("schema").begin_object(Layout::line).number("const", 1.0).end();
  out.key("scenario").begin_object().text("type", "object").key("properties").begin_object();
  out.key("name").begin_object(Layout::line).text("type", "string").end();
  out.key("file").begin_object(Layout::line).key("type").begin_array();
  out.text("string").text("null").end().end().end().end();
  reference("result", "#/$defs/result", out);
  out.key("points").begin_object().text("type", "array").key("items").begin_object();
  out.key("properties").begin_object();
  out.key("set").begin_object(Layout::line).text("type", "object").end();
  reference("result", "#/$defs/result", out);
  out.end().end().end();
  out.key("results").begin_object().text("type", "array").key("items").begin_object();
  out.key("properties").begin_object();
  out.key("relative").begin_object(Layout::line).key("type").begin_array();
  out.text("object").text("null").end().end();
  reference("result", "#/$defs/result", out);
  out.end().end().end();
  out.end();
  out.key("required").begin_array().text("feedrate").text("kind").text("schema").end();
}

}  // namespace

std::string result_json_schema() {
  JsonWriter out;
  out.begin_object();
  out.text("$schema", "https://json-schema.org/draft/2020-12/schema");
  out.text("title", "feedrate result").text("type", "object");
  out.text("description", "What run, sweep and compare print with --format json.");
  write_envelope(out);
  out.key("$defs").begin_object().key("result").begin_object().text("type", "object");
  write_properties(result_root().keys, out);
  out.end().end().end();
  return std::move(out).finish();
}

std::string result_manual() {
  std::string page =
      R"(With --format json, stdout holds one object. Units stand in the names (_s, _usd); null means: does
not apply, or not known.

run      {"feedrate": VERSION, "kind": "result", "schema": 1, "scenario": {name, file},
         "result": {…}}
sweep    … "kind": "sweep", "points": [{"set": {KEY: VALUE}, "result": {…}}], "pareto": [indices],
         "fastest", "cheapest": indices, "break_even_efficiency"
compare  … "kind": "comparison", "results": [{"scenario", "relative", "result"}], where relative
         holds changes against the first (RELATIVE)

The keys of "result":

)";
  std::vector<std::string_view> relative;
  for (const FigureId id : compared_figures) relative.push_back(name_of(id));
  constexpr std::string_view placeholder = "RELATIVE";
  page.replace(page.find(placeholder), placeholder.size(),
               fmt::format("{}", fmt::join(relative, ", ")));
  add_manual(result_root().keys, 0, page);
  return page;
}

}  // namespace feedrate::schema
