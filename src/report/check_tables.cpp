#include "report/check_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "model/metrics.hpp"
#include "report/check_words.hpp"
#include "report/figure_text.hpp"
#include "report/numbers.hpp"

namespace feedrate::report {
namespace {

/// Rounded to a grid that suits the largest of the amounts, so that differences of what is shown
/// are what is shown of the differences.
class Grid {
 public:
  Grid(double largest, double digits_from_one) {
    while (decimals_ > 0 && largest >= digits_from_one * std::pow(10.0, 4 - decimals_)) --decimals_;
  }
  explicit Grid(int decimals) : decimals_(decimals) {}

  [[nodiscard]] std::int64_t at(double value) const {
    return std::llround(value * std::pow(10.0, decimals_));
  }
  /// With its sign; "0" for nothing.
  [[nodiscard]] std::string difference(double from, double to) const {
    const std::int64_t steps = at(to) - at(from);
    if (steps == 0) return "0";
    return fmt::format("{:+.{}f}", static_cast<double>(steps) / std::pow(10.0, decimals_),
                       decimals_);
  }

 private:
  int decimals_ = 4;
};

struct Grids {
  Grid money{2};
  Grid time{1};
  Grid busy{1};
};

Row part_row(const std::string& name, const Amounts& from, const Amounts& to, const Grids& grids) {
  const auto cell = [](const std::string& text, bool good) {
    if (text == "0") return Cell(text, Tone::faint);
    return Cell(text, text.starts_with('-') == good ? Tone::good : Tone::bad);
  };
  Row row;
  row.cells = {name, cell(grids.money.difference(from.money.base(), to.money.base()), true),
               cell(grids.money.difference(from.total.base(), to.total.base()), true),
               cell(grids.time.difference(from.time.base(), to.time.base()), true),
               cell(grids.busy.difference(100.0 * from.gpu_busy, 100.0 * to.gpu_busy), false)};
  return row;
}

/// The part that the chain starts with: the simulator's, where there is one.
const Part& first_of(const std::vector<Part>& parts) {
  const auto has_simulator = [](const Part& part) {
    return std::find(part.groups.begin(), part.groups.end(), InputGroup::simulator) !=
           part.groups.end();
  };
  return has_simulator(parts.back()) ? parts.back() : parts.front();
}

const Part& last_of(const std::vector<Part>& parts) {
  return &first_of(parts) == &parts.back() && parts.size() > 1 ? parts[parts.size() - 2]
                                                               : parts.back();
}

}  // namespace

Table summary_table(const Verdict& verdict) {
  Table table;
  table.columns = {{"scenario"}, {"verdict"}};
  for (const FigureId id : main_figures) table.columns.push_back({heading_of(id), Align::right});
  table.columns.push_back({"bottleneck"});
  for (const ScenarioVerdict& scenario : verdict.scenarios) {
    Row row;
    row.marked = scenario.level == Level::fail;
    const Tone tone = scenario.level == Level::fail   ? Tone::bad
                      : scenario.level == Level::warn ? Tone::caution
                                                      : Tone::plain;
    row.cells = {Cell(scenario.name), Cell(standing_text(scenario), tone)};
    for (const FigureId id : main_figures) {
      const FigureChange* change = scenario.figure(name_of(id));
      row.cells.push_back(change == nullptr ? Cell("-", Tone::faint) : change_cell(*change));
    }
    row.cells.emplace_back(bottleneck_text(scenario));
    table.rows.push_back(std::move(row));
  }
  for (const ScenarioErrors& of : verdict.errors) {
    Row row{{Cell(of.key), Cell("error", Tone::bad)}, true};
    row.cells.resize(table.columns.size(), Cell("-", Tone::faint));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table stage_table(const ScenarioVerdict& scenario) {
  Table table;
  table.title = "GPU time by stage: time spent waiting for the stage; for gpu, time spent working";
  table.columns = {
      {"stage"}, {"before", Align::right}, {"now", Align::right}, {"change", Align::right}};
  // The verdict has them by their sign; of a job that is faster, those that made it so come last.
  std::vector<StageChange> changes = scenario.stages;
  std::stable_sort(changes.begin(), changes.end(), [](const StageChange& a, const StageChange& b) {
    return std::abs((a.now - a.before).base()) > std::abs((b.now - b.before).base());
  });
  for (const StageChange& change : changes) {
    const Duration delta = change.now - change.before;
    const bool up = delta.base() > 0.0;
    Row row;
    row.cells = {Cell(std::string(name_of(change.stage))), Cell(duration(change.before)),
                 Cell(duration(change.now)),
                 Cell((up ? "+" : "") + duration(delta), up ? Tone::bad : Tone::good)};
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table part_table(const ScenarioVerdict& scenario) {
  Table table;
  table.title = "Why: the effect of the new inputs, applied one group at a time in this order";
  table.columns = {{"group"}};
  for (const FigureId id : main_figures) {
    const std::string_view unit = unit_text(figure(id).unit);
    table.columns.push_back(
        {fmt::format("{}, {}", heading_of(id), unit.empty() ? "points" : unit), Align::right});
  }
  if (scenario.parts.empty()) return table;
  double most_money = 0.0;
  double most_time = 0.0;
  for (const Part& part : scenario.parts) {
    for (const Amounts& amounts : {part.from, part.to}) {
      most_money = std::max({most_money, amounts.money.base(), amounts.total.base()});
      most_time = std::max(most_time, amounts.time.base());
    }
  }
  const Grids grids{most_money >= 1.0 ? Grid(2) : Grid(4), Grid(most_time, 10.0), Grid(1)};
  for (const Part& part : scenario.parts) {
    std::string name;
    for (const InputGroup group : part.groups) {
      name += fmt::format("{}{}", name.empty() ? "" : " + ", name_of(group));
    }
    table.rows.push_back(part_row(name, part.from, part.to, grids));
  }
  table.rows.push_back(
      part_row("together", first_of(scenario.parts).from, last_of(scenario.parts).to, grids));
  table.note = "simulator: the baseline's own inputs, simulated with this version of feedrate";
  return table;
}

Table key_table(const ScenarioVerdict& scenario) {
  Table table;
  table.title = "Inputs that changed";
  table.columns = {{"group"}, {"key"}, {"before"}, {"now"}};
  for (const KeyChange& change : scenario.keys) {
    Row row;
    row.cells = {Cell(std::string(name_of(change.group))), Cell(change.key),
                 Cell(value_text(change.before)), Cell(value_text(change.after))};
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace feedrate::report
