// The two kinds of loader that run beside the GPU.
#include "pipeline/rank.hpp"

namespace feedrate::pipeline {
namespace {

bool starts_workers(const RankBuilder& rank) {
  return rank.kind == EpochKind::first || !rank.inputs.persistent_workers;
}

/// Indices are handed out once all workers have been started, one after the other.
Duration startup_of(const RankBuilder& rank, double workers) {
  if (!starts_workers(rank)) return {};
  return rank.inputs.worker_startup * workers / rank.inputs.speed[Stage::startup];
}

/// A share of the time that a worker alone needs for one chunk. Real workers never stay in
/// lockstep; simulated ones without randomness would, and then disk and cores would take turns
/// being idle.
Duration phase_of(const RankBuilder& rank, double worker, double workers, double chunk,
                  Who who = Who::local) {
  // With one kind of cost there are no turns to take.
  if (who == Who::local && chunks_of(rank.cost, rank.inputs.batch) == 1) return {};
  const Capacities& capacities = rank.capacities;
  const auto alone = [&](std::optional<engine::ResourceId> id, double work) {
    return id ? work / rank.model.resources[static_cast<std::size_t>(*id)].curve.front() : 0.0;
  };
  Duration one = rank.cost.download_latency + rank.cost.disk_latency +
                 seconds(alone(capacities.source, rank.cost.download.base())) +
                 seconds(alone(capacities.disk, rank.cost.disk.base()));
  if (who == Who::local) {
    one += seconds(alone(capacities.cpu, rank.cost.cpu.base()));
  } else {
    one += rank.cost.delivery_latency +
           seconds(alone(capacities.remote_cpu, rank.cost.remote_cpu.base())) +
           seconds(alone(capacities.delivery, rank.cost.delivery.base()));
  }
  return one * chunk * (worker / workers);
}

}  // namespace

void add_gates(RankBuilder& rank, double chunk) {
  const Capacities& capacities = rank.capacities;
  const Duration interval = rank.cost.request_interval * chunk;
  std::optional<QueueId> permits;
  if (ticks(interval).ns > 0) permits = add_permits(rank.model, rank.name, interval);
  if (!rank.inputs.sequential_stream || !capacities.source || rank.cost.download.base() <= 0.0) {
    rank.gates.permits = permits;
    return;
  }
  // Pipe mode: one stream fills a FIFO of two chunks ahead of whoever reads it.
  rank.gates.fifo = rank.add_queue("fifo", 2);
  LoadCost fetching;
  fetching.download_latency = rank.cost.download_latency;
  fetching.download = rank.cost.download;
  ProgramBuilder stream;
  stream.repeat_forever();
  add_load(stream, fetching, capacities, chunk, 1, Who::local, rank.batch_spread(chunk),
           {{}, permits});
  stream.put(*rank.gates.fifo, tag(Stage::download)).next();
  rank.add_process(stream, {.kind = TrackKind::stream, .feeds = Stage::decode}, true);
  rank.built.stocks.push_back(
      {"FIFO", *rank.gates.fifo, 1, 2.0 * chunk / rank.inputs.batch, rank.inputs.batch / chunk});
}

Fetch add_pytorch(RankBuilder& rank) {
  const Inputs& inputs = rank.inputs;
  const int workers = static_cast<int>(inputs.workers);
  const int chunks = chunks_of(rank.cost, inputs.batch);
  const auto count = static_cast<std::uint32_t>(workers);
  add_gates(rank, inputs.batch / chunks);
  QueueId first_index{}, first_ready{};
  for (int w = 0; w < workers; ++w) {
    const QueueId queue =
        rank.add_queue("index" + std::to_string(w), engine::unlimited, whole(inputs.prefetch));
    if (w == 0) first_index = queue;
  }
  for (int w = 0; w < workers; ++w) {
    const QueueId queue = rank.add_queue("ready" + std::to_string(w), engine::unlimited);
    if (w == 0) first_ready = queue;
  }
  const double last_worker = std::fmod(rank.shape.steps - 1.0, workers);
  for (int w = 0; w < workers; ++w) {
    const QueueId index{static_cast<std::uint32_t>(first_index) + static_cast<std::uint32_t>(w)};
    const QueueId ready{static_cast<std::uint32_t>(first_ready) + static_cast<std::uint32_t>(w)};
    const bool makes_last = rank.partial_last() && w == static_cast<int>(last_worker);
    const double batches = std::ceil((rank.shape.steps - w) / workers) - (makes_last ? 1.0 : 0.0);
    ProgramBuilder program;
    const Duration start =
        startup_of(rank, workers) + phase_of(rank, w, workers, inputs.batch / chunks);
    if (ticks(start).ns > 0) program.delay(ticks(start), tag(Stage::startup));
    if (const double warmup = inputs.worker_warmup.base() / inputs.speed[Stage::startup];
        warmup > 0.0 && rank.capacities.cpu && starts_workers(rank)) {
      program.use(*rank.capacities.cpu, {warmup}, tag(Stage::startup));
    }
    const auto make = [&](double samples) {
      program.take(index, tag(Stage::handover));
      add_load(program, rank.cost, rank.capacities, samples, chunks, Who::local,
               rank.batch_spread(samples / chunks), rank.gates);
      program.put(ready, tag(Stage::handover));
    };
    if (batches > 0.0) {
      program.repeat_long(whole(batches));
      make(inputs.batch);
      program.next();
    }
    if (makes_last) make(rank.shape.last_batch);
    rank.built.loaders.push_back(rank.add_process(program, {.kind = TrackKind::worker,
                                                            .number = w,
                                                            .feeds = Stage::handover,
                                                            .stride = double(workers),
                                                            .delivers = ready}));
  }
  rank.built.stocks.push_back({"ready batches", first_ready, count, workers * inputs.prefetch});
  Fetch fetch;
  fetch.ready = Ring{first_ready, count, 0, false};
  fetch.index = Ring{first_index, count, 0, true};
  return fetch;
}

Fetch add_pool(RankBuilder& rank) {
  const Inputs& inputs = rank.inputs;
  const bool remote_only =
      inputs.remote && inputs.remote->cpu.base() > 0.0 && inputs.cpu.base() <= 0.0;
  const int local = remote_only ? 0 : static_cast<int>(inputs.workers);
  const int remote =
      inputs.remote
          ? static_cast<int>(std::max(1.0, std::round(inputs.remote->workers / rank.layout.fold)))
          : 0;
  Fetch fetch;
  fetch.chunks = static_cast<int>(std::clamp(
      std::floor(inputs.batch), 1.0, std::max(8.0, std::min(128.0, double(local + remote)))));
  fetch.one_by_one = inputs.in_order;
  engine::Queue tickets;
  tickets.name = rank.name + "tickets";
  tickets.kind = engine::QueueKind::numbering;
  tickets.initial = whole(std::min(inputs.prefetch, rank.shape.steps)) * fetch.chunks;
  fetch.tickets = rank.model.add(tickets);
  engine::Queue done;
  done.name = rank.name + "samples";
  if (inputs.in_order) {
    done.kind = engine::QueueKind::ordered;
    done.numbered_by = *fetch.tickets;
  }
  fetch.samples = rank.model.add(done);
  rank.built.stocks.push_back(
      {"ready batches", *fetch.samples, 1, inputs.prefetch, double(fetch.chunks)});
  const double chunk = inputs.batch / fetch.chunks;
  add_gates(rank, chunk);
  for (int w = 0; w < local + remote; ++w) {
    const Who who = w < local ? Who::local : Who::remote;
    ProgramBuilder program;
    const Duration start =
        startup_of(rank, local + remote) + phase_of(rank, w, local + remote, chunk, who);
    if (ticks(start).ns > 0) program.delay(ticks(start), tag(Stage::startup));
    program.repeat_forever();
    program.take(*fetch.tickets, tag(Stage::handover));
    add_load(program, rank.cost, rank.capacities, chunk, 1, who, rank.batch_spread(chunk),
             rank.gates);
    program.put(*fetch.samples, tag(Stage::handover));
    program.next();
    const Part part{.kind = who == Who::local ? TrackKind::thread : TrackKind::remote,
                    .number = who == Who::local ? w : w - local,
                    .feeds = Stage::handover,
                    .tickets = fetch.tickets,
                    .chunks = double(fetch.chunks)};
    rank.built.loaders.push_back(rank.add_process(program, part, true));
  }
  return fetch;
}

}  // namespace feedrate::pipeline
