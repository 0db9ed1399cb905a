#include "study/bottleneck.hpp"

#include <algorithm>
#include <optional>

#include "pipeline/known_loading.hpp"
#include "pipeline/mean.hpp"

namespace feedrate::study {
namespace {

/// Whether the stage takes any time in this job.
bool costs(const pipeline::Inputs& inputs, Stage stage, Duration base,
           const PerStage<Throughput>& first, const PerStage<Throughput>& later) {
  if (stage == Stage::startup) {
    const Duration of_worker =
        inputs.worker_startup + inputs.worker_warmup + inputs.worker_shutdown;
    return is_mostly_startup(inputs, base) || (of_worker > Duration{} && inputs.workers > 0.0);
  }
  if (stage == Stage::checkpoint) return inputs.writes_checkpoints();
  if (stage == Stage::interruption) return inputs.interruptions.has_value();
  if (inputs.staging && (stage == Stage::download || stage == Stage::disk)) return true;
  if (inputs.staging && stage == Stage::network && inputs.staging->read.nic) return true;
  return first[stage].base() > 0.0 || later[stage].base() > 0.0;
}

/// What a job would take longer with as many checkpoints as its time has intervals: whole numbers
/// of them are written.
Duration up_to_next_checkpoint(const pipeline::Outcome& outcome) {
  const reliability::InterruptedJob& job = outcome.interrupted.job;
  return (job.work / job.interval - job.checkpoints()) * job.writing.stop(job.interval);
}

}  // namespace

double gain_of_faster(const pipeline::Inputs& inputs, const pipeline::Outcome& as_it_is,
                      const pipeline::Outcome& faster) {
  const Duration base = as_it_is.total.wall;
  Duration wall = faster.total.wall;
  // A job that ends just before a checkpoint saves a whole one, by little of any stage.
  if (inputs.fixed_checkpoints() &&
      faster.interrupted.checkpoints != as_it_is.interrupted.checkpoints) {
    wall += up_to_next_checkpoint(faster) - up_to_next_checkpoint(as_it_is);
  }
  return 1.0 - wall / base;
}

bool is_mostly_startup(const pipeline::Inputs& inputs, Duration base) {
  return inputs.startup > Duration{} && inputs.startup >= most_of_a_job * base;
}

pipeline::Inputs with_faster(const pipeline::Inputs& inputs, Stage stage, Duration base) {
  pipeline::Inputs faster = pipeline::twice_as_fast(inputs, stage);
  if (stage == Stage::startup && is_mostly_startup(inputs, base)) faster.startup /= 2.0;
  return faster;
}

Bottleneck find_bottleneck(const pipeline::Inputs& inputs, Duration base,
                           pipeline::KnownLoading* loading) {
  Bottleneck bottleneck;
  const auto first = pipeline::capacities(inputs, pipeline::EpochKind::first, 1.0);
  const auto later =
      pipeline::capacities(inputs, pipeline::EpochKind::later, pipeline::epochs_begun(inputs));
  pipeline::SimulationOptions options;
  options.details = false;
  pipeline::KnownLoading own;
  options.loading = loading != nullptr ? loading : &own;
  std::optional<pipeline::Outcome> as_it_is;  // there where checkpoints are at fixed times
  if (inputs.fixed_checkpoints()) {
    as_it_is = pipeline::simulate(inputs, options);
  }
  for (Stage stage : all_stages()) {
    if (!costs(inputs, stage, base, first, later)) continue;
    const pipeline::Outcome outcome = pipeline::simulate(with_faster(inputs, stage, base), options);
    const double gain =
        as_it_is ? gain_of_faster(inputs, *as_it_is, outcome) : 1.0 - outcome.total.wall / base;
    if (gain >= least_gain) bottleneck.gains.emplace_back(stage, gain);
  }
  std::stable_sort(bottleneck.gains.begin(), bottleneck.gains.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (bottleneck.gains.empty()) return bottleneck;
  auto named = bottleneck.gains.front();
  if (named.first == Stage::gpu && bottleneck.gains.size() > 1) {
    // GPUs that wait for the slowest of them wait for a GPU's work.
    const pipeline::Span total = pipeline::simulate(inputs, options).total;
    if (named.second > (total.busy + total.straggling) / base) named = bottleneck.gains[1];
  }
  bottleneck.stage = named.first;
  bottleneck.gain_if_twice_as_fast = named.second;
  return bottleneck;
}

bool is_startup_of_job(const Result& result) {
  return result.bottleneck.stage == Stage::startup &&
         result.times.startup >= most_of_a_job * result.times.total;
}

std::optional<Stage> bottleneck_of_training(const Result& result) {
  const Bottleneck& bottleneck = result.bottleneck;
  if (!is_startup_of_job(result)) return bottleneck.stage;
  if (bottleneck.gains.size() < 2) return std::nullopt;
  return bottleneck.gains[1].first;
}

bool passes_over_gpus(const Bottleneck& bottleneck) {
  return bottleneck.stage && bottleneck.stage != Stage::gpu &&
         bottleneck.gains.front().first == Stage::gpu;
}

}  // namespace feedrate::study
