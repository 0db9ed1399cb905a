#pragma once
// `observe fit`: what was observed of a job, the scenario of it, and what could not be seen.
#include <string>

#include "model/observed_job.hpp"
#include "report/blocks.hpp"
#include "study/observed_scenario.hpp"

namespace feedrate::report {

/// `written`: the scenario's file; "" where it goes elsewhere. `comparison` may be null.
Report observe_fit_report(const ObservedJob& job, const study::ObservedScenario& observed,
                          const study::ObservedComparison* comparison, const std::string& written);

}  // namespace feedrate::report
