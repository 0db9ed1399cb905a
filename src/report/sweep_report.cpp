#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/append_once.hpp"
#include "report/bands.hpp"
#include "report/certainty_report.hpp"
#include "report/choice_words.hpp"
#include "report/interruption_report.hpp"
#include "report/numbers.hpp"
#include "report/reports.hpp"
#include "report/run_tables.hpp"
#include "report/sparkline.hpp"
#include "report/sweep_words.hpp"

namespace feedrate::report {
namespace {

constexpr std::size_t rows_that_fit = 60;

bool any_hour_value(const Sweep& sweep) {
  return std::any_of(sweep.points.begin(), sweep.points.end(), [](const SweepPoint& point) {
    return point.result.bill.hour_value != Money{};
  });
}

bool any_interrupted(const Sweep& sweep) {
  return std::any_of(sweep.points.begin(), sweep.points.end(), [](const SweepPoint& point) {
    return point.result.interruptions.has_value();
  });
}

/// Precondition: the result has a band of the figure.
std::string range_of(const Result& result, FigureId id) {
  return range_text(figure(id), *band_of(result, figure(id)));
}

Table points_table(const Sweep& sweep) {
  Table table;
  const bool hours_count = any_hour_value(sweep);
  const std::optional<Bands>& bands = sweep.points[sweep.fastest].result.bands;
  const bool only_marked = sweep.points.size() > rows_that_fit;
  for (const auto& [key, value] : sweep.points.front().set)
    table.columns.push_back({key, Align::right});
  const auto column = [](FigureId id) { return Column{column_of(id), Align::right}; };
  table.columns.push_back(column(FigureId::total_time));
  if (bands) table.columns.push_back({in_draws(bands->replications), Align::left, true});
  table.columns.push_back(column(FigureId::money));
  if (bands) table.columns.push_back({in_draws(bands->replications), Align::left, true});
  if (hours_count) table.columns.push_back(column(FigureId::total_cost));
  table.columns.insert(table.columns.end(), {{"samples/s", Align::right, true},
                                             {column_of(FigureId::gpu_busy_of_total)},
                                             {"bottleneck"}});
  const bool interrupted = any_interrupted(sweep);
  if (interrupted) table.columns.push_back({"interrupted", Align::right});
  const bool constrained = sweep.constraints.any();
  if (constrained) table.columns.push_back({"constraints"});
  table.columns.push_back({""});
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const std::string mark = sweep_marks(sweep, i);
    if (only_marked && mark.empty()) continue;
    const Result& r = sweep.points[i].result;
    Row row;
    for (const auto& [key, value] : sweep.points[i].set) row.cells.emplace_back(value);
    if (!sweep.points[i].answered()) {
      row.cells.resize(table.columns.size() - 1, Cell("-", Tone::faint));
      row.cells.emplace_back(problem_in_few_words(sweep.points[i]), Tone::caution);
      table.rows.push_back(std::move(row));
      continue;
    }
    row.marked = i == sweep.fastest || i == sweep.cheapest;
    row.cells.emplace_back(duration(r.times.total), i == sweep.fastest ? Tone::good : Tone::plain);
    if (bands) row.cells.emplace_back(range_of(r, FigureId::total_time));
    const Tone cheap = i == sweep.cheapest ? Tone::good : Tone::plain;
    row.cells.emplace_back(money(r.bill.money), hours_count ? Tone::plain : cheap);
    if (bands) row.cells.emplace_back(range_of(r, FigureId::money));
    if (hours_count) row.cells.emplace_back(money(r.bill.total), cheap);
    row.cells.emplace_back(r.throughput ? rate(*r.throughput) : "-");
    row.cells.push_back(Cell::with_bar(figure_text(r, FigureId::gpu_busy_of_total),
                                       *figure(FigureId::gpu_busy_of_total).of(r)));
    row.cells.emplace_back(r.bottleneck.stage ? std::string(name_of(*r.bottleneck.stage)) : "none");
    if (interrupted) row.cells.emplace_back(chance_of_one(r));
    if (constrained) {
      const bool meets = sweep.points[i].meets(sweep.constraints);
      row.cells.emplace_back(constraint_mark(sweep.constraints, r),
                             meets ? Tone::good : Tone::caution);
    }
    row.cells.emplace_back(mark);
    table.rows.push_back(std::move(row));
  }
  table.note = "Pareto: no other point is both faster and cheaper.";
  if (only_marked) {
    table.note += fmt::format(" {} of {} points are shown; --format csv has all.",
                              table.rows.size(), count(static_cast<double>(sweep.points.size())));
  }
  return table;
}

/// Texts of points in the order in which they first come, each with its first point and how many
/// have it.
class ToldOfPoints {
 public:
  struct Told {
    std::string text;
    const SweepPoint* first;
    std::size_t points;
  };
  void add(const std::string& text, const SweepPoint& point) {
    const auto [at, is_new] = places_.try_emplace(text, list_.size());
    if (is_new) list_.push_back({text, &point, 0});
    ++list_[at->second].points;
  }
  [[nodiscard]] const std::vector<Told>& list() const { return list_; }

 private:
  std::vector<Told> list_;
  std::map<std::string, std::size_t> places_;
};

/// What is to be said of the sweep, then of its points: each once, with the points that it is of
/// where it is not of all.
List remarks_list(const Sweep& sweep) {
  constexpr std::size_t most = 8;
  List list{"Remarks", {}};
  for (const std::string& remark : sweep.remarks) append_once(list.items, remark);
  ToldOfPoints told;
  std::size_t answered = 0;
  for (const SweepPoint& point : sweep.points) answered += point.answered() ? 1 : 0;
  for (const auto source : {&Result::caveats, &Result::remarks}) {
    for (const SweepPoint& point : sweep.points) {
      for (const std::string& text : point.result.*source) told.add(text, point);
    }
  }
  for (const auto& [text, first, points] : told.list()) {
    if (list.items.size() >= most) break;
    std::string of;
    if (points == 1 && answered > 1) {
      of = setting_text(*first) + ": ";
    } else if (points < answered) {
      of = fmt::format("{} of {} points: ", points, answered);
    }
    list.items.push_back(of + text);
  }
  return list;
}

/// Why points have no result: each reason in few words once, with the first point that has it.
List unanswered_list(const Sweep& sweep) {
  constexpr std::size_t most = 8;
  ToldOfPoints told;
  for (const SweepPoint& point : sweep.points) {
    if (!point.answered()) told.add(problem_in_few_words(point), point);
  }
  const auto& reasons = told.list();
  List list{"Without a result", {}};
  for (const auto& [words, first, points] : reasons) {
    if (list.items.size() == most) {
      list.items.push_back(
          fmt::format("and {} more reasons; --format csv has all", reasons.size() - most));
      break;
    }
    const std::string all = points == 1 ? ""
                                        : fmt::format("{} at {} points, the first of them ", words,
                                                      count(static_cast<double>(points)));
    list.items.push_back(all + setting_text(*first) + ": " + problem_words(*first));
  }
  return list;
}

std::string change(double by) {
  return fmt::format("{}{}", by < 0.0 ? "-" : "+", percent(std::abs(by)));
}

/// More instances beside the fewest: what they gain and cost, and at which efficiency they pay.
Table scale_out_table(const Sweep& sweep) {
  constexpr std::array<std::size_t, 3> shown = {1, 2, 3};  // of ladder_efficiencies
  Table table;
  table.title = "More instances, compared with the fewest";
  for (const auto& [key, value] : sweep.points.front().set) {
    table.columns.push_back({key, Align::right});
  }
  for (const char* title : {"time", "cost", "total", "efficiency", "of the job", "pays from"}) {
    table.columns.push_back({title, Align::right, std::string_view(title) == "of the job"});
  }
  for (const std::size_t i : shown) {
    table.columns.push_back(
        {fmt::format("total at {}", percent(ladder_efficiencies[i])), Align::right, true});
  }
  for (const SweepPoint& point : sweep.points) {
    if (!point.scale_out) continue;
    const ScaleOut& beside = *point.scale_out;
    const Result& r = point.result;
    Row row;
    const auto add = [&](const std::optional<double>& by, std::string (*words)(double)) {
      row.cells.emplace_back(by ? words(*by) : "-");
    };
    for (const auto& [key, value] : point.set) row.cells.emplace_back(value);
    add(beside.time, change);
    add(beside.money, change);
    add(beside.total, change);
    add(r.efficiency, percent);
    add(r.job_efficiency, percent);
    row.cells.emplace_back(beside.break_even ? percent(*beside.break_even) : "never");
    for (const std::size_t i : shown) {
      add(i < beside.total_at.size() ? std::optional(beside.total_at[i]) : std::nullopt, percent);
    }
    if (table.rows.size() < rows_that_fit) table.rows.push_back(std::move(row));
  }
  table.note =
      "Pays from: the efficiency of the steps from which the total cost is no higher than with the "
      "fewest instances. Total at an efficiency: relative to theirs.";
  return table;
}

std::string amount(const Decision& decision, double value) {
  return decision.in_money ? money(usd(value)) : duration(seconds(value));
}

/// Whether the choice stands, and what to measure where it does not.
void add_decision(Report& report, const Sweep& sweep) {
  if (!sweep.decision) return;
  const Decision& d = *sweep.decision;
  const Result& best = sweep.points[d.best].result;
  const double cost = d.in_money ? best.bill.total.base() : best.times.total.base();
  const std::string compared =
      d.compared == sweep.points.size()
          ? ""
          : fmt::format(" (compared with the {} that come nearest)", d.compared - 1);
  const char* const quality = d.in_money ? "cheapest" : "fastest";
  if (d.likely >= 1.0 && d.worth.empty()) {
    report.add(fmt::format("{} stays the {} in all of {} draws of the uncertain inputs{}.",
                           setting_text(sweep.points[d.best]), quality, d.draws, compared));
    return;
  }
  std::string words = fmt::format("{} is the {} in {} of {} draws of the uncertain inputs{}.",
                                  setting_text(sweep.points[d.best]), quality, percent(d.likely),
                                  d.draws, compared);
  if (d.choice != d.best) {
    words +=
        fmt::format(" {} is the {} on average.", setting_text(sweep.points[d.choice]), quality);
  }
  report.add(words);
  List list;
  list.title = "Worth knowing before you choose, everything else being as stated";
  constexpr std::size_t most = 5;
  constexpr double least = 0.001;  // of the cost: less is no reason to measure
  std::size_t more = 0;
  for (const Worth& worth : d.worth) {
    if (worth.worth < least * cost) break;
    if (list.items.size() == most) {
      ++more;
      continue;
    }
    const std::string other = setting_text(sweep.points[worth.instead]);
    list.items.push_back(
        worth.probe.empty()
            ? fmt::format("{}: in {} of its range {} is better; knowing it is worth about {}",
                          worth.keys.front(), percent(worth.share), other, amount(d, worth.worth))
            : fmt::format("{} decides between {} and {}: worth about {}",
                          calibrate_words(worth.probe), setting_text(sweep.points[d.best]), other,
                          amount(d, worth.worth)));
  }
  if (more > 0) list.items.push_back(fmt::format("and {} more", more));
  if (list.items.empty()) {
    report.add(fmt::format("Knowing any one uncertain input would save less than 0.1 % of the {}.",
                           d.in_money ? "cost" : "time"));
  }
  report.add(std::move(list));
}

}  // namespace

Report sweep_report(const Sweep& sweep, const std::string& name) {
  Report report;
  report.title = fmt::format("{} · sweep of {}", name, counted(sweep.points.size(), "point"));
  if (sweep.points.empty()) return report;
  report.headline = sweep_headline(sweep);
  report.add(ties_words(sweep));
  if (sweep.constraints.any()) {
    const auto& best = sweep.cheapest_meeting;
    // What by its events meets them no longer is told as it was found, by its mean.
    const auto& choice = sweep.confirmed.cheapest_meeting;
    const std::optional<Choice> met = choice && choice->best().meets ? choice : std::nullopt;
    report.add(meeting_words(sweep.constraints, sweep.meeting, sweep.points.size(),
                             best ? fmt::format("{} ({})", setting_text(sweep.points[*best]),
                                                outcome_text(sweep.points[*best], met))
                                  : "") +
                   ".",
               best ? Tone::good : Tone::bad);
  }
  report.add(points_table(sweep));
  report.add(unanswered_list(sweep));
  for (Table& shape : sweep_shapes(sweep)) report.add(std::move(shape));
  for (std::string& words : choice_words(sweep.confirmed)) {
    report.add(std::move(words));
  }
  add_decision(report, sweep);
  report.add(scale_out_table(sweep));
  report.add(remarks_list(sweep));
  return report;
}

}  // namespace feedrate::report
