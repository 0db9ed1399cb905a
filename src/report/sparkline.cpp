#include "report/sparkline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/number_text.hpp"
#include "report/figure_text.hpp"

namespace feedrate::report {
namespace {

constexpr std::array<std::string_view, 8> blocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/// The mean of each group of as many values as it takes for at most `most` groups.
std::vector<double> grouped(std::span<const double> values, std::size_t most) {
  const std::size_t size = (values.size() + most - 1) / most;
  std::vector<double> means;
  for (std::size_t begin = 0; begin < values.size(); begin += size) {
    const std::size_t end = std::min(values.size(), begin + size);
    double sum = 0.0;
    for (std::size_t i = begin; i < end; ++i) sum += std::max(0.0, values[i]);
    means.push_back(sum / static_cast<double>(end - begin));
  }
  return means;
}

/// The different values of a key, as they were given, of the points that have a result, and which
/// of them each point has.
struct Axis {
  std::string key;
  std::vector<std::string> values;
  std::vector<std::size_t> of_point;  ///< says nothing of a point without a result
};

Axis axis_of(const Sweep& sweep, std::size_t key) {
  Axis axis{sweep.points.front().set[key].first, {}, {}};
  std::unordered_map<std::string, std::size_t> known;
  for (const SweepPoint& point : sweep.points) {
    if (!point.answered()) {
      axis.of_point.push_back(0);
      continue;
    }
    const std::string& value = point.set[key].second;
    const auto [at, added] = known.try_emplace(value, axis.values.size());
    if (added) axis.values.push_back(value);
    axis.of_point.push_back(at->second);
  }
  return axis;
}

/// Three or more numbers in one unit, each above the one before, or each below.
bool is_a_scale(const std::vector<std::string>& values) {
  std::vector<double> numbers;
  std::optional<std::string_view> unit;
  for (const std::string& value : values) {
    const auto parsed = leading_number(value);
    if (!parsed || parsed->rest != unit.value_or(parsed->rest)) return false;
    numbers.push_back(parsed->value);
    unit = parsed->rest;
  }
  return numbers.size() >= 3 && (std::is_sorted(numbers.begin(), numbers.end()) ||
                                 std::is_sorted(numbers.rbegin(), numbers.rend()));
}

/// What is shown of a result along a key.
std::vector<FigureId> figures_shown(const Sweep& sweep) {
  const bool hours_count =
      std::any_of(sweep.points.begin(), sweep.points.end(),
                  [](const SweepPoint& p) { return p.result.bill.hour_value != Money{}; });
  std::vector<FigureId> all = {FigureId::total_time, FigureId::money};
  if (hours_count) all.push_back(FigureId::total_cost);
  all.push_back(FigureId::gpu_busy_of_total);
  return all;
}

/// The figure at each value of the key, the best over all other keys.
std::vector<double> series(const Sweep& sweep, const Axis& axis, const Figure& figure) {
  std::vector<std::optional<double>> best(axis.values.size());
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    if (!sweep.points[i].answered()) continue;
    std::optional<double>& known = best[axis.of_point[i]];
    const auto value = figure.of(sweep.points[i].result);
    if (!value) continue;
    const bool less = figure.better == Better::less;
    if (!known || (less ? *value < *known : *value > *known)) known = value;
  }
  std::vector<double> out;
  for (const auto& value : best) out.push_back(value.value_or(0.0));
  return out;
}

Table shape(const Sweep& sweep, const Axis& axis) {
  const std::string& first = axis.values.front();
  const std::string& last = axis.values.back();
  Table table;
  table.columns = {{"along " + axis.key},
                   {fmt::format("{} … {}", first, last)},
                   {"at " + first, Align::right},
                   {"at " + last, Align::right}};
  for (const FigureId id : figures_shown(sweep)) {
    const std::vector<double> line = series(sweep, axis, figure(id));
    const std::string at_first = figure_text(figure(id).unit, line.front());
    const std::string at_last = figure_text(figure(id).unit, line.back());
    table.rows.push_back({{column_of(id), sparkline(line), at_first, at_last}, false});
  }
  if (sweep.points.front().set.size() > 1) {
    table.note = "Each is the best over the other keys.";
  }
  return table;
}

}  // namespace

std::string sparkline(std::span<const double> values, std::size_t most) {
  if (values.empty() || most == 0) return "";
  const std::vector<double> shown = grouped(values, most);
  const double largest = *std::max_element(shown.begin(), shown.end());
  std::string text;
  for (const double value : shown) {
    const double height =
        largest > 0.0 ? value / largest * static_cast<double>(blocks.size()) : 0.0;
    const auto level = static_cast<std::size_t>(std::max(1.0, std::round(height)));
    text += blocks[std::min(level, blocks.size()) - 1];
  }
  return text;
}

std::vector<Table> sweep_shapes(const Sweep& sweep) {
  std::vector<Table> tables;
  if (sweep.points.empty()) return tables;
  for (std::size_t key = 0; key < sweep.points.front().set.size(); ++key) {
    const Axis axis = axis_of(sweep, key);
    if (is_a_scale(axis.values)) tables.push_back(shape(sweep, axis));
  }
  return tables;
}

}  // namespace feedrate::report
