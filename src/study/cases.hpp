#pragma once
// A scenario's measured cases: predicted beside measured, with the signed error.
#include <optional>
#include <string>
#include <vector>

#include "model/case_result.hpp"
#include "study/run.hpp"
#include "study/setting.hpp"

namespace feedrate::study {

/// InputError, about `pointer`, where `metric` is neither a name of metrics.hpp nor a search. The
/// key that a search varies; empty for a name.
std::optional<std::string> require_metric(const std::string& metric, const std::string& pointer);

/// Runs every case. A metric is a name of metrics.hpp or a search as search.hpp answers it; where
/// that finds nothing, 0 is the largest value and infinity the smallest. With `relative_to`,
/// value/reference − 1. What an error is: model/case_result.hpp. Throws InputError for an unknown
/// metric and for what makes no search.
std::vector<CaseResult> run_cases(const Scenario& scenario, const MakeScenario& make,
                                  const Catalog& catalog, const HostProfile* host,
                                  const RunOptions& options = {});

}  // namespace feedrate::study
