#pragma once
// `observe fit`: what was observed of a job, the scenario of it, and what could not be seen.
#include <string>

#include "model/observed_job.hpp"
#include "report/blocks.hpp"
#include "study/observed_nodes.hpp"
#include "study/observed_scenario.hpp"

namespace feedrate::report {

/// `written`: the scenario's file; "" where it goes elsewhere. `comparison` may be null, and
/// `nodes` where one was observed; `job` is then the one at whose pace they go.
Report observe_fit_report(const ObservedJob& job, const study::ObservedScenario& observed,
                          const study::ObservedComparison* comparison, const std::string& written,
                          const study::ObservedNodes* nodes = nullptr);

}  // namespace feedrate::report
