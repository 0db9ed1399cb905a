#include "study/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "model/metrics.hpp"
#include "resolve/resolve.hpp"
#include "words/bill.hpp"
#include "words/checks.hpp"

namespace feedrate::study {
namespace {

constexpr double stale_by = 0.05;
/// Figures that differ by less than this share are the same: it covers the last digits of a sum.
constexpr double noise = 1e-9;

std::optional<double> before_of(const Figures* before, std::string_view metric) {
  if (before == nullptr) return std::nullopt;
  if (const auto stage = asked_bottleneck(metric)) {
    return before->bottleneck == stage ? 1.0 : 0.0;
  }
  const std::optional<double> found = before->find(metric);
  // Stages that stall nothing are not in a baseline.
  return !found && is_stall_of_stage(metric) ? 0.0 : found;
}

/// The amount that the limit compares with its bound.
double measured(const Limit& limit, double before, double now) {
  if (limit.of == LimitOf::value) return now;
  double change = limit.of == LimitOf::decrease ? before - now : now - before;
  if (limit.of == LimitOf::change) change = std::fabs(change);
  if (std::fabs(change) <= noise * std::max(std::fabs(before), std::fabs(now))) change = 0.0;
  if (!limit.relative || change == 0.0) return change;
  if (before == 0.0) return std::copysign(std::numeric_limits<double>::infinity(), change);
  return change / std::fabs(before);
}

/// Whether the result's own uncertainty explains that a limit on the figure is broken.
bool explained(const Limit& limit, const Band& band) {
  return holds(band[0], limit.comparison, limit.bound) ||
         holds(band[2], limit.comparison, limit.bound);
}

/// Whether what was measured again explains how far the figure is from what it was: an error that
/// both share does not.
bool explained(double before, double now, const Band& again) {
  if (again[1] == 0.0) return false;
  const double scale = now / again[1];
  const auto [low, high] = std::minmax({scale * again[0], scale * again[2]});
  return low < high && before >= low && before <= high;
}

std::optional<Band> band_again(const Bands* again, std::string_view name) {
  const Figure* const figure = find_figure(name);
  return again != nullptr && figure != nullptr ? band_of(*again, *figure) : std::nullopt;
}

Judgement judge_limit(const Limit& limit, const Figures* baseline, const Result& result,
                      const Bands* again) {
  Judgement out{limit, Level::pass, before_of(baseline, limit.metric), metric(result, limit.metric),
                false, ""};
  if (!out.now) {
    out.level = limit.level;
    out.message = words::no_figure(limit);
    return out;
  }
  if (limit.of != LimitOf::value && !out.before) {
    out.level = Level::note;
    out.message = words::no_figure_before(limit);
    return out;
  }
  const double before = out.before.value_or(0.0);
  const double value = measured(limit, before, *out.now);
  out.message = words::judged(limit, before, *out.now, value);
  if (holds(value, limit.comparison, limit.bound)) return out;
  const bool of_change = limit.of != LimitOf::value;
  const auto band = of_change ? band_again(again, limit.metric) : metric_band(result, limit.metric);
  out.within_band =
      band && (of_change ? explained(before, *out.now, *band) : explained(limit, *band));
  out.level = out.within_band ? Level::note : limit.level;
  if (out.within_band)
    out.message += of_change ? words::within_what_was_measured_again : words::within_band;
  return out;
}

/// Times and amounts that are small beside the whole differ in the digits of the whole.
double rounding(const Figures& before, FigureUnit unit) {
  const auto whole = [&](FigureId id) {
    return noise * std::fabs(before.find(name_of(id)).value_or(0.0));
  };
  if (unit == FigureUnit::seconds) return whole(FigureId::total_time);
  return unit == FigureUnit::dollars ? whole(FigureId::total_cost) : 0.0;
}

/// A limit on the change of every figure: those that break it, or that none does.
void judge_all(const Limit& limit, const Figures& before, const Result& result, const Bands* again,
               std::vector<Judgement>& out) {
  const std::size_t first = out.size();
  for (const auto& [name, was] : before.values) {
    Limit one = limit;
    one.metric = name;
    if (is_stall_of_stage(name) && !metric(result, name)) continue;
    const double is = metric(result, name).value_or(was + 1.0);
    if (std::fabs(is - was) <= rounding(before, unit_of(name))) continue;
    Judgement judged = judge_limit(one, &before, result, again);
    if (judged.level != Level::pass) out.push_back(std::move(judged));
  }
  if (before.bottleneck != result.bottleneck.stage) {
    const auto name = [](const std::optional<Stage>& stage) {
      return stage ? name_of(*stage) : std::string_view("none");
    };
    out.push_back(
        {limit, limit.level, std::nullopt, std::nullopt, false,
         words::other_bottleneck(name(before.bottleneck), name(result.bottleneck.stage))});
  }
  if (out.size() == first) {
    out.push_back({limit, Level::pass, std::nullopt, std::nullopt, false, words::no_change(limit)});
  }
}

std::string_view part_of(std::string_view line) {
  return line.substr(0, line.find(':'));
}

/// Lines of the bill that are gone or cost nothing any more. One that another of its part stands
/// for now (another machine, another class of storage) is not: what that changes, figures say.
void judge_lines(const Figures& before, const Figures& now, std::vector<Judgement>& out) {
  const auto costs = [](const std::map<std::string, double>& lines, const std::string& name) {
    const auto found = lines.find(name);
    return found != lines.end() && found->second > 0.0;
  };
  std::map<std::string_view, int> added;
  for (const auto& [name, amount] : now.lines) {
    if (amount > 0.0 && !before.lines.contains(name)) ++added[part_of(name)];
  }
  for (const auto& [name, amount] : before.lines) {
    if (amount <= 0.0 || costs(now.lines, name)) continue;
    if (now.lines.contains(name) && words::may_come_to_nothing(name)) continue;
    if (!now.lines.contains(name) && added[part_of(name)]-- > 0) continue;
    Limit limit;
    limit.text = words::line_limit(name);
    limit.metric = name_of(FigureId::money);
    limit.of = LimitOf::decrease;
    out.push_back({limit, Level::fail, amount, 0.0, false,
                   words::lost_line(name, amount, now.lines.contains(name))});
  }
}

double stall_of(const Figures& figures, Stage stage) {
  return figures.find(stall_metric(stage)).value_or(0.0);
}

/// The stages whose stall changed, and the GPU's work, which is the wall time without the stalls.
std::vector<StageChange> stage_changes(const Figures& before, const Figures& now) {
  const auto busy = [](const Figures& figures) {
    double rest = figures.find(name_of(FigureId::total_time)).value_or(0.0);
    for (const Stage stage : all_stages()) rest -= stall_of(figures, stage);
    return rest;
  };
  const double least = noise * now.find(name_of(FigureId::total_time)).value_or(0.0);
  std::vector<StageChange> changes;
  for (const Stage stage : all_stages()) {
    const bool gpu = stage == Stage::gpu;
    const double was = stall_of(before, stage) + (gpu ? busy(before) : 0.0);
    const double is = stall_of(now, stage) + (gpu ? busy(now) : 0.0);
    if (std::fabs(is - was) > least) changes.push_back({stage, seconds(was), seconds(is)});
  }
  std::stable_sort(changes.begin(), changes.end(), [](const StageChange& a, const StageChange& b) {
    return a.now - a.before > b.now - b.before;
  });
  return changes;
}

/// The share by which `metric` may rise, which is also the share by which it is much better.
double allowance(std::span<const Limit> limits, std::string_view metric) {
  for (const Limit& limit : limits) {
    if (limit.metric == metric && limit.of == LimitOf::increase && limit.relative &&
        limit.bound > 0.0) {
      return limit.bound;
    }
  }
  return stale_by;
}

}  // namespace

Figures figures_of(const Result& result) {
  Figures figures;
  figures.bottleneck = result.bottleneck.stage;
  for (const std::string& name : metric_names()) {
    if (asked_bottleneck(name)) continue;
    const std::optional<double> value = metric(result, name);
    if (!value || (*value == 0.0 && is_stall_of_stage(name))) continue;
    figures.values[name] = *value;
  }
  for (const BillLine& line : result.bill.lines) {
    figures.lines[words::name_of_line(line)] += line.amount.base();
  }
  return figures;
}

bool as_kept(const Figures& kept, const Result& now) {
  return kept.bottleneck == now.bottleneck.stage &&
         std::all_of(kept.values.begin(), kept.values.end(), [&](const auto& figure) {
           return metric(now, figure.first) == figure.second;
         });
}

std::set<std::string, std::less<>> measured_again(std::span<const InputUsed> before,
                                                  std::span<const InputUsed> now) {
  const auto has_error = [](const InputUsed& input) {
    return !input.low.empty() && input.from.origin != Origin::assumed;
  };
  std::set<std::string, std::less<>> keys;
  for (const InputUsed& input : now) {
    const auto was = std::find_if(before.begin(), before.end(),
                                  [&](const InputUsed& one) { return one.key == input.key; });
    if (was == before.end() || was->text == input.text) continue;
    if (has_error(*was) && has_error(input)) keys.insert(input.key);
  }
  return keys;
}

std::set<std::string, std::less<>> measured_again(const Scenario& before, const Catalog& catalog,
                                                  const HostProfile* host,
                                                  std::span<const InputUsed> now) {
  return measured_again(resolve::resolve(before, catalog, host).used, now);
}

ScenarioVerdict judge(const Figures* before, const Result& now, std::span<const Limit> limits,
                      const Bands* again) {
  ScenarioVerdict verdict;
  verdict.bottleneck_now = now.bottleneck.stage;
  verdict.instances_now = now.instances;
  const auto add_figure = [&](std::string_view name) {
    if (verdict.figure(name) != nullptr || asked_bottleneck(name)) return;
    verdict.figures.push_back(
        {std::string(name), before_of(before, name), metric(now, name), metric_band(now, name)});
  };
  for (const FigureId id : main_figures) add_figure(name_of(id));
  if (before == nullptr) {
    verdict.standing = Standing::added;
    verdict.level = Level::warn;
    verdict.remarks.emplace_back(words::not_in_baseline);
  } else {
    verdict.bottleneck_before = before->bottleneck;
    verdict.instances_before = before->find(name_of(FigureId::instances));
    verdict.stages = stage_changes(*before, figures_of(now));
    bool better = false;
    bool worse = false;
    for (const FigureId id : main_figures) {
      if (figure(id).better != Better::less) continue;
      const std::string_view name = name_of(id);
      const double was = before_of(before, name).value_or(0.0);
      const double is = metric(now, name).value_or(0.0);
      better = better || is < was * (1.0 - allowance(limits, name));
      worse = worse || is > was * (1.0 + noise);
    }
    judge_lines(*before, figures_of(now), verdict.limits);
    // What fell off the bill makes nothing better.
    verdict.stale = better && !worse && verdict.limits.empty();
    if (!verdict.limits.empty()) verdict.level = Level::fail;
  }
  for (const Limit& limit : limits) {
    if (before == nullptr && limit.of != LimitOf::value) continue;
    const std::size_t first = verdict.limits.size();
    if (limit.metric == every_figure) {
      judge_all(limit, *before, now, again, verdict.limits);
    } else {
      verdict.limits.push_back(judge_limit(limit, before, now, again));
    }
    for (std::size_t i = first; i < verdict.limits.size(); ++i) {
      const Judgement& judged = verdict.limits[i];
      if (judged.limit.metric != every_figure) add_figure(judged.limit.metric);
      verdict.level = std::max(verdict.level, judged.level);
    }
  }
  if (verdict.stale) {
    verdict.level = std::max(verdict.level, Level::note);
    verdict.remarks.emplace_back(words::stale_baseline);
  }
  return verdict;
}

void note_update(Verdict& verdict) {
  verdict.updated = true;
  for (ScenarioVerdict& scenario : verdict.scenarios) {
    if (scenario.standing != Standing::added) continue;
    scenario.level = Level::note;
    for (const Judgement& judged : scenario.limits) {
      scenario.level = std::max(scenario.level, judged.level);
    }
    scenario.remarks = {std::string(words::now_in_baseline)};
  }
  if (verdict.errors.empty()) verdict.level = worst(verdict.scenarios);
}

Level worst(std::span<const ScenarioVerdict> scenarios) {
  Level level = Level::pass;
  for (const ScenarioVerdict& scenario : scenarios) level = std::max(level, scenario.level);
  return level;
}

}  // namespace feedrate::study
