#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "report/figure_text.hpp"
#include "report/html_parts.hpp"
#include "report/html_text.hpp"
#include "report/numbers.hpp"
#include "report/sweep_words.hpp"

namespace feedrate::report {
namespace {

double usd_per_hour_of(HourlyPrice price) {
  return price * hours(1) / usd(1);
}

// Digits that people would write: 3, not 3.0000000000000004.
std::string all_digits(double value) {
  return fmt::format("{:.15g}", value);
}

// Up to where the slider goes: well above what the cluster costs and what the scenario says.
double most_for_an_hour(const HtmlInput& input) {
  const Bill& bill = input.named.result.bill;
  const double cluster =
      bill.billed_time > Duration{} ? usd_per_hour_of(bill.compute / bill.billed_time) : 0.0;
  const double wanted = std::max({20.0, 4.0 * cluster, 3.0 * usd_per_hour_of(input.value_of_hour)});
  const double unit = std::pow(10.0, std::floor(std::log10(wanted)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (wanted <= factor * unit) return factor * unit;
  }
  return 10.0 * unit;
}

// The key along the axis, as plots/rows.js chooses it: instances, else the one of most values.
std::string_view axis_key(const Sweep& sweep) {
  std::string_view longest;
  std::size_t most = 0;
  for (std::size_t i = 0; i < sweep.points.front().set.size(); ++i) {
    std::set<std::string_view> values;
    for (const SweepPoint& point : sweep.points) values.insert(point.set[i].second);
    const std::string_view key = sweep.points.front().set[i].first;
    if (key == "instances" && values.size() > 1) return key;
    if (values.size() > most) longest = key;
    most = std::max(most, values.size());
  }
  return longest;
}

// Machines have no order along an axis, and no line leads from one to the next.
bool over_machines(const Sweep& sweep) {
  const std::string_view key = axis_key(sweep);
  return key == "instance" || key.ends_with("/instance") || key.ends_with(".instance");
}

std::string keys_of(const Sweep& sweep) {
  std::vector<std::string_view> keys, others;
  for (const auto& [key, value] : sweep.points.front().set) {
    keys.push_back(key);
    if (key != axis_key(sweep) && !over_machines(sweep)) others.push_back(key);
  }
  return fmt::format(
      "{}: {}.{}", counted(sweep.points.size(), "point"), fmt::join(keys, " × "),
      others.empty() ? "" : fmt::format(" A line for each {}.", fmt::join(others, ", ")));
}

/// What the points' own headlines would say, each once.
std::string caveats_of(const Sweep& sweep) {
  constexpr std::size_t most = 4;
  std::vector<std::string_view> said;
  std::string text;
  for (const SweepPoint& point : sweep.points) {
    for (const std::string& caveat : point.result.caveats) {
      if (said.size() == most || std::find(said.begin(), said.end(), caveat) != said.end())
        continue;
      said.emplace_back(caveat);
      text += " " + caveat;
    }
  }
  return text;
}

std::string points_html(const Sweep& sweep) {
  std::vector<Column> columns;
  for (const auto& [key, value] : sweep.points.front().set) columns.push_back({key, Align::right});
  const auto column = [](FigureId id) { return Column{column_of(id), Align::right}; };
  columns.insert(columns.end(), {column(FigureId::total_time),
                                 column(FigureId::money),
                                 column(FigureId::total_cost),
                                 {"samples/s", Align::right},
                                 column(FigureId::gpu_busy_of_total),
                                 column(FigureId::efficiency),
                                 {"bottleneck"},
                                 {"marks"}});
  std::string out = open_table("Points of the sweep", "points") + table_head(columns) + "<tbody>";
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const Result& r = sweep.points[i].result;
    const bool best = i == sweep.fastest || i == sweep.cheapest;
    out += fmt::format("<tr data-index=\"{}\"{}>", i, best ? " class=\"marked\"" : "");
    const char* tag = "th scope=\"row\"";
    for (const auto& [key, value] : sweep.points[i].set) {
      out += fmt::format("<{} class=\"right\">{}</{}>", tag, escaped(value),
                         std::string_view(tag).substr(0, 2));
      tag = "td";
    }
    out += fmt::format(
        "<td class=\"right\">{}</td><td class=\"right\">{}</td><td class=\"right total\">{}</td>"
        "<td class=\"right\">{}</td><td class=\"right\">{}</td><td "
        "class=\"right\">{}</td><td>{}</td>"
        "<td class=\"marks\">{}</td></tr>",
        duration(r.times.total), money(r.bill.money), money(r.bill.total),
        r.throughput ? rate(*r.throughput) : "-", figure_text(r, FigureId::gpu_busy_of_total),
        r.efficiency ? percent(*r.efficiency) : "-",
        r.bottleneck.stage ? name_of(*r.bottleneck.stage) : "none", sweep_marks(sweep, i));
  }
  return out + "</tbody>" + close_table();
}

// S* of each number of instances, by its first point. plots/rows.js and page.js say the same.
std::string break_even_words(const Sweep& sweep, HourlyPrice value_of_hour) {
  std::map<double, std::optional<double>> efficiencies;
  bool several = false;
  for (const SweepPoint& point : sweep.points) {
    const Result& r = point.result;
    if (r.instances <= 1.0 || r.bill.billed_time <= Duration{}) continue;
    several = true;
    if (point.scale_out && r.efficiency) {
      efficiencies.emplace(r.instances, point.scale_out->break_even);
    }
  }
  if (several && value_of_hour <= HourlyPrice{}) {
    return "Give an hour a value to see the efficiency above which more instances pay off.";
  }
  const bool never = std::none_of(efficiencies.begin(), efficiencies.end(),
                                  [](const auto& one) { return one.second.has_value(); });
  if (!efficiencies.empty() && never) {
    return "More instances cost more than the fewest, whatever their efficiency.";
  }
  std::string text;
  for (const auto& [instances, efficiency] : efficiencies) {
    text += fmt::format("{}{} for {}{}", text.empty() ? "Break-even efficiency S*: " : ", ",
                        efficiency ? number(*efficiency) : "never", count(instances),
                        text.empty() ? " instances" : "");
  }
  return text.empty() ? "" : text + ". Above it they cost less than the fewest.";
}

bool has_break_even(const HtmlInput& input) {
  return !input.hour_varies && std::any_of(input.sweep->points.begin(), input.sweep->points.end(),
                                           [](const SweepPoint& point) {
                                             return point.scale_out && point.result.efficiency &&
                                                    point.result.bill.compute > Money{};
                                           });
}

}  // namespace

void add_sweep_parts(PageValues& values, const HtmlInput& input) {
  const double most = most_for_an_hour(input);
  values["hour_value"] = all_digits(usd_per_hour_of(input.value_of_hour));
  values["hour_most"] = all_digits(most);
  values["hour_step"] = all_digits(most / 200.0);
  values["hour_fixed"] = input.hour_varies ? "true" : "false";
  values["no_sweep"] = escaped(input.no_sweep);
  for (const char* name : {"points", "points_count", "best", "break_even", "sweep_of", "lines",
                           "no_lines", "has_break_even"}) {
    values[name] = "";
  }
  if (input.sweep == nullptr || input.sweep->points.empty()) return;
  const Sweep& sweep = *input.sweep;
  values["points"] = points_html(sweep);
  values["points_count"] = counted(sweep.points.size(), "point");
  values["best"] = escaped(sweep_headline(sweep).text);
  values["break_even"] =
      escaped(input.hour_varies ? "" : break_even_words(sweep, input.value_of_hour));
  values["sweep_of"] = escaped(keys_of(sweep) + caveats_of(sweep));
  (over_machines(sweep) ? values["no_lines"] : values["lines"]) = "yes";
  values["has_break_even"] = has_break_even(input) ? "yes" : "";
}

}  // namespace feedrate::report
