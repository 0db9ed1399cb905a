#include "study/fit_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/did_you_mean.hpp"
#include "base/errors.hpp"
#include "base/quote.hpp"
#include "model/case_result.hpp"
#include "study/metrics.hpp"
#include "study/run.hpp"

namespace feedrate::study {
namespace {

constexpr std::string_view search_prefix = "largest ";
constexpr double half_of_90_percent = 1.6448536269514722;
constexpr double least_error = 0.005;

/// Standard deviation of the mean of what was measured several times, relative to it; Student's
/// distribution of few is not asked for: these are weights.
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

std::string why_unused(const Case& what, const std::optional<double>& error) {
  if (what.metric.starts_with(search_prefix)) {
    return "a search has whole numbers for answers, which tell no slope";
  }
  if (error_kind(what) == ErrorKind::bottleneck) return "a bottleneck is right or wrong";
  if (error_kind(what) == ErrorKind::absolute && !error) {
    return "measured as 0 without a tolerance: nothing says what is near";
  }
  return "";
}

FitPoint point_of(const Case& what, std::size_t index) {
  FitPoint point;
  point.index = index;
  const ErrorKind kind = error_kind(what);
  point.difference = kind != ErrorKind::relative || what.measured < 0.0;
  std::optional<double> relative = error_of_repeats(what);
  if (!relative && what.tolerance && (*what.tolerance > 0.0 || kind == ErrorKind::relative)) {
    relative = *what.tolerance / half_of_90_percent;
  }
  if (relative) {
    // Tolerances are relative to what was measured, where that is not 0 (case_result.hpp).
    const double scale = point.difference && what.measured != 0.0 ? std::abs(what.measured) : 1.0;
    point.error = std::max(*relative, least_error) * scale;
  }
  point.unused = why_unused(what, point.error);
  return point;
}

void expect_metric(const Case& what, std::size_t index) {
  const std::vector<std::string> names = metric_names();
  const bool known = std::find(names.begin(), names.end(), what.metric) != names.end();
  if (known || what.metric.starts_with(search_prefix)) return;
  throw InputError({{"", 0, fmt::format("/cases/{}/metric", index),
                     fmt::format("expected a metric, got {}{}", in_quotes(what.metric),
                                 did_you_mean(what.metric, names))}});
}

Result run_quickly(const Scenario& scenario, const Catalog& catalog, const HostProfile* host) {
  RunOptions quick;
  quick.list_inputs = false;
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
  for (const Setting& set : runs_) results.push_back(run_quickly(make(set), catalog, host));
  std::vector<double> values;
  for (const Wanted& wanted : wanted_) {
    const auto value = [&](std::size_t which) {
      if (const auto found = metric(results[which], wanted.metric)) return *found;
      throw InputError({{"", 0, wanted.pointer,
                         fmt::format("expected a figure that the result has, got {}",
                                     in_quotes(wanted.metric))}});
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
      results.emplace_back(run_quickly(make(set), catalog, host));
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
    figures.push_back(
        {what.set, what.relative_to, what.metric, fmt::format("/cases/{}/metric", point.index)});
  }
  return figures;
}

std::vector<Candidate> candidates(const Scenario& scenario, std::span<const std::string> free) {
  struct Change {
    Setting set;
    Setting by_pointer;
    std::string words;
  };
  std::vector<Change> changes = {{}};
  const auto add = [&](const std::string& pointer, const std::string& value,
                       const std::string& words) {
    if (std::find(free.begin(), free.end(), pointer) != free.end()) return;
    const std::string key = pointer.substr(pointer.rfind('/') + 1);
    changes.push_back({{{key, value}}, {{pointer, value}}, words});
  };
  const Loader& loader = scenario.loader;
  if (loader.kind != LoaderKind::inline_) {
    for (const char* workers : {"0", "1", "2", "cpus-1"}) {
      if (loader.kind == LoaderKind::pool && workers[0] == '0') continue;
      add("/loader/num_workers", workers, fmt::format("num_workers={}", workers));
    }
  }
  if (loader.batch_size) {
    for (const double factor : {0.25, 0.5, 2.0}) {
      const double batch = std::max(1.0, std::round(*loader.batch_size * factor));
      if (batch == *loader.batch_size) continue;
      add("/loader/batch_size", fmt::format("{:.0f}", batch),
          fmt::format("batch_size={:.0f}", batch));
    }
  }
  add("/disk/page_cache", "1000 TB", "the data in the page cache");
  add("/source/service", "local", "the data on the local disk");
  add("/cluster/gpus_per_instance", "1", "one GPU of the instance");
  if (scenario.cluster.instances > 1.0) add("/cluster/instances", "1", "one instance");
  add("/cluster/instances", "2", "2 instances");
  for (std::size_t k = 0; k < scenario.preprocess.size(); ++k) {
    const Operation& operation = scenario.preprocess[k];
    if (operation.where != Place::cpu) continue;
    const std::string pointer = fmt::format("/preprocess/{}/where", k);
    changes.push_back({{{pointer, "offline"}},
                       {{pointer, "offline"}},
                       fmt::format("{} done ahead", operation.operation)});
  }
  std::vector<Candidate> all;
  const std::pair<FigureId, const char*> metrics[] = {{FigureId::epoch, "an epoch after the first"},
                                                      {FigureId::first_epoch, "the first epoch"},
                                                      {FigureId::gpu_busy, "how busy GPUs are"}};
  for (const Change& change : changes) {
    for (const auto& [id, what] : metrics) {
      const std::string metric_name(name_of(id));
      const bool known =
          std::any_of(scenario.cases.begin(), scenario.cases.end(), [&](const Case& one) {
            return one.set == change.by_pointer && one.relative_to.empty() &&
                   one.metric == metric_name;
          });
      if (known) continue;
      all.push_back({{change.set, {}, metric_name, ""},
                     change.words.empty() ? what : fmt::format("{} with {}", what, change.words)});
    }
  }
  return all;
}

}  // namespace feedrate::study
