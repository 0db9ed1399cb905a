#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/check_report.hpp"
#include "report/check_tables.hpp"
#include "report/check_words.hpp"
#include "report/markdown_text.hpp"
#include "report/render.hpp"

namespace feedrate::report {
namespace {

// Room for the sentence that says what was left out.
constexpr std::size_t reserve = 400;

/// Blocks without a title of their own, as Markdown.
std::string rendered(std::vector<Block> blocks) {
  Report report;
  report.blocks = std::move(blocks);
  return to_markdown(report);
}

std::string_view sign_of(Level level) {
  switch (level) {
    case Level::fail: return "❌";
    case Level::warn: return "⚠️";
    case Level::note: return "💡";
    case Level::pass: return "✅";
  }
  return "";
}

std::string details_of(const ScenarioVerdict& scenario) {
  std::vector<Block> blocks;
  std::vector<std::string> lines = limit_lines(scenario);
  lines.insert(lines.end(), scenario.remarks.begin(), scenario.remarks.end());
  if (!lines.empty()) blocks.emplace_back(List{"", lines});
  if (!scenario.stages.empty()) blocks.emplace_back(stage_table(scenario));
  if (!scenario.parts.empty()) blocks.emplace_back(part_table(scenario));
  if (!scenario.keys.empty()) blocks.emplace_back(key_table(scenario));
  // Escaped as one: a name may end in a colon, and two begin a command to a log.
  const std::string summary = fmt::format("{}: {}", scenario.name, summary_text(scenario));
  return fmt::format("<details><summary>{} {}</summary>\n\n{}\n</details>\n",
                     sign_of(scenario.level), markdown_html_escaped(summary),
                     rendered(std::move(blocks)));
}

/// The table with as many rows as fit into `room`, the worst scenarios first.
std::string summary_of(const Verdict& sorted, std::size_t room, std::size_t& left_out) {
  Table table = summary_table(sorted);
  for (std::string text = rendered({table});; text = rendered({table})) {
    if (text.size() <= room || table.rows.empty()) return text;
    const std::size_t keep = table.rows.size() * room / text.size();
    const std::size_t next = std::min(keep, table.rows.size() - 1);
    left_out += table.rows.size() - next;
    table.rows.resize(next);
  }
}

}  // namespace

std::string check_markdown(const Verdict& verdict) {
  Verdict sorted = verdict;
  std::stable_sort(
      sorted.scenarios.begin(), sorted.scenarios.end(),
      [](const ScenarioVerdict& a, const ScenarioVerdict& b) { return a.level > b.level; });
  std::string headline = headline_text(verdict);
  headline.resize(std::min(headline.size(), std::size_t{2000}));
  std::string out = fmt::format("<!-- feedrate check: {} -->\n### {} feedrate: {}\n\n",
                                markdown_comment_escaped(verdict.baseline), sign_of(verdict.level),
                                markdown_escaped(headline));
  std::size_t rows_left_out = 0;
  out += summary_of(sorted, longest_comment / 2, rows_left_out) + '\n';
  std::size_t details_left_out = 0;
  for (const ScenarioVerdict& scenario : sorted.scenarios) {
    if (scenario.level == Level::pass && !has_changed(scenario)) continue;
    const std::string details = details_of(scenario);
    if (out.size() + details.size() + reserve < longest_comment) {
      out += details + '\n';
    } else {
      ++details_left_out;
    }
  }
  for (const ScenarioErrors& of : verdict.errors) {
    const std::string details =
        fmt::format("{} {}\n\n{}\n", sign_of(Level::fail), markdown_escaped(of.key),
                    rendered({List{"", error_lines(of)}}));
    if (out.size() + details.size() + reserve < longest_comment) {
      out += details;
    } else {
      ++details_left_out;
    }
  }
  for (const std::string& remark : verdict.remarks) {
    const std::string line = "- " + markdown_escaped(remark) + '\n';
    if (out.size() + line.size() + reserve < longest_comment) out += line;
  }
  if (rows_left_out + details_left_out > 0) {
    out += fmt::format(
        "\n{} rows and the details of {} scenarios did not fit; run feedrate check "
        "to see them.\n",
        rows_left_out, details_left_out);
  }
  return out;
}

}  // namespace feedrate::report
