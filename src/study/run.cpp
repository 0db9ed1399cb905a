#include "study/run.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "base/errors.hpp"
#include "model/efficiency.hpp"
#include "pipeline/alone.hpp"
#include "pipeline/known_loading.hpp"
#include "pipeline/mean.hpp"
#include "pipeline/random.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/resolve.hpp"
#include "study/billing.hpp"
#include "study/bottleneck.hpp"
#include "study/by_events.hpp"
#include "study/certainty.hpp"
#include "study/cost.hpp"
#include "study/interruptions.hpp"
#include "study/model_error.hpp"
#include "study/monitors.hpp"
#include "study/other_workers.hpp"
#include "study/replicate.hpp"
#include "study/run_remarks.hpp"
#include "study/shared_limit.hpp"
#include "words/job.hpp"
#include "words/replications.hpp"

namespace feedrate::study {
namespace {

/// S(N) = T(1)/(N·T(N)) against the same job on one instance, of unequal ones the largest; left
/// empty where one cannot run it.
void fill_efficiencies(Result& result, const Scenario& scenario, const Catalog& catalog,
                       const HostProfile* host, const pipeline::Outcome& outcome,
                       const pipeline::SimulationOptions& options) {
  if (result.instances <= 1.0) {
    result.efficiency = 1.0;
    return;
  }
  const Scenario alone = resolve::on_one_instance(scenario);
  try {
    const auto resolved = resolve::resolve(alone, catalog, host, {}, resolve::Want::inputs_alone);
    const pipeline::Outcome one = pipeline::simulate_alone(resolved.inputs, options);
    const double n = result.as_many_alike.value_or(result.instances);
    result.efficiency = one.training() / (n * outcome.training());
    result.job_efficiency = one.total.wall / (n * outcome.total.wall);
    // What an instance of many spends on a stage beyond its share of what one alone does.
    const auto lost = [&](Duration alone_time, Duration time) {
      return or_nothing((time - alone_time / n) / outcome.total.wall);
    };
    PerStage<double> shares;
    for (const Stage stage : all_stages()) {
      shares[stage] = lost(one.total.stall[stage], outcome.total.stall[stage]);
    }
    shares[Stage::gpu] += lost(one.total.busy, outcome.total.busy);
    result.lost_to_scaling = shares;
    result.lost_to_stragglers = lost(one.total.straggling, outcome.total.straggling);
  } catch (const InputError&) {
    return;  // what several hold together need not fit one of them
  }
}

/// Where an input has no range: inputs of the bottleneck matter, and those of every stage that
/// gains when made faster or that GPUs wait for.
void mark_what_matters(Result& result) {
  for (InputUsed& input : result.inputs) {
    const bool gains = std::any_of(result.bottleneck.gains.begin(), result.bottleneck.gains.end(),
                                   [&](const auto& gain) { return gain.first == input.stage; });
    const double share = result.stages[input.stage].stall / result.times.total;
    input.matters = gains || share >= 2.0 * least_gain;
  }
}

/// What each stage could carry alone.
struct Carried {
  PerStage<Throughput> last;   ///< in the job's last epoch
  PerStage<Throughput> whole;  ///< of the job: epochs that caches spare a stage count too

  Carried(const pipeline::Inputs& inputs, const pipeline::Outcome& out,
          const std::vector<pipeline::CreditEnd>& ended) {
    const auto kind = out.epochs > 1.0 ? pipeline::EpochKind::later : pipeline::EpochKind::first;
    last = pipeline::capacities(inputs, kind, pipeline::epochs_begun(inputs), ended);
    const PerStage<Throughput> first =
        pipeline::capacities(inputs, pipeline::EpochKind::first, 1.0, ended);
    for (const Stage stage : all_stages()) {
      whole[stage] = last[stage].base() > 0.0 ? last[stage] : out.epochs * first[stage];
    }
  }
};

void fill_stages(Result& result, const resolve::Resolved& resolved, const pipeline::Outcome& out) {
  // What a stage carries on burst credit that runs out is not what its row may promise.
  const Carried carried(resolved.inputs, out, out.ends);
  const Throughput steady = samples(out.samples) / out.later.wall;
  for (Stage stage : all_stages()) {
    StageStats& stats = result.stages[stage];
    if (carried.whole[stage].base() > 0.0) {
      stats.capacity = carried.whole[stage];
      const bool idle = carried.last[stage].base() <= 0.0;
      stats.utilization = idle ? 0.0 : std::min(1.0, steady / *stats.capacity);
    }
    stats.stall = out.total.stall[stage];
    stats.idle_gpu = result.bill.idle_gpu_by_stage[stage];
    stats.provenance = Origin::measured;
    bool any = false;
    for (const InputUsed& input : resolved.used) {
      if (input.stage != stage) continue;
      stats.provenance = std::min(stats.provenance, input.from.origin);
      any = true;
    }
    if (!any) stats.provenance = Origin::given;
  }
  if (out.ends.empty()) return;
  const Carried until_then(resolved.inputs, out, {});
  for (const pipeline::CreditEnd& end : out.ends) {
    StageStats& stats = result.stages[end.stage];
    const Throughput before = until_then.whole[end.stage];
    if (stats.burst_end || !(before > carried.whole[end.stage])) continue;
    stats.burst_end = BurstEnd{end.limit, end.after, before};
  }
}

std::optional<pipeline::RoundGap> gap_of(const pipeline::Inputs& inputs) {
  const double epoch = pipeline::epochs_begun(inputs);
  const auto kind = epoch > 1.0 ? pipeline::EpochKind::later : pipeline::EpochKind::first;
  return pipeline::round_gap(inputs, kind, epoch);
}

}  // namespace

Result run(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
           const RunOptions& options, Stated* kept) {
  const resolve::Resolved resolved = resolve::resolve(
      scenario, catalog, host, {},
      options.list_inputs ? resolve::Want::everything : resolve::Want::without_texts);
  pipeline::KnownLoading loading;
  Stated stated = simulate_stated(resolved.inputs, options, &loading);
  const pipeline::Outcome& outcome = stated.outcome;
  const pipeline::Outcome& mean = stated.mean;
  pipeline::SimulationOptions simulation = stated.options;
  if (options.progress) {
    simulation.look = [&](double done, double all) { options.progress(Phase::alone, done, all); };
  }

  Result result;
  const pipeline::Inputs& inputs = resolved.inputs;
  result.instance = scenario.cluster.instance.value_or("");
  result.instances = inputs.cluster_instances();
  result.gpus = inputs.cluster_gpus();
  if (inputs.unequal) result.as_many_alike = inputs.instances_alike();
  result.remarks = resolved.remarks;
  result.remark_kinds = resolved.remark_kinds;
  result.caveats = resolved.caveats;
  result.step_is_guess = resolved.inputs.step_is_guess;
  if (options.list_inputs) result.inputs = resolved.used;
  result.communication = resolved.communication;
  result.layout = resolved.layout;
  result.times = {outcome.startup,    outcome.staging,
                  outcome.first.wall, outcome.later.wall,
                  outcome.total.wall, outcome.trained.first_step / pipeline::epochs_begun(inputs)};
  result.gpu_busy_time = outcome.total.busy;
  result.straggling = outcome.total.straggling;
  const Duration training = outcome.total.wall - outcome.startup - outcome.staging;
  result.gpu_busy = outcome.total.busy / training;
  if (!scenario.job.duration_on_one_instance) {
    result.throughput = samples(outcome.trained_samples) / outcome.training();
    result.samples = outcome.trained_samples;
  }
  result.runs_per_month = scenario.accounting.runs_per_month;
  result.steps_per_epoch = outcome.steps;
  result.steps = inputs.epochs * outcome.steps + inputs.unfinished_steps;
  result.effort = outcome.effort;
  fill_efficiencies(result, scenario, catalog, host, outcome, simulation);
  result.shared_limit = shared_limit_of(scenario, inputs);
  result.bill = bill_of(bill_input(resolved.terms, inputs, outcome, result.remarks));
  report_interruptions(result, scenario, catalog, host, resolved, outcome);
  if (options.gains) result.bottleneck = find_bottleneck(inputs, mean.total.wall, &loading);
  if (stated.by_events) {
    result.by_events = stated.by_events;
    find_bottleneck_by_events(*result.by_events, inputs, outcome.total, options, result.bottleneck);
    let_events_decide(result.bottleneck, *result.by_events);
  }
  fill_stages(result, resolved, outcome);
  const auto gap = gap_of(inputs);
  add_remarks(result, inputs, outcome, mean, gap, options.exact);
  remark_on_storage(result, scenario);
  if (!scenario.job.duration_on_one_instance) {
    result.monitors = monitors_of(resolved, outcome);
    if (gap) result.monitors->gap_every = gap->every;
  }
  if (options.try_workers && is_a_matter_of_workers(result, scenario)) {
    result.bottleneck.workers = try_workers(scenario, catalog, host, resolved, mean.total.wall);
  }
  if (options.replications > 0) {
    RunOptions drawn = options;
    drawn.stretch = stated.stretch();
    result.bands = replicate(scenario, catalog, host, drawn);
    if (const int done = result.bands->replications; done < options.replications) {
      result.caveats.push_back(words::stopped_after(done, options.replications, "ranges"));
    }
    if (const double never = result.bands->never_ends; never > 0.0) {
      result.caveats.insert(result.caveats.begin(),
                            words::never_ends_in(never, inputs.booked > Duration{}));
    }
    if (result.bottleneck.stage && options.bottlenecks) {
      result.bottleneck.probability =
          result.bands->bottleneck_probability[*result.bottleneck.stage];
    }
  }
  result.reference = reference_of(result, scenario, host, inputs, options.class_errors);
  mark_what_matters(result);
  if (options.weigh) weigh_inputs(result, scenario, catalog, host, options.class_errors);
  if (kept != nullptr) *kept = std::move(stated);
  return result;
}

}  // namespace feedrate::study
