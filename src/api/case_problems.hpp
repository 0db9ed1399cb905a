#pragma once
// What is wrong with a scenario's measured cases, seen without running them.
#include <functional>
#include <optional>
#include <vector>

#include "base/errors.hpp"
#include "model/scenario.hpp"
#include "schema/scenario/scenario.hpp"

namespace feedrate::api {

/// Of the document as it was written: what is set later is no part of the file's cases. Settings
/// that make no scenario, metrics that are none; unknown keys and missing values are
/// read_scenario's to tell. `scenario` is what the document reads as, where that is known.
std::vector<Problem> problems_of_cases(const schema::Document& document,
                                       const std::optional<Scenario>& scenario);

/// What `read` makes of the document, or all that is wrong with that and with the document's cases.
/// `as_written`: whether it reads the document as it was written.
Scenario with_cases_checked(const schema::Document& document, const std::function<Scenario()>& read,
                            bool as_written = false);

}  // namespace feedrate::api
