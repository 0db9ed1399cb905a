#include <memory>

#include "base/exit_status.hpp"
#include "cli/commands.hpp"
#include "cli/inputs.hpp"
#include "cli/parser.hpp"
#include "cli/scenario_runs.hpp"
#include "report/csv.hpp"
#include "report/reports.hpp"
#include "schema/documents/result.hpp"
#include "study/decision.hpp"

namespace feedrate::cli {
namespace {

struct CompareArguments {
  std::vector<std::string> scenarios;
  SimulationOptions simulation;
  OutputOptions output;
};

/// How sure it is which of the scenarios is the best: over draws that they have in common.
std::optional<Decision> decided(const ScenarioRuns& runs, std::uint64_t seed) {
  Sweep sweep;
  std::vector<study::SweepInput> inputs;
  for (std::size_t i = 0; i < runs.results.size(); ++i) {
    sweep.points.push_back({{}, runs.results[i].result});
    inputs.push_back({{}, runs.scenarios[i]});
  }
  return study::decide(sweep, inputs, runs.catalog, runs.profile(), seed, false);
}

int compare(const CompareArguments& arguments) {
  const ScenarioRuns runs = run_all(arguments.scenarios, arguments.simulation);
  const std::vector<NamedResult>& results = runs.results;
  const std::optional<Decision> decision = decided(runs, arguments.simulation.seed);
  deliver(arguments.output, files_read(arguments.scenarios, arguments.simulation),
          {.currency = runs.common_currency(),
           .report = [&] { return report::compare_report(results, decision); },
           .json = [&] { return schema::write_comparison(results, decision); },
           .csv = [&] { return report::results_csv(results); },
           .remarks = {}});
  return fine;
}

}  // namespace

Command add_compare(Parser& parent) {
  const auto arguments = std::make_shared<CompareArguments>();
  Parser* app =
      parent.add_subcommand("compare", "Scenarios side by side; the first is the reference");
  app->add_option("scenarios", arguments->scenarios, "Scenario files; - reads standard input")
      ->type_name("SCENARIO")
      ->expected(2, 1000)
      ->required();
  add_simulation_flags(*app, arguments->simulation);
  add_output_flags(*app, arguments->output);
  app->footer(
      "Examples:\n"
      "  feedrate compare file_mode.json fsx.json\n"
      "  feedrate compare a.json b.json --set instances=8 --format markdown");
  return {app, [arguments] { return compare(*arguments); }};
}

}  // namespace feedrate::cli
