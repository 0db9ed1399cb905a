// What each stage could carry if it alone took time, from the same numbers the simulation uses.
#include <algorithm>
#include <cmath>

#include "pipeline/inputs.hpp"

namespace feedrate::pipeline {
namespace {

constexpr Throughput none{};

/// `users` requests at a time, each latency + transfer + its share of a limit on requests.
Throughput of_read(const Read& read, double users, double misses, bool remote) {
  if (misses <= 0.0 || users <= 0.0) return none;
  Samples one = samples(1.0);
  Bytes work = read.bytes * one;
  Duration limited{};
  if (read.max_requests.base() > 0.0 && remote) {
    limited = read.requests * users / read.max_requests;
  } else if (read.max_requests.base() > 0.0) {
    work += read.requests * (read.rate.maximum() / read.max_requests);
  }
  if (work.base() <= 0.0 && read.latency.base() <= 0.0) return none;
  const Duration transfer = work / (read.rate.total(users) / users);
  // Leave to make a request and bytes come side by side, so the slower of the two counts.
  const Duration each = std::max(read.requests * read.latency + transfer, limited);
  return one * users / (each * misses);
}

/// `threads` of them, each `cpu` core-seconds per sample.
Throughput of_cores(const Curve<double>& cores, double threads, DurationPerSample cpu) {
  if (cpu.base() <= 0.0 || threads <= 0.0) return none;
  return cores.total(threads) / cpu;
}

Throughput per_batch(Duration time, double samples_per_batch, double servers) {
  if (time.base() <= 0.0) return none;
  return samples(samples_per_batch * servers) / time;
}

}  // namespace

EpochShape epoch_shape(const Inputs& inputs) {
  const double ranks = inputs.instances * inputs.ranks;
  const double each =
      inputs.drop_last ? std::floor(inputs.samples / ranks) : std::ceil(inputs.samples / ranks);
  const double whole = std::floor(each / inputs.batch);
  const double rest = each - whole * inputs.batch;
  if (rest > 0.0 && !inputs.drop_last) return {whole + 1.0, rest};
  return {whole, inputs.batch};
}

Duration step_time(const Inputs& inputs, double batch) {
  Duration time = inputs.gpu_preprocess * samples(batch);
  if (inputs.step.table) {
    const auto& table = *inputs.step.table;
    Curve<double> curve;
    for (const auto& [size, duration] : table) curve.points.push_back({size, duration.base()});
    double found = curve.total(batch);
    if (batch > table.back().first && table.size() > 1) {
      const auto& a = table[table.size() - 2];
      const auto& b = table.back();
      found += (b.second - a.second).base() / (b.first - a.first) * (batch - b.first);
    }
    return time + seconds(found);
  }
  if (inputs.step.fixed) time += *inputs.step.fixed;
  if (inputs.step.per_sample) time += *inputs.step.per_sample * samples(batch);
  return time;
}

PerStage<Throughput> capacities(const Inputs& inputs, EpochKind kind) {
  PerStage<Throughput> per_instance;
  const bool first = kind == EpochKind::first;
  const bool cached = inputs.in_memory_cache && !first;
  const double threads = std::max(inputs.workers, 1.0) * inputs.ranks;
  const double readers = inputs.sequential_stream ? 1.0 : threads;
  const double misses = cached ? 0.0 : 1.0 - (first ? inputs.first_hit : inputs.hit);
  const auto& source = first ? inputs.first_source : inputs.source;
  if (source) {
    per_instance[Stage::download] =
        of_read(*source, readers, inputs.disk && !cached ? 1.0 : misses, true);
  }
  if (inputs.disk) per_instance[Stage::disk] = of_read(*inputs.disk, threads, misses, false);
  const DurationPerSample cpu = cached ? inputs.cached_cpu : inputs.cpu;
  per_instance[Stage::decode] = of_cores(inputs.cores, threads, cpu);
  if (inputs.remote) {
    const RemotePool& remote = *inputs.remote;
    per_instance[Stage::remote] = of_cores(remote.cores, remote.workers, remote.cpu);
  }
  per_instance[Stage::collate] = of_cores(inputs.cores, threads, inputs.collate);
  per_instance[Stage::handover] = per_batch(inputs.handover, inputs.batch, inputs.ranks);
  per_instance[Stage::h2d] = per_batch(inputs.copy_latency + inputs.copy * samples(inputs.batch),
                                       inputs.batch, inputs.ranks);
  per_instance[Stage::gpu] = per_batch(step_time(inputs, inputs.batch), inputs.batch, inputs.ranks);
  per_instance[Stage::allreduce] =
      per_batch(inputs.exposed_allreduce, inputs.batch * inputs.accumulation, inputs.ranks);
  PerStage<Throughput> all;
  for (Stage stage : all_stages()) {
    all[stage] = per_instance[stage] * inputs.instances * inputs.speed[stage];
  }
  return all;
}

}  // namespace feedrate::pipeline
