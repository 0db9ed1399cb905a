#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/optimum.hpp"
#include "report/choice_words.hpp"
#include "report/csv.hpp"
#include "report/figure_text.hpp"
#include "report/numbers.hpp"
#include "report/reports.hpp"
#include "report/shell_text.hpp"
#include "report/sweep_words.hpp"

namespace feedrate::report {
namespace {

std::string number_of(std::size_t points) {
  return count(static_cast<double>(points));
}

/// What is smaller than this share is shown as no difference at all.
constexpr double visible = 5e-4;

bool differ(double value, double than) {
  return std::abs(value - than) > visible * std::max(std::abs(value), std::abs(than));
}

std::string by_share(double value, double than) {
  return than > 0.0 ? fmt::format(" ({})", signed_percent(value / than - 1.0)) : "";
}

std::string time_beside(const Outlay& outlay, const Outlay& than) {
  const double by = (outlay.time - than.time).base();
  if (!differ(outlay.time.base(), than.time.base())) return "as fast";
  return fmt::format("{} {}{}", duration(seconds(std::abs(by))), by > 0.0 ? "slower" : "faster",
                     by_share(outlay.time.base(), than.time.base()));
}

std::string money_beside(Money value, Money than, std::string_view what) {
  if (!differ(value.base(), than.base())) return fmt::format("same cost{}", what);
  const Money by = value - than;
  return fmt::format("{} {}{}{}", money(usd(std::abs(by.base()))),
                     by > Money{} ? "more expensive" : "cheaper", what,
                     by_share(value / usd(1), than / usd(1)));
}

/// What differs, and how: "num_workers 4 instead of 3"; "" where nothing does.
std::string instead_words(const Candidate& point, const Candidate& than) {
  std::string words;
  for (std::size_t i = 0; i < point.set.size(); ++i) {
    const auto& [key, value] = point.set[i];
    if (value == than.set[i].second) continue;
    words += fmt::format("{}{} = {} instead of {}", words.empty() ? "" : ", ", key, value,
                         than.set[i].second);
  }
  return words;
}

/// "$0.41 more expensive (+3.2 %), 12 min faster": what is minimized first.
std::string beside_words(const Optimum& optimum, const Outlay& outlay, const Outlay& than) {
  const std::string time = time_beside(outlay, than);
  const std::string bill =
      money_beside(outlay.money, than.money, optimum.hours_count ? " on the bill" : "");
  const std::string total =
      optimum.hours_count ? money_beside(outlay.total, than.total, " in total") : bill;
  switch (optimum.minimized) {
    case Minimized::total: return total + ", " + time;
    case Minimized::money: return bill + ", " + time;
    case Minimized::time: return time + ", " + total;
  }
  return total;
}

/// "lowest total cost", "shortest time".
std::string least_words(const Optimum& optimum) {
  if (optimum.no_price) return "shortest time (nothing here has a price)";
  switch (optimum.minimized) {
    case Minimized::total: return optimum.hours_count ? "lowest total cost" : "lowest cost";
    case Minimized::money: return "lowest bill";
    case Minimized::time: return "shortest time";
  }
  return "lowest cost";
}

/// " of the 40 of 100 points that meet the deadline of 3 h".
std::string feasible_words(const Optimum& optimum) {
  const std::size_t answered = optimum.points - optimum.unanswered;
  std::string left_out;
  if (optimum.guessed > 0) {
    left_out += fmt::format("; {} more {} steps that are guesses", number_of(optimum.guessed),
                            optimum.guessed == 1 ? "rests on" : "rest on");
  }
  if (optimum.unanswered > 0) {
    left_out += fmt::format("; {} cannot be simulated or priced", number_of(optimum.unanswered));
  }
  if (!optimum.constraints.any()) {
    return fmt::format(" of {}{}", counted(answered - optimum.guessed, "point"), left_out);
  }
  const std::size_t feasible = optimum.feasible - optimum.guessed;
  return fmt::format(" of the {} of {} that {} {}{}", number_of(feasible),
                     counted(answered, "point"), feasible == 1 ? "meets" : "meet",
                     constraint_words(optimum.constraints), left_out);
}

/// Why no point is feasible, and which comes nearest. Precondition: there is no winner.
std::string no_winner_words(const Optimum& optimum) {
  const Constraints& constraints = optimum.constraints;
  const NearestMiss& nearest = *optimum.nearest;
  std::string words =
      fmt::format("None of {} meets {}", counted(optimum.points - optimum.unanswered, "point"),
                  constraint_words(constraints));
  if (constraints.deadline && constraints.budget) {
    words += fmt::format(" together ({} the deadline, {} the budget)", number_of(optimum.in_time),
                         number_of(optimum.in_budget));
  }
  std::string misses;
  if (nearest.late) {
    misses = fmt::format("misses the deadline by {}{}", duration(*nearest.late),
                         by_share(nearest.point.outlay.time.base(), constraints.deadline->base()));
  }
  if (nearest.over) {
    misses += fmt::format("{} the budget by {}{}", misses.empty() ? "exceeds" : " and",
                          money(*nearest.over),
                          by_share(nearest.point.outlay.money.base(), constraints.budget->base()));
  }
  return fmt::format("{}. Nearest: {} ({}) {}.", words, setting_text(nearest.point.set),
                     outlay_words(nearest.point.outlay), misses);
}

std::vector<Column> columns_of(const Optimum& optimum, const Candidate& any) {
  std::vector<Column> columns = {{""}};
  for (const auto& [key, value] : any.set) columns.push_back({key, Align::right});
  columns.push_back({column_of(FigureId::total_time), Align::right});
  columns.push_back({column_of(FigureId::money), Align::right});
  if (optimum.hours_count) columns.push_back({column_of(FigureId::total_cost), Align::right});
  return columns;
}

Row row_of(const Optimum& optimum, const std::string& role, const Candidate& candidate) {
  Row row;
  row.cells.emplace_back(role);
  for (const auto& [key, value] : candidate.set) row.cells.emplace_back(value);
  row.cells.emplace_back(duration(candidate.outlay.time));
  row.cells.emplace_back(money(candidate.outlay.money));
  if (optimum.hours_count) row.cells.emplace_back(money(candidate.outlay.total));
  return row;
}

/// What the winner is, beside the point that comes after it and the scenario as it is.
Table best_table(const Optimum& optimum) {
  const Winner& winner = *optimum.winner;
  Table table;
  table.columns = columns_of(optimum, winner.point);
  table.columns.push_back({"compared with the best"});
  table.rows.push_back(row_of(optimum, "best", winner.point));
  table.rows.back().marked = true;
  const auto add = [&](const char* role, const Candidate& candidate) {
    table.rows.push_back(row_of(optimum, role, candidate));
    table.rows.back().cells.emplace_back(
        beside_words(optimum, candidate.outlay, winner.point.outlay));
  };
  if (winner.runner_up) add("next", *winner.runner_up);
  if (optimum.as_written) {
    Candidate now{0, winner.point.set, *optimum.as_written};
    for (auto& [key, value] : now.set) value = "";
    add("as written", now);
  }
  if (winner.confirmed) {
    const Duration stated = winner.confirmed->best().outlay.time;
    const double parts = stated / winner.point.outlay.time - 1.0;
    if (std::abs(parts) > alike_share) {
      table.note = fmt::format("All rows are in closed form; event by event, the best takes {}.",
                               duration(stated));
    }
  }
  return table;
}

std::string runner_up_words(const Optimum& optimum) {
  const Winner& winner = *optimum.winner;
  std::string words;
  const auto add = [&words](const std::string& sentence) {
    words += (words.empty() ? "" : " ") + sentence;
  };
  if (winner.confirmed && winner.confirmed->chosen > 0) {
    add(fmt::format("By the mean alone, the best would be {}, which is {}.",
                    instead_words(*winner.runner_up, winner.point),
                    beside_words(optimum, winner.runner_up->outlay, winner.point.outlay)));
  } else if (winner.runner_up) {
    add(fmt::format("Next best: {}, which is {}.", instead_words(*winner.runner_up, winner.point),
                    beside_words(optimum, winner.runner_up->outlay, winner.point.outlay)));
  } else if (optimum.feasible - optimum.guessed == 1) {
    add(optimum.points == 1 ? "There is no other point to compare it with."
                            : "No other point qualifies.");
  } else {
    add(fmt::format("No other qualifying point is more than {} worse.", percent(alike_share)));
  }
  if (winner.near > 1) {
    add(fmt::format("{} are within {} of the best{}.", counted(winner.near, "point"),
                    percent(alike_share),
                    winner.simplest ? "; of these " + setting_text(winner.simplest->set) +
                                          " changes the fewest keys of the scenario"
                                    : "; none of these changes fewer keys of the scenario"));
  }
  if (winner.equal > 1) {
    add(fmt::format(
        "{} are exactly equally good; the first of them that changes the fewest keys is taken.",
        counted(winner.equal, "point")));
  }
  return words;
}

List settings_list(const Winner& winner) {
  List list{"Reproduce it with feedrate run, the other flags of this command, and", {}};
  for (const auto& [key, value] : winner.point.set) {
    list.items.push_back(set_flag(key, value));
  }
  return list;
}

std::string relaxed_words(const Optimum& optimum, const Relaxed& relaxed) {
  const Constraints& constraints = optimum.constraints;
  const std::string which = relaxed.without_deadline && relaxed.without_budget
                                ? "the deadline and the budget together"
                            : relaxed.without_deadline
                                ? fmt::format("the deadline of {}", duration(*constraints.deadline))
                                : fmt::format("the budget of {}", money(*constraints.budget));
  const Winner& winner = *optimum.winner;
  const double with = winner.point.outlay.of(optimum.minimized);
  const double without = relaxed.best.outlay.of(optimum.minimized);
  if (!(without < (1.0 - alike_share) * with)) return which + ": excludes nothing better";
  return fmt::format("{}: without {} {} would be {}", which,
                     relaxed.without_deadline && relaxed.without_budget ? "them" : "it",
                     setting_text(relaxed.best.set),
                     beside_words(optimum, relaxed.best.outlay, winner.point.outlay));
}

List bounds_list(const Optimum& optimum) {
  const Winner& winner = *optimum.winner;
  List list{"What limits it", {}};
  const bool each_binds =
      winner.relaxed.size() == 3 &&
      std::any_of(winner.relaxed.begin(), winner.relaxed.end() - 1, [&](const Relaxed& relaxed) {
        return relaxed.best.point == winner.relaxed.back().best.point;
      });
  for (const Relaxed& relaxed : winner.relaxed) {
    // Both together say nothing that one of them has not said.
    if (relaxed.without_deadline && relaxed.without_budget && each_binds) continue;
    list.items.push_back(relaxed_words(optimum, relaxed));
  }
  return list;
}

std::string chances_words(const Optimum& optimum) {
  const Winner& winner = *optimum.winner;
  const Chances& chances = *winner.chances;
  std::string words;
  if (chances.compared > 1) {
    words = fmt::format(
        "In {} of {} draws of the uncertain inputs, the best point {}remains the best or within {} "
        "of it (compared with {}: the nearest, and the best with other values).",
        percent(chances.best), chances.draws,
        optimum.constraints.any() ? "meets the constraints and " : "", percent(alike_share),
        counted(chances.compared - 1, "point"));
    if (chances.rival) {
      words += fmt::format(" In {}, the best is {}.", percent(chances.rival_best),
                           instead_words(*chances.rival, winner.point));
    }
  }
  const auto meets = [&](const char* what, double share) {
    words += fmt::format("{}The {} is met in {}{}.", words.empty() ? "" : " ", what, percent(share),
                         chances.compared > 1 ? "" : fmt::format(" of {} draws", chances.draws));
  };
  if (optimum.constraints.deadline) meets("deadline", chances.in_time);
  if (optimum.constraints.budget) meets("budget", chances.in_budget);
  return words;
}

Table front_table(const Optimum& optimum) {
  const Winner& winner = *optimum.winner;
  Table table;
  table.title = optimum.minimized == Minimized::money
                    ? "Pareto front: no other point is both faster and cheaper on the bill"
                    : "Pareto front: no other point is both faster and cheaper";
  table.columns = columns_of(optimum, winner.point);
  for (const Candidate& point : winner.front) {
    const bool best = point.point == winner.point.point;
    table.rows.push_back(row_of(optimum, best ? "best" : "", point));
    table.rows.back().marked = best;
  }
  if (winner.front.size() < winner.front_size) {
    table.note = fmt::format("{} of its {} are shown, evenly spaced.", winner.front.size(),
                             counted(winner.front_size, "point"));
  }
  return table;
}

List no_result_list(const Optimum& optimum) {
  List list{"Without a result", {}};
  for (const NoResult& reason : optimum.no_result) {
    SweepPoint first;
    first.problems = reason.problems;
    list.items.push_back(fmt::format("{}{}: {}", counted(reason.points, "point"),
                                     reason.points == 1
                                         ? ", " + setting_text(reason.set)
                                         : ", the first of them " + setting_text(reason.set),
                                     problem_words(first)));
  }
  if (optimum.other_reasons > 0) {
    list.items.push_back(fmt::format("and {} other {}", optimum.other_reasons,
                                     optimum.other_reasons == 1 ? "reason" : "reasons"));
  }
  return list;
}

/// What the winner's own report would say beside its figures.
List remarks_list(const Result& result) {
  constexpr std::size_t most = 8;
  List list{"Remarks", {}};
  for (const auto* source : {&result.caveats, &result.remarks}) {
    for (const std::string& remark : *source) {
      if (list.items.size() < most) list.items.push_back(remark);
    }
  }
  return list;
}

Paragraph headline(const Optimum& optimum) {
  const Winner& winner = *optimum.winner;
  const Result& result = winner.result;
  const std::string stage =
      result.bottleneck.stage
          ? fmt::format("; the bottleneck is then {}, and the GPUs are busy {} of the time",
                        name_of(*result.bottleneck.stage),
                        figure_text(result, FigureId::gpu_busy_of_total))
          : fmt::format("; the GPUs are then busy {} of the time",
                        figure_text(result, FigureId::gpu_busy_of_total));
  const bool by_events = winner.confirmed && winner.confirmed->chosen > 0;
  return {fmt::format("{}: {}{}. It has the {}{}{}.", setting_text(winner.point.set),
                      outlay_words(winner.confirmed ? winner.confirmed->best().outlay
                                                    : winner.point.outlay),
                      stage, least_words(optimum),
                      by_events ? ", event by event, among the best" : "", feasible_words(optimum)),
          Tone::good};
}

void add_misses(Report& report, const Optimum& optimum) {
  report.headline = {no_winner_words(optimum), Tone::bad};
  Table table;
  table.columns = columns_of(optimum, optimum.nearest->point);
  table.rows = {row_of(optimum, "nearest miss", optimum.nearest->point),
                row_of(optimum, "fastest", *optimum.fastest),
                row_of(optimum, "cheapest", *optimum.cheapest)};
  table.rows.front().marked = true;
  report.add(std::move(table));
}

}  // namespace

Report optimum_report(const Optimum& optimum, const std::string& name) {
  Report report;
  report.title = fmt::format("{} · best of {}", name, counted(optimum.points, "point"));
  if (optimum.winner) {
    const Winner& winner = *optimum.winner;
    report.headline = headline(optimum);
    report.add(best_table(optimum));
    report.add(runner_up_words(optimum));
    if (winner.confirmed) report.add(choice_words(*winner.confirmed, "the best"));
    report.add(settings_list(winner));
    report.add(bounds_list(optimum));
    if (winner.chances) report.add(chances_words(optimum));
    if (winner.front_size > 1) report.add(front_table(optimum));
  } else {
    add_misses(report, optimum);
  }
  report.add(no_result_list(optimum));
  if (optimum.winner) report.add(remarks_list(optimum.winner->result));
  return report;
}

std::string optimum_csv(const Optimum& optimum) {
  const Candidate& any = optimum.winner ? optimum.winner->point : optimum.nearest->point;
  std::vector<std::vector<std::string>> rows(1);
  rows.front().emplace_back("role");
  for (const auto& [key, value] : any.set) rows.front().push_back("set." + key);
  for (const FigureId id : {FigureId::total_time, FigureId::money, FigureId::total_cost}) {
    rows.front().emplace_back(name_of(id));
  }
  const auto add = [&](const char* role, const Candidate& point) {
    std::vector<std::string>& row = rows.emplace_back();
    row.emplace_back(role);
    for (const auto& [key, value] : point.set) row.push_back(value);
    row.push_back(exact(point.outlay.time.base()));
    row.push_back(exact(point.outlay.money.base()));
    row.push_back(exact(point.outlay.total.base()));
  };
  if (optimum.winner) {
    const Winner& winner = *optimum.winner;
    add("best", winner.point);
    if (winner.runner_up) add("runner_up", *winner.runner_up);
    for (const Candidate& point : winner.front) add("pareto", point);
    for (const Relaxed& relaxed : winner.relaxed) {
      add(!relaxed.without_budget     ? "without_deadline"
          : !relaxed.without_deadline ? "without_budget"
                                      : "unconstrained",
          relaxed.best);
    }
    if (winner.chances && winner.chances->rival) add("rival", *winner.chances->rival);
  } else {
    add("nearest_miss", optimum.nearest->point);
    add("fastest", *optimum.fastest);
    add("cheapest", *optimum.cheapest);
  }
  return to_csv(rows);
}

std::vector<std::string> optimum_remarks(const Optimum& optimum) {
  std::vector<std::string> remarks;
  if (!optimum.winner) remarks.push_back(no_winner_words(optimum));
  if (optimum.winner && optimum.winner->confirmed) {
    remarks.push_back(choice_words(*optimum.winner->confirmed, "the best"));
  }
  if (optimum.unanswered > 0) {
    remarks.push_back(unanswered_words(optimum.unanswered, optimum.points) +
                      "; --format text says why");
  }
  return remarks;
}

}  // namespace feedrate::report
