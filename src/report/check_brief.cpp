// A check at a glance: the verdict, and of the worst scenario what changed by how much, in few
// lines. Everything is also in the whole report.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/metrics.hpp"
#include "report/brief.hpp"
#include "report/check_report.hpp"
#include "report/check_tables.hpp"
#include "report/check_words.hpp"
#include "report/figure_text.hpp"
#include "report/glyphs.hpp"
#include "report/wrap.hpp"

namespace feedrate::report {
namespace {

/// Of a limit, an input or a note: two lines.
constexpr std::size_t longest_fact = 120;
constexpr std::size_t most_check_rows = 20;
constexpr std::size_t most_stages = 5;

std::string cut_short(const std::string& text, std::size_t columns) {
  if (display_width(text) <= columns) return text;
  std::string kept = first_columns(text, columns - 3);
  kept.erase(kept.find_last_not_of(' ') + 1);
  return kept + "...";
}

std::string change_of(const ScenarioVerdict& scenario, FigureId id) {
  const FigureChange* const change = scenario.figure(name_of(id));
  return change == nullptr ? "" : change_cell(*change).text;
}

bool same_as_cost(const ScenarioVerdict& scenario) {
  return change_of(scenario, FigureId::total_cost) == change_of(scenario, FigureId::money);
}

/// What is said in the facts, of which the last parts give way where there are too many lines.
struct CheckSaid {
  std::vector<Fact> first;
  std::vector<std::string> limits;
  std::vector<std::string> inputs;
  std::vector<std::string> notes;
};

CheckSaid said_of(const Verdict& verdict, const ScenarioVerdict& worst) {
  CheckSaid said;
  const auto add = [&](std::string label, std::string text) {
    if (!text.empty()) said.first.push_back({std::move(label), std::move(text)});
  };
  add("scenario", cut_short(worst.name, 60));
  add("time", change_of(worst, FigureId::total_time));
  add("cost", change_of(worst, FigureId::money));
  if (!same_as_cost(worst)) add("total cost", change_of(worst, FigureId::total_cost));
  const std::string why = cause_text(worst);
  add("bottleneck", bottleneck_text(worst) + (why.empty() ? "" : "; " + why));
  for (const std::string& line : limit_lines(worst)) {
    said.limits.push_back(cut_short(line, longest_fact));
  }
  for (const KeyChange& change : keys_by_effect(worst)) {
    said.inputs.push_back(cut_short(
        fmt::format("{} {} → {}", change.key, value_text(change.before), value_text(change.after)),
        longest_fact));
  }
  said.notes = closing_notes(verdict);
  for (const ScenarioErrors& of : verdict.errors) {
    said.notes.push_back(of.key + " could not be checked");
  }
  for (const std::vector<std::string>* more : {&worst.remarks, &verdict.remarks}) {
    for (const std::string& remark : *more) said.notes.push_back(without_full_stop(remark));
  }
  return said;
}

/// `all` are those before any was left out, which are counted.
Facts facts_of_check(const CheckSaid& said, const CheckSaid& all) {
  Facts facts{said.first};
  for (const std::string& limit : said.limits) facts.items.push_back({"limit", limit});
  if (!said.inputs.empty()) {
    facts.items.push_back({"inputs", fmt::format("{}", fmt::join(said.inputs, "; "))});
  }
  for (const std::string& note : said.notes) facts.items.push_back({"note", note});
  std::vector<std::string> more;
  const auto count = [&](std::size_t n, const char* one) {
    if (n > 0) more.push_back(fmt::format("{} {}{}", n, one, n == 1 ? "" : "s"));
  };
  count(all.limits.size() - said.limits.size(), "limit");
  count(all.inputs.size() - said.inputs.size(), "input");
  count(all.notes.size() - said.notes.size(), "note");
  if (!more.empty()) facts.items.push_back({"more", fmt::format("{}", fmt::join(more, ", "))});
  return facts;
}

/// Without `n` parts: what there is more than one of gives way first.
CheckSaid without_parts(CheckSaid said, std::size_t n) {
  take_off(said.inputs, 3, n);
  take_off(said.notes, 1, n);
  take_off(said.limits, 1, n);
  take_off(said.inputs, 1, n);
  take_off(said.notes, 0, n);
  return said;
}

/// In `room` lines at most, where that is possible.
Facts fitted_check(const CheckSaid& all, std::size_t room) {
  const auto facts = [&](std::size_t n) { return facts_of_check(without_parts(all, n), all); };
  const std::size_t most = all.inputs.size() + all.notes.size() + all.limits.size();
  return facts(
      left_out_to_fit(most, [&](std::size_t n) { return lines_of_facts(facts(n)) <= room; }));
}

/// "$0.48 (-55.9 %)": what it is now, and by how much that is another.
Cell brief_cell(const ScenarioVerdict& scenario, FigureId id) {
  const FigureChange* const change = scenario.figure(name_of(id));
  if (change == nullptr) return {"-", Tone::faint};
  Cell cell = change_cell(*change);
  const std::string_view arrow = " → ";
  const std::size_t at = cell.text.find(arrow);
  if (at != std::string::npos) cell.text.erase(0, at + arrow.size());
  return cell;
}

/// One row per scenario, the worst first, within 80 columns: long names are cut.
Table brief_table(const Verdict& verdict, const std::vector<const ScenarioVerdict*>& sorted) {
  Table table;
  table.columns = {{"scenario"},
                   {"verdict"},
                   {heading_of(FigureId::money), Align::right},
                   {heading_of(FigureId::total_time), Align::right}};
  for (const ScenarioVerdict* const scenario : sorted) {
    if (table.rows.size() == most_check_rows) break;
    Row row;
    row.marked = scenario->level == Level::fail;
    row.cells = {Cell(scenario->name), Cell(standing_text(*scenario), tone_of(scenario->level)),
                 brief_cell(*scenario, FigureId::money),
                 brief_cell(*scenario, FigureId::total_time)};
    table.rows.push_back(std::move(row));
  }
  for (const ScenarioErrors& of : verdict.errors) {
    if (table.rows.size() == most_check_rows) break;
    table.rows.push_back(Row{{Cell(of.key), Cell("error", Tone::bad), Cell("-"), Cell("-")}, true});
  }
  std::size_t beside = 2;
  for (std::size_t c = 1; c < table.columns.size(); ++c) {
    std::size_t width = display_width(table.columns[c].title);
    for (const Row& row : table.rows) width = std::max(width, display_width(row.cells[c].text));
    beside += 2 + width;
  }
  const std::size_t room = brief_columns - std::min(beside, brief_columns - 12);
  for (Row& row : table.rows) row.cells[0].text = cut_short(row.cells[0].text, room);
  const std::size_t all = sorted.size() + verdict.errors.size();
  if (all > table.rows.size()) {
    table.note = fmt::format("and {} more", all - table.rows.size());
  }
  return table;
}

}  // namespace

Report check_brief(const Verdict& verdict) {
  std::vector<const ScenarioVerdict*> sorted;
  for (const ScenarioVerdict& scenario : verdict.scenarios) sorted.push_back(&scenario);
  const ScenarioVerdict* const worst = worst_of(verdict);
  std::stable_sort(sorted.begin(), sorted.end(), [&](const auto* a, const auto* b) {
    if ((a == worst) != (b == worst)) return a == worst;
    return a->level > b->level;
  });
  Report report;
  report.close = true;
  report.title = cut_short("Check against " + verdict.baseline, brief_columns);
  report.headline = {standings_text(verdict), tone_of(verdict.level)};
  if (worst != nullptr) {
    const std::size_t above = 1 + wrapped(report.headline.text, brief_columns).size();
    report.blocks.emplace_back(fitted_check(said_of(verdict, *worst), most_brief_lines - above));
  }
  if (sorted.size() + verdict.errors.size() > 1) {
    report.blocks.emplace_back(brief_table(verdict, sorted));
  }
  if (worst != nullptr && !worst->stages.empty()) {
    Table stages = stage_table(*worst);
    stages.rows.resize(std::min(stages.rows.size(), most_stages));
    report.blocks.emplace_back(std::move(stages));
  }
  report.blocks.emplace_back(
      read_on("all figures, and for each scenario its limits, what each group of inputs did, the "
              "inputs that changed and remarks"));
  return report;
}

}  // namespace feedrate::report
