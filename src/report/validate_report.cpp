#include "report/reports.hpp"

#include <fmt/format.h>

#include "report/case_words.hpp"
#include "report/numbers.hpp"
#include "study/case_summary.hpp"

namespace feedrate::report {
namespace {

// A bottleneck has no line of its own: it is beside the time of the same setting.
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

/// Marked where the figure that was measured lies outside.
Cell interval(const CaseResult& result) {
  if (!result.band) return {"-", Tone::faint};
  const auto& [low, middle, high] = *result.band;
  const bool inside = result.what.measured >= low && result.what.measured <= high;
  return {fmt::format("{} … {}{}", number(low), number(high), inside ? "" : " (missed)"),
          inside ? Tone::plain : Tone::caution};
}

/// Whether the intervals hold, and what is left of the errors once the machine's own pace is known.
std::vector<Paragraph> certainty(const CaseSummary& summary, const study::Bars& bars) {
  std::vector<Paragraph> sentences;
  if (summary.banded > 0) {
    const double share = static_cast<double>(summary.inside) / static_cast<double>(summary.banded);
    const bool judged = summary.banded >= study::Bars::least_banded;
    const bool fine = study::covers(summary, bars);
    sentences.push_back({fmt::format("{} of {} measured figures lie in their 90 % interval{}.",
                                     percent(share), summary.banded,
                                     !judged ? ": too few to judge by"
                                     : fine  ? ""
                                             : fmt::format(", too few: at least {} must",
                                                           percent(bars.min_coverage))),
                         fine ? Tone::plain : Tone::bad});
  }
  if (summary.adjusted > 0) {
    sentences.push_back(
        {fmt::format("With the machine as fast as its canary was in each turn, its {} repeats are "
                     "missed by {} in "
                     "the median, {} on average, bias {}.",
                     summary.adjusted, percent(summary.adjusted_median),
                     percent(summary.adjusted_mean), signed_percent(summary.adjusted_bias)),
         Tone::plain});
  }
  return sentences;
}

}  // namespace

Report validate_report(const ScenarioCases& of, const std::string& profile,
                       const study::Bars& bars) {
  const double max_error = bars.max_error;
  const CaseSummary& summary = of.summary;
  Report report;
  report.title = of.scenario.name + " · profile " + profile;
  const bool near = summary.mean <= max_error;
  const bool fine = study::holds(summary, bars);
  report.headline = {
      fmt::format("Mean absolute error {}, {} the limit of {}; worst {}, bias {}{}.",
                  percent(summary.mean), near ? "within" : "above", percent(max_error),
                  percent(summary.worst), signed_percent(summary.bias),
                  !study::covers(summary, bars)
                      ? "; their intervals contain too few of the measured figures"
                  : summary.bottlenecks == 0
                      ? std::string()
                      : fmt::format("; the bottleneck was right in {} of {} settings",
                                    summary.bottlenecks_right, summary.bottlenecks)),
      fine ? Tone::good : Tone::bad};
  for (Paragraph& sentence : certainty(summary, bars)) {
    report.add(std::move(sentence));
  }
  if (!of.scenario.about.source.empty()) {
    report.add("Measured: " + of.scenario.about.source);
  }
  Table table;
  table.columns = {{"setting"},
                   {"metric"},
                   {"measured", Align::right},
                   {"predicted", Align::right},
                   {"in 90 % of draws"},
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
                 interval(result),
                 error_text(result),
                 result.bottleneck,
                 verdict_on(bottleneck_of(of, result))};
    table.rows.push_back(std::move(row));
  }
  table.note =
      fmt::format("Marked: an error above {}. Median absolute error {}, mean absolute error {}.",
                  percent(max_error), percent(summary.median), percent(summary.mean));
  report.add(std::move(table));
  return report;
}

}  // namespace feedrate::report
