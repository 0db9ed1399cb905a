#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <thread>

#include "base/errors.hpp"
#include "cli/commands.hpp"
#include "cli/inputs.hpp"
#include "cli/progress.hpp"
#include "cli/sweep_inputs.hpp"
#include "cli/vary.hpp"
#include "report/csv.hpp"
#include "report/reports.hpp"
#include "schema/result.hpp"
#include "study/sweep.hpp"

namespace feedrate::cli {
namespace {

struct SweepArguments {
  std::string scenario;
  std::vector<std::string> vary;
  int jobs = 0;  // 0: one a core
  SimulationOptions simulation;
  OutputOptions output;
};

int sweep(const SweepArguments& arguments) {
  std::vector<Vary> varied;
  for (const std::string& text : arguments.vary) varied.push_back(parse_vary(text));
  const schema::Document document = load_with_settings(arguments.scenario, arguments.simulation);
  const std::vector<study::SweepInput> inputs = sweep_inputs(document, varied);
  const std::optional<HostProfile> host = host_of(arguments.simulation);
  std::set<std::string> instances;
  for (const study::SweepInput& input : inputs) add_instances(instances, input.scenario);
  const Catalog catalog = catalog_of(instances);
  Progress progress("sweep");
  const Sweep result = with_places(document, [&] {
    return study::sweep(
        inputs, catalog, host ? &*host : nullptr, run_options(arguments.simulation), arguments.jobs,
        [&progress](std::size_t done, std::size_t total) { progress.update(done, total); });
  });
  const std::string name = inputs.front().scenario.name;
  deliver(arguments.output, files_read({&arguments.scenario, 1}, arguments.simulation),
          {.report = [&] { return report::sweep_report(result, name); },
           .json = [&] { return schema::write_sweep(result, name, arguments.scenario); },
           .csv = [&] { return report::sweep_csv(result); },
           .remarks = {}});
  return 0;
}

}  // namespace

Command add_sweep(CLI::App& parent) {
  const auto arguments = std::make_shared<SweepArguments>();
  CLI::App* app = parent.add_subcommand(
      "sweep", "Simulate a scenario at many settings: the fastest, the cheapest, the Pareto set");
  app->add_option("scenario", arguments->scenario, "Scenario file")
      ->type_name("SCENARIO")
      ->required();
  app->add_option("--vary", arguments->vary,
                  "Values for a key: KEY=A,B,C or KEY=FROM:TO:STEP or KEY=FROM:TO:*FACTOR; several "
                  "keys make a grid")
      ->type_name("KEY=VALUES")
      ->allow_extra_args(false)
      ->required();
  app->add_option("-j,--jobs", arguments->jobs, "Points simulated at a time; default: one a core")
      ->type_name("J")
      ->check(CLI::Range(1, 4096));
  add_simulation_flags(*app, arguments->simulation);
  add_output_flags(*app, arguments->output);
  app->footer(
      "Examples:\n"
      "  feedrate sweep scenarios/caltech256_p3.json --vary num_workers=1:8:1\n"
      "  feedrate sweep my.json --vary instances=1:64:*2 --vary "
      "instance=ml.p3.2xlarge,ml.g5.2xlarge\n"
      "  feedrate sweep my.json --vary efficiency=0.1:1:0.1 --format csv --output sweep.csv");
  return {app, [arguments] { return sweep(*arguments); }};
}

}  // namespace feedrate::cli
