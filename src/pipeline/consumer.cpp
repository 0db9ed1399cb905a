// What a rank does with the batches that its loader makes.
#include "pipeline/rank.hpp"

namespace feedrate::pipeline {
namespace {

/// Chunks of a batch: the last one may have fewer.
std::int64_t chunks_in(const RankBuilder& rank, const Fetch& fetch, double samples) {
  return whole(std::ceil(samples * fetch.chunks / rank.inputs.batch - 1e-9));
}

/// A loop over batches that come from `fetch`; `body` follows each.
template <class Body>
void over_fetched(ProgramBuilder& program, const RankBuilder& rank, const Fetch& fetch,
                  Body&& body) {
  if (!fetch.tickets) {
    rank.over_batches(program, [&](ProgramBuilder& p, const Batch& one) {
      Ring ready = fetch.of(*fetch.ready, one);
      ready.advance = true;
      p.take(ready, tag(Stage::handover));
      body(p, one);
    });
    return;
  }
  // Tickets for batch j + prefetch are given back with batch j; at an epoch's end none are left.
  const bool waits = rank.threads_wait();
  const double ahead = rank.left() ? 0.0 : std::min(rank.inputs.prefetch, rank.shape.steps);
  const auto batch = [&](double samples, double give_back) {
    const auto give = [&] {
      if (give_back <= 0.0) return;
      program.put(*fetch.tickets, tag(Stage::handover), chunks_in(rank, fetch, give_back));
    };
    const std::int64_t n = chunks_in(rank, fetch, samples);
    if (fetch.one_by_one) {
      program.repeat(n).take(*fetch.samples, tag(Stage::handover)).next();
    } else {
      program.take(*fetch.samples, tag(Stage::handover), n);
    }
    if (!waits) give();
    body(program, Batch{samples});
    if (waits) give();
  };
  const double last = rank.partial_last() ? 1.0 : 0.0;
  const double giving = std::max(0.0, rank.shape.steps - ahead - last);
  const double full = rank.inputs.batch;
  if (giving > 0.0) {
    program.repeat_long(whole(giving));
    batch(full, full);
    program.next();
  }
  double rest = rank.full_steps() - giving;
  if (last > 0.0 && rank.shape.steps > ahead && rest > 0.0) {
    batch(full, rank.shape.last_batch);
    rest -= 1.0;
  }
  if (rest > 0.0) {
    program.repeat(whole(rest));
    batch(full, 0.0);
    program.next();
  }
  if (last > 0.0) batch(rank.shape.last_batch, 0.0);
}

/// `batches` of one size in a row, and `reduce` after each `accumulation` of them: an epoch's end
/// cuts the last group short.
template <class Batches, class Reduce>
void over_groups(ProgramBuilder& p, const RankBuilder& rank, Batches&& batches, Reduce&& reduce) {
  const double every = rank.inputs.accumulation;
  double missing = every;  // of the group that has begun
  for (const BatchRun& run : rank.shape) {
    const Batch one{run.samples, run.by_few};
    double left = run.batches;
    if (missing < every) {
      const double now = std::min(left, missing);
      batches(now, one);
      left -= now;
      missing -= now;
      if (missing <= 0.0) {
        reduce();
        missing = every;
      }
    }
    if (const double groups = std::floor(left / every); groups > 0.0) {
      p.repeat_long(whole(groups));
      batches(every, one);
      reduce();
      p.next();
      left -= groups * every;
    }
    if (left > 0.0) {
      batches(left, one);
      missing -= left;
    }
  }
  if (missing < every) reduce();
}

struct BatchConsumer {
  RankBuilder& rank;
  std::optional<engine::ResourceId> gpu;  ///< where a stream of the loader shares it

  void load_inline(ProgramBuilder& p, double samples) const {
    if (rank.local) add_load(p, *rank.local, samples, chunks_of(rank.inputs), rank.variety());
  }
  void read_before(ProgramBuilder& p) const {
    if (rank.local) add_read_before(p, *rank.local, rank.inputs.batch, rank.variety());
  }
  void hand_over(ProgramBuilder& p) const {
    const Duration cpu = handover_time(rank.inputs);
    if (cpu.base() <= 0.0) return;
    const engine::Spread varies = spread(rank.inputs.handover_cv);
    if (rank.cpu) {
      p.use(*rank.cpu, {cpu.base()}, tag(Stage::handover), varies);
    } else {
      p.delay(ticks(cpu), tag(Stage::handover), varies);
    }
  }
  void pin(ProgramBuilder& p, double samples) const {
    const double work = (rank.inputs.pin * feedrate::samples(samples)).base();
    if (rank.cpu && work > 0.0) {
      p.use(*rank.cpu, {work / rank.inputs.speed[Stage::h2d]}, tag(Stage::h2d));
    }
  }
  void copy(ProgramBuilder& p, double samples) const {
    const Duration time = rank.inputs.copy_latency + rank.inputs.copy * feedrate::samples(samples);
    if (ticks(time).ns > 0) p.delay(ticks(time / rank.inputs.speed[Stage::h2d]), tag(Stage::h2d));
  }
  /// Of a step's time; the model has one list.
  [[nodiscard]] engine::Spread step_spread() const {
    if (rank.inputs.step_times) return {engine::Law::listed, 0.0, 0};
    return spread(rank.inputs.step_cv);
  }
  void step(ProgramBuilder& p, double samples) const {
    const Duration before = rank.inputs.gpu_preprocess * feedrate::samples(samples) /
                            rank.inputs.speed[Stage::gpu_preprocess];
    const Duration time = step_time(rank.inputs, samples) / rank.inputs.speed[Stage::gpu];
    if (gpu) {
      if (before.base() > 0.0) p.use(*gpu, {before.base()}, tag(Stage::gpu_preprocess));
      p.use(*gpu, {time.base()}, tag(Stage::gpu), step_spread());
    } else {
      if (ticks(before).ns > 0) p.delay(ticks(before), tag(Stage::gpu_preprocess));
      p.delay(ticks(time), tag(Stage::gpu), step_spread());
    }
    if (rank.first_rank) p.mark(step_mark);
  }
  void preprocess_ahead(ProgramBuilder& p, double samples) const {
    const Duration time = rank.inputs.gpu_preprocess_ahead * feedrate::samples(samples) /
                          rank.inputs.speed[Stage::gpu_preprocess];
    if (gpu) p.use(*gpu, {time.base()}, tag(Stage::gpu_preprocess));
  }
  void reduce(ProgramBuilder& p) const {
    if (rank.barrier) p.join(*rank.barrier, tag(Stage::allreduce));
    const Duration time = exposed_communication(rank.inputs);
    if (ticks(time).ns > 0) p.delay(ticks(time), tag(Stage::allreduce));
    if (rank.gradients) {
      p.pass(rank.gradients->nic, rank.gradients->samples, tag(Stage::allreduce));
    }
  }

  /// The epoch is over once its workers have read all that is theirs, and are gone.
  void shut_down(ProgramBuilder& p, const Fetch& fetch = {}) const {
    if (fetch.end) p.take(*fetch.end, tag(Stage::handover), fetch.ended);
    if (rank.inputs.persistent_workers) return;
    const Duration time = rank.inputs.worker_shutdown / rank.inputs.speed[Stage::startup];
    if (ticks(time).ns > 0) p.delay(ticks(time), tag(Stage::startup));
  }

  /// The GPU's loop: `get` and a step for each batch, an all-reduce after each `accumulation`.
  template <class Get>
  void step_loop(ProgramBuilder& p, Get&& get) const {
    const auto batches = [&](double n, const Batch& one) {
      if (n > 1.0) p.repeat(whole(n));
      get(p, one);
      step(p, one.samples);
      if (n > 1.0) p.next();
    };
    over_groups(p, rank, batches, [&] { reduce(p); });
  }
};

}  // namespace

engine::ProcessId add_consumer(RankBuilder& rank, const Fetch& fetch) {
  const Inputs& inputs = rank.inputs;
  BatchConsumer consumer{rank, {}};
  if (rank.preprocesses_ahead()) {
    consumer.gpu = rank.model.add(engine::Resource{rank.name + "GPU", {1.0}});
    rank.built.shared_gpus.push_back(*consumer.gpu);
  }
  const bool beside = fetch.ready || fetch.tickets;  // somebody else loads
  const bool one_process = !inputs.asynchronous_step;
  const engine::Tag hand = tag(Stage::handover);

  // A pinning thread takes finished batches in order, ahead of the main process. A pool in front of
  // a loop that waits for its step has such a relay too: it holds the batch that is next.
  // Where a stream of the loader preprocesses on the GPU, pinning is no part of that stream.
  const bool pins = beside && inputs.pinned && inputs.pin.base() > 0.0;
  const bool pins_apart = pins && consumer.gpu;
  std::optional<QueueId> relayed;
  if (pins || (fetch.tickets && (one_process || consumer.gpu))) {
    const double room = consumer.gpu ? std::max(1.0, inputs.prefetch - 1.0) : 1.0;
    relayed = rank.add_queue("relayed", fetch.tickets ? whole(room) : engine::unlimited);
    ProgramBuilder program;
    over_fetched(program, rank, fetch, [&](ProgramBuilder& p, const Batch& one) {
      if (pins && !pins_apart) consumer.pin(p, one.samples);
      consumer.preprocess_ahead(p, one.samples);
      p.put(*relayed, hand);
    });
    const bool pinned = pins && !pins_apart;
    rank.add_process(program, {.kind = pinned ? TrackKind::pin : TrackKind::relay,
                               .feeds = Stage::handover,
                               .delivers = relayed});
    // Workers in any order put all of theirs into one queue.
    const double workers = fetch.ready && in_turn(inputs) ? fetch.ready->count : inputs.workers;
    const double ahead = fetch.ready ? workers * inputs.prefetch : room;
    rank.add_stock({pinned ? "pinned batches" : "next batch", *relayed, 1, ahead});
  }
  if (pins_apart) {
    const QueueId pinned = rank.add_queue("pinned", 1);
    ProgramBuilder program;
    rank.over_batches(program, [&](ProgramBuilder& p, const Batch& one) {
      p.take(*relayed, hand);
      consumer.pin(p, one.samples);
      p.put(pinned, hand);
    });
    rank.add_process(program,
                     {.kind = TrackKind::pin, .feeds = Stage::handover, .delivers = pinned});
    rank.add_stock({"pinned batches", pinned, 1, 1.0});
    relayed = pinned;
  }
  const auto obtain = [&](ProgramBuilder& p, const Batch& one) {
    if (relayed) {
      p.take(*relayed, hand);
    } else if (fetch.ready) {
      p.take(fetch.of(*fetch.ready, one), hand);
    } else if (!beside) {
      consumer.load_inline(p, one.samples);
    }
    if (fetch.index) p.put(fetch.of(*fetch.index, one), hand);
    consumer.hand_over(p);
  };
  if (one_process) {
    ProgramBuilder program;
    if (!beside) consumer.read_before(program);
    consumer.step_loop(program, [&](ProgramBuilder& p, const Batch& one) {
      obtain(p, one);
      consumer.copy(p, one.samples);
    });
    consumer.shut_down(program, fetch);
    return rank.add_process(program, {.kind = TrackKind::gpu});
  }

  // main → (copy →) GPU: the loop may run a launched batch ahead of the GPU, and where it waits for
  // copies it takes the next batch while the GPU steps.
  const QueueId launched = rank.add_queue("launched", 1);
  ProgramBuilder main;
  const bool beside_step = inputs.copies == Copies::beside;
  const bool waited = inputs.copies == Copies::waited;
  std::optional<QueueId> arrived;
  if (waited) arrived = rank.add_queue("arrived", 1);
  if (!beside) consumer.read_before(main);
  const auto launch = [&](ProgramBuilder& p, const Batch& one) {
    if (fetch.tickets && !relayed) {
      consumer.hand_over(p);
    } else {
      obtain(p, one);
    }
    p.put(launched, hand);
    if (waited) p.take(*arrived, tag(Stage::h2d));
  };
  if (fetch.tickets && !relayed) {
    over_fetched(main, rank, fetch, launch);
  } else {
    rank.over_batches(main, launch);
  }
  rank.add_process(main, {.kind = TrackKind::main,
                          .feeds = beside_step ? Stage::h2d : Stage::gpu,
                          .delivers = launched});
  rank.add_stock({"launched batches", launched, 1, 1.0});

  QueueId source = launched;
  if (beside_step) {
    source = rank.add_queue("copied", 1);
    ProgramBuilder program;
    rank.over_batches(program, [&](ProgramBuilder& p, const Batch& one) {
      p.take(launched, tag(Stage::h2d));
      consumer.copy(p, one.samples);
      p.put(source, tag(Stage::h2d));
    });
    rank.add_process(program, {.kind = TrackKind::copy, .feeds = Stage::gpu, .delivers = source});
    rank.add_stock({"copied batches", source, 1, 1.0});
  }
  ProgramBuilder gpu;
  consumer.step_loop(gpu, [&](ProgramBuilder& p, const Batch& one) {
    p.take(source, hand);
    if (!beside_step) consumer.copy(p, one.samples);
    if (waited) p.put(*arrived, tag(Stage::h2d));
  });
  consumer.shut_down(gpu, fetch);
  return rank.add_process(gpu, {.kind = TrackKind::gpu});
}

void add_fed_ranks(RankBuilder& rank, int count) {
  const Inputs& inputs = rank.inputs;
  const BatchConsumer consumer{rank, {}};
  const bool one_process = !inputs.asynchronous_step;
  const bool copies = one_process || inputs.copies != Copies::beside;
  // All of them leave the barrier together and are waited for together: what counts of them is the
  // largest sum of their steps.
  const auto steps = [&](ProgramBuilder& p, double samples, double n) {
    Duration other =
        inputs.gpu_preprocess * feedrate::samples(samples) / inputs.speed[Stage::gpu_preprocess];
    const Duration time = step_time(inputs, samples) / inputs.speed[Stage::gpu];
    const Duration handover = one_process ? handover_time(inputs) : Duration{};
    // Of two that vary, the one that varies more decides which rank is the slowest.
    const bool by_handover = handover * inputs.handover_cv > time * inputs.step_cv;
    const auto wait = [&](Duration mean, Stage stage, bool decides, engine::Spread spread) {
      spread.largest_of = static_cast<std::uint32_t>(count);
      spread.mean_of = static_cast<std::uint32_t>(n);
      if (ticks(n * mean).ns <= 0) return;
      p.delay(ticks(n * mean), tag(stage), decides ? spread : engine::no_spread);
    };
    if (copies) {
      other += (inputs.copy_latency + inputs.copy * feedrate::samples(samples)) /
               inputs.speed[Stage::h2d];
    }
    if (ticks(n * other).ns > 0) p.delay(ticks(n * other), tag(Stage::h2d));
    wait(handover, Stage::handover, by_handover, spread(inputs.handover_cv));
    wait(time, Stage::gpu, !by_handover, consumer.step_spread());
  };
  ProgramBuilder loop;
  over_groups(
      loop, rank, [&](double n, const Batch& one) { steps(loop, one.samples, n); },
      [&] { consumer.reduce(loop); });
  consumer.shut_down(loop);
  rank.model.add(engine::Process{rank.name + "ranks", rank.model.add(loop.build()), false, -1});
}

}  // namespace feedrate::pipeline
