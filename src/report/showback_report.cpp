#include "report/reports.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/quote.hpp"
#include "model/showback.hpp"
#include "report/csv.hpp"
#include "report/figure_text.hpp"
#include "report/numbers.hpp"
#include "words/showback.hpp"

namespace feedrate::report {
namespace {

std::string named(const ChargedJobs& jobs) {
  return jobs.name.empty() ? "(none)" : jobs.name;
}

/// The columns of a table that say something of any of the rows.
std::vector<const words::ChargeColumn*> told(const std::vector<ChargedJobs>& rows,
                                             words::ChargeTable table) {
  std::vector<const words::ChargeColumn*> chosen;
  for (const words::ChargeColumn& column : words::charge_columns()) {
    const bool both = column.shown == words::ChargeTable::both && table != words::ChargeTable::unit;
    if (column.shown != table && !both) continue;
    const bool says = column.shown == words::ChargeTable::both ||
                      std::any_of(rows.begin(), rows.end(), [&](const ChargedJobs& row) {
                        return column.of(row).value_or(0.0) != 0.0;
                      });
    if (says) chosen.push_back(&column);
  }
  return chosen;
}

Table table_of(std::string title, std::string first, const std::vector<ChargedJobs>& rows,
               words::ChargeTable which) {
  const bool of_jobs = which == words::ChargeTable::job;
  Table table;
  table.title = std::move(title);
  table.columns = {{std::move(first)}};
  if (of_jobs) table.columns.push_back({"bottleneck"});
  const std::vector<const words::ChargeColumn*> columns = told(rows, which);
  for (const words::ChargeColumn* column : columns) {
    table.columns.push_back({std::string(column->title), Align::right});
  }
  for (const ChargedJobs& jobs : rows) {
    Row row{{named(jobs)}, false};
    if (of_jobs) {
      row.cells.emplace_back(jobs.bottleneck ? std::string(name_of(*jobs.bottleneck)) : "none");
    }
    for (const words::ChargeColumn* column : columns) {
      const std::optional<double> value = column->of(jobs);
      if (!value) {
        row.cells.emplace_back("-", Tone::faint);
      } else if (column->of_month && jobs.month > Money{}) {
        const double share = *value / jobs.month.base();
        row.cells.push_back(Cell::with_bar(
            fmt::format("{} ({})", figure_text(column->unit, *value), percent(share)), share));
      } else if (column->unit == FigureUnit::count) {
        row.cells.emplace_back(count(*value));
      } else {
        row.cells.emplace_back(figure_text(column->unit, *value));
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Paragraph headline(const Showback& showback) {
  const ChargedJobs& all = showback.all;
  std::string text = fmt::format("{} {} {} a month", counted(all.jobs, "job"),
                                 all.jobs == 1.0 ? "costs" : "cost", money(all.month));
  if (all.waiting > Money{}) {
    text += fmt::format("; {} of that ({}) pays for idle GPUs", money(all.waiting),
                        percent(all.waiting / all.month));
    const auto most = std::max_element(
        showback.groups.begin(), showback.groups.end(),
        [](const ChargedJobs& a, const ChargedJobs& b) { return a.waiting < b.waiting; });
    if (showback.groups.size() > 1) {
      text += fmt::format(", {} for {}", money(most->waiting),
                          most->name.empty() ? "jobs without the tag" : most->name);
    }
  }
  return {text + ".", Tone::plain};
}

Paragraph of_commitment(const Commitment& plan) {
  std::string text = fmt::format(
      "The savings plan commits {} a month, hour by hour; the jobs use {}{} of it ({}){}",
      money(plan.month), plan.crowded() ? "at most " : "", money(plan.used),
      percent(plan.month > Money{} ? plan.used / plan.month : 0.0),
      plan.crowded() ? "" : " where no two run at a time");
  if (plan.unused() > Money{}) {
    text += fmt::format(", and {} pay for nothing", money(plan.unused()));
  }
  text += ".";
  if (plan.beyond() > Money{}) {
    text += fmt::format(
        " What their hours need beyond it is {} at its prices, and {} on demand, which is paid.",
        money(plan.beyond()), money(plan.on_demand));
  }
  if (plan.all() > plan.jobs) {
    text += fmt::format(" With all of this the month costs {}{}, not {}.",
                        plan.crowded() ? "at least " : "", money(plan.all()), money(plan.jobs));
  }
  return {text, Tone::plain};
}

}  // namespace

Report showback_report(const Showback& showback) {
  Report report;
  report.title =
      fmt::format("Showback of {} by {}", counted(showback.all.jobs, "job"), showback.by);
  report.headline = headline(showback);
  if (showback.commitment) report.add(of_commitment(*showback.commitment));
  std::vector<ChargedJobs> groups = showback.groups;
  if (groups.size() > 1) {
    groups.push_back(showback.all);
    groups.back().name = "(all)";
  }
  report.add(table_of("A month", showback.by, groups, words::ChargeTable::month));
  report.add(table_of("Jobs", "job", showback.jobs, words::ChargeTable::job));
  Table units =
      table_of("What a unit of work costs", "job", showback.jobs, words::ChargeTable::unit);
  if (units.columns.size() > 1) report.add(std::move(units));
  report.add(List{"Remarks", showback.remarks});
  return report;
}

std::string showback_csv(const Showback& showback) {
  std::vector<std::vector<std::string>> rows = {{"row", "name", "file", showback.by, "bottleneck"}};
  for (const words::ChargeColumn& column : words::charge_columns())
    rows[0].emplace_back(column.name);
  const auto add = [&](const char* kind, const ChargedJobs& jobs) {
    std::vector<std::string> row = {
        kind, jobs.name, jobs.file, jobs.tag,
        jobs.bottleneck ? std::string(name_of(*jobs.bottleneck)) : std::string()};
    for (const words::ChargeColumn& column : words::charge_columns()) {
      const std::optional<double> value = column.of(jobs);
      row.push_back(value ? exact(*value) : std::string());
    }
    rows.push_back(std::move(row));
  };
  for (const ChargedJobs& job : showback.jobs) add("job", job);
  for (const ChargedJobs& group : showback.groups) add("group", group);
  add("all", showback.all);
  return to_csv(rows);
}

}  // namespace feedrate::report
