#include "cli/case_work.hpp"

#include "api/scenario_maker.hpp"
#include "study/case_summary.hpp"
#include "study/cases.hpp"

namespace feedrate::cli {

ScenarioCases cases_of(const schema::Document& document, const Catalog& catalog,
                       const HostProfile* host, const study::RunOptions& options) {
  const api::ScenarioMaker make(document, "case");
  ScenarioCases made{document.file(), make.scenario(), {}, {}};
  made.cases = with_places(
      document, [&] { return study::run_cases(made.scenario, make, catalog, host, options); });
  made.summary = study::summary_of({&made, 1});
  return made;
}

}  // namespace feedrate::cli
