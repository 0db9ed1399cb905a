#pragma once
// What the jobs of several teams cost in a month, from the bill of one run of each.
#include <span>
#include <string>

#include "catalog/catalog.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"
#include "model/showback.hpp"

namespace feedrate::study {

/// A scenario and what `run` makes of it; both live as long as the call.
struct RunOf {
  const Scenario* scenario = nullptr;
  const Result* result = nullptr;
  std::string file;
};

/// What was done once before the first run: of items with a time, that time at its price.
Money preparation_of(const Accounting& accounting);

/// Electricity of one run's GPUs; empty where the catalogue does not know their power or the
/// region's grid.
std::optional<Footprint> footprint_of(const Scenario& scenario, const Result& result,
                                      const Catalog& catalog);

/// Jobs in the order of `runs`, grouped by the tag `by`. A job that says no runs a month counts
/// one; one without the tag belongs to the group "". Precondition: at least one.
Showback showback(std::span<const RunOf> runs, const Catalog& catalog, const std::string& by);

/// What a savings plan of `hourly` commits in a month of 730 hours, and what the jobs, whose month
/// costs `month_of_jobs`, use of it.
Commitment commitment_of(std::span<const RunOf> runs, Money month_of_jobs, HourlyPrice hourly);

}  // namespace feedrate::study
