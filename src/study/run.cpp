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
#include "pipeline/shared_limits.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/resolve.hpp"
#include "study/billing.hpp"
#include "study/bottleneck.hpp"
#include "study/by_events.hpp"
#include "study/certainty.hpp"
#include "study/cost.hpp"
#include "study/drawn_job.hpp"
#include "study/interruptions.hpp"
#include "study/model_error.hpp"
#include "study/monitors.hpp"
#include "study/other_workers.hpp"
#include "study/replicate.hpp"
#include "words/job.hpp"
#include "words/replications.hpp"
#include "words/showback.hpp"

namespace feedrate::study {
namespace {

/// Instances that load in that part of a job.
double loading_then(const pipeline::Inputs& inputs, SharedIn when) {
  return when == SharedIn::staging ? inputs.instances : inputs.instances_alike();
}

/// The limit of the source that all instances share and that the fewest of them exceed, and from
/// how many on it slows them, in closed form: each instance asks for what
/// it would take if nothing were shared. Empty where nothing is shared.
std::optional<SharedLimit> shared_limit_of(const Scenario& scenario,
                                           const pipeline::Inputs& inputs) {
  // The last digits of a sum make no instance more or less.
  constexpr double noise = 1e-9;
  std::optional<SharedLimit> first;
  double least = 0.0;
  for (const pipeline::SharedDemand& one : pipeline::shared_demands(inputs)) {
    if (!(one.demand > 0.0)) continue;
    const double full = one.rate / one.demand;  // instances that it serves just so
    if (first && full >= least) continue;
    least = full;
    first.emplace();
    first->service = std::string(scenario.source.service.row().title);
    first->name = one.name;
    first->of_requests = one.of_requests;
    first->when = one.when;
    first->rate = one.rate;
    first->demand = one.demand;
    const double from = std::max(1.0, std::floor(full * (1.0 + noise)) + 1.0);
    first->binds = loading_then(inputs, one.when) >= from;
    // Where only some of the instances load, as many as load for it.
    first->from = std::ceil(from * inputs.cluster_instances() / inputs.instances - noise);
  }
  return first;
}

// What the reader of a run must know beside its figures.

void add_check(Result& result, std::string text) {
  result.remark_kinds.insert_or_assign(text, RemarkKind::check);
  result.remarks.push_back(std::move(text));
}

/// When requests wait longer for their first byte than for all the others, more of them at a time
/// help and bandwidth does not; but where all instances share what they ask for, in the first epoch
/// or in later ones.
void remark_on_latency(Result& result, const pipeline::Inputs& inputs) {
  if (result.bottleneck.stage != Stage::download || inputs.remote) return;
  const pipeline::Flow flow(inputs, pipeline::EpochKind::first, pipeline::Misses{},
                            pipeline::active_workers(inputs));
  const auto shared_in = [&](bool staging) {
    const auto& limit = result.shared_limit;
    return limit && limit->binds && (limit->when == SharedIn::staging) == staging;
  };
  const bool limited = flow.limit() < flow.free_rate() || shared_in(false);
  const auto bound = [](const pipeline::Read& read, Bytes size, double users) {
    return !read.rate.empty() && read.latency > size / (read.through_nic().total(users) / users);
  };
  const double workers = std::max(1.0, inputs.workers) * inputs.ranks;
  if (inputs.source && !limited && !inputs.sequential_stream && inputs.source->requests > 0.0 &&
      bound(*inputs.source, inputs.source->bytes / inputs.source->requests * samples(1.0),
            workers)) {
    result.remarks.emplace_back(words::download_waits_for_latency);
  }
  if (inputs.staging && !shared_in(true) &&
      bound(inputs.staging->read, inputs.staging->object_size, inputs.staging->connections)) {
    result.remarks.emplace_back(words::copying_waits_for_latency);
  }
}

/// What threads do beside the lock that they share is no help to a job that the lock holds.
void remark_on_lock(Result& result, const pipeline::Inputs& inputs) {
  constexpr double nearly_all = 0.9;
  if (result.bottleneck.stage != Stage::decode || !result.throughput) return;
  const double held = *result.throughput / inputs.gpus() * inputs.locked;
  if (held >= nearly_all) result.caveats.push_back(words::lock_holds(held));
}

/// GPUs that are faster than their steps are started wait for that, which a faster GPU alone does
/// not change; nor do batches that are taken faster.
void remark_on_launch(Result& result, const pipeline::Inputs& inputs) {
  const auto& stage = result.bottleneck.stage;
  constexpr double most = 0.5;
  if (stage == Stage::handover && inputs.started > most * inputs.handover) {
    result.bottleneck.starts_steps = true;
    result.caveats.push_back(words::launch_binds(inputs.started, inputs.handover));
  }
  if (inputs.launch <= Duration{} || (stage && stage != Stage::gpu)) return;
  const Duration launch = inputs.launch / inputs.speed[Stage::handover];
  const Duration step = step_time(inputs, inputs.batch) / inputs.speed[Stage::gpu];
  constexpr double twice_as_fast = 0.5;
  if (launch > twice_as_fast * step) result.caveats.push_back(words::launch_holds(launch, step));
}

/// Which of unequal instances the others wait for.
void remark_on_unequal(Result& result, const pipeline::Inputs& inputs,
                       const pipeline::Outcome& mean) {
  if (!inputs.unequal) return;
  std::vector<std::pair<double, double>> counts = {{inputs.unequal->alike, inputs.ranks}};
  for (const auto& [instances, other] : inputs.unequal->others) {
    counts.emplace_back(instances, other->ranks);
  }
  result.remarks.push_back(words::unequal_instances(counts, mean.slowest_ranks));
}

/// Workers of which more than can be at work are set.
void remark_on_idle(Result& result, const pipeline::Inputs& inputs,
                    const pipeline::Outcome& outcome) {
  const double active = pipeline::active_workers(inputs);
  if (active >= inputs.workers) return;
  const double idle = inputs.workers - active;
  if (traits(inputs.kind).shared_batches) {
    add_check(result, words::idle_threads(idle, inputs.workers, inputs.prefetch, inputs.batch));
  } else if (traits(inputs.kind).whole_batches) {
    const bool batches = active == outcome.steps;
    (batches ? result.remarks : result.caveats)
        .push_back(words::idle_workers(std::floor(idle), inputs.workers, active, batches));
  }
}

/// Says where storage is held for less than the job takes, or where the runs of a month pay
/// together for more than a month of it.
void remark_on_storage(Result& result, const Scenario& scenario) {
  const auto& held = scenario.source.storage_held;
  const auto& runs = scenario.accounting.runs_per_month;
  if (!held || result.bill.storage <= Money{}) return;
  // A volume of an instance's own is none that jobs or runs share.
  const bool own = traits(scenario.source.service).volume;
  const double jobs = own ? 1.0 : scenario.job.jobs.value_or(1.0);
  const Duration read = jobs * result.times.total;
  if (*held < read) add_check(result, words::held_too_short(*held, read, jobs));
  if (!runs || own) return;
  const Duration each = *held / jobs;
  const double paid = *runs * each / months(1.0);
  constexpr double of_31_days = 31.0 * 24.0 / 730.0;  // runs of a month that is longer than most
  if (paid > of_31_days) add_check(result, words::storage_paid_again(*runs, each, paid));
}

/// Says where jobs that share a file system would hold each other up if they ran at the same time.
void remark_on_sharing(Result& result, const Scenario& scenario, const pipeline::Inputs& inputs) {
  const double jobs = scenario.job.jobs.value_or(1.0);
  const ServiceName& store = scenario.source.service;
  const auto& limit = result.shared_limit;
  if (jobs <= 1.0 || !limit || traits(store).form != StoreForm::file_system) return;
  const double used =
      std::min(1.0, limit->demand * loading_then(inputs, limit->when) / limit->rate);
  if (jobs * used <= 1.0) return;
  add_check(result, words::jobs_share(jobs, store.row().title, used));
}

/// Adds remarks and caveats to a result whose figures are filled: what the download waits for,
/// where a trace would show that, which of unequal instances the others wait for, credits that the
/// job uses up, and settings that have no effect. `mean` is the outcome in closed form.
void add_remarks(Result& result, const pipeline::Inputs& inputs, const pipeline::Outcome& outcome,
                 const pipeline::Outcome& mean, const std::optional<pipeline::RoundGap>& gap,
                 bool exact) {
  remark_on_latency(result, inputs);
  remark_on_lock(result, inputs);
  remark_on_launch(result, inputs);
  if (gap) result.remarks.push_back(words::waits_every(gap->wait, gap->every));
  remark_on_unequal(result, inputs, mean);
  for (const pipeline::CreditEnd& end : outcome.ends) {
    if (end.after <= Duration{}) continue;  // copying has used it up
    result.remarks.push_back(
        words::credits_end(end.limit, end.after, end.epoch_before, outcome.later.wall));
  }
  remark_on_idle(result, inputs, outcome);
  if (exact) {
    if (const auto instances = pipeline::instances_apart(inputs)) {
      result.remarks.push_back(
          words::simulated_whole(*instances, inputs.instances, inputs.step_cv > 0.0));
    }
  }
  if (inputs.loading_loses) result.remarks.emplace_back(words::loading_loses);
  if (inputs.efficiency_missed) add_check(result, std::string(words::efficiency_out_of_reach));
}

/// S(N) = T(1)/(N·T(N)) against the same job on one instance, of unequal ones the largest; left
/// empty where one cannot run it; of the whole job alone where its block or interruptions keep one
/// from ever ending.
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
    const double n = result.as_many_alike.value_or(result.instances);
    pipeline::SimulationOptions of_one = options;
    // One instance makes N times the steps, which average as much by chance as N seeds do.
    of_one.seeds = std::max(1, static_cast<int>(std::ceil(options.seeds / n)));
    const pipeline::Outcome one = pipeline::simulate_alone(resolved.inputs, of_one);
    result.efficiency = one.training() / (n * outcome.training());
    // A time that is beyond all bounds is no measure of another one.
    if (never_ends(one)) return;
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
    if (!input.of_stage) continue;
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
      if (input.stage != stage || !input.of_stage) continue;
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
    const bool over = end.after <= Duration{};  // copying has used it up
    if (over || stats.burst_end || !(before > carried.whole[end.stage])) continue;
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
  if (options.refuse_unheld && resolved.unheld) throw InputError({*resolved.unheld});
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
  const bool in_steps = scenario.job.steps && !scenario.job.duration_on_one_instance;
  if (in_steps && !options.as_many_samples && inputs.instances > 1.0 && !resolved.layout) {
    result.remarks.push_back(
        words::more_samples_in_as_many_steps(inputs.instances, inputs.instances_alike()));
  }
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
  report_interruptions(result, scenario, catalog, host, resolved, outcome, stated.stretch());
  if (options.gains != Gains::none) {
    result.bottleneck = find_bottleneck(inputs, mean.total.wall, &loading);
  }
  if (stated.by_events) {
    result.by_events = stated.by_events;
    find_bottleneck_by_events(*result.by_events, inputs, outcome.total, options, result.bottleneck);
    let_events_decide(result.bottleneck, *result.by_events);
  }
  fill_stages(result, resolved, outcome);
  const auto gap = gap_of(inputs);
  add_remarks(result, inputs, outcome, mean, gap, options.exact);
  remark_on_storage(result, scenario);
  remark_on_sharing(result, scenario, inputs);
  if (!scenario.job.duration_on_one_instance) {
    result.monitors = monitors_of(resolved, outcome);
    if (gap) result.monitors->gap_every = gap->every;
  }
  if (options.try_workers && is_a_matter_of_workers(result, scenario)) {
    result.bottleneck.workers = try_workers(scenario, catalog, host, resolved, stated);
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
  if (options.weigh) {
    weigh_inputs(result, scenario, catalog, host, options.class_errors, stated.stretch());
  }
  if (kept != nullptr) *kept = std::move(stated);
  return result;
}

}  // namespace feedrate::study
