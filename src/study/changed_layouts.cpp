// Other layouts of a model that is spread over GPUs, which train the same global batch.
#include <cmath>
#include <optional>
#include <utility>

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

/// Changes a number, and names the change after it.
void assign(Change& change, const char* key, double before, double then) {
  if (then == before) return;
  change.set.emplace_back(key, exact_text(then));
  change.words +=
      (change.words.empty() ? "" : ", ") + words::assigned(last_word(key), exact_text(then));
}

/// Of the loader's batch and of those of a step: what is left of them where so many times as many
/// replicas share the global batch. Empty: neither divides.
struct Share {
  double batch = 1.0;
  double accumulated = 1.0;
};
std::optional<Share> shared_by(double times, Share now) {
  if (divides(times, now.batch)) return Share{now.batch / times, now.accumulated};
  if (divides(times, now.accumulated)) return Share{now.batch, now.accumulated / times};
  return std::nullopt;
}

Share share_of_replica(const Situation& s) {
  return {s.scenario.loader.batch_size.value_or(1.0),
          s.scenario.job.gradient_accumulation.value_or(1.0)};
}

/// So many times as many replicas train on as many samples in all.
void keep_samples(const Situation& s, double times, double batch_then, Change& change) {
  const auto& data = s.scenario.job.parallel->data;
  if (data) change.set.emplace_back("/job/parallel/data", exact_text(*data * times));
  if (s.scenario.job.steps) {
    const double batch = share_of_replica(s).batch;
    change.set.emplace_back(
        "/job/steps", whole_text(std::ceil(*s.scenario.job.steps * batch / batch_then / times)));
  }
}

double chunks_of(const ParallelLayout& layout) {
  return layout.schedule == PipelineSchedule::interleaved ? layout.virtual_stages.value_or(2.0)
                                                          : 1.0;
}

/// Whether a pipeline of so many stages has layers for each, and micro-batches to interleave.
bool can_have_stages(const Situation& s, double stages) {
  const ParallelLayout& now = *s.scenario.job.parallel;
  if (now.layers && *now.layers < stages * chunks_of(now)) return false;
  return now.schedule != PipelineSchedule::interleaved ||
         divides(stages, s.result.layout->micro_batches);
}

/// So many times as many replicas, of tensor groups on so many GPUs less. Where their weights fit
/// only without the optimizer's state, replicas divide that.
std::optional<Change> more_replicas(const Situation& s, double times) {
  const ParallelLayout& now = *s.scenario.job.parallel;
  const Share before = share_of_replica(s);
  const double of_step = before.batch * before.accumulated;
  const double micro_batch = of_step / s.result.layout->micro_batches;
  if (now.expert > 1.0) return std::nullopt;
  if (now.pipeline > 1.0 && !divides(times * micro_batch, of_step)) return std::nullopt;
  const auto then = shared_by(times, before);
  if (!then) return std::nullopt;
  const double tensor = now.tensor / times;
  const Parallelism how = s.scenario.job.parallelism.value_or(Parallelism::ddp);
  const bool holds = holds_weights(s, tensor * now.pipeline, how);
  const bool divided = !holds && how == Parallelism::ddp &&
                       holds_weights(s, tensor * now.pipeline, Parallelism::zero1);
  if (!holds && !divided) return std::nullopt;
  Change change;
  assign(change, "/job/parallel/tensor", now.tensor, tensor);
  assign(change, "batch_size", before.batch, then->batch);
  assign(change, "gradient_accumulation", before.accumulated, then->accumulated);
  if (divided) {
    change.set.emplace_back("/job/parallelism", "zero1");
    change.words += ", " + words::assigned("parallelism", "zero1");
  }
  if (now.micro_batches) {
    change.set.emplace_back("/job/parallel/micro_batches", exact_text(*now.micro_batches / times));
  }
  keep_samples(s, times, then->batch, change);
  return change;
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
  const double chunks = chunks_of(now);
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
  const Share before = share_of_replica(s);
  const double of_step = before.batch * before.accumulated;
  // Activations take as much memory as before: micro-batches stay as large, and a GPU has fewer of
  // them at a time, as many times as it has more layers.
  const double micro_batch = of_step / s.result.layout->micro_batches;
  const Parallelism how = s.scenario.job.parallelism.value_or(Parallelism::ddp);
  std::vector<Change> list;
  for (double times = 2.0; times <= now.pipeline; times += 1.0) {
    if (!divides(times, now.pipeline) || !divides(times * micro_batch, of_step)) continue;
    const double stages = now.pipeline / times;
    if (!holds_weights(s, now.tensor * stages, how)) continue;
    // Each batch is a micro-batch where there is one stage.
    const auto then = stages == 1.0
                          ? std::optional(Share{micro_batch, of_step / times / micro_batch})
                          : shared_by(times, before);
    if (!then) continue;
    Change change;
    assign(change, "/job/parallel/pipeline", now.pipeline, stages);
    assign(change, "batch_size", before.batch, then->batch);
    assign(change, "gradient_accumulation", before.accumulated, then->accumulated);
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
    keep_samples(s, times, then->batch, change);
    list.push_back(std::move(change));
  }
  return list;
}

std::vector<Change> smaller_tensor_groups(const Situation& s) {
  const ParallelLayout& now = *s.scenario.job.parallel;
  std::vector<Change> list;
  for (double times = 2.0; times <= now.tensor; times += 1.0) {
    if (!divides(times, now.tensor)) continue;
    if (can_have_stages(s, now.pipeline * times)) {
      Change change;
      assign(change, "/job/parallel/tensor", now.tensor, now.tensor / times);
      assign(change, "/job/parallel/pipeline", now.pipeline, now.pipeline * times);
      list.push_back(std::move(change));
    }
    if (auto change = more_replicas(s, times)) list.push_back(std::move(*change));
  }
  return list;
}

}  // namespace feedrate::study
