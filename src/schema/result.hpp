#pragma once
// Results as JSON: one document, stable key order, numbers in shortest round-trip form with the
// unit in the key's name, null for what does not apply, never NaN or Infinity.
#include <span>
#include <string>

#include "model/result.hpp"
#include "model/sweep.hpp"

namespace feedrate::schema {

/// `run --format json`: {"feedrate", "kind": "result", "schema"} and an answer: {"scenario": {name,
/// file}, "set", "result", "problems"}.
std::string write_result(const NamedResult& result);
/// `sweep --format json`: "points" is a list of answers with more beside them; `name` and `file`
/// are the scenario's.
std::string write_sweep(const Sweep& sweep, const std::string& name, const std::string& file);
/// `compare --format json`: {"kind": "comparison", "points": [answers with "relative"]}, where that
/// holds changes against the first: null for the first itself.
std::string write_comparison(std::span<const NamedResult> results,
                             const std::optional<Decision>& decision = {});
/// JSON Schema (2020-12) of the three kinds.
std::string result_json_schema();
/// What `feedrate schema result` prints for readers.
std::string result_manual();

}  // namespace feedrate::schema
