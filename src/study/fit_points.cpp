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
#include "study/search.hpp"

namespace feedrate::study {
namespace {

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
  if (what.awaited()) return "promised, not measured yet";
  if (is_search(what.metric)) {
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
  if (known || is_search(what.metric)) return;
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

namespace {

/// A setting, by JSON pointers, and what it is called.
struct SettingChange {
  Setting set;
  std::string words;
};

/// "num_workers" of "/loader/num_workers"; a pointer where the section does not go without saying.
std::string short_key(const std::string& pointer) {
  const bool in_section = std::count(pointer.begin(), pointer.end(), '/') == 2;
  return in_section ? pointer.substr(pointer.rfind('/') + 1) : pointer;
}

/// Changes of one key, those of little effort first.
std::vector<SettingChange> single_changes(const Scenario& scenario) {
  std::vector<SettingChange> changes = {{}};
  const auto add = [&](const std::string& pointer, const std::string& value,
                       const std::string& words) {
    changes.push_back({{{pointer, value}}, words});
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
      const std::string text = fmt::format("{:.0f}", batch);
      add("/loader/batch_size", text, "batch_size=" + text);
    }
  }
  add("/disk/page_cache", "1000 TB", "the data in the page cache");
  add("/source/service", "local", "the data on the local disk");
  add("/cluster/gpus_per_instance", "1", "one GPU of the instance");
  if (scenario.cluster.unequal_gpus.empty()) {
    if (scenario.cluster.instances > 1.0) add("/cluster/instances", "1", "one instance");
    add("/cluster/instances", "2", "2 instances");
  }
  for (std::size_t k = 0; k < scenario.preprocess.size(); ++k) {
    const Operation& operation = scenario.preprocess[k];
    if (operation.where != Place::cpu) continue;
    add(fmt::format("/preprocess/{}/where", k), "offline",
        fmt::format("{} done ahead", operation.operation));
  }
  return changes;
}

/// What changes are made to: the scenario, what its cases set, and one worker, which nothing of the
/// loader hides behind.
std::vector<SettingChange> bases(const Scenario& scenario) {
  constexpr std::size_t most = 5;
  std::vector<SettingChange> list = {{}};
  const auto add = [&](const Setting& set) {
    const bool known = std::any_of(list.begin(), list.end(),
                                   [&](const SettingChange& base) { return base.set == set; });
    if (known || list.size() >= most) return;
    Setting named = set;
    for (auto& [key, value] : named) key = short_key(key);
    std::string words;
    for (const auto& [key, value] : named) {
      words += fmt::format("{}{}={}", words.empty() ? "" : ", ", key, value);
    }
    list.push_back({set, std::move(words)});
  };
  if (scenario.loader.kind != LoaderKind::inline_) add({{"/loader/num_workers", "1"}});
  for (const Case& one : scenario.cases) add(one.set);
  return list;
}

/// Both; nothing where they set the same key.
std::optional<SettingChange> joined(const SettingChange& base, const SettingChange& change) {
  SettingChange both = base;
  for (const auto& [key, value] : change.set) {
    for (const auto& [other, unused] : base.set) {
      if (key == other) return std::nullopt;
    }
    both.set.emplace_back(key, value);
  }
  if (!base.words.empty() && !change.words.empty()) both.words += " and ";
  both.words += change.words;
  return both;
}

bool touches(const Setting& set, std::span<const std::string> pointers) {
  return std::any_of(set.begin(), set.end(), [&](const auto& one) {
    return std::find(pointers.begin(), pointers.end(), one.first) != pointers.end();
  });
}

bool measured(const Scenario& scenario, const Setting& set, const std::string& metric_name) {
  Setting sorted = set;
  std::sort(sorted.begin(), sorted.end());
  return std::any_of(scenario.cases.begin(), scenario.cases.end(), [&](const Case& one) {
    Setting other = one.set;
    std::sort(other.begin(), other.end());
    return !one.awaited() && other == sorted && one.relative_to.empty() &&
           one.metric == metric_name;
  });
}

}  // namespace

std::vector<PointCandidate> candidates(const Scenario& scenario,
                                       std::span<const std::string> free) {
  const std::pair<FigureId, const char*> metrics[] = {{FigureId::epoch, "an epoch after the first"},
                                                      {FigureId::first_epoch, "the first epoch"},
                                                      {FigureId::gpu_busy, "how busy GPUs are"}};
  const std::vector<SettingChange> changes = single_changes(scenario);
  std::vector<PointCandidate> all;
  std::vector<Setting> seen;
  for (const SettingChange& base : bases(scenario)) {
    for (const SettingChange& change : changes) {
      const std::optional<SettingChange> both = joined(base, change);
      if (!both || touches(both->set, free)) continue;
      if (std::find(seen.begin(), seen.end(), both->set) != seen.end()) continue;
      seen.push_back(both->set);
      Setting named = both->set;
      for (auto& [key, value] : named) key = short_key(key);
      for (const auto& [id, what] : metrics) {
        const std::string metric_name(name_of(id));
        if (measured(scenario, both->set, metric_name)) continue;
        all.push_back({{named, {}, metric_name, ""},
                       both->words.empty() ? what : fmt::format("{} with {}", what, both->words)});
      }
    }
  }
  return all;
}

}  // namespace feedrate::study
