#include "study/bottleneck.hpp"

#include <algorithm>

namespace feedrate::study {
namespace {

/// Whether the stage takes any time in this job.
bool costs(const pipeline::Inputs& inputs, Stage stage) {
  if (stage == Stage::startup)
    return (inputs.worker_startup + inputs.worker_warmup + inputs.worker_shutdown).base() > 0.0 &&
           inputs.workers > 0.0;
  if (stage == Stage::checkpoint) return inputs.checkpoint_interval.base() > 0.0;
  if (stage == Stage::download && inputs.staging) return true;
  const auto works = [&](pipeline::EpochKind kind) {
    return pipeline::capacities(inputs, kind)[stage].base() > 0.0;
  };
  return works(pipeline::EpochKind::first) ||
         (inputs.epochs > 1.0 && works(pipeline::EpochKind::later));
}

}  // namespace

Bottleneck find_bottleneck(const pipeline::Inputs& inputs, const pipeline::Outcome& base,
                           const pipeline::SimulationOptions& options) {
  Bottleneck bottleneck;
  for (Stage stage : all_stages()) {
    if (!costs(inputs, stage)) continue;
    // Twice as fast, a stage saves at most the waiting that is booked on it.
    const bool waited_for = base.total.stall[stage] / base.total.wall >= least_gain;
    if (stage != Stage::gpu && !waited_for) continue;
    pipeline::Inputs faster = inputs;
    faster.speed[stage] = 2.0;
    const pipeline::Outcome outcome = pipeline::simulate(faster, options);
    const double gain = 1.0 - outcome.total.wall / base.total.wall;
    if (gain >= least_gain) bottleneck.gains.emplace_back(stage, gain);
  }
  std::stable_sort(bottleneck.gains.begin(), bottleneck.gains.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (!bottleneck.gains.empty()) {
    bottleneck.stage = bottleneck.gains.front().first;
    bottleneck.gain_if_twice_as_fast = bottleneck.gains.front().second;
  }
  return bottleneck;
}

}  // namespace feedrate::study
