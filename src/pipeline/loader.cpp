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

/// What a worker process does before its first batch.
void add_start(RankBuilder& rank, ProgramBuilder& program) {
  const Inputs& inputs = rank.inputs;
  const Duration start = startup_of(rank, inputs.workers);
  if (ticks(start).ns > 0) program.delay(ticks(start), tag(Stage::startup));
  if (const double warmup = inputs.worker_warmup.base() / inputs.speed[Stage::startup];
      warmup > 0.0 && rank.cpu && starts_workers(rank)) {
    program.use(*rank.cpu, {warmup}, tag(Stage::startup));
  }
  add_read_before(program, *rank.local, inputs.batch, rank.variety());
}

/// What worker `w` loads through, which its `program` has started. Where a thread downloads ahead
/// of it, adds that: for the `batches` that the worker makes, which have `own` samples.
Capacities with_thread(RankBuilder& rank, ProgramBuilder& program, int w, double batches,
                       double own) {
  Capacities worker = *rank.local;
  if (!worker.downloads || batches <= 0.0) return worker;
  const Inputs& inputs = rank.inputs;
  const engine::Tag download = tag(Stage::download);
  const double chunks = chunks_of(inputs);
  const DownloadThread thread = download_thread_of(inputs, own);
  const double chunk = own / (batches * chunks);
  const auto in_chunks = [&](double samples) {
    return std::max<std::int64_t>(1, whole(samples / chunk));
  };
  const std::int64_t at_once = in_chunks(thread.at_once);
  const std::int64_t first = std::max(at_once, in_chunks(thread.first));
  const std::string number = std::to_string(w);
  const QueueId started = rank.add_queue("started" + number, engine::unlimited);
  program.put(started, download);
  worker.fifo = rank.add_queue("fetched" + number, engine::unlimited);
  worker.room = rank.add_queue("room" + number, engine::unlimited,
                               whole(std::min(thread.ahead, inputs.samples) / chunk));
  ProgramBuilder fetching;
  fetching.take(started, download);
  const auto fetch = [&](std::int64_t count) {
    const double samples = static_cast<double>(count) * chunk;
    add_load(fetching, *worker.downloads, samples, 1,
             {inputs.size_cv, inputs.read_cv * std::sqrt(inputs.batch / samples), 0.0});
    fetching.put(*worker.fifo, download, count);
  };
  fetch(first);
  const std::int64_t left = whole(batches * chunks) - first;
  if (left > 0) fetching.take(*worker.room, download, first);
  if (left >= at_once) {
    fetching.repeat(left / at_once);
    fetch(at_once);
    fetching.take(*worker.room, download, at_once).next();
  }
  if (left > 0 && left % at_once > 0) fetch(left % at_once);
  const Part part{.kind = TrackKind::stream, .number = w, .feeds = Stage::decode};
  rank.built.streams.push_back(rank.add_process(fetching, part, true));
  return worker;
}

/// Workers that take the next batch whoever made the last, and of which whoever is done is next.
Fetch add_unordered(RankBuilder& rank) {
  const Inputs& inputs = rank.inputs;
  const EpochShape& loaded = rank.loaded;
  const engine::Tag hand = tag(Stage::handover);
  const double ahead = inputs.workers * inputs.prefetch;
  const bool smaller_last = loaded.last_batch < inputs.batch;
  const double full = loaded.steps - (smaller_last ? 1.0 : 0.0);
  engine::Queue indices;
  indices.name = rank.name + "indices";
  indices.kind = engine::QueueKind::numbering;
  indices.initial = whole(std::min(ahead, loaded.steps));
  const QueueId index = rank.model.add(indices);
  // The main process asks for one more with each that it takes; no more are made than there are.
  const QueueId left = rank.add_queue("left", engine::unlimited, whole(full));
  const QueueId ready = rank.add_queue("ready", engine::unlimited);
  std::optional<QueueId> made;
  if (smaller_last) made = rank.add_queue("made", engine::unlimited);
  const auto make = [&](ProgramBuilder& program, double samples) {
    program.take(index, hand);
    add_load(program, *rank.local, samples, chunks_of(inputs), rank.variety());
  };
  // Full batches that are made before the smaller one is begun; without any, a worker begins with
  // it.
  const double before = std::max(0.0, full - inputs.workers + 1.0);
  const double makers = inputs.workers - (smaller_last && before <= 0.0 ? 1.0 : 0.0);
  for (int w = 0; w < static_cast<int>(makers); ++w) {
    ProgramBuilder program;
    add_start(rank, program);
    program.repeat_forever().take(left, hand);
    make(program, inputs.batch);
    program.put(ready, hand);
    if (made) program.put(*made, hand);
    program.next();
    const Part part{.kind = TrackKind::worker,
                    .number = w,
                    .feeds = Stage::handover,
                    .delivers = ready,
                    .tickets = index};
    rank.built.loaders.push_back(rank.add_process(program, part, true));
  }
  if (smaller_last) {
    // Whoever is the first to find no full batch left makes the smaller one. The loop takes it
    // last, as its step is the last that is smaller.
    ProgramBuilder program;
    if (before > 0.0) {
      program.take(*made, hand, whole(before));
    } else {
      add_start(rank, program);
    }
    make(program, loaded.last_batch);
    if (full > before) program.take(*made, hand, whole(full - before));
    program.put(ready, hand);
    rank.built.loaders.push_back(
        rank.model.add({rank.name + "last batch", rank.model.add(program.build()), true, -1}));
  }
  rank.add_stock({"ready batches", ready, 1, ahead});
  Fetch fetch;
  fetch.ready = Ring{ready, 1, 0, false};
  fetch.index = Ring{index, 1, 0, true};
  return fetch;
}

}  // namespace

Fetch add_pytorch(RankBuilder& rank) {
  const Inputs& inputs = rank.inputs;
  if (!in_turn(inputs)) return add_unordered(rank);
  const Division& division = rank.division;
  const int workers = static_cast<int>(division.workers);
  const int chunks = chunks_of(inputs);
  const auto count = static_cast<std::uint32_t>(workers);
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
  const EpochShape& loaded = rank.loaded;
  const double last_worker = std::fmod(loaded.steps - 1.0, workers);
  Fetch fetch;
  if (division.drops() && !rank.left()) fetch.end = rank.add_queue("ended", engine::unlimited);
  for (int w = 0; w < workers; ++w) {
    const QueueId index{static_cast<std::uint32_t>(first_index) + static_cast<std::uint32_t>(w)};
    const QueueId ready{static_cast<std::uint32_t>(first_ready) + static_cast<std::uint32_t>(w)};
    const bool makes_last = division.own || w == static_cast<int>(last_worker);
    const double all = division.batches_of(w);
    const double full = all - (makes_last ? 1.0 : 0.0);
    ProgramBuilder program;
    add_start(rank, program);
    const double own = full * inputs.batch + (makes_last ? division.of(w).last : 0.0);
    const Capacities worker = with_thread(rank, program, w, all, own);
    const auto make = [&](double samples) {
      program.take(index, tag(Stage::handover));
      add_load(program, worker, samples, chunks, rank.variety());
      program.put(ready, tag(Stage::handover));
    };
    if (full > 0.0) {
      program.repeat_long(whole(full));
      make(inputs.batch);
      program.next();
    }
    if (makes_last) make(division.of(w).last);
    if (const double dropped = division.dropped_by(w); fetch.end && dropped > 0.0) {
      Capacities uncollated = worker;
      uncollated.loading.collate = 0.0;
      program.take(index, tag(Stage::handover));
      add_load(program, uncollated, dropped, chunks, rank.variety());
      program.put(*fetch.end, tag(Stage::handover));
      fetch.ended += 1;
    }
    const Part part{.kind = TrackKind::worker,
                    .number = w,
                    .feeds = Stage::handover,
                    .stride = double(workers),
                    .delivers = ready};
    rank.built.loaders.push_back(rank.add_process(program, part, rank.left()));
  }
  rank.add_stock({"ready batches", first_ready, count, workers * inputs.prefetch});
  fetch.ready = Ring{first_ready, count, 0, false};
  fetch.index = Ring{first_index, count, 0, true};
  fetch.few = static_cast<std::uint32_t>(division.few);
  return fetch;
}

Fetch add_pool(RankBuilder& rank) {
  const Inputs& inputs = rank.inputs;
  const int local = rank.local ? static_cast<int>(inputs.workers) : 0;
  // All of them, for they serve one rank that stands for all.
  const int remote =
      rank.remote ? static_cast<int>(std::max(1.0, std::round(inputs.remote->workers))) : 0;
  Fetch fetch;
  fetch.chunks = chunks_of(inputs);
  fetch.one_by_one = inputs.in_order;
  engine::Queue tickets;
  tickets.name = rank.name + "tickets";
  tickets.kind = engine::QueueKind::numbering;
  const double ahead = inputs.prefetch;
  tickets.initial = whole(std::min(ahead, rank.loaded.steps)) * fetch.chunks;
  if (rank.loaded.steps <= ahead) {  // the last batch is among them, and may be smaller
    const double last = rank.loaded.last_batch * fetch.chunks / inputs.batch;
    tickets.initial -= fetch.chunks - whole(std::ceil(last - 1e-9));
  }
  fetch.tickets = rank.model.add(tickets);
  engine::Queue done;
  done.name = rank.name + "samples";
  if (inputs.in_order) {
    done.kind = engine::QueueKind::ordered;
    done.numbered_by = *fetch.tickets;
  }
  fetch.samples = rank.model.add(done);
  rank.add_stock({"ready batches", *fetch.samples, 1, inputs.prefetch, double(fetch.chunks)});
  const double chunk = inputs.batch / fetch.chunks;
  for (int w = 0; w < local + remote; ++w) {
    const bool here = w < local;
    ProgramBuilder program;
    const Duration start = startup_of(rank, local);
    if (ticks(start).ns > 0) program.delay(ticks(start), tag(Stage::startup));
    if (here) add_read_before(program, *rank.local, inputs.batch, rank.variety());
    program.repeat_forever();
    program.take(*fetch.tickets, tag(Stage::handover));
    // What a batch varies by as a whole would have to be one draw for all of its threads; a draw
    // for each chunk would make its slowest thread the rule. It varies as its chunks do.
    add_load(program, here ? *rank.local : *rank.remote, chunk, 1, rank.variety());
    program.put(*fetch.samples, tag(Stage::handover));
    program.next();
    const Part part{.kind = here ? TrackKind::thread : TrackKind::remote,
                    .number = here ? w : w - local,
                    .feeds = Stage::handover,
                    .tickets = fetch.tickets,
                    .chunks = double(fetch.chunks)};
    rank.built.loaders.push_back(rank.add_process(program, part, true));
  }
  return fetch;
}

}  // namespace feedrate::pipeline
