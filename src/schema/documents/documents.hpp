#pragma once
// What commands write as JSON, one file of this folder a document: its text, and the row of its
// keys, where it has one. What does not apply, was not asked for or is not known is null; `name`
// and `file` are the scenario's.
#include <span>
#include <string>
#include <vector>

namespace feedrate {

struct Advice;
struct CaseSummary;
struct Diagnosis;
struct NamedResult;
struct Optimum;
struct Scaling;
struct ScenarioCases;
struct SearchAnswer;
struct Showback;
struct Sweep;
struct Timeline;
struct UnknownsFit;
struct Verdict;

}  // namespace feedrate

namespace feedrate::schema {

struct DocumentKind;

/// `advise --format json`.
std::string write_advice(const Advice& advice, const std::string& name, const std::string& file);
extern const DocumentKind advice_document;

/// `cases --format json`: {"feedrate", "kind": "cases", "schema", "summary", "scenarios":
/// [{scenario, summary, cases}]}. What an error is: model/case_result.hpp.
std::string write_cases(const std::vector<ScenarioCases>& scenarios, const CaseSummary& all);
extern const DocumentKind cases_document;

/// `diagnose --format json`: {"feedrate", "kind": "diagnosis", "schema", "readings", "rules",
/// "causes", "thresholds", "simulated", "remarks"}: shares 0…1, times in seconds.
std::string write_diagnosis(const Diagnosis& diagnosis);
extern const DocumentKind diagnosis_document;

/// `optimize --format json`: {"feedrate", "kind": "optimum", "schema", "scenario", "minimized", …,
/// "winner"}.
std::string write_optimum(const Optimum& optimum, const std::string& name, const std::string& file);
extern const DocumentKind optimum_document;

/// `scale --format json`: {"feedrate", "kind": "scale", "schema", "scenario": {name, file}, …,
/// "curves": […]}.
std::string write_scaling(const Scaling& scaling, const std::string& name, const std::string& file);
extern const DocumentKind scale_document;

/// `run --find … --format json` and `feeds --format json`: {"feedrate", "kind": "search",
/// "schema", "scenario": {name, file}, "answers": […]}, as `feedrate schema search` explains.
std::string write_searches(std::span<const SearchAnswer> answers, const std::string& name,
                           const std::string& file);
extern const DocumentKind search_document;

/// `showback --format json`, what jobs cost in a month: {"feedrate", "kind": "showback", "schema",
/// "by", "jobs": [one per scenario], "groups": [one per value of the tag], "all", "remarks"}.
std::string write_showback(const Showback& showback);
extern const DocumentKind showback_document;

/// `fit --format json`: {"feedrate", "kind": "fit", "schema", "scenario": {name, file}, "fit":
/// {…}}: numbers in base units (s, B, USD, samples).
std::string write_unknowns_fit(const UnknownsFit& fit);
extern const DocumentKind fit_document;

/// `validate --format json`: {"feedrate", "kind": "validation", "schema", "profile", "measured",
/// "validation": {…}, "cases": […]}. What an error is: model/case_result.hpp.
std::string write_validation(const ScenarioCases& of, const std::string& profile);
extern const DocumentKind validation_document;

/// `check --format json`: {"feedrate", "kind": "check", "schema", "baseline", "level", "scenarios":
/// […], "remarks"}.
std::string write_verdict(const Verdict& verdict);
extern const DocumentKind verdict_document;

/// `check --format benchmark`: [{"name", "unit", "value", "range"?, "extra"}], the input of
/// benchmark-action/github-action-benchmark with tool customSmallerIsBetter: cost, total cost, time
/// and idle share of the GPUs of each scenario. "range" is half the 5-95 % band, where there is
/// one.
std::string write_benchmark(const Verdict& verdict);

/// What the charts of the HTML report are drawn from: {"result": as `run --format json`, "points":
/// [{set, result}], "timeline": [section]}. A point's result holds only the keys that charts read;
/// spans are [begin_s, end_s, stage, waiting, batch]. `sweep` and `timeline` may be null: then
/// their list is empty.
std::string write_chart_data(const NamedResult& named, const Sweep* sweep,
                             const Timeline* timeline);

/// A timeline as Chrome trace events, for ui.perfetto.dev and chrome://tracing. The format: "Trace
/// Event Format" (Google, 2016), its JSON object form. One process a section, one thread a track,
/// counters for queues and shared capacities, an instant at the end of each step. Sections follow
/// each other without the time between them, which nobody could zoom past; when each begins in the
/// job is in its name and in "otherData".
std::string write_trace(const Timeline& timeline, const std::string& name);

}  // namespace feedrate::schema
