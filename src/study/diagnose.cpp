#include "study/diagnose.hpp"

#include <algorithm>
#include <cmath>

#include "base/append_once.hpp"
#include "base/errors.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/resolve.hpp"
#include "study/bottleneck.hpp"
#include "study/other_workers.hpp"

namespace feedrate::study {
namespace {

/// Of a busy CPU, the share that the job itself must have, so that it is what its own work makes
/// it.
constexpr double least_own = 0.5;

/// What others than the job have of the CPU does not count, where they have most of it.
bool is_others(const Condition& condition, const Readings& readings, double limit) {
  const auto& own = readings[ReadingId::own_cpu];
  const auto& cpu = readings[ReadingId::cpu];
  return condition.reading == ReadingId::cpu && condition.threshold != ThresholdId::idle && own &&
         *own < least_own * *cpu && *own < limit;
}

/// Whether the condition holds; I/O wait stands for a disk that was not read where it is clearly
/// high or low.
JudgedCondition judged(const Condition& condition, const Readings& readings,
                       const Thresholds& thresholds) {
  JudgedCondition out{condition, std::nullopt};
  if (const auto& value = readings[condition.reading]) {
    const double limit = thresholds[condition.threshold];
    out.met = (*value >= limit) == condition.at_least;
    out.by_others = condition.at_least && *out.met && is_others(condition, readings, limit);
    if (out.by_others) out.met = false;
    return out;
  }
  const auto& waits = readings[ReadingId::io_wait];
  if (condition.reading != ReadingId::disk || !waits) return out;
  const bool busy = *waits >= thresholds[ThresholdId::io_wait_high];
  const bool idle = *waits < thresholds[ThresholdId::io_wait_low];
  if (busy == idle) return out;
  out.met = busy == condition.at_least;
  out.by_io_wait = true;
  return out;
}

JudgedRule judged(const Rule& rule, const Readings& readings, const Thresholds& thresholds) {
  JudgedRule out;
  out.rule = &rule;
  bool broken = false, missing = false, met = false;
  bool has_any = false, any_met = false, any_missing = false;
  for (const Condition& condition : rule.conditions) {
    const JudgedCondition& one =
        out.conditions.emplace_back(judged(condition, readings, thresholds));
    met = met || one.met.value_or(false);
    if (condition.any) {
      has_any = true;
      any_met = any_met || one.met.value_or(false);
      any_missing = any_missing || !one.met;
    } else if (one.met) {
      broken = broken || !*one.met;
    } else {
      missing = missing || condition.needed;
    }
  }
  if (has_any && !any_met) (any_missing ? missing : broken) = true;
  out.fit = broken ? Fit::fits_not : !missing ? Fit::fits : met ? Fit::so_far : Fit::unknown;
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

namespace {

/// How much of what the answer asks for is known; nothing where that was not counted: the GPU is
/// not first, and so on, or other workers were tried and not all was read.
std::optional<Seen> seen_in(const Readings& readings) {
  const bool tried = readings[ReadingId::more_workers].has_value();
  const bool all_read =
      std::all_of(all_questions().begin(), all_questions().end(), [&](const Question& question) {
        const ReadingId id = question.when.reading;
        // Nobody is asked for what only counts where something else was read.
        return question.also || readings[id].has_value() || id == ReadingId::more_workers;
      });
  if (tried) return all_read ? std::optional(Seen::tried) : std::nullopt;
  if (!readings[ReadingId::gpu]) return std::nullopt;
  if (!readings[ReadingId::cpu]) return Seen::gpu;
  if (!readings[ReadingId::disk]) return Seen::cpu;
  return all_read ? Seen::all : Seen::disk;
}

/// The reading that is in `because` already gives way to what is now said of it.
void say_of(std::vector<JudgedCondition>& because, const JudgedCondition& one) {
  std::erase_if(because, [&](const JudgedCondition& before) {
    return before.what.reading == one.what.reading;
  });
  because.push_back(one);
}

/// What is left where no question had its cause: too few workers, unless no one works, or others
/// than they have the cores.
void tell_rest(Answer& answer, const Readings& readings, const Thresholds& thresholds) {
  if (std::any_of(answer.because.begin(), answer.because.end(),
                  [](const JudgedCondition& one) { return one.by_others; })) {
    answer.against = Against::other_programs;
    return;
  }
  const JudgedCondition works =
      judged({ReadingId::cpu, true, ThresholdId::idle}, readings, thresholds);
  if (works.met.value_or(true)) {
    answer.cause = Cause::workers;
    return;
  }
  answer.against = Against::idle_cpu;
  say_of(answer.because, works);
}

/// What speaks for an exchange where the GPUs show as busy: a step that several GPUs make slower,
/// or a busy network where no step of one GPU is known.
std::vector<JudgedCondition> signs_of_exchange(const Answer& answer, const Readings& readings,
                                               const Thresholds& thresholds) {
  const auto met = [&](ReadingId id, ThresholdId limit) {
    return judged({id, true, limit}, readings, thresholds);
  };
  if (answer.cause != Cause::fed || readings.gpus == 1.0) return {};
  if (!met(ReadingId::gpu, ThresholdId::fed).met.value_or(false)) return {};
  const JudgedCondition step = met(ReadingId::step_ratio, ThresholdId::shared_step);
  const JudgedCondition network = met(ReadingId::network, ThresholdId::high);
  if (!step.met.value_or(true)) return {};
  std::vector<JudgedCondition> signs;
  for (const JudgedCondition& one : {step, network}) {
    if (one.met.value_or(false)) signs.push_back(one);
  }
  return signs;
}

using OpenReadings = std::vector<std::pair<int, OpenReading>>;

/// What is open of the reading that the question asks for beside its own, for the same cause, goes
/// by the question's limit from here on.
void widen(OpenReadings& open, const Question& question) {
  for (auto& [worth, one] : open) {
    if (one.cause != question.cause || one.what.reading != question.also->reading) continue;
    one.what = *question.also;
    one.clearly_not.threshold = question.also->threshold;
  }
}

}  // namespace

Answer answer_of(const Readings& readings, const Thresholds& thresholds) {
  Answer answer;
  OpenReadings open;
  bool any = false;
  bool unasked = false;
  for (const Question& question : all_questions()) {
    const JudgedCondition one = judged(question.when, readings, thresholds);
    if (question.also) {
      const JudgedCondition also = judged(*question.also, readings, thresholds);
      if (!also.met && one.met.value_or(false)) widen(open, question);
      if (!also.met.value_or(false)) continue;
    }
    if (!one.met) {
      // Of two causes that the same reading speaks for, the first that is asked for.
      const bool asked = std::any_of(open.begin(), open.end(), [&](const auto& before) {
        return before.second.what == question.when;
      });
      if (asked) continue;
      Condition clearly_not = question.when;
      clearly_not.at_least = !clearly_not.at_least;
      clearly_not.threshold = question.clearly;
      open.push_back(
          {question.worth, {question.when, question.cause, question.vital, clearly_not}});
      continue;
    }
    if (question.also && *one.met) {
      answer.because.push_back(judged(*question.also, readings, thresholds));
    }
    // Of what one reading shows, the last that was asked says the most.
    say_of(answer.because, one);
    any = any || question.vital;
    if (*one.met) {
      answer.cause = question.cause;
      unasked = question.also && question.also->reading == question.when.reading;
      break;
    }
  }
  if (answer.cause == Cause::unsaid && any) tell_rest(answer, readings, thresholds);
  std::stable_sort(open.begin(), open.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [worth, one] : open) answer.open.push_back(one);
  answer.exchange = signs_of_exchange(answer, readings, thresholds);
  // That was counted on readings in which no wait shows as work, and on none that nobody asks for.
  if (!answer.exchange.empty() || unasked) return answer;
  if (const auto seen = seen_in(readings)) answer.sure = sure_of(answer.cause, *seen);
  return answer;
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
  // Monitors are read while a job trains: what comes before is no cause of what they show.
  const std::optional<Stage> stage = bottleneck_of_training(result);
  if (!stage) return Cause::other;
  if (too_few_workers(bottleneck)) return Cause::workers;
  switch (*stage) {
    case Stage::download:
    case Stage::network:
      return downloads_before_training(result) ? Cause::download : Cause::streaming;
    case Stage::disk: return Cause::disk;
    case Stage::decode:
    case Stage::collate: return Cause::cores;
    case Stage::gpu:
    case Stage::gpu_preprocess: return Cause::fed;
    case Stage::startup: return Cause::epoch_start;
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
  if (resolved.installed.threads && traits(scenario.loader.kind).workers) {
    readings[ReadingId::workers_per_cpu] =
        resolved.inputs.workers * resolved.inputs.ranks / *resolved.installed.threads;
  }
  const pipeline::Outcome now = pipeline::simulate(resolved.inputs);
  const auto steps_of = [&](const Scenario& other) -> std::optional<Duration> {
    try {
      const auto changed = resolve::resolve(other, catalog, host, {}, resolve::Want::numbers);
      const pipeline::Outcome outcome = pipeline::simulate(changed.inputs);
      return outcome.later.wall / outcome.steps;
    } catch (const InputError&) {
      // What several GPUs hold together need not fit one, nor memory twice the workers.
      return std::nullopt;
    }
  };
  const Duration step = now.later.wall / now.steps;
  if (readings[ReadingId::workers_per_cpu]) {
    Scenario twice = scenario;
    twice.loader.num_workers = WorkerCount(2.0 * resolved.inputs.workers);
    if (const auto other = steps_of(twice)) readings[ReadingId::more_workers] = *other / step;
  }
  Scenario alone = scenario;
  alone.cluster.instances = 1.0;
  alone.cluster.gpus_per_instance = 1.0;
  alone.cluster.unequal_gpus.clear();
  if (alone.cluster.spot) alone.cluster.spot->on_demand_instances.reset();
  alone.job.efficiency.reset();
  alone.job.scaling.reset();
  alone.job.scaling_fit.reset();
  if (const auto other = steps_of(alone)) readings[ReadingId::step_ratio] = step / *other;
  return readings;
}

/// Adds what speaks against more workers, where it is known and the rule would have them.
static void refute(JudgedRule& judged_rule, const Readings& readings,
                   const Thresholds& thresholds) {
  if (judged_rule.rule->cause != Cause::workers || judged_rule.fit == Fit::fits_not) return;
  for (const Condition& condition : conditions_for_more_workers()) {
    const JudgedCondition one = judged(condition, readings, thresholds);
    if (one.met.value_or(true)) continue;
    judged_rule.conditions.push_back(one);
    judged_rule.fit = Fit::fits_not;
  }
}

Diagnosis diagnose(const Readings& readings, const Thresholds& thresholds,
                   std::optional<Simulated> simulated) {
  Diagnosis out;
  out.readings = readings;
  if (simulated && !readings.gpus) out.readings.gpus = simulated->result.gpus;
  out.thresholds = thresholds;
  out.rules = judge(readings, thresholds);
  for (JudgedRule& one : out.rules) refute(one, out.readings, thresholds);
  out.answer = answer_of(out.readings, thresholds);
  out.simulated = std::move(simulated);
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
