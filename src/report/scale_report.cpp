#include "report/scale_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/figures.hpp"
#include "report/csv.hpp"
#include "report/figure_text.hpp"
#include "report/numbers.hpp"
#include "report/shared_limit_words.hpp"
#include "report/sweep_words.hpp"

namespace feedrate::report {
namespace {

std::string instances_text(double n) {
  return fmt::format("{} instance{}", count(n), n == 1.0 ? "" : "s");
}

std::string set_text(const ScaleCurve& curve) {
  std::string text;
  for (const auto& [key, value] : curve.set) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, value);
  }
  return text;
}

/// "0.05 allreduce, 0.03 startup": what of 1 each stage takes, most first, down to a hundredth.
std::string lost_text(const Result& r) {
  constexpr double least = 0.005;
  constexpr std::size_t most = 3;
  if (!r.lost_to_scaling) return "";
  std::vector<std::pair<double, Stage>> losses;
  for (const Stage stage : all_stages()) {
    const double lost = (*r.lost_to_scaling)[stage];
    if (std::abs(lost) >= least) losses.emplace_back(lost, stage);
  }
  std::stable_sort(losses.begin(), losses.end(), [](const auto& a, const auto& b) {
    return std::abs(a.first) > std::abs(b.first);
  });
  if (losses.size() > most) losses.resize(most);
  std::string text;
  for (const auto& [lost, stage] : losses) {
    text += fmt::format("{}{:.2f} {}", text.empty() ? "" : ", ", lost, name_of(stage));
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
  add(curve.least.instances == n, scaling.hours_count ? "least total" : "least money");
  add(at(curve.fewest_in_time), "fewest in time");
  add(at(curve.least_in_time) && !at(curve.fewest_in_time), "cheapest in time");
  add(curve.fastest.instances == n, "fastest");
  add(curve.bound && curve.bound->from == n, "shared limit binds");
  return text;
}

Table table_of(const Scaling& scaling, const ScaleCurve& curve, bool marked) {
  Table table;
  if (!curve.set.empty()) table.title = set_text(curve);
  table.columns = {{"instances", Align::right},
                   {column_of(FigureId::total_time), Align::right},
                   {column_of(FigureId::money), Align::right}};
  if (scaling.hours_count) table.columns.push_back({column_of(FigureId::total_cost), Align::right});
  table.columns.insert(table.columns.end(), {{"S", Align::right},
                                             {"break-even S", Align::right},
                                             {"whole job", Align::right},
                                             {"lost to"},
                                             {""}});
  for (const ScaleRow& row : curve.rows) {
    Row out;
    out.cells.emplace_back(count(row.instances) + (row.rounded ? "*" : ""));
    if (!row.point.answered()) {
      out.cells.emplace_back("-", Tone::faint);
      out.cells.resize(table.columns.size() - 1);
      out.cells.back() = Cell(problem_words(row.point), Tone::caution);
      table.rows.push_back(std::move(out));
      continue;
    }
    const Result& r = row.point.result;
    const auto& beside = row.point.scale_out;
    out.cells.emplace_back(duration(r.times.total));
    out.cells.emplace_back(money(r.bill.money));
    if (scaling.hours_count) out.cells.emplace_back(money(r.bill.total));
    const auto share = [&](const std::optional<double>& value) {
      out.cells.push_back(value ? Cell(fmt::format("{:.2f}", *value)) : Cell("-", Tone::faint));
    };
    share(r.efficiency);
    const bool never = beside && r.efficiency && !beside->break_even;
    if (never) {
      out.cells.emplace_back("never", Tone::faint);
    } else {
      share(beside ? beside->break_even : std::nullopt);
    }
    share(r.instances > 1.0 ? r.job_efficiency : std::optional(1.0));
    out.cells.emplace_back(lost_text(r));
    out.cells.emplace_back(marks(curve, scaling, row.instances));
    const double shown = scaling.deadline && curve.least_in_time ? curve.least_in_time->instances
                                                                 : curve.least.instances;
    out.marked = marked && row.instances == shown;
    table.rows.push_back(std::move(out));
  }
  if (std::any_of(curve.rows.begin(), curve.rows.end(),
                  [](const ScaleRow& row) { return row.rounded; })) {
    table.note =
        "* The global batch does not divide: each GPU has the nearest whole number of samples.";
  }
  return table;
}

std::string outlay_text(const Scaling& scaling, const ScalePoint& point) {
  std::string text =
      fmt::format("{} and {}", duration(point.outlay.time), money(point.outlay.money));
  if (scaling.hours_count) text += fmt::format(", {} in all", money(point.outlay.total));
  return text;
}

/// Where the next instance costs more than it saves.
std::string knee_words(const Scaling& scaling, const ScaleCurve& curve) {
  const ScalePoint& least = curve.least;
  if (!scaling.hours_count) {
    std::string text =
        fmt::format("{} {} least money, {}.", instances_text(least.instances),
                    least.instances == 1.0 ? "takes" : "take", outlay_text(scaling, least));
    return text +
           " Hours have no value here, so that a faster job saves nothing by itself: "
           "--value-of-hour says what one is worth.";
  }
  std::string text = fmt::format("At N = {} the job costs least in all: {}.",
                                 count(least.instances), outlay_text(scaling, least));
  if (curve.before) {
    text += fmt::format(" The last instance saves {}",
                        money(curve.before->outlay.total - least.outlay.total));
    text += curve.after ? "," : ".";
  }
  if (curve.after) {
    text += fmt::format("{} the next one would cost {} more than it saves.",
                        curve.before ? "" : " Already",
                        money(curve.after->outlay.total - least.outlay.total));
  } else if (least.instances == curve.to && !curve.end_of_batch) {
    text += fmt::format(" The range ends there while instances still pay: let --to go beyond {}.",
                        count(curve.to));
  }
  return text;
}

std::string deadline_words(const Scaling& scaling, const ScaleCurve& curve) {
  if (!scaling.deadline) return "";
  const std::string deadline = duration(*scaling.deadline);
  if (!curve.fewest_in_time) {
    return fmt::format(
        "No number of instances up to {} meets the deadline of {}: the fastest is "
        "{}, {}, {} late.",
        count(curve.to), deadline, instances_text(curve.fastest.instances),
        outlay_text(scaling, curve.fastest),
        duration(curve.fastest.outlay.time - *scaling.deadline));
  }
  const ScalePoint& fewest = *curve.fewest_in_time;
  const ScalePoint& cheapest = *curve.least_in_time;
  if (fewest.instances == cheapest.instances) {
    return fmt::format("To be done within {}, {} are the fewest and the cheapest: {}.", deadline,
                       instances_text(fewest.instances), outlay_text(scaling, fewest));
  }
  return fmt::format("To be done within {}, {} are the fewest ({}) and {} the cheapest ({}).",
                     deadline, instances_text(fewest.instances), outlay_text(scaling, fewest),
                     count(cheapest.instances), outlay_text(scaling, cheapest));
}

/// What keeps many instances.
std::string bound_words(const ScaleCurve& curve) {
  std::string text;
  if (curve.bound) {
    text = fmt::format("From N = {} on, {}, which all instances share, is the limit.",
                       count(curve.bound->from), limit_words(*curve.bound));
  }
  if (curve.fastest.instances < curve.to) {
    text += fmt::format("{}Beyond N = {} the job takes longer again.", text.empty() ? "" : " ",
                        count(curve.fastest.instances));
  }
  if (curve.end_of_batch) {
    text += fmt::format("{}More than {} have no sample for each GPU in the global batch.",
                        text.empty() ? "" : " ", instances_text(*curve.end_of_batch));
  }
  return text;
}

std::vector<std::string> answers(const Scaling& scaling, const ScaleCurve& curve,
                                 bool below_headline) {
  std::vector<std::string> list;
  // Of one machine the headline has said that it is late.
  const bool said = below_headline && scaling.curves.size() == 1 && !scaling.in_time();
  for (std::string& text :
       std::vector<std::string>{knee_words(scaling, curve),
                                said ? "" : deadline_words(scaling, curve), bound_words(curve)}) {
    if (!text.empty()) list.push_back(std::move(text));
  }
  if (curve.unanswered > 0.0) {
    list.push_back(fmt::format("{} of {} numbers of instances cannot be simulated or priced.",
                               count(curve.unanswered), count(curve.to)));
  }
  return list;
}

std::string kept_words(const Scaling& scaling) {
  if (scaling.kept == BatchKept::global) {
    return fmt::format(
        "Strong scaling: the global batch of {} samples is kept, so that a GPU's "
        "share of it shrinks as instances are added.",
        count(scaling.global_batch.value_or(0.0)));
  }
  return "The batch of each GPU is kept, so that the global batch grows with the instances; "
         "--strong keeps that instead.";
}

std::string best_words(const Scaling& scaling) {
  const ScaleCurve& best = scaling.curves[scaling.best];
  if (!scaling.in_time()) return deadline_words(scaling, best);
  const ScalePoint& at = scaling.deadline ? *best.least_in_time : best.least;
  const std::string lead =
      best.set.empty() ? instances_text(at.instances)
                       : fmt::format("{}, {}", set_text(best), instances_text(at.instances));
  return fmt::format("{}: {}. That is the least {}{}.", lead, outlay_text(scaling, at),
                     scaling.hours_count ? "in all" : "money",
                     scaling.deadline
                         ? fmt::format(" within the deadline of {}", duration(*scaling.deadline))
                         : "");
}

std::vector<std::string> remarks_of(const Scaling& scaling) {
  constexpr std::size_t most = 6;
  std::vector<std::string> list = scaling.remarks;
  const ScaleCurve& best = scaling.curves[scaling.best];
  const double at = best.least.instances;
  for (const ScaleRow& row : best.rows) {
    if (row.instances != at) continue;
    for (const std::string& caveat : row.point.result.caveats) {
      if (list.size() < most) list.push_back(caveat);
    }
  }
  return list;
}

}  // namespace

Report scale_report(const Scaling& scaling, const std::string& name) {
  Report report;
  report.title = fmt::format("{} · 1 to {} instances", name, count(scaling.curves.front().to));
  report.headline = {best_words(scaling), scaling.in_time() ? Tone::good : Tone::bad};
  report.blocks.emplace_back(Paragraph{kept_words(scaling), Tone::plain});
  for (std::size_t i = 0; i < scaling.curves.size(); ++i) {
    const ScaleCurve& curve = scaling.curves[i];
    report.blocks.emplace_back(table_of(scaling, curve, i == scaling.best));
    for (const std::string& text : answers(scaling, curve, true)) {
      report.blocks.emplace_back(Paragraph{text, Tone::plain});
    }
  }
  report.blocks.emplace_back(
      Paragraph{"S: efficiency of the epochs, T(1)/(N·T(N)); from the break-even S on, N instances "
                "cost no more in all than one. Whole job: the same with start-up and staging; what "
                "is missing to 1 is lost to the stages beside it.",
                Tone::faint});
  if (auto remarks = remarks_of(scaling); !remarks.empty()) {
    report.blocks.emplace_back(List{"Remarks", std::move(remarks)});
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
    for (const std::string& text : answers(scaling, curve, false)) list.push_back(lead + text);
  }
  for (std::string& remark : remarks_of(scaling)) list.push_back(std::move(remark));
  return list;
}

}  // namespace feedrate::report
