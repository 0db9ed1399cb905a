#include <memory>

#include "api/fit_work.hpp"
#include "base/exit_status.hpp"
#include "base/text_file.hpp"
#include "cli/calibrate_files.hpp"
#include "cli/commands.hpp"
#include "cli/inputs.hpp"
#include "cli/parser.hpp"
#include "report/reports.hpp"
#include "schema/documents/documents.hpp"

namespace feedrate::cli {
namespace {

struct FitArguments {
  std::string scenario;
  std::vector<std::string> free;
  SimulationOptions simulation;
  std::string format = "text";
  std::string file;  ///< of the fitted scenario; empty: none
};

/// Those that change what is simulated.
std::vector<std::string> flags_given(const SimulationOptions& simulation) {
  std::vector<std::string> flags;
  if (!simulation.host.empty()) flags.insert(flags.end(), {"--host", simulation.host});
  for (const std::string& setting : simulation.settings) {
    flags.insert(flags.end(), {"--set", setting});
  }
  return flags;
}

int fit(const FitArguments& arguments) {
  const schema::Document document = load_with_settings(arguments.scenario, arguments.simulation);
  const std::vector<schema::FreeKey> free = api::keys_of(document, arguments.free);
  const std::optional<HostProfile> host = host_of(arguments.simulation);
  const auto inputs = files_read({&arguments.scenario, 1}, arguments.simulation);
  if (!arguments.file.empty()) {
    refuse_to_overwrite("--output", arguments.file, inputs);
    expect_writable(arguments.file);
  }
  // A case may name any instance, so all of them are read.
  const Catalog catalog = whole_catalog();
  UnknownsFit found = api::fit_of(document, free, catalog, host ? &*host : nullptr);
  found.file = arguments.scenario;
  found.flags = flags_given(arguments.simulation);
  if (!arguments.file.empty()) {
    write_text_file(arguments.file, schema::write_document(api::fitted_document(document, found)));
  }
  deliver({arguments.format, ""}, inputs,
          {.report = [&] { return report::fit_report(found, arguments.file); },
           .json = [&] { return schema::write_unknowns_fit(found); },
           .csv = {},
           .remarks = {}});
  return found.determined() ? fine : verdict_against;
}

}  // namespace

Command add_fit(Parser& parent) {
  const auto arguments = std::make_shared<FitArguments>();
  Parser* app = parent.add_subcommand(
      "fit", "Find unknown numbers of a scenario from its measured cases, with error bars");
  app->add_option("scenario", arguments->scenario, "Scenario file with measured cases")
      ->type_name("SCENARIO")
      ->required();
  app->add_option("--free", arguments->free,
                  "Unknown quantities and shares, by short name or JSON pointer, separated by "
                  "commas; KEY=LOW..HIGH gives the range to search; may be given several times")
      ->type_name("KEY[,KEY...]")
      ->allow_extra_args(false)
      ->required();
  SimulationOptions& simulation = arguments->simulation;
  app->add_option("--host", simulation.host, "Host profile: what was measured on the machine")
      ->type_name("PROFILE")
      ->group("Simulation");
  app->add_option("--set", simulation.settings,
                  "Set a key of the scenario before fitting: a short name or a JSON pointer, and a "
                  "value with its unit; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group("Simulation");
  allow_only(*app->add_option("-f,--format", arguments->format, "Output format")
                  ->capture_default_str()
                  ->group("Output"),
             {"text", "json", "markdown"});
  refuse_empty(
      *app->add_option("-o,--output", arguments->file,
                       "Write the scenario with the fitted values, its cases marked as fitted on")
           ->type_name("FILE")
           ->group("Output"));
  app->footer(
      "Exit status 1 if the measurements do not determine an unknown.\n"
      "Examples:\n"
      "  feedrate fit scenarios/caltech256_p3.json --free /preprocess/resize/cpu,/job/step\n"
      "  feedrate fit mine.json --free collate --free /preprocess/decode/cpu=\"1 ms..20 ms\"\n"
      "  feedrate fit mine.json --free overlap,busbw -o fitted.json && feedrate cases fitted.json");
  return {app, [arguments] { return fit(*arguments); }};
}

}  // namespace feedrate::cli
