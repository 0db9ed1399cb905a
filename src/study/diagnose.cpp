#include "study/diagnose.hpp"

#include <algorithm>
#include <cmath>

#include "base/append_once.hpp"
#include "base/errors.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/resolve.hpp"
#include "study/other_workers.hpp"

namespace feedrate::study {
namespace {

JudgedRule judged(const Rule& rule, const Readings& readings, const Thresholds& thresholds) {
  JudgedRule out;
  out.rule = &rule;
  bool broken = false;
  bool missing = false;
  for (const Condition& condition : rule.conditions) {
    const std::optional<double>& value = readings[condition.reading];
    std::optional<bool> met;
    if (value) {
      const bool reached = *value >= thresholds[condition.threshold];
      met = reached == condition.at_least;
      broken = broken || !*met;
    } else {
      missing = missing || condition.needed;
    }
    out.conditions.push_back({condition, met});
  }
  out.fit = broken ? Fit::fits_not : missing ? Fit::unknown : Fit::fits;
  return out;
}

bool matters(const ReadingRow& row, double observed, double predicted) {
  const double apart = std::abs(observed - predicted);
  if (row.kind == ReadingKind::share) return apart >= 0.1;
  return apart >= 0.2 * std::max(observed, predicted) && apart > 0.0;
}

}  // namespace

std::vector<JudgedRule> judge(const Readings& readings, const Thresholds& thresholds) {
  std::vector<JudgedRule> rules;
  for (const Rule& rule : all_rules()) rules.push_back(judged(rule, readings, thresholds));
  return rules;
}

std::vector<Cause> causes_of(const std::vector<JudgedRule>& rules) {
  std::vector<Cause> causes;
  for (const JudgedRule& judged : rules) {
    const Cause cause = judged.rule->cause;
    if (judged.fit != Fit::fits || cause == Cause::unsaid) continue;
    append_once(causes, cause);
  }
  return causes;
}

std::vector<Cause> distinct(std::vector<Cause> causes) {
  const bool told = std::any_of(causes.begin(), causes.end(), [](Cause cause) {
    return cause != Cause::loader && is_right(Cause::loader, cause).value_or(false);
  });
  if (told) std::erase(causes, Cause::loader);
  return causes;
}

Cause simulated_cause(const Result& result) {
  const Bottleneck& bottleneck = result.bottleneck;
  if (!bottleneck.stage) return Cause::other;
  if (too_few_workers(bottleneck)) return Cause::workers;
  switch (*bottleneck.stage) {
    case Stage::download:
    case Stage::network:
      return downloads_before_training(result) ? Cause::download : Cause::streaming;
    case Stage::disk: return Cause::disk;
    case Stage::decode:
    case Stage::collate: return Cause::cores;
    case Stage::gpu:
    case Stage::gpu_preprocess: return Cause::fed;
    case Stage::startup:
    case Stage::remote:
    case Stage::handover:
    case Stage::h2d:
    case Stage::allreduce:
    case Stage::checkpoint:
    case Stage::interruption: return Cause::other;
  }
  return Cause::other;
}

Readings simulated_readings(const Result& result, const Scenario& scenario, const Catalog& catalog,
                            const HostProfile* host) {
  Readings readings = readings_of(result);
  if (!result.monitors) return readings;
  const auto resolved = resolve::resolve(scenario, catalog, host, {}, resolve::Want::numbers);
  if (resolved.installed.threads && scenario.loader.kind.family() != LoaderKind::inline_) {
    readings[ReadingId::workers_per_cpu] =
        resolved.inputs.workers * resolved.inputs.ranks / *resolved.installed.threads;
  }
  Scenario alone = scenario;
  alone.cluster.instances = 1.0;
  alone.cluster.gpus_per_instance = 1.0;
  alone.cluster.unequal_gpus.clear();
  alone.job.efficiency.reset();
  alone.job.scaling.reset();
  alone.job.scaling_fit.reset();
  try {
    const auto one = resolve::resolve(alone, catalog, host, {}, resolve::Want::numbers);
    const pipeline::Outcome many = pipeline::simulate(resolved.inputs);
    const pipeline::Outcome single = pipeline::simulate(one.inputs);
    readings[ReadingId::step_ratio] =
        (many.later.wall / many.steps) / (single.later.wall / single.steps);
  } catch (const InputError&) {
    return readings;  // what several GPUs hold together need not fit one
  }
  return readings;
}

Diagnosis diagnose(const Readings& readings, const Thresholds& thresholds,
                   std::optional<Simulated> simulated) {
  Diagnosis out{readings, thresholds, judge(readings, thresholds), {}, std::move(simulated), {}};
  out.causes = causes_of(out.rules);
  if (!out.simulated) return out;
  out.by_prediction = judge(out.simulated->readings, thresholds);
  for (const ReadingRow& row : all_readings()) {
    const auto& observed = readings[row.id];
    const auto& predicted = out.simulated->readings[row.id];
    if (!observed || !predicted) continue;
    out.differences.push_back({row.id, *observed, *predicted, matters(row, *observed, *predicted)});
  }
  return out;
}

}  // namespace feedrate::study
