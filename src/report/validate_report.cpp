#include "report/validate_report.hpp"

#include <fmt/format.h>

#include "report/case_words.hpp"
#include "report/numbers.hpp"

namespace feedrate::report {
namespace {

// A bottleneck has no line of its own: it stands beside the time of the same setting.
const CaseResult* bottleneck_of(const ScenarioCases& of, const CaseResult& time) {
  for (const CaseResult& other : of.cases) {
    if (error_kind(other.what) == ErrorKind::bottleneck && other.what.set == time.what.set) {
      return &other;
    }
  }
  return nullptr;
}

Cell verdict_on(const CaseResult* bottleneck) {
  if (bottleneck == nullptr) return {"a tie, or not measured", Tone::faint};
  return bottleneck->predicted == bottleneck->what.measured ? Cell("right", Tone::good)
                                                            : Cell("wrong", Tone::bad);
}

}  // namespace

Report validate_report(const ScenarioCases& of, const std::string& profile, double max_error) {
  const CaseSummary& summary = of.summary;
  Report report;
  report.title = of.scenario.name + " · profile " + profile;
  const bool fine = summary.mean <= max_error;
  report.headline = {
      fmt::format("{} by {} on average, {} the limit of {}; worst {}, bias {}{}.",
                  fine ? "Predictions miss" : "Predictions miss too much:", percent(summary.mean),
                  fine ? "within" : "above", percent(max_error), percent(summary.worst),
                  signed_percent(summary.bias),
                  summary.bottlenecks == 0
                      ? std::string()
                      : fmt::format("; the bottleneck was right in {} of {} settings",
                                    summary.bottlenecks_right, summary.bottlenecks)),
      fine ? Tone::good : Tone::bad};
  if (!of.scenario.about.source.empty()) {
    report.blocks.emplace_back(Paragraph{"Measured: " + of.scenario.about.source});
  }
  Table table;
  table.columns = {{"setting"},
                   {"metric"},
                   {"measured", Align::right},
                   {"predicted", Align::right},
                   {"error", Align::right},
                   {"bottleneck"},
                   {"which was"}};
  for (const CaseResult& result : of.cases) {
    if (error_kind(result.what) == ErrorKind::bottleneck) continue;
    Row row;
    row.marked = result.error > max_error || result.error < -max_error;
    row.cells = {result.what.name,
                 result.what.metric,
                 number(result.what.measured),
                 number(result.predicted),
                 error_text(result),
                 result.bottleneck,
                 verdict_on(bottleneck_of(of, result))};
    table.rows.push_back(std::move(row));
  }
  table.note = fmt::format("Marked: an error above {}. Median of the errors' sizes {}, mean {}.",
                           percent(max_error), percent(summary.median), percent(summary.mean));
  report.blocks.emplace_back(std::move(table));
  return report;
}

}  // namespace feedrate::report
