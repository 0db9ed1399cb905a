#pragma once
// What a check holds against what: its scenarios, their limits, and the entries of the baseline.
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/check_work.hpp"
#include "base/errors.hpp"

namespace feedrate::api {

/// A scenario on its way to a verdict.
struct CheckedJob {
  std::string path;
  std::string key;
  schema::Document document;
  Scenario scenario;
  schema::StoredInputs inputs;
  const schema::BaselineEntry* entry = nullptr;
  std::optional<Scenario> old;  ///< of the entry; empty where this feedrate cannot read it
  std::string renamed_by{};     ///< "name" or "inputs": what the entry, another's, was known by
  std::vector<Limit> limits;
};

/// `jobs` points into the baseline of the inputs.
struct CheckJobs {
  std::vector<CheckedJob> jobs;        ///< in the order of the inputs
  std::vector<ScenarioErrors> errors;  ///< scenarios that cannot be read, likewise
};

/// The limits of the rules themselves; InputError.
std::vector<Limit> limits_of_rules(const CheckRules& rules, std::string_view dashes);

/// Reads everything. A scenario that is wrong is one of the errors; InputError for a baseline or
/// rules that are.
CheckJobs load_jobs(const CheckInputs& inputs, const CheckRules& rules, std::string_view dashes);

/// Entries that are not in `given` and whose file is not found any more.
std::vector<const schema::BaselineEntry*> gone(const CheckInputs& inputs,
                                               const std::set<std::string>& given);

/// What of the scenario a result depends on, without what is only for people.
schema::JsonPtr bare_scenario(const Scenario& scenario);

/// The scenario that `root` describes; empty where it makes no sense, as mixtures may.
std::optional<Scenario> scenario_in(const schema::JsonPtr& root, const std::string& file);

/// "--max-increase" of a command line, "max_increase" of a request.
std::string rule_flag(std::string_view dashes, std::string_view name);

/// What `parse` makes of a text; its complaint gets the place where the text stands.
template <class Parse>
auto placed(const std::string& file, int line, const std::string& pointer, Parse&& parse) {
  try {
    return parse();
  } catch (const InputError& error) {
    throw InputError(std::vector<Problem>{{file, line, pointer, error.problems().front().message}});
  }
}

}  // namespace feedrate::api
