#pragma once
// A scenario's measured cases: predicted beside measured, with the signed error.
#include <vector>

#include "model/case_result.hpp"
#include "study/run.hpp"
#include "study/setting.hpp"

namespace feedrate::study {

/// Runs every case. A metric is a name of metrics.hpp, or "largest KEY in A..B with METRIC >= X":
/// the largest whole value for which it holds, found by bisection (it must hold for all below).
/// With `relative_to`, value/reference − 1. What an error is: model/case_result.hpp. Throws
/// InputError for an unknown metric.
std::vector<CaseResult> run_cases(const Scenario& scenario, const MakeScenario& make,
                                  const Catalog& catalog, const HostProfile* host,
                                  const RunOptions& options = {});

}  // namespace feedrate::study
