#include "api/case_work.hpp"

#include "api/scenario_maker.hpp"
#include "study/case_summary.hpp"
#include "study/cases.hpp"

namespace feedrate::api {

ScenarioCases cases_of(const schema::Document& document, const Catalog& catalog,
                       const HostProfile* host, const study::RunOptions& options,
                       bool keep_refused) {
  const ScenarioMaker make(document, "case");
  ScenarioCases made{document.file(), make.scenario(), {}, {}};
  made.cases = with_places(document, [&] {
    return study::run_cases(made.scenario, make, catalog, host, options,
                            keep_refused ? &made.refused : nullptr);
  });
  for (RefusedCase& one : made.refused) {
    one.problems = schema::located(document, InputError(std::move(one.problems))).problems();
  }
  made.summary = study::summary_of({&made, 1});
  return made;
}

study::RunOptions case_options(const Depth& depth) {
  constexpr int interval_draws = 100;
  study::RunOptions options = stated_options(depth);
  if (options.replications == 0) options.replications = interval_draws;
  return options;
}

}  // namespace feedrate::api
