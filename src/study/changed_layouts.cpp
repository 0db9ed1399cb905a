// Other layouts of a model that is spread over GPUs, which train the same global batch.
#include <cmath>

#include "base/number_text.hpp"
#include "resolve/exchange.hpp"
#include "study/remedy.hpp"
#include "words/remedies.hpp"

namespace feedrate::study {
namespace {

bool divides(double part, double whole) {
  return part >= 1.0 && std::fmod(whole, part) == 0.0;
}

/// Of all layers, how many the fullest GPU has: chunks are of whole layers.
double layers_of_fullest(double layers, double stages, double chunks) {
  return std::ceil(layers / (stages * chunks)) * chunks;
}

}  // namespace

bool holds_weights(const Situation& s, double over, Parallelism how) {
  constexpr double most = 0.6;
  // Bytes of a parameter: weight and gradient; Adam's two, and where these are in 16 bits, a copy.
  const bool single = s.scenario.job.step && s.scenario.job.step->precision == Precision::single;
  const double of_weights = single ? 8.0 : 4.0;
  const double of_optimizer = single ? 8.0 : 12.0;
  const auto& job = s.scenario.job;
  // What is stated of a step's memory is of the step as it is.
  if (job.step && job.step->gpu_memory) return false;
  const auto parameters = parameters_of(job);
  if (!parameters || !s.resolved.machine || !s.resolved.machine->gpu_memory) return false;
  const double all = s.inputs().cluster_gpus();
  const double bytes = *parameters * (of_weights / (is_sharded(how) ? all : over) +
                                      of_optimizer / (resolve::sums_for_all(how) ? over : all));
  return bytes <= most * s.resolved.machine->gpu_memory->value.base();
}

std::vector<Change> interleaved_stages(const Situation& s) {
  const ParallelLayout& now = *s.scenario.job.parallel;
  const bool interleaved = now.schedule == PipelineSchedule::interleaved;
  const double chunks = interleaved ? now.virtual_stages.value_or(2.0) : 1.0;
  // Without the number of layers, as few as any model can have in a stage.
  const double most = now.layers ? std::ceil(*now.layers / now.pipeline) : 4.0;
  std::vector<Change> list;
  for (double n = chunks + 1.0; n <= most; n += 1.0) {
    if (now.layers ? layers_of_fullest(*now.layers, now.pipeline, n) >
                         layers_of_fullest(*now.layers, now.pipeline, chunks)
                   : !divides(n, most)) {
      continue;
    }
    Change change;
    if (!interleaved) change.set.emplace_back("/job/parallel/schedule", "interleaved");
    change.set.emplace_back("/job/parallel/virtual_stages", exact_text(n));
    change.words = words::interleaved(n);
    list.push_back(std::move(change));
  }
  return list;
}

std::vector<Change> fewer_stages(const Situation& s) {
  const ParallelLayout& now = *s.scenario.job.parallel;
  const double batch = s.scenario.loader.batch_size.value_or(1.0);
  const double accumulated = s.scenario.job.gradient_accumulation.value_or(1.0);
  const double of_step = batch * accumulated;
  // Activations take as much memory as before: micro-batches stay as large, and a GPU has fewer of
  // them at a time, as many times as it has more layers.
  const double micro_batch = of_step / s.result.layout->micro_batches;
  const Parallelism how = s.scenario.job.parallelism.value_or(Parallelism::ddp);
  std::vector<Change> list;
  for (double times = 2.0; times <= now.pipeline; times += 1.0) {
    if (!divides(times, now.pipeline) || !divides(times * micro_batch, of_step)) continue;
    const double stages = now.pipeline / times;
    if (!holds_weights(s, now.tensor * stages, how)) continue;
    double batch_then = batch / times;
    double accumulated_then = accumulated;
    if (stages == 1.0) {  // each batch is a micro-batch then
      batch_then = micro_batch;
      accumulated_then = of_step / times / micro_batch;
    } else if (!divides(times, batch)) {
      if (!divides(times, accumulated)) continue;
      batch_then = batch;
      accumulated_then = accumulated / times;
    }
    Change change;
    const auto set = [&](const char* key, double before, double then) {
      if (then == before) return;
      change.set.emplace_back(key, exact_text(then));
      change.words +=
          (change.words.empty() ? "" : ", ") + words::assigned(last_word(key), exact_text(then));
    };
    set("/job/parallel/pipeline", now.pipeline, stages);
    set("batch_size", batch, batch_then);
    set("gradient_accumulation", accumulated, accumulated_then);
    if (stages > 1.0) {
      if (now.micro_batches) {
        change.set.emplace_back("/job/parallel/micro_batches",
                                exact_text(*now.micro_batches / times));
      }
    } else {
      if (now.micro_batches) change.set.emplace_back("/job/parallel/micro_batches", "null");
      if (now.virtual_stages) change.set.emplace_back("/job/parallel/virtual_stages", "null");
      if (now.schedule == PipelineSchedule::interleaved) {
        change.set.emplace_back("/job/parallel/schedule", "null");
      }
    }
    if (now.data) change.set.emplace_back("/job/parallel/data", exact_text(*now.data * times));
    if (s.scenario.job.steps) {
      change.set.emplace_back(
          "/job/steps", whole_text(std::ceil(*s.scenario.job.steps * batch / batch_then / times)));
    }
    list.push_back(std::move(change));
  }
  return list;
}

}  // namespace feedrate::study
