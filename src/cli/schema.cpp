#include <CLI/CLI.hpp>
#include <memory>

#include "base/errors.hpp"
#include "base/text_file.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/terminal.hpp"
#include "schema/catalog_reader.hpp"
#include "schema/host.hpp"
#include "schema/measurements.hpp"
#include "schema/optimum.hpp"
#include "schema/result.hpp"
#include "schema/scenario.hpp"
#include "schema/verdict.hpp"

namespace feedrate::cli {
namespace {

struct SchemaArguments {
  std::string topic;
  OutputOptions output;
};

std::string manual(const std::string& topic) {
  if (topic == "scenario") return schema::scenario_manual();
  if (topic == "host") return schema::host_manual();
  if (topic == "measurements") return schema::measurements_manual();
  if (topic == "pricing") return schema::pricing_manual();
  if (topic == "check") return schema::verdict_manual();
  if (topic == "optimum") return schema::optimum_manual();
  return schema::result_manual();
}

std::string json_schema(const std::string& topic) {
  if (topic == "scenario") return schema::scenario_json_schema();
  if (topic == "host") return schema::host_json_schema();
  if (topic == "measurements") return schema::measurements_json_schema();
  if (topic == "result") return schema::result_json_schema();
  if (topic == "check") return schema::verdict_json_schema();
  if (topic == "optimum") return schema::optimum_json_schema();
  throw InputError("the pricing files have no JSON Schema; feedrate schema pricing explains them");
}

int show(const SchemaArguments& arguments) {
  const bool as_json = arguments.output.format == "json";
  const std::string text = as_json ? json_schema(arguments.topic) : manual(arguments.topic);
  if (arguments.output.file.empty()) {
    write_stdout(text);
  } else {
    write_text_file(arguments.output.file, text);
  }
  return 0;
}

}  // namespace

Command add_schema(CLI::App& parent) {
  const auto arguments = std::make_shared<SchemaArguments>();
  CLI::App* app = parent.add_subcommand(
      "schema", "What a file may contain: for people, or as JSON Schema for editors");
  allow_only(*app->add_option("topic", arguments->topic, "Which file")->required(),
             {"scenario", "host", "measurements", "pricing", "result", "check", "optimum"});
  add_output_flags(*app, arguments->output, {"text", "json"});
  app->footer(
      "Examples:\n"
      "  feedrate schema scenario\n"
      "  feedrate schema scenario --format json --output scenario.schema.json");
  return {app, [arguments] { return show(*arguments); }};
}

}  // namespace feedrate::cli
