#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.hpp"
#include "cli/inputs.hpp"
#include "report/csv.hpp"
#include "report/reports.hpp"
#include "schema/result.hpp"

namespace feedrate::cli {
namespace {

struct RunArguments {
  std::string scenario;
  SimulationOptions simulation;
  OutputOptions output;
};

int run(const RunArguments& arguments) {
  const schema::Document document = load_with_settings(arguments.scenario, arguments.simulation);
  const Scenario scenario = scenario_of(document);
  const std::optional<HostProfile> host = host_of(arguments.simulation);
  std::set<std::string> instances;
  add_instances(instances, scenario);
  const Catalog catalog = catalog_of(instances);
  const NamedResult named{scenario.name, arguments.scenario, with_places(document, [&] {
                            return study::run(scenario, catalog, host ? &*host : nullptr,
                                              run_options(arguments.simulation));
                          })};
  deliver(arguments.output, files_read({&arguments.scenario, 1}, arguments.simulation),
          {.report = [&] { return report::run_report(named); },
           .json = [&] { return schema::write_result(named); },
           .csv =
               [&] {
                 return report::results_csv({&named, 1});
               },
           .remarks = named.result.remarks});
  return 0;
}

}  // namespace

Command add_run(CLI::App& parent) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* app = parent.add_subcommand(
      "run", "Simulate a scenario: which stage starves the GPUs, how long it takes, what it costs");
  app->add_option("scenario", arguments->scenario, "Scenario file")
      ->type_name("SCENARIO")
      ->required();
  add_simulation_flags(*app, arguments->simulation);
  add_output_flags(*app, arguments->output);
  app->footer(
      "Examples:\n"
      "  feedrate run scenarios/caltech256_p3.json\n"
      "  feedrate run my.json --set num_workers=8 --set instance=ml.g5.2xlarge\n"
      "  feedrate run my.json --set /source/bandwidth=\"2.5 GB/s\" --format json --output my.out\n"
      "  feedrate run my.json --replications 200 --seed 7");
  return {app, [arguments] { return run(*arguments); }};
}

}  // namespace feedrate::cli
