#include "study/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/unit_text.hpp"
#include "model/efficiency.hpp"
#include "pipeline/alone.hpp"
#include "pipeline/mean.hpp"
#include "pipeline/random.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/resolve.hpp"
#include "study/billing.hpp"
#include "study/bottleneck.hpp"
#include "study/certainty.hpp"
#include "study/cost.hpp"
#include "study/interruptions.hpp"
#include "study/monitors.hpp"
#include "study/other_workers.hpp"
#include "study/replicate.hpp"
#include "study/shared_limit.hpp"

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

void fill_stages(Result& result, const resolve::Resolved& resolved, const pipeline::Outcome& out) {
  const bool later = out.epochs > 1.0;
  const auto kind = later ? pipeline::EpochKind::later : pipeline::EpochKind::first;
  const PerStage<Throughput> capacity =
      pipeline::capacities(resolved.inputs, kind, pipeline::epochs_begun(resolved.inputs));
  const PerStage<Throughput> at_first =
      pipeline::capacities(resolved.inputs, pipeline::EpochKind::first, 1.0);
  const Throughput steady = samples(out.samples) / out.later.wall;
  for (Stage stage : all_stages()) {
    StageStats& stats = result.stages[stage];
    const bool only_first = capacity[stage].base() <= 0.0 && at_first[stage].base() > 0.0;
    if (capacity[stage].base() > 0.0) {
      stats.capacity = capacity[stage];
      stats.utilization = std::min(1.0, steady / capacity[stage]);
    } else if (only_first) {
      // Epochs that caches spare it count too: what it could carry of the whole job.
      stats.capacity = out.epochs * at_first[stage];
      stats.utilization = 0.0;
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
}

/// When requests wait longer for their first byte than for all the others, more of them at a time
/// help and bandwidth does not.
void remark_on_latency(Result& result, const pipeline::Inputs& inputs) {
  if (result.bottleneck.stage != Stage::download || inputs.remote) return;
  const pipeline::Flow flow(inputs, pipeline::EpochKind::first, pipeline::Misses{},
                            pipeline::active_workers(inputs, pipeline::EpochKind::first));
  const bool limited = flow.limit() < flow.free_rate(1.0);
  const auto bound = [](const pipeline::Read& read, Bytes size, double users) {
    return !read.rate.empty() && read.latency > size / (read.rate.total(users) / users);
  };
  const double workers = std::max(1.0, inputs.workers) * inputs.ranks;
  if (inputs.source && !limited && !inputs.sequential_stream && inputs.source->requests > 0.0 &&
      bound(*inputs.source, inputs.source->bytes / inputs.source->requests * samples(1.0),
            workers)) {
    result.remarks.emplace_back(
        "most of the download is waiting for first bytes, not bandwidth: more num_workers, larger "
        "objects or a nearer source help, a faster network does not");
  }
  if (inputs.staging &&
      bound(inputs.staging->read, inputs.staging->object_size, inputs.staging->connections)) {
    result.remarks.emplace_back(
        "most of the copying is waiting for first bytes, not bandwidth: more connections or larger "
        "objects help, a faster network does not");
  }
}

std::optional<pipeline::RoundGap> gap_of(const pipeline::Inputs& inputs) {
  const double epoch = pipeline::epochs_begun(inputs);
  const auto kind = epoch > 1.0 ? pipeline::EpochKind::later : pipeline::EpochKind::first;
  return pipeline::round_gap(inputs, kind, epoch);
}

std::string rounded(Duration time) {
  if (time >= hours(2.0)) return three_digits(time / hours(1.0)) + " h";
  if (time >= minutes(2.0)) return three_digits(time / minutes(1.0)) + " min";
  return three_digits(time.base()) + " s";
}

std::string short_time(Duration time) {
  return time < seconds(1.0) ? fmt::format("{:.3g} ms", time.base() * 1e3)
                             : fmt::format("{:.3g} s", time.base());
}

/// Where a trace of the job would show its waiting.
void remark_on_rounds(Result& result, const std::optional<pipeline::RoundGap>& gap) {
  if (!gap) return;
  const double n = gap->every;
  const char* ending = std::fmod(n, 100.0) >= 11.0 && std::fmod(n, 100.0) <= 13.0 ? "th"
                       : std::fmod(n, 10.0) == 1.0                                ? "st"
                       : std::fmod(n, 10.0) == 2.0                                ? "nd"
                       : std::fmod(n, 10.0) == 3.0                                ? "rd"
                                                                                  : "th";
  result.remarks.push_back(fmt::format(
      "a GPU waits {} at every {:g}{} step: {:g} workers deliver together, and the steps between "
      "wait little",
      short_time(gap->wait), n, ending, n));
}

void add_remark(Result& result, RemarkKind kind, std::string text) {
  result.remark_kinds.insert_or_assign(text, kind);
  result.remarks.push_back(std::move(text));
}

/// Which of unequal instances the others wait for.
void remark_on_unequal(Result& result, const pipeline::Inputs& inputs,
                       const pipeline::Outcome& mean) {
  if (!inputs.unequal) return;
  const auto with = [](double gpus) {
    return fmt::format("{:g} GPU{}", gpus, gpus == 1.0 ? "" : "s");
  };
  std::string counts = fmt::format("{:g} with {}", inputs.unequal->alike, with(inputs.ranks));
  for (const auto& [instances, other] : inputs.unequal->others) {
    counts += fmt::format(", {:g} with {}", instances, with(other->ranks));
  }
  result.remarks.push_back(
      fmt::format("the instances are unequal ({}): each step ends with the slowest of them, mostly "
                  "one with {}; every GPU trains on as many samples, and all instances are paid",
                  counts, with(mean.slowest_ranks)));
}

/// Credits that the job uses up, and settings that have no effect.
void remark_on_limits(Result& result, const pipeline::Inputs& inputs,
                      const pipeline::Outcome& outcome, bool exact) {
  for (const pipeline::CreditEnd& end : outcome.ends) {
    result.remarks.push_back(fmt::format(
        "the {} last {} of training: an epoch takes {} while they do, the last one {}", end.limit,
        rounded(end.after), rounded(end.epoch_before), rounded(outcome.later.wall)));
  }
  const double active = pipeline::active_workers(inputs, pipeline::EpochKind::first);
  if (inputs.kind == LoaderKind::pool && active < inputs.workers) {
    add_remark(
        result, RemarkKind::check,
        fmt::format("{:g} of {:g} threads stay idle: prefetch_factor = {:g} batches of {:g} are "
                    "all that may be "
                    "in work; raise it, or use fewer threads",
                    inputs.workers - active, inputs.workers, inputs.prefetch, inputs.batch));
  } else if (inputs.kind == LoaderKind::pytorch && active < inputs.workers) {
    const bool batches = active == outcome.steps;
    // Few batches are a matter of taste; few objects leave hardware idle that was paid for.
    (batches ? result.remarks : result.caveats)
        .push_back(fmt::format(
            "{:g} of {:g} workers have nothing to do: an epoch has no more than {} {} for each "
            "GPU{}",
            std::floor(inputs.workers - active), inputs.workers, three_digits(active),
            batches ? "batches" : "objects to stream",
            batches ? "" : "; make smaller objects, or take fewer workers."));
  }
  if (exact) {
    if (const auto instances = pipeline::instances_apart(inputs)) {
      result.remarks.push_back(fmt::format(
          "{:g} of {:g} instances are simulated whole; of the others {}, as if their loaders kept "
          "up with them",
          *instances, inputs.instances,
          inputs.step_cv > 0.0 ? "the steps of every GPU" : "nothing differs from step to step"));
    }
  }
  if (outcome.ratio_missed) {
    add_remark(
        result, RemarkKind::check,
        "the parallel efficiency that is given cannot be reached: the input pipeline alone loses "
        "more; the simulated one stands");
  }
}

}  // namespace

Result run(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
           const RunOptions& options) {
  const resolve::Resolved resolved = resolve::resolve(
      scenario, catalog, host, {},
      options.list_inputs ? resolve::Want::everything : resolve::Want::without_texts);
  pipeline::SimulationOptions simulation;
  simulation.exact = options.exact;
  simulation.seed = options.seed;
  if (options.progress) {
    simulation.look = [&](double done, double all) { options.progress(Phase::steps, done, all); };
  }
  const pipeline::Outcome outcome = pipeline::simulate(resolved.inputs, simulation);
  if (options.progress) {
    simulation.look = [&](double done, double all) { options.progress(Phase::alone, done, all); };
  }
  const pipeline::Outcome mean = options.exact ? pipeline::simulate(resolved.inputs) : outcome;

  Result result;
  const pipeline::Inputs& inputs = resolved.inputs;
  result.instance = scenario.cluster.instance.value_or("");
  result.instances = inputs.instances;
  result.gpus = inputs.gpus();
  if (inputs.unequal) result.as_many_alike = inputs.instances_alike();
  result.remarks = resolved.remarks;
  result.remark_kinds = resolved.remark_kinds;
  result.caveats = resolved.caveats;
  if (options.list_inputs) result.inputs = resolved.used;
  result.communication = resolved.communication;
  result.times = {outcome.startup, outcome.staging, outcome.first.wall, outcome.later.wall,
                  outcome.total.wall};
  result.gpu_busy_time = outcome.total.busy;
  result.straggling = outcome.total.straggling;
  const Duration training = outcome.total.wall - outcome.startup - outcome.staging;
  result.gpu_busy = outcome.total.busy / training;
  if (!scenario.job.duration_on_one_instance) {
    result.throughput = samples(outcome.trained_samples) / outcome.training();
  }
  result.steps_per_epoch = outcome.steps;
  result.steps = inputs.epochs * outcome.steps + inputs.unfinished_steps;
  result.effort = outcome.effort;
  fill_efficiencies(result, scenario, catalog, host, outcome, simulation);
  result.shared_limit = shared_limit_of(scenario, inputs);
  result.bill = bill_of(bill_input(resolved.terms, inputs, outcome, result.remarks));
  report_interruptions(result, scenario, catalog, host, resolved, outcome);
  result.bottleneck = find_bottleneck(inputs, mean.total.wall);
  fill_stages(result, resolved, outcome);
  remark_on_latency(result, inputs);
  const auto gap = gap_of(inputs);
  remark_on_rounds(result, gap);
  remark_on_unequal(result, inputs, mean);
  remark_on_limits(result, inputs, outcome, options.exact);
  if (!scenario.job.duration_on_one_instance) {
    result.monitors = monitors_of(resolved, outcome);
    if (gap) result.monitors->gap_every = gap->every;
  }
  if (options.try_workers && is_a_matter_of_workers(result, scenario)) {
    result.bottleneck.workers = try_workers(scenario, catalog, host, resolved, mean.total.wall);
  }
  if (options.replications > 0) {
    result.bands = replicate(scenario, catalog, host, options);
    if (const int done = result.bands->replications; done < options.replications) {
      result.caveats.push_back(stopped_words(done, options.replications, "ranges"));
    }
    if (const double never = result.bands->never_ends; never > 0.0) {
      result.caveats.push_back(fmt::format(
          "In {:.2g} % of the draws the job never ends{}: the ranges are those of the others.",
          100.0 * never, inputs.booked > Duration{} ? ", what is booked is too short" : ""));
    }
    if (result.bottleneck.stage && options.bottlenecks) {
      result.bottleneck.probability =
          result.bands->bottleneck_probability[*result.bottleneck.stage];
    }
  }
  mark_what_matters(result);
  if (options.weigh) weigh_inputs(result, scenario, catalog, host);
  return result;
}

}  // namespace feedrate::study
