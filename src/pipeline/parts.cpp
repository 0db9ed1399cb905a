#include "pipeline/parts.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace feedrate::pipeline {
namespace {

/// Chunks per batch that are told apart: enough that reading and decoding of one batch interleave
/// with those of the others, few enough to simulate quickly.
constexpr int most_chunks = 8;

template <class Rate>
engine::ResourceId add_curve(engine::Model& model, std::string name, const Curve<Rate>& curve,
                             double users, double fold) {
  engine::Resource resource{std::move(name), {}};
  const int most = static_cast<int>(std::clamp(std::ceil(users), 1.0, 4096.0));
  for (int n = 1; n <= most; ++n) {
    const auto total = curve.total(n * fold);
    if constexpr (requires { total.base(); }) {
      resource.curve.push_back(total.base() / fold);
    } else {
      resource.curve.push_back(total / fold);
    }
  }
  return model.add(std::move(resource));
}

/// Work in bytes of a sample's requests to a disk: bytes + requests · X_max/ops_max, so that an
/// IOPS limit binds exactly when that many requests a second are made at full rate.
Bytes disk_work(const Read& read) {
  Bytes work = read.bytes * samples(1.0);
  if (read.max_requests.base() > 0.0) {
    work += read.requests * (read.rate.maximum() / read.max_requests);
  }
  return work;
}

}  // namespace

engine::Ticks ticks(Duration duration) {
  return {std::llround(duration.base() * 1e9)};
}

engine::Spread spread(bool random, double cv) {
  if (!random || cv <= 0.0) return engine::no_spread;
  return {engine::Law::lognormal, cv};
}

Capacities add_capacities(engine::Model& model, const Inputs& inputs, EpochKind kind,
                          const Layout& layout) {
  Capacities made;
  const double threads = std::max(inputs.workers, 1.0) * layout.ranks;
  const auto& source = kind == EpochKind::first ? inputs.first_source : inputs.source;
  if (source && !source->rate.empty()) {
    made.source = add_curve(model, "source", source->rate, inputs.sequential_stream ? 1.0 : threads,
                            layout.fold);
  }
  if (inputs.disk) made.disk = add_curve(model, "disk", inputs.disk->rate, threads, layout.fold);
  if (!inputs.cores.empty()) {
    const double helpers = 2.0 * layout.ranks;  // the main process and its pinning thread
    made.cpu = add_curve(model, "CPU cores", inputs.cores, threads + helpers, layout.fold);
  }
  if (inputs.remote) {
    const double workers = std::max(1.0, inputs.remote->workers / layout.fold);
    made.remote_cpu =
        add_curve(model, "remote CPU cores", inputs.remote->cores, workers, layout.fold);
    made.delivery =
        add_curve(model, "delivery", inputs.remote->delivery.rate, workers, layout.fold);
  }
  return made;
}

LoadCost load_cost(const Inputs& inputs, EpochKind kind) {
  LoadCost cost;
  const Samples one = samples(1.0);
  const bool first = kind == EpochKind::first;
  const bool cached = inputs.in_memory_cache && !first;
  const double misses = cached ? 0.0 : 1.0 - (first ? inputs.first_hit : inputs.hit);
  const auto& source = first ? inputs.first_source : inputs.source;
  if (source) {
    const double fetched = cached ? 0.0 : (inputs.disk ? 1.0 : misses);
    cost.download_latency =
        source->latency * (source->requests * fetched / inputs.speed[Stage::download]);
    cost.download = source->bytes * one * (fetched / inputs.speed[Stage::download]);
    if (source->max_requests.base() > 0.0) {
      cost.request_interval = inputs.ranks * source->requests * fetched / source->max_requests /
                              inputs.speed[Stage::download];
    }
  }
  if (inputs.disk) {
    cost.disk_latency =
        inputs.disk->latency * (inputs.disk->requests * misses / inputs.speed[Stage::disk]);
    cost.disk = disk_work(*inputs.disk) * (misses / inputs.speed[Stage::disk]);
  }
  cost.cpu = (cached ? inputs.cached_cpu : inputs.cpu) * one / inputs.speed[Stage::decode];
  cost.collate = inputs.collate * one / inputs.speed[Stage::collate];
  if (inputs.remote) {
    const Read& delivery = inputs.remote->delivery;
    cost.remote_cpu = inputs.remote->cpu * one / inputs.speed[Stage::remote];
    cost.delivery_latency = delivery.latency * (delivery.requests / inputs.speed[Stage::remote]);
    cost.delivery = delivery.bytes * one / inputs.speed[Stage::remote];
  }
  return cost;
}

int chunks_of(const LoadCost& cost, double batch) {
  const bool fetches = (cost.download + cost.disk).base() > 0.0 ||
                       (cost.download_latency + cost.disk_latency).base() > 0.0;
  const bool computes = cost.cpu.base() > 0.0 || cost.remote_cpu.base() > 0.0;
  if (!fetches || !computes) return 1;
  return static_cast<int>(std::clamp(std::floor(batch), 1.0, double{most_chunks}));
}

engine::QueueId add_permits(engine::Model& model, const std::string& name, Duration interval) {
  engine::Queue queue;
  queue.name = name + "permits";
  queue.capacity = 1;
  queue.initial = 1;
  const engine::QueueId permits = model.add(queue);
  engine::ProgramBuilder program;
  program.repeat_forever();
  program.delay(ticks(interval), tag(Stage::download));
  program.put(permits, tag(Stage::download)).next();
  model.add(engine::Process{name + "service", model.add(program.build()), true, -1});
  return permits;
}

void add_load(engine::ProgramBuilder& program, const LoadCost& cost, const Capacities& capacities,
              double samples, int chunks, Who who, engine::Spread spread_of_chunk,
              const Gates& gates) {
  const double n = samples / chunks;
  const auto wait = [&](Duration each, Stage stage) {
    if (ticks(each * n).ns > 0) program.delay(ticks(each * n), tag(stage));
  };
  const auto work = [&](std::optional<engine::ResourceId> resource, double each, Stage stage) {
    if (resource && each > 0.0) {
      program.use(*resource, {each * n}, tag(stage), spread_of_chunk);
    }
  };
  if (chunks > 1) program.repeat(chunks);
  if (gates.fifo) {
    program.take(*gates.fifo, tag(Stage::download));
  } else {
    if (gates.permits) program.take(*gates.permits, tag(Stage::download));
    wait(cost.download_latency, Stage::download);
    work(capacities.source, cost.download.base(), Stage::download);
  }
  wait(cost.disk_latency, Stage::disk);
  work(capacities.disk, cost.disk.base(), Stage::disk);
  if (who == Who::local) {
    work(capacities.cpu, cost.cpu.base(), Stage::decode);
  } else {
    work(capacities.remote_cpu, cost.remote_cpu.base(), Stage::remote);
    wait(cost.delivery_latency, Stage::remote);
    work(capacities.delivery, cost.delivery.base(), Stage::remote);
  }
  if (chunks > 1) program.next();
  if (who == Who::local && capacities.cpu && cost.collate.base() > 0.0) {
    program.use(*capacities.cpu, {cost.collate.base() * samples}, tag(Stage::collate));
  }
}

}  // namespace feedrate::pipeline
