#pragma once
// The reports of the sub-commands. They choose, round and name; every number is in the argument.
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "catalog/filter.hpp"
#include "model/case_result.hpp"
#include "model/optimum.hpp"
#include "model/sweep.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// What `make` makes with its amounts in a currency and a line that says so; in dollars without.
/// Unit prices stay as their sources give them.
Report shown_in(const std::optional<Currency>& currency, const std::function<Report()>& make);

/// `run`: one sentence to act on, stages, times, bill, what is only assumed, remarks.
Report run_report(const NamedResult& named);

/// `run` at a glance: what is the bottleneck, time and cost with what they are drawn between, what
/// to change, how sure that is, stages. The rest is counted.
Report run_brief(const NamedResult& named);

/// `sweep`: one row per point with the fastest, the cheapest and the Pareto set marked; of more
/// than sixty points only the marked ones. `name` is the scenario's.
Report sweep_report(const Sweep& sweep, const std::string& name);

/// `optimize`: the best point and what comes next, the flags that reproduce it, what bounds it, how
/// sure the choice is, the Pareto front; or why there is none. `name` is the scenario's.
Report optimum_report(const Optimum& optimum, const std::string& name);
/// One row per point that stands out, its role in front, every digit kept.
std::string optimum_csv(const Optimum& optimum);
/// What CSV has no place for.
std::vector<std::string> optimum_remarks(const Optimum& optimum);

/// `compare`: one column per scenario, differences signed against the first. Those of one name are
/// called by their files. Precondition: at least one.
Report compare_report(std::span<const NamedResult> results,
                      const std::optional<Decision>& decision = {});

/// `cases`: how wrong all predictions are, which `all` says; then for each scenario its source, its
/// expectation, what was fitted, the same of its own cases, and one row per case with predicted
/// beside measured.
Report cases_report(std::span<const ScenarioCases> scenarios, const CaseSummary& all);

/// All cases as one table, every digit kept; for CSV.
Table cases_table(std::span<const ScenarioCases> scenarios);

/// `catalog list`: one row per machine and region, one unit per column, prices of each purchase
/// beside each other; below it what the filter could not tell.
Report catalog_report(const Catalog& catalog, const Chosen& chosen);

/// `catalog show`: what is known of one machine and its offers, each with source and date.
Report machine_report(const Catalog& catalog, const Machine& machine);

}  // namespace feedrate::report
