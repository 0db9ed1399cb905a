#include "resolve/memory.hpp"

#include <algorithm>
#include <cmath>

#include "pipeline/loading.hpp"
#include "resolve/pieces.hpp"

namespace feedrate::resolve {
namespace {

bool starts_workers(const Context& context) {
  return traits(context.scenario.loader.kind).processes && context.out.inputs.workers > 0.0;
}

/// Of the largest that there is.
Bytes batch_bytes(const Context& context) {
  return samples(pipeline::epoch_shape(context.out.inputs).largest()) * bytes_to_gpu(context);
}

/// Of so many batches of a rank, those that exist at once: nobody makes any of the next epoch.
double of_epoch(const Context& context, double batches) {
  return std::min(batches, pipeline::epoch_shape(context.out.inputs).steps);
}

/// Pinned bytes of a rank: where batches are pinned, one that is being copied and one that waits.
Bytes pinned(const Context& context) {
  return (context.pins ? 2.0 : 0.0) * batch_bytes(context);
}

/// A worker reads a sample, or its group of rows, whole before it decodes it, and holds its shuffle
/// buffer. Few bytes are in its own memory, which was measured with images; all are where that is
/// given.
Bytes stored_in_work(const Context& context) {
  if (context.scenario.loader.worker_memory) return {};
  constexpr double of_images = 64e6;
  const Bytes sample = bytes_in_chain(context.scenario).stored * samples(1.0);
  const Bytes all = std::max(sample, held_stored(context).of_worker);
  return std::max(Bytes{}, all - bytes(of_images));
}

Bytes least_of_worker(const Context& context) {
  return context.scenario.loader.worker_memory.value_or(bytes(assumed::worker_memory.low)) +
         stored_in_work(context);
}

MemoryNeeds needs(const Context& context, Bytes of_process, Bytes of_worker) {
  const Inputs& inputs = context.out.inputs;
  const double processes = inputs.all_ranks > 0.0 ? inputs.all_ranks : inputs.ranks;
  return {processes * of_process,
          starts_workers(context) ? inputs.ranks * inputs.workers * of_worker : Bytes{},
          batches_ahead(context), kept_samples(context)};
}

}  // namespace

DataPerSample bytes_to_gpu(const Context& context) {
  const auto crossing = bytes_in_chain(context.scenario).to_gpu;
  return crossing ? crossing->value : DataPerSample{};
}

std::optional<Bytes> memory_of_instance(const Context& context) {
  if (context.scenario.cluster.memory) return context.scenario.cluster.memory;
  const Known<Bytes> known = context.published(&Machine::memory);
  return known ? std::optional(known->value) : std::nullopt;
}

Bytes batches_ahead(const Context& context) {
  const Inputs& inputs = context.out.inputs;
  // What helpers have begun lies on their instances.
  const double here = pipeline::most_begun_here(inputs);
  const double made = inputs.remote ? std::max(inputs.prefetch, here) : here;
  return inputs.ranks * (of_epoch(context, made) * batch_bytes(context) + pinned(context) +
                         held_stored(context).of_rank);
}

Bytes batches_of_workers(const Context& context) {
  const Inputs& inputs = context.out.inputs;
  return inputs.ranks * of_epoch(context, inputs.workers * inputs.prefetch) * batch_bytes(context);
}

bool kept_size_known(const Scenario& scenario) {
  return bytes_in_chain(scenario).kept.has_value();
}

Bytes kept_samples(const Context& context) {
  const Inputs& inputs = context.out.inputs;
  if (!inputs.caches.decoded) return {};
  const ChainBytes chain = bytes_in_chain(context.scenario);
  return chain.kept.value_or(chain.stored) * samples(inputs.samples / parts_read(context));
}

namespace {

/// What a worker holds is known, and no part of what is assumed.
Assumption assumed_of_worker(const Context& context) {
  const double held = stored_in_work(context).base();
  Assumption listed = assumed::worker_memory;
  for (double* number : {&listed.value, &listed.low, &listed.high}) *number += held;
  return listed;
}

}  // namespace

const MemoryNeeds& memory_needs(Context& context) {
  const Bytes process = context.assume<Bytes>(Stage::disk, assumed::process_memory);
  const Bytes worker =
      starts_workers(context)
          ? context.find_or<Bytes>(Stage::disk, context.scenario.loader.worker_memory, {},
                                   assumed_of_worker(context))
          : Bytes{};
  context.memory = needs(context, process, worker);
  return *context.memory;
}

MemoryNeeds usual_memory_needs(const Context& context) {
  const Bytes worker =
      starts_workers(context)
          ? context.scenario.loader.worker_memory.value_or(bytes(assumed_of_worker(context).value))
          : Bytes{};
  return needs(context, bytes(assumed::process_memory.value), worker);
}

MemoryNeeds least_memory_needs(const Context& context) {
  return needs(context, bytes(assumed::process_memory.low), least_of_worker(context));
}

double most_workers(const Context& context, Bytes room) {
  const Inputs& inputs = context.out.inputs;
  if (!starts_workers(context)) return 0.0;
  const Bytes of_rank = bytes(assumed::process_memory.low) + pinned(context);
  const Bytes rest = (room - kept_samples(context)) * (1.0 / inputs.ranks) - of_rank;
  const Bytes worker = least_of_worker(context);
  const double fit = std::floor(rest / (worker + inputs.prefetch * batch_bytes(context)));
  // Where all batches of an epoch are begun at once, another worker begins none.
  const double steps = pipeline::epoch_shape(inputs).steps;
  const double beside_all = std::floor((rest - steps * batch_bytes(context)) / worker);
  return beside_all * inputs.prefetch >= steps ? std::max(fit, beside_all) : fit;
}

}  // namespace feedrate::resolve
