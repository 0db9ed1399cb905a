#pragma once
// A check's verdict as JSON, and as the array that benchmark dashboards collect.
#include <string>

#include "model/verdict.hpp"

namespace feedrate::schema {

struct DocumentKind;

/// `check --format json`: {"feedrate", "kind": "check", "schema", "baseline", "level", "scenarios":
/// […], "remarks"}. What does not apply is null.
std::string write_verdict(const Verdict& verdict);

extern const DocumentKind verdict_document;

/// `check --format benchmark`: [{"name", "unit", "value", "range"?, "extra"}], the input of
/// benchmark-action/github-action-benchmark with tool customSmallerIsBetter: cost, total cost, time
/// and idle share of the GPUs of each scenario. "range" is half the 5-95 % band, where there is
/// one.
std::string write_benchmark(const Verdict& verdict);

}  // namespace feedrate::schema
