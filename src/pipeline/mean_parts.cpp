// What stands beside the mean of an epoch: staging before it, and the capacities behind it.
#include <algorithm>
#include <cmath>

#include "pipeline/mean.hpp"

namespace feedrate::pipeline {

MeanStaging mean_staging(const Inputs& inputs) {
  MeanStaging made;
  if (!inputs.staging) return made;
  const Staging& staging = *inputs.staging;
  const double speed = inputs.speed[Stage::download];
  const double connections = std::max(1.0, std::min(staging.connections, staging.objects));
  queueing::ClosedNetwork network(static_cast<int>(std::ceil(connections)));
  network.add_delay(staging.read.latency.base() / speed);
  if (!staging.read.rate.empty() && staging.object_size.base() > 0.0) {
    std::vector<double> rates;
    for (double n = 1.0; n <= std::ceil(connections); n += 1.0) {
      rates.push_back(staging.read.rate.total(n).base() * speed / staging.object_size.base());
    }
    network.add_shared(rates);
  }
  double objects_per_second = network.throughput(connections);
  for (const RateLimit& limit : staging.read.limits) {
    if (limit.each > 0.0) {
      objects_per_second = std::min(objects_per_second, limit.rate * speed / limit.each);
    }
  }
  if (staging.disk_write && staging.object_size.base() > 0.0) {
    const double written =
        staging.disk_write->base() * inputs.speed[Stage::disk] / staging.object_size.base();
    if (written < objects_per_second) {
      objects_per_second = written;
      made.waits_for = Stage::disk;
    }
  }
  made.time = seconds(staging.objects / objects_per_second);
  return made;
}

PerStage<Throughput> capacities(const Inputs& inputs, EpochKind kind, double epoch) {
  const Misses misses = misses_in(inputs, epoch);
  const Flow flow(inputs, kind, misses, active_workers(inputs, kind));
  const PerStage<double> loader = flow.alone();
  PerStage<double> one;  // instance
  for (Stage stage : all_stages()) one[stage] = loader[stage];
  const double batch = inputs.batch;
  const auto per_batch = [&](Stage stage, double seconds, double samples) {
    if (seconds > 0.0) one[stage] = samples * inputs.ranks * inputs.speed[stage] / seconds;
  };
  per_batch(Stage::handover, inputs.handover.base(), batch);
  per_batch(Stage::h2d, inputs.copy_latency.base() + inputs.copy.base() * batch, batch);
  per_batch(Stage::gpu, step_time(inputs, batch).base(), batch);
  per_batch(Stage::allreduce, inputs.exposed_allreduce.base(), batch * inputs.accumulation);
  PerStage<Throughput> all;
  for (Stage stage : all_stages()) {
    all[stage] = samples(one[stage] * inputs.instances) / seconds(1.0);
  }
  return all;
}

std::vector<double> loader_curve(const Inputs& inputs, EpochKind kind, double epoch) {
  const Misses misses = misses_in(inputs, epoch);
  const double active = active_workers(inputs, kind);
  const Flow flow(inputs, kind, misses, active);
  const double most = active * inputs.ranks;
  std::vector<double> curve;
  for (double n = 1.0; n <= most; n += 1.0) curve.push_back(flow.rate(n / most));
  return curve;
}

}  // namespace feedrate::pipeline
