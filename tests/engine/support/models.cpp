#include "tests/engine/support/models.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/random.hpp"

namespace feedrate::tests {
namespace {

using namespace engine;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed, 77) {}
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return low +
           static_cast<std::int64_t>(random_.bits() % static_cast<std::uint64_t>(high - low + 1));
  }
  std::uint32_t count(std::uint32_t low, std::uint32_t high) {
    return static_cast<std::uint32_t>(integer(low, high));
  }
  double real(double low, double high) { return low + (high - low) * random_.uniform(); }
  bool chance(double p) { return random_.uniform() < p; }
  // Round figures tie often, arbitrary ones hardly ever.
  Ticks time(double low_ms, double high_ms) {
    const double ms = real(low_ms, high_ms);
    return {chance(0.5) ? std::llround(ms * 2) * 500'000 : std::llround(ms * 1e6)};
  }

 private:
  Random random_;
};

std::vector<double> curve(Draw& draw, double single) {
  std::vector<double> rates{single};
  const std::uint32_t points = draw.count(1, 5);
  const bool oversubscribed = draw.chance(0.3);
  for (std::uint32_t n = 2; n <= points; ++n) {
    const double gain = oversubscribed && n > 3 ? -0.03 : draw.real(0.0, 0.9);
    rates.push_back(rates.back() + gain * single);
  }
  return rates;
}

QueueId at(QueueId first, std::uint32_t i) {
  return QueueId(static_cast<std::uint32_t>(first) + i);
}

Model drain(Draw& draw) {
  Model model;
  const std::int64_t items = draw.integer(2'000, 20'000);
  const std::uint32_t stations = draw.count(2, 4);
  const double base_ms = draw.real(0.5, 3.0);
  QueueId from = model.add(Queue{.name = "source", .initial = items});
  for (std::uint32_t i = 0; i < stations; ++i) {
    const std::uint32_t servers = draw.count(1, 3);
    const double gap = std::pow(10.0, draw.real(-4.0, -2.0)) * (draw.chance(0.5) ? 1 : -1);
    const Ticks service{std::llround(base_ms * 1e6 * servers * (1 + gap))};
    const bool last = i + 1 == stations;
    const auto tag = static_cast<Tag>(i);
    const std::int64_t room = draw.integer(1, draw.chance(0.2) ? 40 : 6);
    const bool filled = draw.chance(0.4);
    const QueueId to =
        model.add(Queue{.name = "room", .capacity = room, .initial = filled ? room : 0});
    const auto program = model.add(ProgramBuilder()
                                       .repeat_forever()
                                       .take(from, tag)
                                       .delay(service, tag)
                                       .put(to, tag)
                                       .next()
                                       .build());
    for (std::uint32_t s = 0; s < servers; ++s) {
      model.add(Process{.name = "server", .program = program, .daemon = true});
    }
    from = to;
    if (last) {
      const auto sink =
          model.add(ProgramBuilder().repeat_long(items).take(from, 9).mark(0).next().build());
      model.add(Process{.name = "sink", .program = sink});
    }
  }
  return model;
}

Model loader(Draw& draw) {
  Model model;
  const ResourceId cores = model.add(Resource{"cores", curve(draw, 1.0)});
  const ResourceId disk = model.add(Resource{"disk", curve(draw, 200e6)});
  const std::uint32_t ranks = draw.count(1, 3);
  const std::uint32_t workers = draw.count(1, 4);
  const std::int64_t epochs = draw.integer(1, 4);
  const std::int64_t steps = draw.integer(50, 1'200);
  const std::int64_t chunks = draw.integer(1, 3);
  const std::int64_t prefetch = draw.integer(1, 3);
  const double bytes = draw.real(1e5, 3e6);
  const double decode = draw.real(1e-3, 12e-3);
  const double collate = draw.chance(0.5) ? 0.0 : draw.real(1e-4, 2e-3);
  const Ticks latency = draw.chance(0.5) ? Ticks{0} : draw.time(0.5, 4.0);
  const BarrierId all = model.add(Barrier{"all", ranks});
  for (std::uint32_t r = 0; r < ranks; ++r) {
    QueueId index{};
    QueueId data{};
    for (std::uint32_t w = 0; w < workers; ++w) {
      const QueueId q = model.add(Queue{.name = "index", .initial = prefetch});
      if (w == 0) index = q;
    }
    for (std::uint32_t w = 0; w < workers; ++w) {
      const QueueId q =
          model.add(Queue{.name = "data", .capacity = draw.chance(0.5) ? prefetch : unlimited});
      if (w == 0) data = q;
    }
    // Ranks may differ a little, and an epoch may open with a pause.
    const Ticks step = draw.time(1.0, 10.0);
    const Ticks fork = draw.chance(0.5) ? Ticks{0} : draw.time(5.0, 50.0);
    const auto rank =
        model.add(ProgramBuilder()
                      .repeat_long(epochs)
                      .delay(fork, 5)
                      .repeat_long(steps)
                      .take(Ring{.first = data, .count = workers, .advance = false}, 4)
                      .put(Ring{.first = index, .count = workers}, 4)
                      .use(cores, {2e-4}, 4)
                      .delay(step, 5)
                      .join(all, 6)
                      .mark(0)
                      .next()
                      .mark(1)
                      .next()
                      .build());
    model.add(Process{.name = "rank", .program = rank});
    for (std::uint32_t w = 0; w < workers; ++w) {
      const auto program = model.add(ProgramBuilder()
                                         .repeat_forever()
                                         .take(at(index, w), 0)
                                         .repeat(chunks)
                                         .delay(latency, 0)
                                         .use(disk, {bytes}, 1)
                                         .use(cores, {decode}, 2)
                                         .next()
                                         .use(cores, {collate}, 3)
                                         .put(at(data, w), 3)
                                         .next()
                                         .build());
      model.add(Process{.name = "worker", .program = program, .daemon = true});
    }
  }
  return model;
}

Model pool(Draw& draw) {
  Model model;
  const ResourceId cores = model.add(Resource{"cores", curve(draw, 1.0)});
  const std::int64_t batch = draw.integer(1, 4);
  const std::int64_t batches = draw.integer(200, 2'000);
  const bool ordered = draw.chance(0.6);
  const std::uint32_t threads = draw.count(1, 6);
  const QueueId samples =
      model.add(Queue{.name = "samples",
                      .initial = batch * batches,
                      .kind = ordered ? QueueKind::numbering : QueueKind::plain});
  const std::int64_t room = draw.integer(2, 20) * batch;
  const QueueId done = ordered ? model.add(Queue{.name = "done",
                                                 .capacity = room,
                                                 .kind = QueueKind::ordered,
                                                 .numbered_by = samples})
                               : model.add(Queue{.name = "done", .capacity = room});
  const QueueId ready = model.add(Queue{.name = "ready", .capacity = draw.integer(1, 4)});
  const double work = draw.real(1e-3, 5e-3);
  for (std::uint32_t t = 0; t < threads; ++t) {
    const auto program = model.add(ProgramBuilder()
                                       .repeat_forever()
                                       .take(samples, 0)
                                       .delay(draw.time(0.5, 5.0), 0)
                                       .use(cores, {work}, 1)
                                       .put(done, 1)
                                       .next()
                                       .build());
    model.add(Process{.name = "thread", .program = program, .daemon = true});
  }
  const auto collator = model.add(ProgramBuilder()
                                      .repeat_long(batches)
                                      .repeat(batch)
                                      .take(done, 2)
                                      .next()
                                      .use(cores, {1e-4}, 2)
                                      .put(ready, 2)
                                      .next()
                                      .build());
  model.add(Process{.name = "collator", .program = collator});
  const auto rank = model.add(ProgramBuilder()
                                  .repeat_long(batches)
                                  .take(ready, 3)
                                  .delay(draw.time(1.0, 8.0), 3)
                                  .mark(0)
                                  .next()
                                  .build());
  model.add(Process{.name = "rank", .program = rank});
  return model;
}

Model cycles(Draw& draw) {
  Model model;
  const std::uint32_t shared = draw.count(1, 3);
  for (std::uint32_t r = 0; r < shared; ++r) model.add(Resource{"shared", curve(draw, 1.0)});
  const QueueId semaphore = model.add(Queue{.name = "semaphore", .initial = draw.integer(1, 2)});
  const std::uint32_t processes = draw.count(2, 5);
  for (std::uint32_t p = 0; p < processes; ++p) {
    ProgramBuilder program;
    program.repeat_long(draw.integer(500, 4'000));
    const std::uint32_t parts = draw.count(1, 4);
    for (std::uint32_t i = 0; i < parts; ++i) {
      const auto tag = static_cast<Tag>(i);
      const double what = draw.real(0, 1);
      if (what < 0.3) {
        program.delay(draw.time(0.5, 4.0), tag);
      } else if (what < 0.8) {
        program.use(ResourceId{draw.count(0, shared - 1)}, {draw.real(1e-4, 3e-3)}, tag);
      } else {
        program.take(semaphore, tag).delay(draw.time(0.5, 2.0), tag).put(semaphore, tag);
      }
    }
    program.delay(draw.time(0.5, 1.0), 9).mark(0).next();
    model.add(Process{.name = "p" + std::to_string(p), .program = model.add(program.build())});
  }
  return model;
}

Bucket bucket(Draw& draw) {
  Bucket limit{.name = "limit", .rate = draw.real(100, 1000)};
  if (draw.chance(0.3)) limit.rate = std::round(limit.rate / 100) * 100;
  if (draw.chance(0.6)) limit.burst = draw.chance(0.5) ? draw.real(0, 5) : draw.real(0, 200);
  if (draw.chance(0.3)) limit.initial = draw.real(0, limit.burst);
  return limit;
}

Model limits(Draw& draw) {
  Model model;
  const ResourceId cores = model.add(Resource{"cores", curve(draw, 1.0)});
  const std::uint32_t servers = draw.count(1, 2);
  ResourceId server{};
  for (std::uint32_t s = 0; s < servers; ++s) {
    server = model.add(
        Resource{.name = "server", .curve = {1.0}, .discipline = Discipline::one_at_a_time});
  }
  const std::uint32_t buckets = draw.count(1, 2);
  for (std::uint32_t b = 0; b < buckets; ++b) model.add(bucket(draw));
  // Few sizes, now and then more than the burst.
  const double sizes[] = {1.0, draw.real(0.5, 3.0), draw.chance(0.2) ? draw.real(3, 20) : 2.0};
  const auto parts = [&](ProgramBuilder& program) {
    const std::uint32_t count = draw.count(1, 4);
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto tag = static_cast<Tag>(i);
      const double what = draw.real(0, 1);
      if (what < 0.4) {
        program.pass(BucketId{draw.count(0, buckets - 1)}, sizes[draw.count(0, 2)], tag);
      } else if (what < 0.6) {
        const auto back = draw.count(0, servers - 1);
        program.use(ResourceId{static_cast<std::uint32_t>(server) - back}, {draw.real(0, 4e-3)},
                    tag);
      } else if (what < 0.8) {
        program.use(cores, {draw.real(1e-4, 4e-3)}, tag);
      } else {
        program.delay(draw.time(0.5, 5.0), tag);
      }
    }
  };
  const std::int64_t steps = draw.integer(500, 6'000);
  if (draw.chance(0.3)) {
    const std::uint32_t processes = draw.count(1, 3);
    for (std::uint32_t p = 0; p < processes; ++p) {
      ProgramBuilder program;
      program.repeat_long(steps);
      parts(program);
      program.delay(draw.time(0.5, 2.0), 9).mark(0).next();
      model.add(Process{.name = "p" + std::to_string(p), .program = model.add(program.build())});
    }
    return model;
  }
  const QueueId done = model.add(Queue{.name = "done", .capacity = draw.integer(1, 6)});
  ProgramBuilder rank;
  rank.repeat_long(draw.integer(1, 2)).delay(draw.time(0, 20.0), 5).repeat_long(steps);
  rank.take(done, 6).delay(draw.time(0.1, 8.0), 7).mark(0).next().next();
  model.add(Process{.name = "rank", .program = model.add(rank.build())});
  ProgramBuilder worker;
  worker.repeat_forever();
  parts(worker);
  worker.delay(draw.time(0.1, 3.0), 4).put(done, 4).next();
  const ProgramId program = model.add(worker.build());
  const std::uint32_t workers = draw.count(1, 5);
  for (std::uint32_t w = 0; w < workers; ++w)
    model.add(Process{.name = "worker", .program = program, .daemon = true});
  return model;
}

}  // namespace

Model random_model(Kind kind, std::uint64_t seed) {
  Draw draw(seed * kinds + static_cast<std::uint64_t>(kind));
  switch (kind) {
    case Kind::drain: return drain(draw);
    case Kind::loader: return loader(draw);
    case Kind::pool: return pool(draw);
    case Kind::cycles: return cycles(draw);
    case Kind::limits: break;
  }
  return limits(draw);
}

}  // namespace feedrate::tests
