#pragma once
// Measured cases beside what was predicted for them, as JSON.
#include <string>
#include <vector>

#include "model/case_result.hpp"

namespace feedrate::schema {

struct DocumentKind;

/// `cases --format json`: {"feedrate", "kind": "cases", "schema", "summary", "scenarios":
/// [{scenario, summary, cases}]}. What an error is: model/case_result.hpp. What does not apply is
/// null.
std::string write_cases(const std::vector<ScenarioCases>& scenarios, const CaseSummary& all);

extern const DocumentKind cases_document;

}  // namespace feedrate::schema
