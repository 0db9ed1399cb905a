#include "schema/scenario/scenario.hpp"

#include <filesystem>

#include "base/quote.hpp"
#include "schema/record/codec.hpp"
#include "schema/record/manual.hpp"
#include "schema/scenario/measured_on.hpp"
#include "schema/scenario/scenario_checks.hpp"
#include "schema/scenario/scenario_keys.hpp"

namespace feedrate::schema {
namespace {

/// Of another document that feedrate wrote (a baseline, a result) every key is unknown: one
/// sentence says what it is.
void refuse_other_kind(const JsonValue& root, Reading& reading) {
  const JsonValue* const kind = root.find("kind");
  if (kind == nullptr || kind->kind != JsonKind::text || root.find("schema") == nullptr) return;
  reading.problems.add(*kind, "/kind",
                       "expected a scenario, got a document of kind " + in_quotes(kind->text) +
                           (kind->text == "baseline" ? ": check takes it as --baseline" : ""));
  reading.problems.throw_if_any();
}

}  // namespace

Scenario read_scenario(const Document& document) {
  Reading reading;
  reading.root = &scenario_root();
  Scenario scenario;
  const JsonValue& root = *document.root();
  const Path path{};
  refuse_other_kind(root, reading);
  accept_currency(root, reading);
  read_record(scenario, root, scenario_root(), path, reading);
  check_scenario(scenario, root, reading.problems.empty(), reading);
  reading.problems.throw_if_any();
  fill_measured_on(scenario, document);
  if (scenario.name.empty()) scenario.name = std::filesystem::path(document.file()).stem().string();
  return scenario;
}

std::string write_scenario(const Scenario& scenario) {
  JsonWriter out;
  out.begin_object();
  write_members(scenario, out);
  out.end();
  return std::move(out).finish();
}

std::string scenario_manual() {
  return manual_text(
      scenario_root(),
      R"(A scenario is one JSON object. Quantities are texts with a unit ("2.1 GB/s", "8.5 ms",
"3.825 USD/h"); "/sample" may be left out. Every key may be left out unless it says required; null
is the same as left out. --set and --vary take a key's last word (num_workers), with its section
where several keys share it (disk.bandwidth), or a JSON pointer (/preprocess/0/where,
/preprocess/resize/where).

Ten lines are enough:

  {
    "name": "resnet50 on eight instances",
    "dataset": {"samples": 1281167, "bytes_per_sample": "110 KB"},
    "source": {"service": "s3", "input_mode": "FastFile"},
    "loader": {"num_workers": 7, "batch_size": 256, "pin_memory": true},
    "preprocess": [{"operation": "decode", "cpu": "8.5 ms"}],
    "cluster": {"instance": "ml.p3.2xlarge", "instances": 8},
    "job": {"epochs": 90, "step": "750 ms", "efficiency": 0.9, "value_of_hour": "3 USD/h"}
  }
)");
}

std::string scenario_json_schema() {
  return json_schema(
      scenario_root(), "feedrate scenario",
      "A training job, its data and its machines. feedrate schema scenario explains every key.");
}

}  // namespace feedrate::schema
