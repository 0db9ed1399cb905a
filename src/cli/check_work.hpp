#pragma once
// The work of `feedrate check`: scenarios and baseline in, verdict and new baseline out.
#include <set>
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
  std::vector<std::string> max_change;
  std::vector<std::string> thresholds;
  std::string max_price_age;
  bool warn_only = false;
  bool update = false;
  bool hold_prices = false;          ///< judge at the prices that the baseline holds
  bool strict = false;               ///< fail on new scenarios and on those that are gone
  std::vector<std::string> reports;  ///< FORMAT=FILE
  SimulationOptions simulation;
  OutputOptions output;
};

struct Checked {
  Verdict verdict;
  std::vector<schema::BaselineEntry> entries;  ///< every given scenario as it is now
  std::set<std::string> replaced;              ///< keys of those in the baseline that they replace
};

/// Simulates and compares everything; writes nothing. A scenario that is wrong is one of the
/// verdict's errors; InputError for a baseline, a profile or flags that are.
Checked check_scenarios(const CheckArguments& arguments);

/// Puts the entries into the baseline's file as it is now: what others put into it since it was
/// read for the check stays, and they wait for each other.
void update_baseline(const CheckArguments& arguments, const Checked& checked);

}  // namespace feedrate::cli
