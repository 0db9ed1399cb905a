#include "study/run_remarks.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/random.hpp"
#include "words/job.hpp"
#include "words/showback.hpp"

namespace feedrate::study {
namespace {

void add_check(Result& result, std::string text) {
  result.remark_kinds.insert_or_assign(text, RemarkKind::check);
  result.remarks.push_back(std::move(text));
}

/// When requests wait longer for their first byte than for all the others, more of them at a time
/// help and bandwidth does not.
void remark_on_latency(Result& result, const pipeline::Inputs& inputs) {
  if (result.bottleneck.stage != Stage::download || inputs.remote) return;
  const pipeline::Flow flow(inputs, pipeline::EpochKind::first, pipeline::Misses{},
                            pipeline::active_workers(inputs));
  const bool limited = flow.limit() < flow.free_rate();
  const auto bound = [](const pipeline::Read& read, Bytes size, double users) {
    return !read.rate.empty() && read.latency > size / (read.through_nic().total(users) / users);
  };
  const double workers = std::max(1.0, inputs.workers) * inputs.ranks;
  if (inputs.source && !limited && !inputs.sequential_stream && inputs.source->requests > 0.0 &&
      bound(*inputs.source, inputs.source->bytes / inputs.source->requests * samples(1.0),
            workers)) {
    result.remarks.emplace_back(words::download_waits_for_latency);
  }
  if (inputs.staging &&
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
/// not change.
void remark_on_launch(Result& result, const pipeline::Inputs& inputs) {
  const auto& stage = result.bottleneck.stage;
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

}  // namespace

void remark_on_storage(Result& result, const Scenario& scenario) {
  const auto& held = scenario.source.storage_held;
  const auto& runs = scenario.accounting.runs_per_month;
  if (!held || !runs || result.bill.storage <= Money{}) return;
  // A volume of an instance's own is none that runs share.
  if (traits(scenario.source.service).volume) return;
  const Duration each = *held / scenario.job.jobs.value_or(1.0);
  const double paid = *runs * each / months(1.0);
  constexpr double of_31_days = 31.0 * 24.0 / 730.0;  // runs of a month that is longer than most
  if (paid > of_31_days) add_check(result, words::storage_paid_again(*runs, each, paid));
}

void add_remarks(Result& result, const pipeline::Inputs& inputs, const pipeline::Outcome& outcome,
                 const pipeline::Outcome& mean, const std::optional<pipeline::RoundGap>& gap,
                 bool exact) {
  remark_on_latency(result, inputs);
  remark_on_lock(result, inputs);
  remark_on_launch(result, inputs);
  if (gap) result.remarks.push_back(words::waits_every(gap->wait, gap->every));
  remark_on_unequal(result, inputs, mean);
  // What little credit comes back is used up again: the first end is the one to know of.
  std::set<std::string> ended;
  for (const pipeline::CreditEnd& end : outcome.ends) {
    if (!ended.insert(end.limit).second) continue;
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

}  // namespace feedrate::study
