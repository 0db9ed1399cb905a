// What an observation's lines mean, from the tables by which they are read and written.
#include <fmt/format.h>

#include "schema/documents/observation.hpp"
#include "schema/documents/observation_keys.hpp"
#include "schema/json/json_writer.hpp"
#include "schema/record/manual.hpp"

namespace feedrate::schema {
namespace {

using Layout = JsonWriter::Layout;
using namespace observation_keys;

std::string rows_of(std::span<const KeyRow> keys) {
  std::string page;
  for (const KeyRow& key : keys) page += fmt::format("  {:<14}{}\n", key.name, key.meaning);
  return page;
}

void write_properties(std::span<const KeyRow> keys, JsonWriter& out) {
  for (const KeyRow& key : keys) {
    out.key(key.name).begin_object(Layout::line);
    out.text("description", key.meaning).text("type", key.json_type);
    if (key.json_type == "number") out.number("minimum", 0.0);
    out.end();
  }
}

std::string metrics_of(bool debugger) {
  std::string page;
  for (const MetricRow& row : all_metrics()) {
    if (row.debugger != debugger) continue;
    page += fmt::format("  {:<13}{:<32}{}{}{}\n", row.type, row.metric, name_of(row.unit),
                        row.gauge ? ", at that time" : "", row.in_name ? "; in Name" : "");
    page += fmt::format("  {:<13}  {}\n", "", wrapped(row.meaning, 17));
  }
  return page;
}

}  // namespace

std::string observation_manual() {
  std::string page =
      "An observation is a file of JSON objects, one per line, in the form of SageMaker\n"
      "Debugger's system metrics: feedrate reads Debugger's files, and programs that read\n"
      "those can read feedrate's. Lines are in the order in which they were written; those of\n"
      "one Type, Name, Dimension and NodeId are in the order of time, each at a different\n"
      "time. Unless stated otherwise, a value is the mean over the time since the previous\n"
      "sample. A missing value is unknown, not 0. Types and keys that are not listed here are\n"
      "ignored.\n\n"
      "Every line\n";
  page += rows_of(common_keys);
  page += "\nSome lines\n";
  page += rows_of(sample_keys);
  page +=
      "\n"
      "The header: the first line, Type feedrate, Name observation, Dimension version, Value 1.\n"
      "Without it the file is Debugger's.\n";
  page += rows_of(header_keys);
  page +=
      "\n"
      "Marks: Type mark. Name is step, epoch or batch (the training loop's wait for it),\n"
      "Dimension is begin or end, Value the number.\n\n"
      "Remarks: Type remark. Name says what could not be seen.\n\n"
      "Metrics of SageMaker Debugger (Type, Dimension, unit)\n";
  page += metrics_of(true);
  page += "\nMetrics of feedrate\n";
  page += metrics_of(false);
  return page;
}

std::string observation_json_schema() {
  JsonWriter out;
  out.begin_object();
  out.text("$schema", "https://json-schema.org/draft/2020-12/schema");
  out.text("title", "feedrate observation").text("type", "object");
  out.text("description", "A line of an observation.");
  out.key("properties").begin_object();
  write_properties(common_keys, out);
  write_properties(sample_keys, out);
  write_properties(header_keys, out);
  out.end();
  out.key("required").begin_array();
  for (const std::string_view key : {type, value, timestamp}) out.text(key);
  out.end().end();
  return std::move(out).finish();
}

}  // namespace feedrate::schema
