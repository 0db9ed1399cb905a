#include "study/cases.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "base/errors.hpp"
#include "model/metrics.hpp"
#include "study/search.hpp"
#include "words/cases.hpp"
#include "words/searches.hpp"

namespace feedrate::study {
namespace {

/// A tolerance is relative to what was measured, whatever the error is told in; where that is 0, it
/// is in the error's own unit.
void judge(CaseResult& result) {
  const Case& what = result.what;
  if (what.awaited()) return;
  const bool difference = what.measured == 0.0 || error_kind(what) == ErrorKind::points;
  result.error = error_of(what, result.predicted);
  if (!what.tolerance) return;
  const bool scaled = difference && what.measured != 0.0;
  result.limit = scaled ? *what.tolerance * std::abs(what.measured) : *what.tolerance;
  result.within = std::abs(result.error) <= *result.limit;
}

struct Runner {
  const MakeScenario& make;
  const Catalog& catalog;
  const HostProfile* host;
  const RunOptions& options;
  std::string pointer;

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(std::vector<Problem>{{"", 0, pointer, message}});
  }

  [[nodiscard]] double value(const Result& result, const std::string& name) const {
    if (const auto found = metric(result, name)) return *found;
    require_metric(name, pointer);
    fail(words::no_such_figure("metric", name));
  }

  [[nodiscard]] Result at(const Setting& set, std::optional<StudyKnown> known = {}) const {
    Scenario scenario = make(set);
    if (known && scenario.about.study) scenario.about.study->known = *known;
    return run(scenario, catalog, host, options);
  }

  /// The value that a search finds. Where it finds none, a value beyond the range in the worse
  /// direction.
  [[nodiscard]] double found(const Search& asked, const Setting& set) const {
    RunOptions points = options;
    points.replications = 0;
    const SearchAnswer answer = search(asked, set, make, catalog, host, points);
    if (answer.there) return answer.there->at;
    return asked.extreme == Extreme::largest ? 0.0 : std::numeric_limits<double>::infinity();
  }

  [[nodiscard]] CaseResult of(const Case& what) const {
    CaseResult result;
    result.what = what;
    if (words::is_search(what.metric)) {
      const Search asked = words::parse_search(what.metric, pointer);
      result.predicted = found(asked, what.set);
      if (!what.relative_to.empty()) {
        result.predicted = result.predicted / found(asked, what.relative_to) - 1.0;
      }
    } else {
      const Result ran = at(what.set, what.known);
      result.predicted = value(ran, what.metric);
      if (what.relative_to.empty()) {
        result.band = metric_band(ran, what.metric);
        result.inner = metric_inner_band(ran, what.metric);
        result.draws = ran.bands ? ran.bands->replications : 0;
      }
      result.reference = ran.reference;
      if (ran.bottleneck.stage) result.bottleneck = name_of(*ran.bottleneck.stage);
      if (!what.relative_to.empty()) {
        result.predicted = result.predicted / value(at(what.relative_to), what.metric) - 1.0;
      }
    }
    judge(result);
    return result;
  }
};

/// A problem of the scenario that a case makes: of a case that sets nothing it is the scenario's
/// own.
Problem of_case(const Case& what, const std::string& pointer, const Problem& problem) {
  if (problem.pointer.starts_with("/cases/") || (what.set.empty() && what.relative_to.empty())) {
    return problem;
  }
  return {"", 0, pointer + (what.set.empty() ? "/relative_to" : "/set"),
          words::refused_case(what.name, problem.pointer, problem.message)};
}

}  // namespace

std::optional<std::string> require_metric(const std::string& metric, const std::string& pointer) {
  if (words::is_search(metric)) return words::parse_search(metric, pointer).key;
  const auto names = metric_names();
  if (std::find(names.begin(), names.end(), metric) != names.end()) return std::nullopt;
  throw InputError(std::vector<Problem>{{"", 0, pointer, words::unknown_metric(metric, true)}});
}

std::vector<CaseResult> run_cases(const Scenario& scenario, const MakeScenario& make,
                                  const Catalog& catalog, const HostProfile* host,
                                  const RunOptions& options, std::vector<RefusedCase>* refused) {
  std::vector<CaseResult> results;
  std::vector<RefusedCase> left_out;
  for (std::size_t i = 0; i < scenario.cases.size(); ++i) {
    const Case& what = scenario.cases[i];
    const std::string pointer = "/cases/" + std::to_string(i);
    const Runner runner{make, catalog, host, options, pointer + "/metric"};
    try {
      results.push_back(runner.of(what));
    } catch (const InputError& error) {
      RefusedCase& one = left_out.emplace_back(RefusedCase{what.name, {}});
      for (const Problem& problem : error.problems()) {
        one.problems.push_back(of_case(what, pointer, problem));
      }
      continue;
    }
    CaseResult& result = results.back();
    if (const std::optional<Study>& of = scenario.about.study) {
      if (!result.what.bound_by) result.what.bound_by = of->bound_by;
      if (!result.what.known) result.what.known = of->known;
    }
  }
  if (refused == nullptr && !left_out.empty()) {
    std::vector<Problem> all;
    for (RefusedCase& one : left_out) std::ranges::move(one.problems, std::back_inserter(all));
    throw InputError(std::move(all));
  }
  if (refused != nullptr) *refused = std::move(left_out);
  return results;
}

}  // namespace feedrate::study
