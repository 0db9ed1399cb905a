#include "study/cases.hpp"

#include <fmt/format.h>

#include <cmath>
#include <regex>

#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "study/metrics.hpp"

namespace feedrate::study {
namespace {

/// A tolerance is relative to what was measured, whatever the error is told in; where that is 0, it
/// is in the error's own unit.
void judge(CaseResult& result) {
  const Case& what = result.what;
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
    const auto names = metric_names();
    fail(fmt::format("expected a metric, got \"{}\"{}", name, did_you_mean(name, names)));
  }

  [[nodiscard]] Result at(const Setting& set) const {
    return run(make(set), catalog, host, options);
  }

  /// The largest whole value of a key for which a metric stays at or above a bound.
  [[nodiscard]] double largest(const Setting& set, const std::smatch& words) const {
    const std::string key = words[1];
    const double bound = std::stod(words[5]);
    const auto holds = [&](long n) {
      Setting with = set;
      with.emplace_back(key, std::to_string(n));
      return value(at(with), words[4]) >= bound;
    };
    long low = std::stol(words[2]);
    long high = std::stol(words[3]);
    if (!holds(low)) return 0.0;
    while (low < high) {
      const long middle = (low + high + 1) / 2;
      if (holds(middle)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return static_cast<double>(low);
  }

  [[nodiscard]] CaseResult of(const Case& what) const {
    static const std::regex search(
        R"(largest (\S+) in (\d{1,6})\.\.(\d{1,6}) with (\S+) >= ([0-9.]{1,12}))");
    CaseResult result;
    result.what = what;
    std::smatch words;
    if (std::regex_match(what.metric, words, search)) {
      result.predicted = largest(what.set, words);
    } else {
      const Result ran = at(what.set);
      result.predicted = value(ran, what.metric);
      if (what.relative_to.empty()) result.band = metric_band(ran, what.metric);
      if (ran.bottleneck.stage) result.bottleneck = name_of(*ran.bottleneck.stage);
    }
    if (!what.relative_to.empty()) {
      result.predicted = result.predicted / value(at(what.relative_to), what.metric) - 1.0;
    }
    judge(result);
    return result;
  }
};

}  // namespace

std::vector<CaseResult> run_cases(const Scenario& scenario, const MakeScenario& make,
                                  const Catalog& catalog, const HostProfile* host,
                                  const RunOptions& options) {
  std::vector<CaseResult> results;
  for (std::size_t i = 0; i < scenario.cases.size(); ++i) {
    const Runner runner{make, catalog, host, options, fmt::format("/cases/{}/metric", i)};
    results.push_back(runner.of(scenario.cases[i]));
  }
  return results;
}

}  // namespace feedrate::study
