#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "model/class_errors.hpp"
#include "report/case_words.hpp"
#include "report/numbers.hpp"
#include "report/reports.hpp"
#include "report/run_tables.hpp"

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
  if (result.what.awaited()) return {"not measured yet", Tone::faint};
  if (result.what.fitted) return {result.within ? "fitted on this point" : "fitted, and misses"};
  if (result.what.identity) return {"arithmetic of another point", Tone::faint};
  // A yes-or-no metric has no percents.
  if (result.what.tolerance == 0.0) {
    return result.within ? Cell("as measured", Tone::good) : Cell("misses", Tone::bad);
  }
  if (!result.within) return {"beyond the stated " + limit_text(result), Tone::bad};
  // That it is within what its author allowed it says nothing of how good it is.
  if (!result.band) return {"predicted"};
  // The range of a few draws is no interval that a figure should be in.
  if (!has_shares(result.draws)) return {"predicted"};
  return in_band(result, result.what.measured) ? Cell("in the 90 % interval", Tone::good)
                                               : Cell("outside the 90 % interval", Tone::bad);
}

/// Where the studies among the scenarios taught the program its numbers, what it is off by without
/// each comes first.
std::string left_out_sentence(std::span<const ScenarioCases> scenarios) {
  const bool studies = std::any_of(scenarios.begin(), scenarios.end(), [](const auto& of) {
    return of.scenario.about.study.has_value();
  });
  const ClassError* const all = learned_class_errors().reference({}, StudyKnown::nothing);
  if (!studies || all == nullptr) return "";
  return fmt::format(
      "Studies that taught the program its numbers are no test of it. Predicted without what the "
      "study itself taught, half of {} measurements of which nothing was measured beforehand were "
      "within {}, and nine of ten within times or over {:.2f} (docs/accuracy.md).",
      with_thousands(std::llround(all->points)), percent(all->median_abs_error),
      all->ninety_percent_factor);
}

/// A promise that the scenario does not make any more is worth a word.
std::string note_of(const CaseResult& result) {
  const auto& promised = result.what.promised;
  if (!promised || number(*promised) == number(result.predicted)) return result.what.note;
  return fmt::format("promised {}{}{}", number(*promised), result.what.note.empty() ? "" : "; ",
                     result.what.note);
}

std::string sentences(std::span<const std::string> said) {
  return fmt::format("{}", fmt::join(said, " "));
}

Table case_table(const ScenarioCases& of) {
  Table table;
  table.columns = {{"case"},
                   {"metric"},
                   {"measured", Align::right},
                   {"predicted", Align::right},
                   {"error", Align::right},
                   {"verdict"},
                   {"bottleneck", Align::left, true},
                   {"note", Align::left, true}};
  for (const CaseResult& result : of.cases) {
    const std::string relative = result.what.relative_to.empty()
                                     ? ""
                                     : ", against " + settings_text(result.what.relative_to);
    Row row;
    row.marked = !result.within;
    row.cells = {result.what.name,
                 result.what.metric + relative,
                 result.what.awaited() ? "-" : number(result.what.measured),
                 number(result.predicted),
                 error_text(result),
                 verdict(result),
                 result.bottleneck,
                 note_of(result)};
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Why is told beside the report.
std::string refused_sentence(const ScenarioCases& of) {
  if (of.refused.empty()) return "";
  std::vector<std::string> names;
  for (const RefusedCase& one : of.refused) names.push_back(fmt::format("\"{}\"", one.name));
  return fmt::format("{} cannot be simulated and {} not counted: {}.",
                     counted(names.size(), "case"), names.size() == 1 ? "is" : "are",
                     fmt::join(names, ", "));
}

}  // namespace

Report cases_report(std::span<const ScenarioCases> scenarios, const CaseSummary& all) {
  Report report;
  report.title = "Predicted and measured";
  std::vector<std::string> opening = summary_sentences(all);
  if (std::string first = left_out_sentence(scenarios); !first.empty()) {
    opening.insert(opening.begin(), std::move(first));
  }
  report.headline.text = opening.front();
  report.add(sentences(std::span(opening).subspan(1)));
  for (const ScenarioCases& of : scenarios) {
    report.add(Heading{of.scenario.name});
    report.add("File: " + of.file);
    if (!of.scenario.about.source.empty()) {
      report.add("Source: " + of.scenario.about.source);
    }
    if (!of.scenario.about.expectation.empty()) {
      report.add("Expected: " + of.scenario.about.expectation);
    }
    if (!of.scenario.about.fitted.empty()) {
      report.add(List{"Fitted", of.scenario.about.fitted});
    } else if (!of.cases.empty()) {
      report.add("Nothing was fitted.");
    }
    report.add(refused_sentence(of));
    if (of.cases.empty()) continue;
    if (scenarios.size() > 1) {  // of one file, all that there is to say stands above
      std::vector<std::string> said = further_sentences(of.summary);
      said.insert(said.begin(), errors_sentence(of.summary, false));
      report.add(sentences(said));
    }
    report.add(case_table(of));
  }
  return report;
}

Table cases_table(std::span<const ScenarioCases> scenarios) {
  Table table;
  for (const char* title : {"scenario", "case", "metric", "measured", "predicted", "error",
                            "counted_as", "tolerance", "fitted", "within", "bottleneck", "note"}) {
    table.columns.push_back({title});
  }
  for (const ScenarioCases& of : scenarios) {
    for (const CaseResult& result : of.cases) {
      table.rows.push_back(
          {{of.scenario.name, result.what.name, result.what.metric, exact(result.what.measured),
            exact(result.predicted), exact(result.error), counted_as(result),
            result.what.tolerance ? exact(*result.what.tolerance) : "",
            result.what.fitted ? "1" : "0", result.within ? "1" : "0", result.bottleneck,
            result.what.note},
           false});
    }
  }
  return table;
}

}  // namespace feedrate::report
