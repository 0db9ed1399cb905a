#pragma once
// What a scenario needs of the pricing files, word for word: kept in a baseline, so that the prices
// and machines of that time can be asked again.
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "catalog/catalog.hpp"
#include "model/scenario.hpp"
#include "schema/json/json_reader.hpp"

namespace feedrate::schema {

/// The pricing files of a folder, each parsed once. Safe to ask from several threads.
class PricingFiles {
 public:
  explicit PricingFiles(std::string folder, const Files& files = files_on_disk())
      : folder_(std::move(folder)), files_(files) {}

  /// {FILE: {SECTION: [record, …]}} with the records that `scenario` can ask for: its machines and
  /// the offer that is taken for each, and limits, billing rules and prices of the services that it
  /// uses. Records keep source and date and lose their notes. `catalog` is the one that the
  /// scenario is run with. read_catalog_parts() of this gives the same figures as `catalog`.
  JsonPtr parts_for(const Scenario& scenario, const Catalog& catalog);

 private:
  JsonPtr file(const std::string& name);

  std::string folder_;
  const Files& files_;
  std::mutex mutex_;
  std::map<std::string, JsonPtr> parsed_;  ///< null where the folder has no such file
};

/// What tells a record from the others of its section: the values of its naming keys.
std::string record_name(const JsonValue& record);

}  // namespace feedrate::schema
