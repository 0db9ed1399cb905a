#include <fmt/format.h>

#include <memory>

#include "base/errors.hpp"
#include "base/exit_status.hpp"
#include "base/text_file.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/parser.hpp"
#include "cli/terminal.hpp"
#include "schema/advice.hpp"
#include "schema/cases.hpp"
#include "schema/catalog_reader.hpp"
#include "schema/diagnosis.hpp"
#include "schema/exported.hpp"
#include "schema/host.hpp"
#include "schema/measurements.hpp"
#include "schema/observation.hpp"
#include "schema/optimum.hpp"
#include "schema/request.hpp"
#include "schema/result.hpp"
#include "schema/scale.hpp"
#include "schema/scenario.hpp"
#include "schema/sweep_share.hpp"
#include "schema/verdict.hpp"

namespace feedrate::cli {
namespace {

struct SchemaArguments {
  std::string topic;
  OutputOptions output;
};

/// A kind of file, and what explains it.
struct Topic {
  const char* name;
  std::string (*manual)();
  std::string (*json_schema)();  ///< null: none
};

constexpr Topic topics[] = {
    {"scenario", schema::scenario_manual, schema::scenario_json_schema},
    {"host", schema::host_manual, schema::host_json_schema},
    {"measurements", schema::measurements_manual, schema::measurements_json_schema},
    {"pricing", schema::pricing_manual, nullptr},
    {"request", schema::request_manual, schema::request_json_schema},
    {"result", schema::result_manual, schema::result_json_schema},
    {"check", schema::verdict_manual, schema::verdict_json_schema},
    {"advice", schema::advice_manual, schema::advice_json_schema},
    {"diagnosis", schema::diagnosis_manual, schema::diagnosis_json_schema},
    {"observation", schema::observation_manual, schema::observation_json_schema},
    {"optimum", schema::optimum_manual, schema::optimum_json_schema},
    {"cases", schema::cases_manual, schema::cases_json_schema},
    {"scale", schema::scale_manual, schema::scale_json_schema},
    {"figures", schema::figures_manual, schema::figures_json_schema},
    {"share", schema::share_manual, nullptr},
};

std::vector<std::string> topic_names() {
  std::vector<std::string> names;
  for (const Topic& topic : topics) names.emplace_back(topic.name);
  return names;
}

std::string text_of(const std::string& name, bool as_json) {
  for (const Topic& topic : topics) {
    if (name != topic.name) continue;
    if (!as_json) return topic.manual();
    if (topic.json_schema != nullptr) return topic.json_schema();
    throw InputError(
        fmt::format("{} has no JSON Schema; feedrate schema {} explains it", name, name));
  }
  throw InputError("schema: no topic " + name);
}

int show(const SchemaArguments& arguments) {
  const std::string text = text_of(arguments.topic, arguments.output.format == "json");
  if (arguments.output.file.empty()) {
    write_stdout(text);
  } else {
    write_text_file(arguments.output.file, text);
  }
  return fine;
}

}  // namespace

Command add_schema(Parser& parent) {
  const auto arguments = std::make_shared<SchemaArguments>();
  Parser* app = parent.add_subcommand(
      "schema", "Describe what a file may contain, for people or as JSON Schema for editors");
  allow_only(*app->add_option("topic", arguments->topic, "Kind of file to describe")->required(),
             topic_names());
  add_output_flags(*app, arguments->output, {"text", "json"});
  app->footer(
      "Examples:\n"
      "  feedrate schema scenario\n"
      "  feedrate schema scenario --format json --output scenario.schema.json");
  return {app, [arguments] { return show(*arguments); }};
}

}  // namespace feedrate::cli
