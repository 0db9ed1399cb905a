#pragma once
// Results as JSON: one document, stable key order, numbers in shortest round-trip form with the
// unit in the key's name, null for what does not apply, never NaN or Infinity.
#include <span>
#include <string>

#include "model/result.hpp"
#include "model/sweep.hpp"
#include "schema/record/document_kind.hpp"

namespace feedrate::schema {

extern const DocumentKind result_document, sweep_document, comparison_document;

/// `run --format json`: an answer, {"scenario": {name, file}, "set", "result", "problems"}.
std::string write_result(const NamedResult& result);
/// `sweep --format json`: "points" is a list of answers with more beside them; `name` and `file`
/// are the scenario's.
std::string write_sweep(const Sweep& sweep, const std::string& name, const std::string& file);
/// `compare --format json`: "points" are answers with "relative", the changes against the first.
std::string write_comparison(std::span<const NamedResult> results,
                             const std::optional<Decision>& decision = {});
/// What limits and cases may name, as a page.
std::string nameable_figures();

}  // namespace feedrate::schema
