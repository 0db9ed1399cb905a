#pragma once
// Which stage shortens the job most when it gets faster.
#include "model/result.hpp"
#include "pipeline/inputs.hpp"
#include "pipeline/simulate.hpp"

namespace feedrate::study {

/// A stage that gains less than this share of the job's time is no bottleneck: no stage is one
/// then.
inline constexpr double least_gain = 0.01;

/// The share of a job's time from which on its own start-up is a stage to name.
inline constexpr double most_of_a_job = 0.5;

/// Whether the job's own start-up takes that much of its time, `base`. What comes before any
/// data is bought, not fed: where it takes less, it is no stage of the pipeline.
bool is_mostly_startup(const pipeline::Inputs& inputs, Duration base);

/// The job, which takes `base`, with a stage twice as fast. Start-up is that of workers, and also
/// the job's own where it is mostly that.
pipeline::Inputs with_faster(const pipeline::Inputs& inputs, Stage stage, Duration base);

/// The share of its time that a job saves which is `faster` in a stage. Of checkpoints at fixed
/// times it saves as many as its time has intervals, a part of one too.
double gain_of_faster(const pipeline::Inputs& inputs, const pipeline::Outcome& as_it_is,
                      const pipeline::Outcome& faster);

/// Simulates the job with each stage that takes any time made twice as fast in turn, all else
/// equal; the bottleneck is the stage that shortens the job most. `base` is the job's time as it
/// is. GPUs that save more than all of their work takes do so by what they spare others (a
/// checkpoint at each second of training): then it is the next stage that gains. `loading`: what is
/// known of these inputs.
Bottleneck find_bottleneck(const pipeline::Inputs& inputs, Duration base,
                           pipeline::KnownLoading* loading = nullptr);

/// Whether the bottleneck is start-up, and that of the job.
bool is_startup_of_job(const Result& result);

/// The bottleneck, or where that is start-up of the job the stage that gains most of what follows.
std::optional<Stage> bottleneck_of_training(const Result& result);

/// Whether GPUs gain most, but another stage is named: see find_bottleneck().
bool passes_over_gpus(const Bottleneck& bottleneck);

}  // namespace feedrate::study
