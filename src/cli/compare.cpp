#include <algorithm>
#include <memory>

#include "base/exit_status.hpp"
#include "cli/commands.hpp"
#include "cli/inputs.hpp"
#include "cli/parser.hpp"
#include "report/csv.hpp"
#include "report/reports.hpp"
#include "schema/result.hpp"
#include "study/decision.hpp"

namespace feedrate::cli {
namespace {

struct CompareArguments {
  std::vector<std::string> scenarios;
  SimulationOptions simulation;
  OutputOptions output;
};

/// How sure it is which of the scenarios is the best: over draws that they have in common.
std::optional<Decision> decided(const std::vector<NamedResult>& results,
                                const std::vector<Scenario>& scenarios, const Catalog& catalog,
                                const HostProfile* host, std::uint64_t seed) {
  Sweep sweep;
  std::vector<study::SweepInput> inputs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    sweep.points.push_back({{}, results[i].result});
    inputs.push_back({{}, scenarios[i]});
  }
  return study::decide(sweep, inputs, catalog, host, seed, false);
}

int compare(const CompareArguments& arguments) {
  std::vector<schema::Document> documents;
  std::vector<Scenario> scenarios;
  std::set<std::string> instances;
  std::vector<Problem> problems;
  const auto ask = [&](auto&& what) {
    std::vector<Problem> of = problems_of(what);
    problems.insert(problems.end(), of.begin(), of.end());
  };
  for (const std::string& path : arguments.scenarios) {
    ask([&] {
      documents.push_back(load_with_settings(path, arguments.simulation));
      scenarios.push_back(scenario_of(documents.back()));
      add_instances(instances, scenarios.back());
    });
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  const std::optional<HostProfile> host = host_of(arguments.simulation);
  add_instances(instances, host);
  const Catalog catalog = catalog_of(instances);
  std::vector<NamedResult> results;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    ask([&] {
      results.push_back({scenarios[i].name, arguments.scenarios[i],
                         with_places(documents[i],
                                     [&] {
                                       return study::run(scenarios[i], catalog,
                                                         host ? &*host : nullptr,
                                                         weighing_options(arguments.simulation));
                                     }),
                         settings_of(arguments.simulation)});
    });
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  const std::optional<Decision> decision =
      decided(results, scenarios, catalog, host ? &*host : nullptr, arguments.simulation.seed);
  // Scenarios of several currencies are comparable in dollars.
  const bool one = std::all_of(scenarios.begin(), scenarios.end(), [&](const Scenario& scenario) {
    return scenario.currency == scenarios.front().currency;
  });
  const std::optional<Currency> currency = one ? scenarios.front().currency : std::nullopt;
  deliver(arguments.output, files_read(arguments.scenarios, arguments.simulation),
          {.report =
               [&] {
                 return report::shown_in(currency,
                                         [&] { return report::compare_report(results, decision); });
               },
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
