#include "report/reports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "model/figures.hpp"
#include "report/advise_words.hpp"
#include "report/brief.hpp"
#include "report/choice_words.hpp"
#include "report/numbers.hpp"
#include "report/run_tables.hpp"
#include "report/shell_text.hpp"

namespace feedrate::report {
namespace {

std::string arrow(const std::string& before, const std::string& after) {
  return before == after ? before : before + " → " + after;
}

std::string remark_on(const RungResult& rung, bool marked) {
  std::string text = marked ? "work here first" : "";
  if (!rung.efficiency) return text;
  text += fmt::format("{}efficiency {}", text.empty() ? "" : "; ", percent(*rung.efficiency));
  if (rung.break_even) text += fmt::format(", break-even {}", percent(*rung.break_even));
  return text;
}

Table ladder_table(const Advice& advice) {
  const bool works = has_gpu_work(advice);
  Table table;
  table.title = "Ladder";
  table.columns = {{"rung"},
                   {works ? "GPUs busy" : "of the rung before"},
                   {"samples/s", Align::right},
                   {"bottleneck"},
                   {""}};
  for (const RungResult& rung : advice.ladder) {
    Row row;
    row.marked = rung.rung == advice.works_on;
    row.cells.emplace_back(std::string(words_of(rung.rung)));
    if (!rung.figures) {
      row.cells.emplace_back("-", Tone::faint);
      row.cells.emplace_back("-", Tone::faint);
      row.cells.emplace_back("-", Tone::faint);
      row.cells.emplace_back(rung.why_not, Tone::faint);
    } else {
      row.cells.push_back(Cell::with_bar(percent(rung.share), rung.share));
      row.cells.emplace_back(rung.figures->throughput ? rate(*rung.figures->throughput) : "-");
      row.cells.emplace_back(stage_words(rung.figures->bottleneck));
      row.cells.emplace_back(remark_on(rung, row.marked), Tone::caution);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Cell pays_cell(const std::optional<double>& pays) {
  if (!pays) return {"-", Tone::faint};
  return {percent(*pays), *pays < sure ? Tone::caution : Tone::plain};
}

std::string saved_words(const Advice& advice, Money saved, Duration sooner) {
  if (advice.priced) return signed_money(Money{} - saved);
  return fmt::format("{}{}", sooner < Duration{} ? "+" : "-",
                     duration(sooner < Duration{} ? Duration{} - sooner : sooner));
}

std::vector<Column> remedy_columns(const Advice& advice) {
  std::vector<Column> columns = {
      {"#", Align::right}, {"change"}, {"kind", Align::left, true}, {"effort"}, {"time"}};
  if (advice.billed) columns.push_back({"total cost"});
  columns.push_back({advice.jobs > 1.0 ? fmt::format("{} of {:g} jobs",
                                                     advice.priced ? "change" : "time", advice.jobs)
                                       : std::string("change"),
                     Align::right});
  columns.push_back({"pays in", Align::right});
  columns.push_back({"then", Align::left, true});
  return columns;
}

/// "4 hours, $8.97 once": what the bills of jobs leave out of what is saved, where it shows.
std::string effort_and_price(const Remedied& row) {
  const std::string effort = effort_words(row.what.effort_hours);
  return once_shows(row) ? fmt::format("{}, {} once", effort, money(row.one_off)) : effort;
}

Row remedy_row(const Advice& advice, const Remedied& row) {
  Row out;
  const Remedied* const first = change_first(advice);
  out.marked = first != nullptr && first->number == row.number;
  out.cells = {std::to_string(row.number), row.change, std::string(words_of(row.what.kind)),
               effort_and_price(row),
               arrow(duration(advice.before.time), duration(row.after->time))};
  if (advice.billed) {
    out.cells.emplace_back(arrow(money(advice.before.total), money(row.after->total)));
  }
  out.cells.emplace_back(saved_words(advice, row.saved, row.sooner),
                         row.saved > Money{} || row.sooner > Duration{} ? Tone::good : Tone::plain);
  out.cells.push_back(pays_cell(row.pays));
  out.cells.emplace_back(stage_words(row.after->bottleneck));
  return out;
}

/// Advised, but lost in most of the draws.
bool is_luck(const Advice& advice, const Remedied& row) {
  return row.standing == RemedyStanding::advised && !mostly_saves(advice, row);
}

template <class Listed>
Table remedies_table(const Advice& advice, const std::string& title, const Listed& listed) {
  Table table;
  table.title = title;
  table.columns = remedy_columns(advice);
  for (const Remedied& row : advice.remedies) {
    if (listed(row)) table.rows.push_back(remedy_row(advice, row));
  }
  return table;
}

Table advised_table(const Advice& advice) {
  Table table = remedies_table(advice, std::string(remedies_title), [&](const Remedied& row) {
    return row.standing == RemedyStanding::advised && !is_luck(advice, row);
  });
  if (advice.together) {
    const Together& all = *advice.together;
    Row row;
    std::string numbers;
    for (const std::size_t number : all.numbers) {
      numbers += fmt::format("{}{}", numbers.empty() ? "" : "+", number);
    }
    row.cells = {"", numbers + " together", "", "",
                 arrow(duration(advice.before.time), duration(all.after.time))};
    if (advice.billed) {
      row.cells.emplace_back(arrow(money(advice.before.total), money(all.after.total)));
    }
    row.cells.emplace_back(saved_words(advice, all.saved, all.sooner), Tone::good);
    row.cells.push_back(pays_cell(all.pays));
    row.cells.emplace_back(stage_words(all.after.bottleneck));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// "KEY=VALUE KEY=VALUE": no cell begins with a dash, which spreadsheets take for a formula.
std::string pairs_words(const std::vector<std::pair<std::string, std::string>>& set) {
  std::string text;
  for (const auto& [key, value] : set) {
    text += (text.empty() ? "" : " ") + shell_word(key + "=" + value);
  }
  return text;
}

List settings_list(const Advice& advice) {
  List list;
  list.title = settings_title;
  for (const Remedied& row : advice.remedies) {
    if (row.number == 0) continue;
    list.items.push_back(fmt::format("{}: {}", row.number, set_flags(row.set)));
  }
  return list;
}

List evidence_list(const Advice& advice) {
  List list;
  list.title = "For and against";
  for (const Remedied& row : advice.remedies) {
    if (row.standing != RemedyStanding::advised) continue;
    std::string text = fmt::format("{}: {}. But {}.", row.number, row.what.helps, row.what.limits);
    if (row.one_off > Money{}) {
      text += fmt::format(" Once: {} ({}).", money(row.one_off), row.one_off_words);
    }
    for (const std::string& caveat : row.caveats) text += " " + caveat;
    list.items.push_back(std::move(text));
  }
  return list;
}

void add_others(const Advice& advice, std::vector<Block>& blocks) {
  const auto join = [&](RemedyStanding standing, auto&& words) {
    std::vector<std::string> items;
    for (const Remedied& row : advice.remedies) {
      if (row.standing == standing) items.push_back(words(row));
    }
    return items;
  };
  const auto no_help = join(RemedyStanding::no_help,
                            [](const Remedied& row) { return std::string(row.what.title); });
  if (!no_help.empty()) {
    std::string text;
    for (const std::string& item : no_help) text += (text.empty() ? "" : "; ") + item;
    blocks.emplace_back(Paragraph{
        fmt::format("Saves less than {} of the {}, or in none of the draws, so no help here: {}.",
                    percent(least_saving), advice.priced ? "cost" : "time", text),
        Tone::plain});
  }
  const auto outcome = [&](const Remedied& row) {
    const JobFigures& after = *row.after;
    const JobFigures& before = advice.before;
    std::string text = row.change + ": ";
    if (advice.billed) {
      text += fmt::format("{} ({}), ", money(after.total),
                          signed_percent(after.total / before.total - 1.0));
    }
    text += fmt::format("{} ({})", duration(after.time),
                        signed_percent(after.time / before.time - 1.0));
    if (row.one_off > Money{}) text += fmt::format(", and {} once", money(row.one_off));
    return text;
  };
  const auto more = join(RemedyStanding::costs_more, outcome);
  if (!more.empty()) {
    blocks.emplace_back(List{advice.priced ? "Would cost more" : "Would take longer", more});
  }
  const auto slower = join(RemedyStanding::takes_longer, outcome);
  if (!slower.empty()) {
    blocks.emplace_back(List{advice.constraints.deadline
                                 ? "Cheaper, but too late for the deadline"
                                 : "Cheaper, but slower (--deadline says how long is soon enough)",
                             slower});
  }
  const auto impossible = join(RemedyStanding::impossible, [](const Remedied& row) {
    return fmt::format("{}: {}: {}", row.what.title, row.change, row.reason);
  });
  if (!impossible.empty()) blocks.emplace_back(List{"Not possible here", impossible});
  const auto lacking = join(RemedyStanding::not_simulated, [](const Remedied& row) {
    return fmt::format("{}: {}", row.what.title, row.reason);
  });
  if (!lacking.empty()) blocks.emplace_back(List{"Not simulated", lacking});
}

}  // namespace

std::vector<Block> advice_blocks(const Advice& advice) {
  std::vector<Block> blocks;
  blocks.emplace_back(ladder_table(advice));
  const bool advised = first_of(advice, RemedyStanding::advised) != nullptr;
  const bool later = first_of(advice, RemedyStanding::later) != nullptr;
  const auto add = [&](Table table) {
    if (!table.rows.empty()) blocks.emplace_back(std::move(table));
  };
  add(advised_table(advice));
  add(remedies_table(advice, "Saves in less than half of the draws",
                     [&](const Remedied& row) { return is_luck(advice, row); }));
  add(remedies_table(advice, "Later, once that rung has reached the target",
                     [](const Remedied& row) { return row.standing == RemedyStanding::later; }));
  if (std::string words = confirmed_words(advice); advised && !words.empty()) {
    blocks.emplace_back(Paragraph{std::move(words), Tone::plain});
  }
  if (advised || later) blocks.emplace_back(settings_list(advice));
  if (advised) blocks.emplace_back(evidence_list(advice));
  if (auto items = not_yet(advice); !items.empty()) {
    blocks.emplace_back(List{"Not yet", std::move(items)});
  }
  add_others(advice, blocks);
  return blocks;
}

Report advise_report(const Advice& advice, const std::string& name) {
  Report report;
  report.title = name + ": what to change";
  report.headline = advice_headline(advice);
  for (const std::string& caveat : advice.caveats) report.headline.text += " " + caveat;
  if (const std::string limits = limits_words(advice); !limits.empty()) {
    report.blocks.emplace_back(Paragraph{limits, Tone::caution});
  }
  for (Block& block : advice_blocks(advice)) report.blocks.push_back(std::move(block));
  if (first_of(advice, RemedyStanding::advised) != nullptr) {
    report.blocks.emplace_back(
        Paragraph{"Each row is a simulation of the whole job with those settings. \"pays in\": the "
                  "share of draws of all uncertain inputs in which the change saves. Remedies "
                  "are ranked by what they save for the effort.",
                  Tone::faint});
  }
  return report;
}

Report advise_brief(const Advice& advice, const std::string& name) {
  constexpr std::size_t most = 5;
  Report report;
  report.close = true;
  report.title = name + ": what to change";
  report.headline = advice_headline(advice);
  Facts facts;
  const auto add = [&](std::string label, std::string text) {
    if (!text.empty()) facts.items.push_back({std::move(label), std::move(text)});
  };
  for (const std::string& caveat : advice.caveats) add("note", without_full_stop(caveat));
  add("limits", without_full_stop(limits_words(advice)));
  const std::string of_jobs = advice.jobs > 1.0 ? fmt::format(" over {:g} jobs", advice.jobs) : "";
  const auto outcome = [&](const JobFigures& after, Money saved, Duration sooner,
                           const std::optional<double>& pays) {
    const std::string cost = advice.priced   ? ", " + saved_words(advice, saved, sooner) + of_jobs
                             : advice.billed ? ", " + money(after.total)
                                             : "";
    return fmt::format("{}{}{}", duration(after.time), cost,
                       pays ? fmt::format("; saves in {} of draws", percent(*pays)) : "");
  };
  std::map<RemedyStanding, std::size_t> standing;
  std::size_t luck = 0;
  std::size_t shown = 0;
  const Remedied* const first = change_first(advice);
  // The largest saving stays in sight, wherever it stands.
  const Remedied* const beyond = far_beyond_first(advice);
  const Remedied* const largest = saves_most(advice);
  for (const Remedied& row : advice.remedies) {
    if (is_luck(advice, row)) {
      ++luck;
      continue;
    }
    const bool advised = row.standing == RemedyStanding::advised;
    if (&row != beyond && &row != largest && (!advised || shown >= most)) {
      ++standing[row.standing];
      continue;
    }
    ++shown;
    add(std::to_string(row.number),
        fmt::format("{} ({}): {}", row.change, effort_and_price(row),
                    outcome(*row.after, row.saved, row.sooner, row.pays)));
  }
  if (advice.together) {
    const Together& all = *advice.together;
    add("together", fmt::format("{}: {}", fmt::join(all.numbers, "+"),
                                outcome(all.after, all.saved, all.sooner, all.pays)));
  }
  if (first != nullptr) {
    const std::string all = advice.together ? fmt::format(" ({}: --apply best)",
                                                          fmt::join(advice.together->numbers, "+"))
                                            : "";
    add("apply",
        fmt::format("{0}: {1}; or --apply {0} -o FILE{2}, which writes the changed scenario",
                    first->number, set_flags(first->set), all));
  }
  for (const std::string& item : not_yet(advice)) add("not yet", without_full_stop(item));
  std::vector<std::string> others;
  const auto count_of = [&](RemedyStanding of, std::string_view words) {
    if (standing[of] > 0) others.push_back(fmt::format("{} {}", standing[of], words));
  };
  count_of(RemedyStanding::advised, "more");
  if (luck > 0) others.push_back(fmt::format("{} saving in less than half of the draws", luck));
  count_of(RemedyStanding::later, "for later rungs");
  count_of(RemedyStanding::no_help, "without effect");
  count_of(RemedyStanding::costs_more, advice.priced ? "costing more" : "taking longer");
  count_of(RemedyStanding::takes_longer,
           advice.constraints.deadline ? "cheaper but too late" : "cheaper but slower");
  count_of(RemedyStanding::impossible, "not possible");
  count_of(RemedyStanding::not_simulated, "not simulated");
  add("others", fmt::format("{}", fmt::join(others, ", ")));
  report.blocks.emplace_back(std::move(facts));
  report.blocks.emplace_back(read_on(
      "the ladder, every remedy with its settings, the evidence for and against it, and why others "
      "were not simulated"));
  return report;
}

Report remedies_report(std::span<const RemedyWords> remedies) {
  Report report;
  report.title = "Remedies that feedrate advise tries";
  report.headline = {fmt::format("{} remedies, each simulated where it applies.", remedies.size()),
                     Tone::plain};
  for (const RemedyWords& remedy : remedies) {
    report.blocks.emplace_back(
        List{fmt::format("{} ({}, {})", remedy.name, words_of(remedy.kind),
                         effort_words(remedy.effort_hours)),
             {fmt::format("{}; from the rung \"{}\" on", remedy.title, words_of(remedy.from)),
              fmt::format("applies when {}", remedy.when), fmt::format("for: {}", remedy.helps),
              fmt::format("against: {}", remedy.limits)}});
  }
  return report;
}

Table advice_table(const Advice& advice) {
  Table table;
  const auto named = [](FigureId id) { return std::string(name_of(id)); };
  for (const std::string& title :
       {std::string("number"), std::string("remedy"), std::string("standing"), std::string("kind"),
        std::string("effort_h"), std::string("from"), std::string("change"), std::string("set"),
        named(FigureId::total_time), named(FigureId::money), named(FigureId::total_cost),
        std::string("gpu_busy_of_job"), std::string("bottleneck"), std::string("one_off_usd"),
        std::string("saved_usd"), std::string("sooner_s"), std::string("pays"),
        std::string("reason")}) {
    table.columns.push_back({title});
  }
  for (const Remedied& row : advice.remedies) {
    const auto of = [&](double JobFigures::*member) {
      return row.after ? exact((*row.after).*member) : std::string();
    };
    const bool ran = row.after.has_value();
    table.rows.push_back(
        {{row.number > 0 ? std::to_string(row.number) : "", std::string(row.what.name),
          std::string(name_of(row.standing)), std::string(name_of(row.what.kind)),
          exact(row.what.effort_hours), std::string(name_of(row.what.from)), row.change,
          pairs_words(row.set), ran ? exact(row.after->time.base()) : "",
          ran ? exact(row.after->money.base()) : "", ran ? exact(row.after->total.base()) : "",
          of(&JobFigures::gpu_busy), ran ? stage_words(row.after->bottleneck) : "",
          ran ? exact(row.one_off.base()) : "", ran ? exact(row.saved.base()) : "",
          ran ? exact(row.sooner.base()) : "", row.pays ? exact(*row.pays) : "", row.reason},
         false});
  }
  return table;
}

}  // namespace feedrate::report