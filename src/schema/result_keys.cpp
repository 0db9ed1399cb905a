#include "schema/result_keys.hpp"

#include <array>
#include <string>

#include "schema/json_writer.hpp"
#include "schema/result.hpp"

namespace feedrate::schema {
namespace {

using enum ResultKind;
using Layout = JsonWriter::Layout;

constexpr std::array keys = {
    ResultKey{0, "instance", text, true, "its type"},
    ResultKey{0, "instances", number, false, "how many"},
    ResultKey{0, "gpus", number, false, "in all"},
    ResultKey{0, "bottleneck", object, false, "the stage whose doubling shortens the job most"},
    ResultKey{1, "stage", text, true, "null: nothing pays"},
    ResultKey{1, "gain_if_twice_as_fast", number, false, "fraction of total_s"},
    ResultKey{1, "probability", number, true, "with replications"},
    ResultKey{1, "gains", list, false, "every stage that gains, best first"},
    ResultKey{2, "stage", text, false, "its name"},
    ResultKey{2, "gain", number, false, "fraction of total_s"},
    ResultKey{0, "stages", list, false, "the stages on this job's path"},
    ResultKey{1, "stage", text, false, "its name"},
    ResultKey{1, "capacity_samples_per_s", number, true, "what it could carry alone"},
    ResultKey{1, "utilization", number, true, "busy share of the steady epoch"},
    ResultKey{1, "stall_s", number, false, "GPU waiting booked on it, whole job, per GPU"},
    ResultKey{1, "idle_gpu_usd", number, false, "what was paid for that waiting"},
    ResultKey{1, "provenance", text, false, "weakest origin of its inputs"},
    ResultKey{0, "time", object, false, "of the job"},
    ResultKey{1, "startup_s", number, false, "before any data"},
    ResultKey{1, "staging_s", number, false, "copying the dataset, File mode"},
    ResultKey{1, "first_epoch_s", number, false, ""},
    ResultKey{1, "epoch_s", number, false, "a later epoch"},
    ResultKey{1, "total_s", number, false, ""},
    ResultKey{0, "throughput_samples_per_s", number, false, "over the epochs"},
    ResultKey{0, "gpu_busy", number, false, "share of the time after staging"},
    ResultKey{0, "gpu_busy_s", number, false, "per GPU; with all stalls adds up to total_s"},
    ResultKey{0, "efficiency", number, true, "S(N) = T(1)/(N T(N))"},
    ResultKey{0, "steps_per_epoch", number, false, ""},
    ResultKey{0, "cost", object, false, "the bill"},
    ResultKey{1, "compute_usd", number, false, ""},
    ResultKey{1, "auxiliary_usd", number, false, ""},
    ResultKey{1, "storage_usd", number, false, ""},
    ResultKey{1, "requests_usd", number, false, ""},
    ResultKey{1, "transfer_usd", number, false, ""},
    ResultKey{1, "money_usd", number, false, "sum of the above"},
    ResultKey{1, "hour_value_usd", number, false, "wall time times the value of an hour"},
    ResultKey{1, "total_usd", number, false, "money_usd + hour_value_usd"},
    ResultKey{1, "idle_gpu_usd", number, false, "part of compute_usd while GPUs waited"},
    ResultKey{1, "billed_time_s", number, false, "of one instance, after rounding"},
    ResultKey{1, "lines", list, false, "lines of a part add up to it"},
    ResultKey{2, "part", text, false, "compute, auxiliary, storage, requests, transfer"},
    ResultKey{2, "what", text, false, ""},
    ResultKey{2, "quantity", text, false, ""},
    ResultKey{2, "price", text, false, "of a unit"},
    ResultKey{2, "amount_usd", number, false, ""},
    ResultKey{2, "provenance", text, false, "of the price"},
    ResultKey{2, "source", text, false, ""},
    ResultKey{0, "bands", object, true,
              "5 %, 50 % and 95 % over draws of uncertain inputs and of variability"},
    ResultKey{1, "replications", number, false, ""},
    ResultKey{1, "total_s", list, false, ""},
    ResultKey{1, "epoch_s", list, false, ""},
    ResultKey{1, "money_usd", list, false, ""},
    ResultKey{1, "total_usd", list, false, ""},
    ResultKey{1, "throughput_samples_per_s", list, false, ""},
    ResultKey{1, "gpu_busy", list, false, ""},
    ResultKey{1, "bottleneck_probability", map, false, "by stage; empty without --replications"},
    ResultKey{0, "inputs", list, false, "every parameter used, and where it comes from"},
    ResultKey{1, "key", text, false, "JSON pointer that would set it"},
    ResultKey{1, "value", text, false, "with its unit"},
    ResultKey{1, "stage", text, false, "that it is for"},
    ResultKey{1, "provenance", text, false, "measured, published, given or assumed"},
    ResultKey{1, "source", text, false, ""},
    ResultKey{1, "relative_error", number, false, "standard error; 0: not known"},
    ResultKey{1, "matters", boolean, false, "changes the job by 1 %; no range: its stage does"},
    ResultKey{1, "uncertainty", object, true, "null: taken as exact"},
    ResultKey{2, "low", text, false, "drawn between this"},
    ResultKey{2, "high", text, false, "and this"},
    ResultKey{2, "range", text, true, "what these are taken from; null: its standard error"},
    ResultKey{2, "probe", text, true, "of calibrate, that measures it"},
    ResultKey{2, "total_s", list, true, "of the job at low and at high; null: not weighed"},
    ResultKey{2, "money_usd", list, true, "likewise"},
    ResultKey{2, "variance_share", number, true, "of the variance of total_s, one at a time"},
    ResultKey{0, "certainty", object, true, "what all assumptions could do together"},
    ResultKey{1, "shortest_s", number, false, "total_s with each at its end that shortens it"},
    ResultKey{1, "longest_s", number, false, "total_s with each at its other end"},
    ResultKey{1, "own_variance_share", number, false, "of the job's own variability"},
    ResultKey{0, "caveats", list, false, "what belongs beside the headline"},
    ResultKey{0, "remarks", list, false, "what a reader must know"},
    ResultKey{0, "effort", object, false, "how the simulation went"},
    ResultKey{1, "events", number, false, "with --exact; 0: the mean in closed form"},
    ResultKey{1, "steps", number, false, "of the job, or with --exact of those simulated"},
};

bool has_children(std::span<const ResultKey> list, std::size_t i) {
  return i + 1 < list.size() && list[i + 1].depth > list[i].depth;
}

std::string_view json_type(ResultKind kind) {
  switch (kind) {
    case text: return "string";
    case number: return "number";
    case boolean: return "boolean";
    case list: return "array";
    case object:
    case map: return "object";
  }
  return "";
}

void write_type(const ResultKey& key, JsonWriter& out) {
  if (!key.manual.empty()) out.text("description", key.manual);
  out.key("type");
  if (key.nullable) {
    out.begin_array().text(json_type(key.kind)).text("null").end();
  } else {
    out.text(json_type(key.kind));
  }
}

/// "properties" and "required" of the keys at `depth` from `i` on; returns where they end.
std::size_t write_properties(std::span<const ResultKey> list, std::size_t i, int depth,
                             JsonWriter& out) {
  const std::size_t first = i;
  out.key("properties").begin_object();
  while (i < list.size() && list[i].depth >= depth) {
    const ResultKey& key = list[i];
    const bool leaf = !has_children(list, i);
    out.key(key.name).begin_object(leaf ? Layout::line : Layout::block);
    write_type(key, out);
    ++i;
    if (!leaf) {
      if (key.kind == ResultKind::list) out.key("items").begin_object().text("type", "object");
      i = write_properties(list, i, depth + 1, out);
      if (key.kind == ResultKind::list) out.end();
    }
    out.end();
  }
  out.end();
  out.key("required").begin_array();
  for (std::size_t k = first; k < i; ++k) {
    if (list[k].depth == depth) out.text(list[k].name);
  }
  out.end();
  return i;
}

void reference(std::string_view name, std::string_view target, JsonWriter& out) {
  out.key(name).begin_object(Layout::line).text("$ref", target).end();
}

void write_problems(JsonWriter& out) {
  out.key("problems").begin_object().text("type", "array");
  out.text("description", "why the point has no result; empty where it has one");
  out.key("items").begin_object().text("type", "object").key("properties").begin_object();
  out.key("key").begin_object(Layout::line).text("description", "JSON pointer of the scenario");
  out.key("type").begin_array().text("string").text("null").end().end();
  out.key("message").begin_object(Layout::line).text("type", "string").end().end();
  out.key("required").begin_array().text("key").text("message").end().end().end();
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
  out.key("result").begin_object().text("description", "null: the problems say why");
  out.key("oneOf").begin_array();
  out.begin_object(Layout::line).text("$ref", "#/$defs/result").end();
  out.begin_object(Layout::line).text("type", "null").end().end().end();
  write_problems(out);
  out.end();
  out.key("required").begin_array().text("set").text("result").text("problems").end();
  out.end().end();
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

std::span<const ResultKey> result_keys() {
  return keys;
}

std::string result_json_schema() {
  JsonWriter out;
  out.begin_object();
  out.text("$schema", "https://json-schema.org/draft/2020-12/schema");
  out.text("title", "feedrate result").text("type", "object");
  out.text("description", "What run, sweep and compare print with --format json.");
  write_envelope(out);
  out.key("$defs").begin_object().key("result").begin_object().text("type", "object");
  write_properties(keys, 0, 0, out);
  out.end().end().end();
  return std::move(out).finish();
}

std::string result_manual() {
  std::string page =
      R"(With --format json, stdout holds one object. Units stand in the names (_s, _usd); null means: does
not apply, or not known. Amounts are in USD whatever currency the scenario states.

run      {"feedrate": VERSION, "kind": "result", "schema": 1, "scenario": {name, file},
         "result": {…}}
sweep    … "kind": "sweep", "points": [{"set": {KEY: VALUE}, "result": {…}, "problems": []}],
         "pareto": [indices], "fastest", "cheapest": indices, "break_even_efficiency", "decision";
         a point that cannot be simulated or priced has "result": null and "problems":
         [{"key": JSON pointer or null, "message"}], and is left out of all the rest
compare  … "kind": "comparison", "results": [{"scenario", "relative", "result"}], where relative
         holds changes against the first (total_s, money_usd, total_usd, throughput_samples_per_s)
catalog  list: … "kind": "catalog", "filter", "machines": [one a machine and region: "instance",
         "cloud", "region", "vcpus", "memory_bytes", "gpus", "gpu", "gpu_memory_bytes",
         "gpu_16_bit_tflop_per_s", "network_bytes_per_s", "nvme_bytes", "on_demand_usd_per_h",
         "spot_usd_per_h", "sagemaker_usd_per_h"], "unknown": {KEY: machines left out by it}

The keys of "result":

)";
  for (const ResultKey& key : keys) {
    std::string name(2 * static_cast<std::size_t>(key.depth), ' ');
    name += key.name;
    if (key.kind == ResultKind::list) name += " […]";
    if (!key.manual.empty()) {
      name.append(name.size() < 32 ? 32 - name.size() : 1, ' ');
      name += key.manual;
    }
    page += name + '\n';
  }
  return page;
}

}  // namespace feedrate::schema
