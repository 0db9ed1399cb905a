#include "study/fit_points.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "model/case_result.hpp"
#include "model/metrics.hpp"
#include "study/run.hpp"
#include "words/cases.hpp"
#include "words/searches.hpp"

namespace feedrate::study {
namespace {

constexpr double half_of_90_percent = 1.6448536269514722;
constexpr double least_error = 0.005;

/// Standard deviation of the mean of repeated measurements, relative to the mean.
std::optional<double> error_of_repeats(const Case& what) {
  const std::vector<double>& repeats = what.repeats;
  if (repeats.size() < 2 || what.measured == 0.0) return std::nullopt;
  const auto n = static_cast<double>(repeats.size());
  double mean = 0.0;
  for (const double each : repeats) mean += each / n;
  double squares = 0.0;
  for (const double each : repeats) squares += (each - mean) * (each - mean);
  return std::sqrt(squares / (n - 1.0) / n) / std::abs(what.measured);
}

std::string_view why_unused(const Case& what, const std::optional<double>& error) {
  if (what.awaited()) return words::promised;
  if (words::is_search(what.metric)) {
    return words::whole_numbers;
  }
  if (error_kind(what) == ErrorKind::bottleneck) return words::right_or_wrong;
  if (error_kind(what) == ErrorKind::absolute && !error) {
    return words::nothing_is_near;
  }
  return "";
}

FitPoint point_of(const Case& what, std::size_t index) {
  FitPoint point;
  point.index = index;
  const ErrorKind kind = error_kind(what);
  point.difference = kind != ErrorKind::relative || what.measured < 0.0;
  std::optional<double> relative = error_of_repeats(what);
  const bool of_repeats = relative.has_value();
  if (!relative && what.tolerance && (*what.tolerance > 0.0 || kind == ErrorKind::relative)) {
    relative = *what.tolerance / half_of_90_percent;
  }
  if (relative) {
    // Tolerances are relative to what was measured, where that is not 0 (case_result.hpp).
    const double scale = point.difference && what.measured != 0.0 ? std::abs(what.measured) : 1.0;
    point.error = std::max(*relative, least_error) * scale;
    if (of_repeats) {
      // Of a variance of least_error² only a part was estimated (Satterthwaite 1946).
      const double known = std::max(1.0, least_error / *relative);
      point.degrees = static_cast<double>(what.repeats.size() - 1) * known * known * known * known;
    }
  }
  point.unused = why_unused(what, point.error);
  return point;
}

std::string metric_pointer(std::size_t index) {
  return "/cases/" + std::to_string(index) + "/metric";
}

void expect_metric(const Case& what, std::size_t index) {
  const std::vector<std::string> names = metric_names();
  const bool known = std::find(names.begin(), names.end(), what.metric) != names.end();
  if (known || words::is_search(what.metric)) return;
  throw InputError({{"", 0, metric_pointer(index), words::unknown_metric(what.metric, false)}});
}

Result run_quickly(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                   bool gains) {
  RunOptions quick;
  quick.list_inputs = false;
  quick.gains = gains ? Gains::all : Gains::none;
  return run(scenario, catalog, host, quick);
}

}  // namespace

std::vector<FitPoint> fit_points(const Scenario& scenario) {
  std::vector<FitPoint> points;
  for (std::size_t i = 0; i < scenario.cases.size(); ++i) {
    expect_metric(scenario.cases[i], i);
    points.push_back(point_of(scenario.cases[i], i));
  }
  return points;
}

FigurePredictor::FigurePredictor(std::span<const Figure> figures) {
  for (const Figure& figure : figures) {
    Wanted wanted{run_of(figure.set), std::nullopt, figure.metric, figure.pointer};
    if (!figure.relative_to.empty()) wanted.reference = run_of(figure.relative_to);
    gains_ = gains_ || is_of_bottleneck(figure.metric);
    wanted_.push_back(std::move(wanted));
  }
}

std::size_t FigurePredictor::run_of(const Setting& set) {
  const auto found = std::find(runs_.begin(), runs_.end(), set);
  if (found == runs_.end()) runs_.push_back(set);
  return static_cast<std::size_t>(std::find(runs_.begin(), runs_.end(), set) - runs_.begin());
}

std::vector<double> FigurePredictor::all(const MakeScenario& make, const Catalog& catalog,
                                         const HostProfile* host) const {
  std::vector<Result> results;
  for (const Setting& set : runs_) results.push_back(run_quickly(make(set), catalog, host, gains_));
  std::vector<double> values;
  for (const Wanted& wanted : wanted_) {
    const auto value = [&](std::size_t which) {
      if (const auto found = metric(results[which], wanted.metric)) return *found;
      throw InputError({{"", 0, wanted.pointer, words::no_such_figure("figure", wanted.metric)}});
    };
    const double here = value(wanted.run);
    values.push_back(wanted.reference ? here / value(*wanted.reference) - 1.0 : here);
  }
  return values;
}

std::vector<std::optional<double>> FigurePredictor::each(const MakeScenario& make,
                                                         const Catalog& catalog,
                                                         const HostProfile* host) const {
  std::vector<std::optional<Result>> results;
  for (const Setting& set : runs_) {
    try {
      results.emplace_back(run_quickly(make(set), catalog, host, gains_));
    } catch (const InputError&) {
      results.emplace_back(std::nullopt);  // a job that cannot be is no measurement
    }
  }
  std::vector<std::optional<double>> values;
  for (const Wanted& wanted : wanted_) {
    const std::optional<Result>& result = results[wanted.run];
    values.push_back(result ? metric(*result, wanted.metric) : std::nullopt);
    if (values.back() && !std::isfinite(*values.back())) values.back().reset();
  }
  return values;
}

std::vector<FigurePredictor::Figure> figures_of(const Scenario& scenario,
                                                std::span<const FitPoint> points) {
  std::vector<FigurePredictor::Figure> figures;
  for (const FitPoint& point : points) {
    const Case& what = scenario.cases[point.index];
    figures.push_back({what.set, what.relative_to, what.metric, metric_pointer(point.index)});
  }
  return figures;
}

}  // namespace feedrate::study
