#pragma once
// A scenario's measured cases: the prediction beside each measured figure, with the signed error.
#include <optional>
#include <string>
#include <vector>

#include "model/case_result.hpp"
#include "study/run.hpp"
#include "study/setting.hpp"

namespace feedrate::study {

/// The key that `metric` varies where it is a search; empty where it is a name of metrics.hpp.
/// InputError, at `pointer`, where it is neither.
std::optional<std::string> require_metric(const std::string& metric, const std::string& pointer);

/// Runs every case. A metric is a name of metrics.hpp or a search as search.hpp answers it; where
/// that finds nothing, 0 is the largest value and infinity the smallest. The prediction of a case
/// with `relative_to` is value/reference − 1. model/case_result.hpp defines the error. Throws
/// InputError for an unknown metric, for what makes no search, and for a case that cannot be
/// simulated, at its keys and by its name. Where `refused` is given, it takes such cases.
std::vector<CaseResult> run_cases(const Scenario& scenario, const MakeScenario& make,
                                  const Catalog& catalog, const HostProfile* host,
                                  const RunOptions& options = {},
                                  std::vector<RefusedCase>* refused = nullptr);

}  // namespace feedrate::study
