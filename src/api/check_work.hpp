#pragma once
// The work of `feedrate check`: scenarios and a baseline in, a verdict and the new baseline's
// entries out.
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/named_files.hpp"
#include "catalog/catalog.hpp"
#include "model/depth.hpp"
#include "model/host.hpp"
#include "model/verdict.hpp"
#include "schema/documents/baseline.hpp"
#include "schema/scenario/scenario.hpp"

namespace feedrate::api {

/// Limits as people write them, and how the check judges.
struct CheckRules {
  std::vector<std::string> max_increase;
  std::vector<std::string> max_change;
  std::vector<std::string> thresholds;
  std::string max_price_age;
  bool warn_only = false;
  bool update = false;       ///< the caller will write the entries
  bool hold_prices = false;  ///< judge at the prices that the baseline holds
  bool strict = false;       ///< fail on new scenarios and on those that are gone
};

/// A scenario of the check.
struct CheckSource {
  std::string path;                        ///< as messages call it
  std::string key;                         ///< its file from the baseline's folder
  std::function<schema::Document()> read;  ///< with every setting applied; InputError
};

struct CheckInputs {
  std::vector<CheckSource> scenarios;
  schema::Baseline baseline;
  AllowedFiles files;          ///< among which entries of the baseline may be found to be gone
  bool looks_for_gone = true;  ///< false: none of them is, and the verdict says so
  const HostProfile* host = nullptr;
  /// The part of the catalogue that tells of these instances. InputError, HostError.
  std::function<Catalog(const std::set<std::string>&)> catalog;
  const Files* catalog_files = nullptr;  ///< where its folder lies; never null
  Depth depth;
};

struct Checked {
  Verdict verdict;
  std::vector<schema::BaselineEntry> entries;  ///< every given scenario as it is now
  std::set<std::string> replaced;              ///< keys of those in the baseline that they replace
};

/// InputError with what is wrong with the rules, before anything is read.
void expect_rules(const CheckRules& rules, std::string_view dashes);

/// Simulates and compares everything; writes nothing. A scenario that is wrong is one of the
/// verdict's errors; InputError for a baseline or rules that are. `dashes` stand before the names
/// of rules in messages.
Checked check_scenarios(CheckInputs inputs, const CheckRules& rules, std::string_view dashes);

}  // namespace feedrate::api
