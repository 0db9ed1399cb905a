#include "pipeline/build.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/random.hpp"
#include "pipeline/rank.hpp"

namespace feedrate::pipeline {

namespace {

void multiply(std::vector<RateLimit>& limits, double instances) {
  for (RateLimit& limit : limits) {
    limit.rate *= instances;
    limit.burst_rate *= instances;
    limit.credit *= instances;
  }
}

/// So many instances' worth of a capacity.
void multiply(Read& read, double instances) {
  for (auto& point : read.rate.points) {
    point.users *= instances;
    point.total *= instances;
  }
  if (read.nic) *read.nic *= instances;
  read.connections *= instances;
  multiply(read.limits, instances);
}

/// One rank in place of all that remote workers serve together, with all of their threads and all
/// that their instances have.
Inputs merged(const Inputs& inputs) {
  Inputs one = inputs;
  const double ranks = inputs.gpus();
  const double instances = inputs.instances_alike();
  one.batch *= ranks;
  one.workers *= ranks;
  one.prefetch = std::round(most_begun(inputs));
  // Each rank starts its own, all at the same time.
  one.worker_startup = inputs.worker_startup / ranks;
  one.copy = inputs.copy / ranks;
  one.pin = inputs.pin / ranks;
  one.step.fixed = step_time(inputs, inputs.batch);
  one.step.per_sample.reset();
  one.step.table.reset();
  one.gpu_preprocess = inputs.gpu_preprocess / ranks;
  one.ranks = one.instances = 1.0;
  one.unequal.reset();
  for (auto& point : one.cores.points) {
    point.users *= instances;
    point.total *= instances;
  }
  one.hardware_threads *= instances;
  one.other_threads *= instances;
  for (std::optional<RateLimit>* limit : {&one.cpu_quota, &one.memory}) {
    if (*limit) (*limit)->rate *= instances;
  }
  for (std::optional<Read>* read : {&one.source, &one.first_source, &one.disk}) {
    if (*read) multiply(**read, instances);
  }
  // Its NICs are those of all remote instances already; what limits the source is told of one
  // training instance.
  if (one.remote->fetch) multiply(one.remote->fetch->limits, instances);
  one.remote->in_one = inputs.remote->in_one * instances;
  return one;
}

double processes_of(const Inputs& inputs) {
  return inputs.ranks * (inputs.workers + 3.0);
}

/// Of `instances` that are alike.
KindLayout kind_apart(const Inputs& inputs, double instances, double most_processes) {
  KindLayout layout{1, static_cast<int>(inputs.ranks), 1.0, {}};
  const double rank_limit = std::max(1.0, most_processes / (inputs.workers + 3.0));
  if (layout.ranks > rank_limit) {
    layout.fold = std::ceil(inputs.ranks / rank_limit);
    layout.ranks = static_cast<int>(std::max(1.0, std::round(inputs.ranks / layout.fold)));
    layout.fold = inputs.ranks / layout.ranks;
  }
  layout.instances =
      static_cast<int>(std::clamp(std::floor(rank_limit / layout.ranks), 1.0, instances));
  return layout;
}

/// Instances of one kind while an epoch is put together.
struct BuiltKind {
  Inputs inputs;
  Misses misses;
  KindLayout layout;
};

/// The one that `inputs` describe, then those of the layout's others, at its virtual speeds.
std::vector<BuiltKind> built_kinds(const Inputs& inputs, const Misses& misses,
                                   const Layout& layout) {
  std::vector<BuiltKind> kinds;
  kinds.push_back({inputs, misses, {layout.instances, layout.ranks, layout.fold, misses}});
  for (std::size_t i = 0; i < layout.others.size(); ++i) {
    kinds.push_back({*inputs.unequal->others[i].inputs, layout.others[i].misses, layout.others[i]});
    kinds.back().inputs.speed = inputs.speed;
  }
  return kinds;
}

int ranks_in(const std::vector<BuiltKind>& kinds) {
  int ranks = 0;
  for (const BuiltKind& kind : kinds) ranks += kind.layout.instances * kind.layout.ranks;
  return ranks;
}

}  // namespace

int instances_in(const Layout& layout) {
  int instances = layout.instances;
  for (const KindLayout& kind : layout.others) instances += kind.instances;
  return instances;
}

Layout apart(const Inputs& inputs, int most_processes) {
  const bool varies =
      inputs.step_cv > 0.0 || (!inputs.asynchronous_step && inputs.handover_cv > 0.0);
  if (inputs.remote) {
    Layout merged;
    if (varies) merged.fed = static_cast<int>(std::max(0.0, inputs.waited_for() - 1.0));
    return merged;
  }
  std::vector<UnequalInstances::Kind> others;
  if (inputs.unequal) others = inputs.unequal->others;
  const double alike = inputs.unequal ? inputs.unequal->alike : inputs.instances;
  double all = alike * processes_of(inputs);
  for (const auto& kind : others) all += kind.instances * processes_of(*kind.inputs);
  const auto of_kind = [&](const Inputs& kind, double instances) {
    const double share = instances * processes_of(kind) / all;
    return kind_apart(kind, instances, std::floor(most_processes * share));
  };
  const KindLayout one = of_kind(inputs, alike);
  Layout layout;
  layout.instances = one.instances;
  layout.ranks = one.ranks;
  layout.fold = one.fold;
  for (const auto& kind : others) layout.others.push_back(of_kind(*kind.inputs, kind.instances));
  if (varies) {
    double simulated = layout.fold * layout.instances * layout.ranks;
    for (const KindLayout& kind : layout.others) {
      simulated += kind.fold * kind.instances * kind.ranks;
    }
    layout.fed = static_cast<int>(std::max(0.0, inputs.waited_for() - simulated));
  }
  return layout;
}

std::string name_of(const Part& part) {
  const auto numbered = [&](const std::string& kind) {
    return part.number < 0 ? kind : kind + " " + std::to_string(part.number);
  };
  switch (part.kind) {
    case TrackKind::connection: return numbered("connection");
    case TrackKind::stream: return numbered("stream");
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

namespace {

/// What the instances of an epoch share.
struct EpochParts {
  engine::Model& model;
  EpochModel& built;
  const Layout& layout;
  EpochKind kind;
  EpochShape shape;   ///< of what is trained on
  EpochShape loaded;  ///< of what loaders make
  std::optional<engine::BarrierId> barrier;
};

/// Where transfers pass a NIC.
void note_nics(const Capacities& of, EpochModel& built) {
  for (std::size_t i = 0; i < of.stations.size(); ++i) {
    const Station& station = of.loading.stations[i];
    const Place& place = of.stations[i];
    if (station.nic <= 0.0 || !place.resource) continue;
    built.nics.push_back({*place.resource, station, of.loading.customers, place.gate.has_value()});
  }
}

/// Which credit is to be carried to the next epoch. Customers that pass the limits of others come
/// after these.
void note_credits(const Capacities& of, double fold, EpochModel& built) {
  for (std::size_t i = 0; i < of.limits.size(); ++i) {
    const SampleLimit& limit = of.loading.limits[i];
    if (!of.limits[i].burst) continue;
    const engine::BucketId bucket = of.limits[i].long_run;
    const bool known = std::any_of(built.credits.begin(), built.credits.end(),
                                   [&](const CreditKept& other) { return other.bucket == bucket; });
    if (!known) built.credits.push_back({bucket, limit.credit / fold});
  }
}

/// What fetches ahead of the workers of an instance: the connections of Pipe mode, which fill one
/// FIFO for all of them, or a thread of each, which is a part of its rank.
void add_stream(const EpochParts& epoch, Capacities& capacities, const BuiltKind& one,
                const std::string& name) {
  engine::Model& model = epoch.model;
  EpochModel& built = epoch.built;
  const Inputs& inputs = one.inputs;
  const Misses& misses = one.misses;
  const KindLayout& layout = one.layout;
  const double active = division_of(inputs).workers;
  const auto stream = stream_of(inputs, epoch.kind, misses, active);
  if (!stream) return;
  const DownloadThread thread = download_thread_of(inputs, most_dealt(inputs));
  const bool of_workers = thread.at_once > 0.0;
  const double chunk = inputs.batch / chunks_of(inputs);
  Loading fetching;
  fetching.customers = stream->customers;
  fetching.stations = {stream->station};
  fetching.limits = stream_limits(inputs, epoch.kind, misses);
  auto made = std::make_shared<Capacities>(add_capacities(model, name, fetching, layout.fold, 0.0,
                                                          of_workers ? thread.at_once : chunk,
                                                          epoch.layout.credits));
  note_nics(*made, built);
  note_credits(*made, layout.fold, built);
  // The workers take what the stream has fetched.
  std::swap(made->nic, capacities.nic);
  if (of_workers) {
    capacities.downloads = made;
    return;
  }
  engine::Queue fifo;
  fifo.name = name + "fifo";
  fifo.capacity = 2 * layout.ranks;
  const engine::QueueId queue = model.add(fifo);
  for (double c = 0.0; c < stream->customers; c += 1.0) {
    ProgramBuilder program;
    program.repeat_forever();
    add_load(program, *made, chunk, 1, {inputs.size_cv, inputs.read_cv, 0.0});
    program.put(queue, tag(Stage::download)).next();
    Part part{.kind = TrackKind::stream, .feeds = Stage::decode};
    part.process =
        model.add(engine::Process{name + name_of(part), model.add(program.build()), true, -1});
    built.streams.push_back(part.process);
    if (built.parts.empty()) built.parts.push_back(part);
  }
  if (built.gpus.empty())
    built.stocks.push_back(
        {"FIFO", queue, 1, 2.0 * layout.ranks * chunk / inputs.batch, inputs.batch / chunk});
  capacities.fifo = queue;
}

void add_instance(const BuiltKind& one, const EpochParts& epoch, const std::string& name) {
  const Inputs& inputs = one.inputs;
  const KindLayout& layout = one.layout;
  engine::Model& model = epoch.model;
  const bool workers = traits(inputs.kind).whole_batches && inputs.workers > 0.0;
  const double chunk = inputs.batch / chunks_of(inputs);
  const Division division = division_of(inputs);
  const double active = division.workers;
  std::optional<Capacities> local, remote;
  for (const Loading& loading : loadings(inputs, epoch.kind, one.misses, active)) {
    const bool here = loading.cpu_stage == Stage::decode;
    const double helpers = here ? 2.0 * layout.ranks : 0.0;  // main processes, pinning threads
    auto& made = here ? local : remote;
    made = add_capacities(model, name + (here ? "" : "remote "), loading, layout.fold, helpers,
                          chunk, epoch.layout.credits, local ? &*local : nullptr);
    note_credits(*made, layout.fold, epoch.built);
  }
  if (local) note_nics(*local, epoch.built);
  const auto nic = local ? shared_nic(inputs, epoch.kind, one.misses) : std::nullopt;
  std::optional<engine::BucketId> shared;
  if (nic) {
    shared = local->nic =
        add_nic(model, name, *nic, layout.fold, opening_of(local->loading, layout.fold, chunk));
  }
  if (local) add_stream(epoch, *local, one, name);
  std::optional<engine::ResourceId> cpu;
  if (local) cpu = local->cpu;
  for (int r = 0; r < layout.ranks; ++r) {
    if (local) add_locks(model, *local, name + "r" + std::to_string(r) + ".");
    RankBuilder rank{model,
                     inputs,
                     epoch.layout,
                     local ? &*local : nullptr,
                     remote ? &*remote : nullptr,
                     cpu,
                     epoch.kind,
                     epoch.shape,
                     epoch.loaded,
                     division,
                     name + "r" + std::to_string(r) + ".",
                     epoch.barrier,
                     epoch.built,
                     epoch.built.gpus.empty()};
    if (shared) rank.gradients = RankBuilder::Gradients{*shared, nic->gradients / inputs.ranks};
    const Fetch fetch = inputs.pooled() ? add_pool(rank) : workers ? add_pytorch(rank) : Fetch{};
    epoch.built.gpus.push_back(add_consumer(rank, fetch));
  }
}

}  // namespace

EpochModel build_epoch(const Inputs& given, EpochKind kind, const Misses& given_misses,
                       const Layout& layout) {
  const std::vector<BuiltKind> kinds =
      built_kinds(given.remote ? merged(given) : given, given_misses, layout);
  const Inputs& inputs = kinds.front().inputs;
  EpochModel built;
  engine::Model& model = built.model;
  const EpochShape loaded = epoch_shape(inputs);
  const bool left = layout.steps > 0.0 && layout.steps < loaded.steps;
  const EpochShape shape = left ? loaded.first(layout.steps) : loaded;
  if (inputs.step_times) {
    const queueing::Empirical& step = inputs.step_times->step;
    model.lists.push_back({step.values(), step.up_to()});
  }
  std::optional<engine::BarrierId> barrier;
  if (const int ranks = ranks_in(kinds) + (layout.fed > 0 ? 1 : 0); ranks > 1) {
    barrier = model.add(engine::Barrier{"all-reduce", static_cast<std::uint32_t>(ranks)});
  }
  int number = 0;
  for (const BuiltKind& one : kinds) {
    for (int i = 0; i < one.layout.instances; ++i) {
      const std::string name = prefix_of(layout, number);
      add_instance(one, {model, built, layout, kind, shape, loaded, barrier}, name);
      if (number++ > 0) continue;
      built.own_processes = model.processes.size();
      built.own_resources = model.resources.size();
    }
  }
  if (layout.fed > 0) {
    RankBuilder rank{model, inputs, layout, nullptr, nullptr, {},    kind,
                     shape, loaded, {},     "fed ",  barrier, built, false};
    add_fed_ranks(rank, layout.fed);
  }
  model.reference = built.gpus.front();
  return built;
}

std::string prefix_of(const Layout& layout, int instance) {
  return instances_in(layout) > 1 ? "i" + std::to_string(instance) + "." : "";
}

EpochEvents epoch_events(const Inputs& inputs, const Epochs& epochs, std::uint64_t seed,
                         const Credits& credits) {
  EpochEvents events;
  events.layout = apart(inputs, most_apart);
  Layout& layout = events.layout;
  layout.steps = epochs.steps;
  layout.credits = credits;
  for (std::size_t i = 0; i < layout.others.size(); ++i) {
    layout.others[i].misses = misses_in(*inputs.unequal->others[i].inputs, epochs.first);
  }
  events.built = build_epoch(inputs, epochs.kind, misses_in(inputs, epochs.first), layout);
  events.options.exact = true;
  events.options.seed = seed_of(seed, static_cast<std::uint64_t>(epochs.first));
  return events;
}

}  // namespace feedrate::pipeline
