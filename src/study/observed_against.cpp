// A scenario's predictions compared with the observation, and which input explains the difference.
#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/portable_math.hpp"
#include "base/unit_text.hpp"
#include "model/metrics.hpp"
#include "study/observed_parts.hpp"
#include "study/run.hpp"

namespace feedrate::study {
namespace {

/// Settings that give the scenario one observed input each.
std::vector<Explanation> candidates(const Scenario& observed, const Scenario& scenario) {
  std::vector<Explanation> all;
  const auto add = [&](Setting set, std::string was) {
    all.push_back({std::move(set), std::move(was), 0.0, 0.0});
  };
  const auto words = [](const auto& quantity) {
    return quantity ? format_quantity(*quantity) : std::string();
  };
  const auto count = [](const std::optional<double>& n) {
    return n ? exact_text(*n) : std::string();
  };
  if (observed.loader.num_workers != scenario.loader.num_workers) {
    const auto& was = scenario.loader.num_workers;
    add({{"num_workers", exact_text(observed.loader.num_workers->number)}},
        was && was->rule == WorkerRule::number ? exact_text(was->number) : "");
  }
  if (observed.loader.batch_size != scenario.loader.batch_size) {
    add({{"batch_size", count(observed.loader.batch_size)}}, count(scenario.loader.batch_size));
  }
  if (observed.job.step && scenario.job.step) {
    const Step& step = *scenario.job.step;
    const Step& seen = *observed.job.step;
    const std::string fixed = format_quantity(*seen.fixed);
    // What GPUs that train together lose to each other is in it.
    add({{"/job/step",
          seen.gpus ? "{\"fixed\": \"" + fixed + "\", \"gpus\": " + exact_text(*seen.gpus) + "}"
                    : fixed}},
        step.fixed        ? words(step.fixed)
        : step.per_sample ? words(step.per_sample)
                          : "a table");
  }
  // The loader's CPU time is seen as a whole: each operation keeps its part of it.
  double sum = 0.0;
  bool known = !observed.preprocess.empty();
  for (const Operation& operation : scenario.preprocess) {
    if (operation.where != Place::cpu) continue;
    known = known && operation.cpu.has_value();
    if (operation.cpu) sum += operation.cpu->base();
  }
  if (known && sum > 0.0) {
    const double factor = observed.preprocess.front().cpu->base() / sum;
    Setting set;
    for (std::size_t i = 0; i < scenario.preprocess.size(); ++i) {
      const Operation& operation = scenario.preprocess[i];
      if (operation.where != Place::cpu) continue;
      set.emplace_back(
          "/preprocess/" + std::to_string(i) + "/cpu",
          format_quantity(seconds_per_sample(rounded(operation.cpu->base() * factor))));
    }
    add(std::move(set), format_quantity(seconds_per_sample(sum)));
  }
  if (observed.source.first_byte_latency && observed.source.first_byte_latency->base() > 0.0) {
    add({{"/source/first_byte_latency", words(observed.source.first_byte_latency)}},
        words(scenario.source.first_byte_latency));
  }
  if (observed.disk.latency && observed.disk.latency->base() > 0.0) {
    add({{"/disk/latency", words(observed.disk.latency)}, {"/disk/page_cache", "1 B"}},
        words(scenario.disk.latency));
  }
  // A rate far above all others stands for no limit.
  const bool full_disk = observed.disk.bandwidth && *observed.disk.bandwidth != at_once &&
                         observed.disk.discipline != Discipline::rate_limit;
  if (full_disk) {
    add({{"/disk/bandwidth", words(observed.disk.bandwidth)}, {"/disk/page_cache", "1 B"}},
        words(scenario.disk.bandwidth));
  }
  if (observed.disk.iops) {
    add({{"/disk/iops", words(observed.disk.iops)},
         {"/disk/reads_per_sample", count(observed.disk.reads_per_sample.value_or(1.0))},
         {"/disk/page_cache", "1 B"}},
        words(scenario.disk.iops));
  }
  if (observed.cluster.network) {
    add({{"/cluster/network", words(observed.cluster.network)}}, words(scenario.cluster.network));
  }
  if (observed.cluster.cpu_quota) {
    add({{"/cluster/cpu_quota", count(observed.cluster.cpu_quota)}},
        count(scenario.cluster.cpu_quota));
  }
  if (observed.cluster.other_threads) {
    add({{"/cluster/other_threads", count(observed.cluster.other_threads)}},
        count(scenario.cluster.other_threads));
  }
  if (observed.disk.discipline == Discipline::rate_limit) {
    add({{"/disk/bandwidth", words(observed.disk.bandwidth)},
         {"/disk/discipline", "rate-limit"},
         {"/disk/page_cache", "1 B"},
         {"/dataset/bytes_per_sample", words(observed.dataset.bytes_per_sample)}},
        words(scenario.disk.bandwidth));
  }
  if (observed.dataset.bytes_per_sample && observed.dataset.bytes_per_sample->base() > 1.0) {
    add({{"/dataset/bytes_per_sample", words(observed.dataset.bytes_per_sample)}},
        words(scenario.dataset.bytes_per_sample));
  }
  if (observed.loader.handover) {
    add({{"/loader/handover", words(observed.loader.handover)}}, words(scenario.loader.handover));
  }
  return all;
}

}  // namespace

ObservedComparison compare_observed(const ObservedScenario& observed, const Scenario& scenario,
                                    const MakeScenario& make, const Catalog& catalog,
                                    const HostProfile* host) {
  ObservedComparison made;
  RunOptions options;
  options.list_inputs = false;
  options.events = true;  // as `run` predicts
  const Result before = run(scenario, catalog, host, options);
  double measured = 0.0;
  for (const Case& one : observed.scenario.cases) {
    made.figures.push_back({one.metric, one.measured, 0.0, metric(before, one.metric)});
    if (one.metric == name_of(FigureId::throughput)) measured = one.measured;
  }
  if (!before.throughput || measured <= 0.0) return made;
  const double gap = portable::log(before.throughput->base() / measured);
  for (Explanation& one : candidates(observed.scenario, scenario)) {
    try {
      const Result after = run(make(one.set), catalog, host, options);
      if (!after.throughput) continue;
      one.predicted = after.throughput->base();
      const double left = portable::log(one.predicted / measured);
      one.closed = gap == 0.0 ? 0.0 : 1.0 - std::abs(left) / std::abs(gap);
      made.explanations.push_back(std::move(one));
    } catch (const InputError&) {
      continue;  // no job of this scenario has that value
    }
  }
  std::stable_sort(made.explanations.begin(), made.explanations.end(),
                   [](const Explanation& a, const Explanation& b) { return a.closed > b.closed; });
  return made;
}

}  // namespace feedrate::study
