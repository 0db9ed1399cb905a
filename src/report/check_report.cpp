#include "report/check_report.hpp"

#include "report/check_tables.hpp"
#include "report/check_words.hpp"

namespace feedrate::report {
namespace {

void explain(const ScenarioVerdict& scenario, Report& report) {
  report.blocks.emplace_back(Heading{scenario.name + " (" + scenario.file + ")"});
  for (const Judgement& judgement : scenario.limits) {
    if (judgement.level == Level::pass) continue;
    const std::string word(judgement.level == Level::fail ? "FAIL" : name_of(judgement.level));
    report.blocks.emplace_back(
        Paragraph{word + ": " + judgement.message + " (limit: " + judgement.limit.text + ")",
                  tone_of(judgement.level)});
  }
  if (!scenario.stages.empty()) report.blocks.emplace_back(stage_table(scenario));
  if (!scenario.parts.empty()) report.blocks.emplace_back(part_table(scenario));
  if (!scenario.keys.empty()) report.blocks.emplace_back(key_table(scenario));
  if (!scenario.remarks.empty()) report.blocks.emplace_back(List{"Remarks", scenario.remarks});
}

}  // namespace

Report check_report(const Verdict& verdict) {
  Report report;
  report.title = "Check against " + verdict.baseline;
  report.headline = {headline_text(verdict), tone_of(verdict.level)};
  report.blocks.emplace_back(summary_table(verdict));
  for (const ScenarioVerdict& scenario : verdict.scenarios) {
    if (scenario.level != Level::pass || has_changed(scenario)) explain(scenario, report);
  }
  for (const ScenarioErrors& of : verdict.errors) {
    report.blocks.emplace_back(Heading{of.key});
    report.blocks.emplace_back(List{"Errors", error_lines(of)});
  }
  std::vector<std::string> remarks = verdict.remarks;
  for (const std::string& note : closing_notes(verdict)) remarks.push_back(note);
  if (!remarks.empty()) report.blocks.emplace_back(List{"Remarks", remarks});
  return report;
}

}  // namespace feedrate::report
