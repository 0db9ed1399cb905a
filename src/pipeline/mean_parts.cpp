// What stands beside the mean of an epoch: staging before it, and the capacities behind it.
#include <algorithm>
#include <cmath>

#include "pipeline/mean_epoch.hpp"

namespace feedrate::pipeline {

MeanStaging mean_staging(const Inputs& inputs, Credits& credits) {
  MeanStaging made;
  if (!inputs.staging) return made;
  const Staging& staging = *inputs.staging;
  const double speed = inputs.speed[Stage::download];
  const double written = inputs.speed[Stage::disk];
  const double carried = inputs.speed[Stage::network];
  const double nic = staging.read.nic ? staging.read.nic->base() * carried : 1e300;
  const double size = staging.object_size.base();
  const double connections = std::min(std::max(1.0, std::min(staging.connections, staging.objects)),
                                      double{queueing::most_customers});
  const auto copying = [&](double source, double line) {
    queueing::ClosedNetwork network(static_cast<int>(std::ceil(connections)));
    network.add_delay(staging.read.latency.base() / source);
    if (staging.read.rate.empty() || size <= 0.0) return network;
    std::vector<double> rates;
    const double most =
        std::min(std::ceil(connections), std::ceil(staging.read.rate.points.back().users));
    for (double n = 1.0; n <= std::max(1.0, most); n += 1.0) {
      rates.push_back(std::min(staging.read.rate.total(n).base() * source, line) / size);
    }
    network.add_shared(rates);
    return network;
  };
  const queueing::ClosedNetwork network = copying(speed, nic);
  // In objects: what the connections reach, and what limits and the device let through.
  struct Limit {
    Stage stage;
    std::string name;
    double rate, burst_rate, credit, left;
  };
  std::vector<Limit> limits;
  const auto add = [&](const std::vector<RateLimit>& list, Stage stage) {
    for (const RateLimit& limit : list) {
      if (limit.each <= 0.0) continue;
      const Stage of = limit.of_nic ? Stage::network : stage;
      const double faster = inputs.speed[of];
      const double credit = limit.burst_rate > 0.0 ? limit.credit / limit.each : 0.0;
      limits.push_back({of, limit.name, limit.rate * faster / limit.each,
                        limit.burst_rate * faster / limit.each, credit,
                        credit * credits.share_left(limit.name)});
    }
  };
  add(staging.read.limits, Stage::download);
  add(staging.write_limits, Stage::disk);
  if (staging.disk_write && size > 0.0) {
    limits.push_back({Stage::disk, "", staging.disk_write->base() * written / size, 0.0, 0.0, 0.0});
  }
  // Connections that began together end together: rounds of as many objects, and what is left in
  // one of its own. Whether fewer at a time would leave less to the last round is for them to try.
  const auto rounds = [&](double at_once) {
    const double whole = at_once * std::floor(staging.objects / at_once + 1e-9);
    return std::pair{whole, std::max(0.0, staging.objects - whole)};
  };
  const auto pace_of = [&](double at_once) { return network.throughput(std::max(1.0, at_once)); };
  double best = connections;
  double least = 1e300;
  for (double n = connections; n >= 1.0; n -= 1.0) {
    const auto [whole, rest] = rounds(n);
    const double time = whole / pace_of(n) + (rest > 0.0 ? rest / pace_of(rest) : 0.0);
    if (time < least * (1.0 - 1e-12)) {
      least = time;
      best = n;
    }
  }
  // Of the source and the NIC, the one that is worth making faster.
  const double at_once = std::max(1.0, best);
  const bool of_nic = staging.read.nic && copying(speed, 2.0 * nic).throughput(at_once) >
                                              copying(2.0 * speed, nic).throughput(at_once);
  double longest = 0.0;
  const auto copy = [&](double remaining, double free) {
    while (remaining > 0.0) {
      double pace = free;
      Stage waits_for = of_nic ? Stage::network : Stage::download;
      for (const Limit& limit : limits) {
        const double rate = limit.left > 0.0 ? limit.burst_rate : limit.rate;
        if (rate < pace) {
          pace = rate;
          waits_for = limit.stage;
        }
      }
      double time = remaining / pace;
      Limit* ends = nullptr;
      for (Limit& limit : limits) {
        if (limit.left <= 0.0 || pace <= limit.rate) continue;
        if (const double lasts = limit.left / (pace - limit.rate); lasts < time) {
          time = lasts;
          ends = &limit;
        }
      }
      for (Limit& limit : limits) {
        limit.left = std::clamp(limit.left - (pace - limit.rate) * time, 0.0, limit.credit);
      }
      if (ends != nullptr) ends->left = 0.0;
      remaining = ends != nullptr ? remaining - pace * time : 0.0;
      made.time += seconds(time);
      if (time > longest) {
        longest = time;
        made.waits_for = waits_for;
      }
    }
  };
  const auto [whole, rest] = rounds(best);
  copy(whole, pace_of(best));
  copy(rest, pace_of(rest));
  for (const Limit& limit : limits) {
    if (limit.credit > 0.0) credits.keep(limit.name, limit.left / limit.credit);
  }
  return made;
}

PerStage<double> reading_before(const Inputs& inputs, EpochKind kind, const Misses& misses,
                                const Flow& flow, double active) {
  PerStage<double> time;
  if (inputs.read_before <= 0.0 || inputs.remote) return time;
  Inputs reading = inputs;
  reading.cpu = reading.cached_cpu = reading.locked = reading.collate = {};
  reading.cpu_quota.reset();
  reading.memory.reset();
  if (reading.source) reading.source->cpu = {};
  if (reading.first_source) reading.first_source->cpu = {};
  Flow alone(reading, kind, misses, active);
  const auto limit_of = [&](const SampleLimit& limit) {
    const auto& all = flow.limits();
    const auto same = std::find_if(all.begin(), all.end(), [&](const SampleLimit& one) {
      return one.name == limit.name && one.stage == limit.stage;
    });
    return static_cast<std::size_t>(same - all.begin());
  };
  for (std::size_t i = 0; i < alone.limits().size(); ++i) {
    alone.set_burst(i, flow.in_burst(limit_of(alone.limits()[i])));
  }
  const double rate = alone.rate(1.0);
  if (rate >= 1e299) return time;
  const Loading loading = loadings(reading, kind, misses, active).front();
  // What is left of a sample's reading is what the rate counts.
  const double counted = loading.customers * loading.read_before / loading.reads_left;
  const PerStage<double> share = alone.making();
  for (Stage stage : all_stages()) time[stage] = counted / rate * share[stage];
  return time;
}

PerStage<Throughput> capacities(const Inputs& inputs, EpochKind kind, double epoch,
                                const std::vector<CreditEnd>& ended) {
  const Misses misses = misses_in(inputs, epoch);
  Flow flow(inputs, kind, misses, active_workers(inputs), Reading::all);
  // What a burst lets through may have been the whole job's pace.
  for (std::size_t i = 0; i < flow.limits().size(); ++i) {
    const SampleLimit& limit = flow.limits()[i];
    const bool over = std::any_of(ended.begin(), ended.end(), [&](const CreditEnd& end) {
      return end.limit == limit.name && end.stage == limit.stage;
    });
    flow.set_burst(i, limit.credit > 0.0 && !over);
  }
  const PerStage<double> loader = flow.alone();
  PerStage<double> one;  // instance
  for (Stage stage : all_stages()) one[stage] = loader[stage];
  const double batch = inputs.batch;
  if (const auto nic = shared_nic(inputs, kind, misses); nic && !flow.nothing()) {
    const double beside = nic->beside_gradients(batch * inputs.ranks * inputs.accumulation);
    double& most = one[Stage::network];
    most = most > 0.0 ? std::min(most, beside) : beside;
  }
  const auto per_batch = [&](Stage stage, double seconds, double samples) {
    if (seconds > 0.0) one[stage] = samples * inputs.ranks * inputs.speed[stage] / seconds;
  };
  per_batch(Stage::handover, handover_time(inputs).base() * inputs.speed[Stage::handover], batch);
  per_batch(Stage::h2d, inputs.copy_latency.base() + inputs.copy.base() * batch, batch);
  per_batch(Stage::gpu, step_time(inputs, batch).base(), batch);
  per_batch(Stage::gpu_preprocess,
            (inputs.gpu_preprocess + inputs.gpu_preprocess_ahead).base() * batch, batch);
  // Groups of batches that epochs cut short have an exchange, too.
  const double of_exchange = trained_samples(inputs) * inputs.times_loaded /
                             (exchanges(inputs) * inputs.ranks * inputs.instances_alike());
  per_batch(Stage::allreduce, all_communication(inputs).base() * inputs.speed[Stage::allreduce],
            of_exchange);
  PerStage<Throughput> all;
  for (Stage stage : all_stages()) {
    all[stage] =
        samples(one[stage] * inputs.instances_alike() / inputs.times_loaded) / seconds(1.0);
  }
  return all;
}

}  // namespace feedrate::pipeline
