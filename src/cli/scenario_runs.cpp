#include "cli/scenario_runs.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/append_once.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "cli/inputs.hpp"
#include "study/run.hpp"
#include "study/showback.hpp"
#include "words/showback.hpp"

namespace feedrate::cli {

std::optional<Currency> ScenarioRuns::common_currency() const {
  const bool one = std::all_of(scenarios.begin(), scenarios.end(), [&](const Scenario& scenario) {
    return scenario.currency == scenarios.front().currency;
  });
  return one ? scenarios.front().currency : std::nullopt;
}

ScenarioRuns run_all(const std::vector<std::string>& paths, const SimulationOptions& simulation) {
  ScenarioRuns runs;
  std::vector<schema::Document> documents;
  std::set<std::string> instances;
  std::vector<Problem> problems;
  const auto ask = [&](auto&& what) {
    std::vector<Problem> of = problems_of(what);
    problems.insert(problems.end(), of.begin(), of.end());
  };
  for (const std::string& path : paths) {
    ask([&] {
      documents.push_back(load_with_settings(path, simulation));
      runs.scenarios.push_back(scenario_of(documents.back()));
      add_instances(instances, runs.scenarios.back());
    });
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  runs.host = host_of(simulation);
  add_instances(instances, runs.host);
  runs.catalog = catalog_of(instances);
  for (std::size_t i = 0; i < runs.scenarios.size(); ++i) {
    const Scenario& scenario = runs.scenarios[i];
    ask([&] {
      runs.results.push_back(
          {scenario.name, paths[i],
           with_places(documents[i],
                       [&] {
                         study::RunOptions options = weighing_options(simulation);
                         options.refuse_unheld = true;
                         return study::run(scenario, runs.catalog, runs.profile(), options);
                       }),
           settings_of(simulation)});
    });
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return runs;
}

ScenarioRuns run_each_once(const std::vector<std::string>& paths,
                           const SimulationOptions& simulation) {
  std::vector<std::string> once, remarks;
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    std::error_code failed;
    const std::string whole = std::filesystem::weakly_canonical(path, failed).string();
    if (path == standard_input_path || seen.insert(failed ? path : whole).second) {
      once.push_back(path);
    } else {
      append_once(remarks, in_quotes(path) + " is given more than once and counted once");
    }
  }
  ScenarioRuns runs = run_all(once, simulation);
  runs.remarks = std::move(remarks);
  return runs;
}

Showback showback_of(const ScenarioRuns& runs, const std::string& by,
                     std::optional<HourlyPrice> commitment) {
  std::vector<study::RunOf> of;
  for (std::size_t i = 0; i < runs.scenarios.size(); ++i) {
    of.push_back({&runs.scenarios[i], &runs.results[i].result, runs.results[i].file});
  }
  Showback made = study::showback(of, runs.catalog, by);
  if (commitment) {
    made.commitment = study::commitment_of(of, made.all.month, *commitment);
    if (made.commitment->crowded()) {
      made.remarks.push_back(words::crowded_month(made.commitment->hours));
    }
  }
  made.remarks.insert(made.remarks.end(), runs.remarks.begin(), runs.remarks.end());
  return made;
}

}  // namespace feedrate::cli
