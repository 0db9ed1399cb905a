#include <fmt/format.h>

#include <cmath>
#include <string>

#include "report/numbers.hpp"
#include "report/reports.hpp"

namespace feedrate::report {
namespace {

std::string settings_text(const std::vector<std::pair<std::string, std::string>>& settings) {
  std::string text;
  for (const auto& [key, value] : settings) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
  }
  return text;
}

// What a case says of itself: an input fitted on it makes it no prediction.
Cell verdict(const CaseResult& result) {
  const bool judged = result.what.tolerance.has_value();
  if (result.what.fitted) return {result.within ? "fitted on this point" : "fitted, and misses"};
  if (!judged) return {"reported, not judged", Tone::faint};
  // A yes-or-no metric has no percents.
  if (*result.what.tolerance == 0.0) {
    return result.within ? Cell("as measured", Tone::good) : Cell("misses", Tone::bad);
  }
  const std::string limit = percent(*result.what.tolerance);
  return result.within ? Cell("within " + limit, Tone::good) : Cell("misses " + limit, Tone::bad);
}

std::string error_text(const CaseResult& result) {
  return result.what.measured == 0.0 ? fmt::format("{:+.3g}", result.error)
                                     : signed_percent(result.error);
}

Table case_table(const ScenarioCases& of) {
  Table table;
  table.columns = {{"case"},
                   {"metric"},
                   {"measured", Align::right},
                   {"predicted", Align::right},
                   {"error", Align::right},
                   {"verdict"},
                   {"bottleneck"},
                   {"note"}};
  for (const CaseResult& result : of.cases) {
    const std::string relative = result.what.relative_to.empty()
                                     ? ""
                                     : ", against " + settings_text(result.what.relative_to);
    Row row;
    row.marked = !result.within;
    row.cells = {result.what.name,
                 result.what.metric + relative,
                 number(result.what.measured),
                 number(result.predicted),
                 error_text(result),
                 verdict(result),
                 result.bottleneck,
                 result.what.note};
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Report cases_report(std::span<const ScenarioCases> scenarios) {
  Report report;
  std::size_t judged = 0;
  std::size_t within = 0;
  std::size_t fits_missed = 0;
  for (const ScenarioCases& of : scenarios) {
    report.blocks.emplace_back(Heading{of.scenario.name});
    report.blocks.emplace_back(Paragraph{"File: " + of.file});
    if (!of.scenario.about.source.empty()) {
      report.blocks.emplace_back(Paragraph{"Source: " + of.scenario.about.source});
    }
    if (!of.scenario.about.expectation.empty()) {
      report.blocks.emplace_back(Paragraph{"Expected: " + of.scenario.about.expectation});
    }
    if (!of.scenario.about.fitted.empty()) {
      report.blocks.emplace_back(List{"Fitted", of.scenario.about.fitted});
    } else if (!of.cases.empty()) {
      report.blocks.emplace_back(Paragraph{"Nothing was fitted."});
    }
    if (!of.cases.empty()) report.blocks.emplace_back(case_table(of));
    for (const CaseResult& result : of.cases) {
      if (!result.what.tolerance) continue;
      if (result.what.fitted) {
        fits_missed += result.within ? 0 : 1;
        continue;
      }
      ++judged;
      within += result.within ? 1 : 0;
    }
  }
  report.title = "Predicted beside measured";
  report.headline.text = fmt::format(
      "{} of {} predictions with a stated tolerance are within it; points that an input was fitted "
      "on are not counted{}.",
      within, judged,
      fits_missed == 0 ? "" : fmt::format(", and {} of them no longer fit", fits_missed));
  return report;
}

Table cases_table(std::span<const ScenarioCases> scenarios) {
  Table table;
  for (const char* title : {"scenario", "case", "metric", "measured", "predicted", "error",
                            "tolerance", "fitted", "within", "bottleneck", "note"}) {
    table.columns.push_back({title});
  }
  for (const ScenarioCases& of : scenarios) {
    for (const CaseResult& result : of.cases) {
      table.rows.push_back(
          {{of.scenario.name, result.what.name, result.what.metric, exact(result.what.measured),
            exact(result.predicted), exact(result.error),
            result.what.tolerance ? exact(*result.what.tolerance) : "",
            result.what.fitted ? "1" : "0", result.within ? "1" : "0", result.bottleneck,
            result.what.note},
           false});
    }
  }
  return table;
}

}  // namespace feedrate::report
