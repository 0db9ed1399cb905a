#pragma once
// A scenario's measured cases: predicted beside measured, with the signed error.
#include <vector>

#include "model/case_result.hpp"
#include "study/run.hpp"
#include "study/setting.hpp"

namespace feedrate::study {

/// Runs every case. A metric is a name of metrics.hpp or a search as search.hpp answers it; where
/// that finds nothing, 0 is the largest value and infinity the smallest. With `relative_to`,
/// value/reference − 1. What an error is: model/case_result.hpp. Throws InputError for an unknown
/// metric and for what makes no search.
std::vector<CaseResult> run_cases(const Scenario& scenario, const MakeScenario& make,
                                  const Catalog& catalog, const HostProfile* host,
                                  const RunOptions& options = {});

}  // namespace feedrate::study
