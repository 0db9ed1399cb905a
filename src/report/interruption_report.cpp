#include "report/interruption_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "base/number_text.hpp"
#include "model/figures.hpp"
#include "report/figure_text.hpp"
#include "report/numbers.hpp"

namespace feedrate::report {
namespace {

std::string other_intervals(const Interruptions& of) {
  if (!of.best) return "";
  std::string text = "the best is " + duration(*of.best);
  if (of.young && of.daly) {
    text += fmt::format("; Young's formula says {}, Daly's {}", duration(*of.young),
                        duration(*of.daly));
  }
  return text;
}

/// As the bill has it: whoever was not taken away, or nobody.
std::string paid_meanwhile(const Bill& bill) {
  const double paid = std::round(bill.paid_in_waits);
  if (paid < 1.0) return "not paid";
  return paid == 1.0 ? "the other instance is paid"
                     : fmt::format("the other {} instances are paid", count(paid));
}

std::string spot_words(const OnDemandInstead& of) {
  const std::string loses = of.loses > 0.0 && of.loses < 0.01 ? "under 1 %" : percent(of.loses);
  const char* const more = of.saving < 0.0 ? "costs" : "saves";
  return fmt::format("spot {} {}{} on average, and costs more in {} of jobs", more,
                     percent(std::abs(of.saving)), of.saving < 0.0 ? " more" : "", loses);
}

}  // namespace

std::string chance_of_one(const Result& r) {
  if (!r.interruptions) return "-";
  if (!r.interruptions->between) return percent(0.0);
  const Duration alone = r.times.total - r.interruptions->lost;
  return percent(-std::expm1(-(alone / *r.interruptions->between)));
}

Table interruption_table(const Result& r) {
  Table table;
  if (!r.interruptions) return table;
  const Interruptions& of = *r.interruptions;
  table.title = "Interruptions";
  table.columns = {{""}, {"", Align::right}, {""}};
  const auto add = [&](FigureId id, std::string remark) {
    table.rows.push_back(
        {{std::string(figure(id).title), figure_text(r, id), std::move(remark)}, false});
  };
  const auto add_time = [&](FigureId id, Duration time, std::string remark) {
    if (time > Duration{}) add(id, std::move(remark));
  };
  if (of.between) {
    table.rows.push_back(
        {{std::string(figure(FigureId::interruptions).title), three_digits(of.expected),
          "on average; one every " + duration(*of.between)},
         false});
  }
  add_time(FigureId::rework, of.rework, "");
  add_time(FigureId::restarts, of.restarts, "");
  add_time(FigureId::capacity_wait, of.waits, paid_meanwhile(r.bill));
  add(FigureId::effective_time, "of the job's time is training that is not lost");
  if (of.interval) add(FigureId::checkpoint_interval, other_intervals(of));
  if (of.draws > 0 && of.between) {
    const auto between = [](const std::string& low, const std::string& high) {
      return low == high ? low : low + " to " + high;
    };
    table.rows.push_back(
        {{"90 % of jobs take", "",
          fmt::format("{}, and cost {}", between(duration(of.time[0]), duration(of.time[1])),
                      between(money(of.money[0]), money(of.money[1])))},
         false});
  }
  if (of.on_demand) add(FigureId::on_demand_money, spot_words(*of.on_demand));
  if (of.blocks) {
    const double more = of.more_blocks.value_or(0.0);
    const bool whole = *of.blocks == std::floor(*of.blocks);
    table.rows.push_back(
        {{std::string(figure(FigureId::blocks).title),
          whole ? count(*of.blocks) : fmt::format("{:.3g}", *of.blocks),
          more > 0.0 ? fmt::format("on average; interruptions take {} of jobs into a further one",
                                   more < 0.01 ? "under 1 %" : percent(more))
                     : "booked one after the other"},
         false});
    add(FigureId::unused, "");
  }
  return table;
}

}  // namespace feedrate::report
