#pragma once
// What a check holds against what: its scenarios, their limits, and the entries of the baseline.
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "cli/check_work.hpp"
#include "cli/inputs.hpp"

namespace feedrate::cli {

/// A scenario on its way to a verdict.
struct Job {
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

/// `jobs` points into `baseline`, and does so after a move.
struct CheckJobs {
  schema::Baseline baseline;           ///< its `file` is the one that was given
  std::vector<Job> jobs;               ///< in the order of the command line
  std::vector<ScenarioErrors> errors;  ///< scenarios that cannot be read, likewise
};

/// Reads everything. A scenario that is wrong is one of the errors; InputError for a baseline or
/// flags that are.
CheckJobs load_jobs(const CheckArguments& arguments);

/// An empty one where --update may make the file; InputError where it is needed or wrong.
schema::Baseline read_baseline_of(const CheckArguments& arguments);

/// Entries that are not in `given` and whose file is not found any more.
std::vector<const schema::BaselineEntry*> gone(const schema::Baseline& baseline,
                                               const std::set<std::string>& given);

/// What of the scenario a result depends on, without what is only for people.
schema::JsonPtr bare_scenario(const Scenario& scenario);

/// The scenario that `root` describes; empty where it makes no sense, as mixtures may.
std::optional<Scenario> scenario_in(const schema::JsonPtr& root, const std::string& file);

/// What `parse` makes of a text; its complaint gets the place where the text stands.
template <class Parse>
auto placed(const std::string& file, int line, const std::string& pointer, Parse&& parse) {
  try {
    return parse();
  } catch (const InputError& error) {
    throw InputError(std::vector<Problem>{{file, line, pointer, error.problems().front().message}});
  }
}

}  // namespace feedrate::cli
