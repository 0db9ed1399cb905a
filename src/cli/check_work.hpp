#pragma once
// The work of `feedrate check`: scenarios and baseline in, verdict and new baseline out.
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "model/verdict.hpp"
#include "schema/baseline.hpp"

namespace feedrate::cli {

struct CheckArguments {
  std::vector<std::string> scenarios;
  std::string baseline;
  std::vector<std::string> max_increase;
  std::vector<std::string> thresholds;
  std::string max_price_age;
  bool warn_only = false;
  bool update = false;
  bool strict = false;               ///< fail on new scenarios and on those that are gone
  std::vector<std::string> reports;  ///< FORMAT=FILE
  SimulationOptions simulation;
  OutputOptions output;
};

struct Checked {
  Verdict verdict;
  schema::Baseline updated;  ///< the baseline with every given scenario as it is now
};

/// Simulates and compares everything; writes nothing. A scenario that is wrong is one of the
/// verdict's errors; InputError for a baseline, a profile or flags that are.
Checked check_scenarios(const CheckArguments& arguments);

}  // namespace feedrate::cli
