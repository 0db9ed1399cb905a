#pragma once
// Results as CSV: one row a result, every number with all its digits, units in the column names.
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/sweep.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// RFC 4180 with "\n", each field as csv_field() makes it.
std::string to_csv(const std::vector<std::vector<std::string>>& rows);

/// A table as it is shown, titles first.
std::string to_csv(const Table& table);

/// A row a result: scenario, file, then the keys of the JSON result, "stage.key" for stages. What
/// does not apply is empty.
std::string results_csv(std::span<const NamedResult> results);

/// One row per point: the keys that were varied, then as results_csv, then "problem" (why a point
/// has no result, whose other columns are then empty), of constraints that the sweep has
/// "meets_deadline" and "meets_budget" as 0 or 1, then the marks "fastest", "cheapest" and
/// "pareto" as 0 or 1.
std::string sweep_csv(const Sweep& sweep);

/// The same piece by piece: the header, then one row per point with no mark set. A row ends with
/// its marks as sweep_marks writes them and a line feed, so that they can be set later in place.
std::string sweep_csv_header(const std::vector<std::pair<std::string, std::string>>& set,
                             const Constraints& constraints = {});
void add_sweep_row(std::string& out, const SweepPoint& point, const Constraints& constraints = {});
/// "0,0,1": always as long.
std::string sweep_marks(bool fastest, bool cheapest, bool pareto);

}  // namespace feedrate::report
