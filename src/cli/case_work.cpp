#include "cli/case_work.hpp"

#include "study/case_summary.hpp"
#include "study/cases.hpp"

namespace feedrate::cli {

ScenarioCases cases_of(const schema::Document& document, const Catalog& catalog,
                       const HostProfile* host, const study::RunOptions& options) {
  const auto with_settings = [&document](const study::Setting& settings) {
    schema::Document changed = document;
    for (const auto& [key, value] : settings) schema::set_value(changed, key, value, "case");
    return scenario_of(changed);
  };
  ScenarioCases made{document.file(), scenario_of(document), {}, {}};
  made.cases = with_places(document, [&] {
    return study::run_cases(made.scenario, with_settings, catalog, host, options);
  });
  made.summary = study::summary_of({&made, 1});
  return made;
}

}  // namespace feedrate::cli
