#include "pipeline/build.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "pipeline/rank.hpp"

namespace feedrate::pipeline {

namespace {

/// Pipe mode: `connections` of an instance fill a FIFO ahead of all of its workers.
void add_stream(engine::Model& model, EpochModel& built, Capacities& capacities,
                const Inputs& inputs, EpochKind kind, const Misses& misses, const Layout& layout,
                const std::string& name) {
  const auto station = stream_of(inputs, kind, misses);
  if (!station) return;
  const double chunk = inputs.batch / chunks_of(inputs);
  const double connections = std::max(1.0, station->connections);
  Loading fetching;
  fetching.customers = connections;
  fetching.stations = {*station};
  fetching.stations.front().connections = 0.0;
  fetching.limits = stream_limits(inputs, kind, misses);
  engine::Queue fifo;
  fifo.name = name + "fifo";
  fifo.capacity = 2 * layout.ranks;
  const engine::QueueId queue = model.add(fifo);
  const Capacities made = add_capacities(model, name, fetching, layout.fold, 0.0, chunk);
  for (double c = 0.0; c < connections; c += 1.0) {
    ProgramBuilder stream;
    stream.repeat_forever();
    add_load(stream, made, chunk, 1, {inputs.size_cv, inputs.read_cv, 0.0});
    stream.put(queue, tag(Stage::download)).next();
    Part part{.kind = TrackKind::stream, .feeds = Stage::decode};
    part.process =
        model.add(engine::Process{name + name_of(part), model.add(stream.build()), true, -1});
    if (built.parts.empty()) built.parts.push_back(part);
  }
  if (built.gpus.empty())
    built.stocks.push_back(
        {"FIFO", queue, 1, 2.0 * layout.ranks * chunk / inputs.batch, inputs.batch / chunk});
  capacities.fifo = queue;
}

/// So many instances' worth of a capacity.
void multiply(Read& read, double instances) {
  for (auto& point : read.rate.points) {
    point.users *= instances;
    point.total *= instances;
  }
  read.connections *= instances;
  for (RateLimit& limit : read.limits) {
    limit.rate *= instances;
    limit.burst_rate *= instances;
    limit.credit *= instances;
  }
}

/// One rank in place of all that remote workers serve together, with all of their threads and all
/// that their instances have.
Inputs merged(const Inputs& inputs) {
  Inputs one = inputs;
  const double ranks = inputs.ranks * inputs.instances;
  one.batch *= ranks;
  one.workers *= ranks;
  one.copy = inputs.copy / ranks;
  one.pin = inputs.pin / ranks;
  one.step.fixed = step_time(inputs, inputs.batch);
  one.step.per_sample.reset();
  one.step.table.reset();
  one.gpu_preprocess = inputs.gpu_preprocess / ranks;
  one.ranks = one.instances = 1.0;
  for (auto& point : one.cores.points) {
    point.users *= inputs.instances;
    point.total *= inputs.instances;
  }
  for (std::optional<Read>* read : {&one.source, &one.first_source, &one.disk}) {
    if (*read) multiply(**read, inputs.instances);
  }
  one.remote->network = inputs.remote->network * inputs.instances;
  return one;
}

}  // namespace

Layout apart(const Inputs& inputs, int most_processes) {
  Layout layout{static_cast<int>(inputs.instances), static_cast<int>(inputs.ranks), 1.0, 0.0};
  if (inputs.remote) return {};
  const double each = inputs.workers + 3.0;
  const double rank_limit = std::max(1.0, most_processes / each);
  if (layout.ranks > rank_limit) {
    layout.fold = std::ceil(inputs.ranks / rank_limit);
    layout.ranks = static_cast<int>(std::max(1.0, std::round(inputs.ranks / layout.fold)));
    layout.fold = inputs.ranks / layout.ranks;
  }
  layout.instances =
      static_cast<int>(std::clamp(std::floor(rank_limit / layout.ranks), 1.0, inputs.instances));
  if (inputs.step_cv > 0.0) {
    const double ranks = inputs.instances * inputs.ranks;
    layout.fed =
        static_cast<int>(std::max(0.0, ranks - layout.fold * layout.instances * layout.ranks));
  }
  return layout;
}

std::string name_of(const Part& part) {
  const auto numbered = [&](const std::string& kind) {
    return part.number < 0 ? kind : kind + " " + std::to_string(part.number);
  };
  switch (part.kind) {
    case TrackKind::connection: return numbered("connection");
    case TrackKind::stream: return "stream";
    case TrackKind::worker: return numbered("worker");
    case TrackKind::thread: return numbered("thread");
    case TrackKind::remote: return numbered("remote worker");
    case TrackKind::pin: return "pinning thread";
    case TrackKind::relay: return "relay";
    case TrackKind::main: return "main process";
    case TrackKind::copy: return "host-to-device copy";
    case TrackKind::gpu: return "GPU";
    case TrackKind::capacity: return "capacity";
  }
  return "";
}

EpochModel build_epoch(const Inputs& given, EpochKind kind, const Misses& misses,
                       const Layout& layout) {
  const Inputs inputs = given.remote ? merged(given) : given;
  EpochModel built;
  engine::Model& model = built.model;
  const EpochShape loaded = epoch_shape(inputs);
  const bool left = layout.steps > 0.0 && layout.steps < loaded.steps;
  const EpochShape shape = left ? EpochShape{layout.steps, inputs.batch} : loaded;
  if (inputs.step_times) {
    const queueing::Empirical& step = inputs.step_times->step;
    model.lists.push_back({step.values(), step.up_to()});
  }
  std::optional<engine::BarrierId> barrier;
  if (const int ranks = layout.instances * layout.ranks + (layout.fed > 0 ? 1 : 0); ranks > 1) {
    barrier = model.add(engine::Barrier{"all-reduce", static_cast<std::uint32_t>(ranks)});
  }
  const bool workers = inputs.kind == LoaderKind::pytorch && inputs.workers > 0.0;
  const double chunk = inputs.batch / chunks_of(inputs);
  const double active = std::max(1.0, inputs.workers);
  for (int i = 0; i < layout.instances; ++i) {
    const std::string instance = layout.instances > 1 ? "i" + std::to_string(i) + "." : "";
    std::optional<Capacities> local, remote;
    for (const Loading& loading : loadings(inputs, kind, misses, active)) {
      const bool here = loading.cpu_stage == Stage::decode;
      const double helpers = here ? 2.0 * layout.ranks : 0.0;  // main processes, pinning threads
      (here ? local : remote) = add_capacities(model, instance + (here ? "" : "remote "), loading,
                                               layout.fold, helpers, chunk);
    }
    if (local) add_stream(model, built, *local, inputs, kind, misses, layout, instance);
    std::optional<engine::ResourceId> cpu;
    if (local) cpu = local->cpu;
    for (int r = 0; r < layout.ranks; ++r) {
      RankBuilder rank{model,
                       inputs,
                       layout,
                       local ? &*local : nullptr,
                       remote ? &*remote : nullptr,
                       cpu,
                       kind,
                       shape,
                       loaded,
                       instance + "r" + std::to_string(r) + ".",
                       barrier,
                       built,
                       built.gpus.empty()};
      const Fetch fetch = inputs.pooled() ? add_pool(rank) : workers ? add_pytorch(rank) : Fetch{};
      built.gpus.push_back(add_consumer(rank, fetch));
    }
  }
  if (layout.fed > 0) {
    RankBuilder rank{model, inputs, layout, nullptr, nullptr, {},   kind,
                     shape, loaded, "fed ", barrier, built,   false};
    add_fed_ranks(rank, layout.fed);
  }
  model.reference = built.gpus.front();
  return built;
}

}  // namespace feedrate::pipeline
