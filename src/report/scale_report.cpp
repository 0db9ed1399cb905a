#include "report/reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/efficiency.hpp"
#include "model/figures.hpp"
#include "model/scale.hpp"
#include "report/bands.hpp"
#include "report/brief.hpp"
#include "report/csv.hpp"
#include "report/figure_text.hpp"
#include "report/numbers.hpp"
#include "report/scale_words.hpp"
#include "report/sweep_words.hpp"

namespace feedrate::report {
namespace {

/// "0.05 exposed communication, 0.03 startup": what of 1 is lost, in the words of a run, most
/// first, down to a hundredth.
std::string lost_text(const Result& r) {
  constexpr double least = 0.005;
  constexpr std::size_t most = 3;
  std::vector<EfficiencyLoss> losses = efficiency_losses(r);
  std::erase_if(losses, [](const EfficiencyLoss& loss) { return std::abs(loss.share) < least; });
  std::stable_sort(losses.begin(), losses.end(), [](const auto& a, const auto& b) {
    return std::abs(a.share) > std::abs(b.share);
  });
  if (losses.size() > most) losses.resize(most);
  std::string text;
  for (const EfficiencyLoss& loss : losses) {
    text += fmt::format("{}{}{:.2f} {}", text.empty() ? "" : ", ", loss.share < 0.0 ? "less " : "",
                        std::abs(loss.share), loss.to);
  }
  return text;
}

/// Why a row stands out.
std::string marks(const ScaleCurve& curve, const Scaling& scaling, double n) {
  std::string text;
  const auto add = [&](bool is, const char* what) {
    if (is) text += fmt::format("{}{}", text.empty() ? "" : ", ", what);
  };
  const auto at = [&](const std::optional<ScalePoint>& point) {
    return point && point->instances == n;
  };
  add(curve.least.instances == n, scaling.hour ? "least total" : "least cost");
  const bool fewest = at(curve.fewest_in_time);
  const bool cheapest = at(curve.least_in_time);
  add(fewest && cheapest,
      scaling.hour ? "fewest in time and of these least total" : "fewest and cheapest in time");
  add(fewest && !cheapest, "fewest in time");
  add(cheapest && !fewest, scaling.hour ? "least total in time" : "cheapest in time");
  add(curve.fastest.instances == n, "fastest");
  add(curve.bound && curve.bound->from == n, "shared limit binds");
  return text;
}

/// What the middle 90 % of draws have; of an interrupted job where nothing was drawn, the middle 90
/// % of jobs.
std::optional<std::pair<double, double>> drawn(const Result& r, FigureId id) {
  std::optional<std::pair<double, double>> ends;
  if (const auto band = band_of(r, figure(id))) ends.emplace((*band)[0], (*band)[2]);
  if (ends || !r.interruptions || r.interruptions->draws == 0) return ends;
  const bool time = id == FigureId::total_time;
  const auto low = value_of(r, time ? FigureId::time_p5 : FigureId::money_p5);
  const auto high = value_of(r, time ? FigureId::time_p95 : FigureId::money_p95);
  if (low && high) ends.emplace(*low, *high);
  return ends;
}

/// "3 min 40 s to 4 min 2 s"; "" where that is one text, or nothing was drawn.
std::string drawn_text(const Result& r, FigureId id) {
  const auto ends = drawn(r, id);
  if (!ends) return "";
  const FigureUnit unit = figure(id).unit;
  const std::string low = figure_text(unit, ends->first);
  const std::string high = figure_text(unit, ends->second);
  return low == high ? "" : fmt::format("{} to {}", low, high);
}

bool any_band(const Scaling& scaling) {
  for (const ScaleCurve& curve : scaling.curves) {
    for (const ScaleRow& row : curve.rows) {
      if (!row.point.answered()) continue;
      for (const FigureId id : {FigureId::total_time, FigureId::money}) {
        if (!drawn_text(row.point.result, id).empty()) return true;
      }
    }
  }
  return false;
}

bool any_chance(const ScaleCurve& curve) {
  return std::any_of(curve.rows.begin(), curve.rows.end(),
                     [](const ScaleRow& row) { return row.chance_in_time.has_value(); });
}

/// Of so many draws none says never, and all say not always.
Cell chance_cell(const ScaleRow& row) {
  if (!row.chance_in_time) return {"-", Tone::faint};
  constexpr double sure = 0.95;
  const double chance = *row.chance_in_time;
  const int draws = row.point.result.bands ? row.point.result.bands->replications : 1;
  const double least = 1.0 / draws;
  const std::string text = chance <= 0.0   ? "<" + percent(least)
                           : chance >= 1.0 ? ">" + percent(1.0 - least)
                                           : percent(chance);
  return {text, chance >= sure ? Tone::good : chance < 0.5 ? Tone::bad : Tone::caution};
}

/// "total at 40 USD/h": what an hour is worth, in the heading of what it makes of the cost.
std::string with_hours(const Scaling& scaling) {
  for (const auto& [key, value] : scaling.curves.front().set) {
    if (key.ends_with("value_of_hour")) return column_of(FigureId::total_cost);  // a table each
  }
  return fmt::format("total at {}/h", money(*scaling.hour * hours(1.0)));
}

/// What the columns mean.
std::string columns_words(const Scaling& scaling) {
  std::string text =
      "Efficiency: T(1)/(N·T(N)) of the whole job, start-up and copying included; 1 if N instances "
      "take an N-th of the time of one. The last column says what the rest is lost to. Of the "
      "epochs: the same without start-up and copying. Pays from: the efficiency of the epochs from "
      "which N instances cost no more in total than the fewest.";
  if (any_band(scaling)) {
    text +=
        " In 90 % of draws: draws of everything that is assumed, measured with an error, or "
        "random.";
    if (scaling.deadline) text += " In time: the share of these draws that meets the deadline.";
  }
  return text;
}

constexpr const char* rounded_sign = "*";
constexpr const char* guess_sign = "†";

/// What the signs behind numbers of instances mean, as far as there are any.
std::string note_of(const std::vector<Row>& rows) {
  const auto any = [&](const char* sign) {
    return std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
      return row.cells.front().text.find(sign) != std::string::npos;
    });
  };
  std::string note;
  if (any(rounded_sign)) {
    note = fmt::format(
        "{} The global batch does not divide evenly: each GPU has the nearest whole number of "
        "samples.",
        rounded_sign);
  }
  if (any(guess_sign)) {
    note += fmt::format(
        "{}{} The step at this batch is a guess: such a number is called the cheapest or the "
        "fastest "
        "only where no other can be.",
        note.empty() ? "" : " ", guess_sign);
  }
  return note;
}

Table table_of(const Scaling& scaling, const ScaleCurve& curve, bool marked) {
  Table table;
  if (!curve.set.empty()) table.title = set_text(curve);
  const bool bands = any_band(scaling);
  table.columns = {{"instances", Align::right}, {column_of(FigureId::total_time), Align::right}};
  if (bands) table.columns.push_back({"in 90 % of draws", Align::left, true});
  const bool chances = any_chance(curve);
  if (chances) table.columns.push_back({"in time", Align::right});
  table.columns.push_back({column_of(FigureId::money), Align::right});
  if (bands) table.columns.push_back({"in 90 % of draws", Align::left, true});
  if (scaling.hour) table.columns.push_back({with_hours(scaling), Align::right});
  table.columns.insert(table.columns.end(), {{"efficiency", Align::right},
                                             {"of the epochs", Align::right, true},
                                             {"pays from", Align::right, true},
                                             {"lost to", Align::left, true},
                                             {""}});
  for (const ScaleRow& row : curve.rows) {
    Row out;
    const bool rounded = row.rounded && row.point.answered();
    out.cells.emplace_back(count(row.instances) + (rounded ? rounded_sign : "") +
                           (row.step_is_guess ? guess_sign : ""));
    if (!row.point.answered()) {
      out.cells.emplace_back("-", Tone::faint);
      out.cells.resize(table.columns.size() - 1);
      out.cells.back() = Cell(problem_in_few_words(row.point), Tone::caution);
      table.rows.push_back(std::move(out));
      continue;
    }
    const Result& r = row.point.result;
    const auto& beside = row.point.scale_out;
    out.cells.emplace_back(duration(r.times.total));
    if (bands) out.cells.emplace_back(drawn_text(r, FigureId::total_time));
    if (chances) out.cells.push_back(chance_cell(row));
    out.cells.emplace_back(money(r.bill.money));
    if (bands) out.cells.emplace_back(drawn_text(r, FigureId::money));
    if (scaling.hour) out.cells.emplace_back(money(r.bill.total));
    const auto share = [&](const std::optional<double>& value) {
      constexpr double least = 0.005;
      if (!value) {
        out.cells.emplace_back("-", Tone::faint);
      } else {
        out.cells.emplace_back(*value > 0.0 && *value < least ? "<0.01"
                                                              : fmt::format("{:.2f}", *value));
      }
    };
    share(r.instances > 1.0 ? r.job_efficiency : std::optional(1.0));
    share(r.efficiency);
    const bool never = beside && r.efficiency && !beside->break_even;
    if (never) {
      out.cells.emplace_back("never", Tone::faint);
    } else {
      share(beside ? beside->break_even : std::nullopt);
    }
    out.cells.emplace_back(lost_text(r));
    out.cells.emplace_back(marks(curve, scaling, row.instances));
    out.marked = marked && row.instances == scaling.recommended.instances;
    table.rows.push_back(std::move(out));
  }
  table.note = note_of(table.rows);
  return table;
}

Report titled(const Scaling& scaling, const std::string& name) {
  Report report;
  const double to = scaling.curves.front().to;
  report.title =
      name + " · " + (to == 1.0 ? "1 instance" : fmt::format("1 to {} instances", count(to)));
  report.headline = {scale_headline(scaling), scaling.in_time() ? Tone::good : Tone::bad};
  return report;
}

/// The rows of table_of() that stand out or have no result, and where there are many, of the others
/// powers of two.
void leave_few(Table& table, const ScaleCurve& curve) {
  constexpr std::size_t few = 8;
  if (table.rows.size() <= few) return;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const double n = curve.rows[i].instances;
    const bool power = std::exp2(std::round(std::log2(n))) == n;
    if (power || !table.rows[i].cells.back().text.empty()) rows.push_back(table.rows[i]);
  }
  table.rows = std::move(rows);
  table.note = note_of(table.rows);
}

}  // namespace

Report scale_brief(const Scaling& scaling, const std::string& name) {
  Report report = titled(scaling, name);
  report.close = true;
  Facts facts;
  const ScaleRow* const row = recommended_row(scaling);
  if (row != nullptr && row->point.answered() && scaling.in_time()) {
    const Result& r = row->point.result;
    const auto with_range = [&](const std::string& text, FigureId id, std::string_view of_draws) {
      const std::string range = drawn_text(r, id);
      return text + (range.empty() ? "" : fmt::format(" ({}{})", range, of_draws));
    };
    const Outlay& outlay = scaling.recommended.outlay;
    facts.items.push_back(
        {"time", with_range(duration(outlay.time), FigureId::total_time, " in 90 % of draws")});
    facts.items.push_back({"cost", with_range(money(outlay.money), FigureId::money, "")});
    for (const std::string& caveat : r.caveats) {
      facts.items.push_back({"note", without_full_stop(caveat)});
    }
    // One instance exchanges nothing with others: what is guessed of that stands beside the others.
    if (row->instances == 1.0) {
      for (const std::string& caveat : caveats_of_more(scaling)) {
        facts.items.push_back({"note", without_full_stop(caveat)});
      }
    }
  }
  facts.items.push_back({"batch", without_full_stop(kept_words(scaling))});
  if (const auto remarks = scale_row_remarks(scaling); !remarks.empty()) {
    facts.items.push_back({"remarks", fmt::format("{}, which `--full` lists", remarks.size())});
  }
  report.add(std::move(facts));
  for (std::size_t i = 0; i < scaling.curves.size(); ++i) {
    const ScaleCurve& curve = scaling.curves[i];
    Table table = table_of(scaling, curve, i == scaling.best);
    leave_few(table, curve);
    report.add(
        without_columns(table, {"in 90 % of draws", "of the epochs", "pays from", "lost to"}));
    for (const std::string& text : scale_answers(scaling, curve, true)) {
      report.add(text);
    }
  }
  report.add(
      read_on("more numbers of instances with their ranges, what the efficiency is lost to, what "
              "the columns mean, and remarks"));
  return report;
}

Report scale_report(const Scaling& scaling, const std::string& name) {
  Report report = titled(scaling, name);
  if (scaling.confirmed) {
    report.add(confirmed_words(scaling));
  }
  report.add(kept_words(scaling));
  for (std::size_t i = 0; i < scaling.curves.size(); ++i) {
    const ScaleCurve& curve = scaling.curves[i];
    report.add(table_of(scaling, curve, i == scaling.best));
    for (const std::string& text : scale_answers(scaling, curve, true)) {
      report.add(text);
    }
  }
  report.add(columns_words(scaling), Tone::faint);
  if (auto remarks = scale_row_remarks(scaling); !remarks.empty()) {
    report.add(List{"Remarks", std::move(remarks)});
  }
  return report;
}

std::string scale_csv(const Scaling& scaling) {
  std::vector<std::vector<std::string>> rows(1);
  for (const auto& [key, value] : scaling.curves.front().set) rows.front().push_back("set." + key);
  rows.front().emplace_back("instances");
  constexpr FigureId figures[] = {FigureId::total_time, FigureId::money,
                                  FigureId::total_cost, FigureId::throughput,
                                  FigureId::efficiency, FigureId::job_efficiency};
  for (const FigureId id : figures) rows.front().emplace_back(name_of(id));
  rows.front().emplace_back("break_even_efficiency");
  for (const Stage stage : all_stages()) {
    rows.front().push_back(fmt::format("lost.{}", name_of(stage)));
  }
  rows.front().emplace_back("marks");
  rows.front().emplace_back("problem");
  for (const ScaleCurve& curve : scaling.curves) {
    for (const ScaleRow& row : curve.rows) {
      std::vector<std::string>& out = rows.emplace_back();
      for (const auto& [key, value] : curve.set) out.push_back(value);
      const bool ran = row.point.answered();
      const Result& r = row.point.result;
      const auto add = [&](const std::optional<double>& value) {
        out.push_back(ran && value ? exact(*value) : "");
      };
      out.push_back(exact(row.instances));
      for (const FigureId id : figures) add(value_of(r, id));
      add(row.point.scale_out ? row.point.scale_out->break_even : std::nullopt);
      for (const Stage stage : all_stages()) {
        add(r.lost_to_scaling ? std::optional((*r.lost_to_scaling)[stage]) : std::nullopt);
      }
      out.push_back(marks(curve, scaling, row.instances));
      out.push_back(ran ? "" : problem_words(row.point));
    }
  }
  return to_csv(rows);
}

std::vector<std::string> scale_remarks(const Scaling& scaling) {
  std::vector<std::string> list;
  for (const ScaleCurve& curve : scaling.curves) {
    const std::string lead = curve.set.empty() ? "" : set_text(curve) + ": ";
    for (const std::string& text : scale_answers(scaling, curve, false))
      list.push_back(lead + text);
  }
  if (scaling.confirmed) list.push_back(confirmed_words(scaling));
  for (std::string& remark : scale_row_remarks(scaling)) list.push_back(std::move(remark));
  return list;
}

}  // namespace feedrate::report
