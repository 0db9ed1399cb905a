#include <vector>

#include "catch.hpp"
#include "engine/simulate.hpp"

using namespace feedrate::engine;

namespace {

std::vector<std::int64_t> times(const MarkStats& mark) {
  std::vector<std::int64_t> ns;
  for (const Ticks t : mark.first) ns.push_back(t.ns);
  return ns;
}

using Times = std::vector<std::int64_t>;

/// Takes a ticket, works on it, and hands it over.
void add_worker(Model& model, QueueId tickets, QueueId results, std::int64_t ns) {
  const auto program = model.add(ProgramBuilder()
                                     .repeat_forever()
                                     .take(tickets, 0)
                                     .delay({ns}, 0)
                                     .put(results, 0)
                                     .next()
                                     .build());
  model.add(Process{.name = "worker", .program = program, .daemon = true});
}

}  // namespace

TEST_CASE("engine: a bounded queue blocks its producer, who goes on at the take that makes room") {
  Model model;
  const QueueId room = model.add(Queue{.name = "room", .capacity = 2});
  const auto producer =
      model.add(ProgramBuilder().repeat(5).delay({10}, 0).put(room, 0).mark(0).next().build());
  const auto consumer = model.add(
      ProgramBuilder().delay({100}, 1).repeat(5).take(room, 1).delay({25}, 1).next().build());
  model.add(Process{.name = "producer", .program = producer});
  model.add(Process{.name = "consumer", .program = consumer});
  const Outcome out = simulate(model);
  // Full with two at 20; the third, ready at 30, gets in at 100; the fourth at 125, the fifth at
  // 150.
  CHECK(times(out.marks[0]) == Times{10, 20, 100, 125, 150});
  CHECK(out.now.ns == 100 + 5 * 25);
  CHECK(out.processes[0].blocked[0] == 70 + 15 + 15);
  CHECK(out.queues[0].taken == 5);
}

TEST_CASE(
    "engine: waiting for a queue is first come, first served, also when a later one would fit") {
  Model model;
  const QueueId room = model.add(Queue{.name = "room"});
  const auto taker = [&](std::int64_t at, std::int64_t tokens, std::uint32_t mark) {
    const auto program =
        model.add(ProgramBuilder().delay({at}, 0).take(room, 0, tokens).mark(mark).build());
    model.add(Process{.name = "taker", .program = program});
  };
  taker(1, 3, 0);
  taker(2, 1, 1);
  model.add(Process{
      .name = "putter",
      .program = model.add(ProgramBuilder().repeat(4).delay({10}, 0).put(room, 0).next().build())});
  const Outcome out = simulate(model);
  CHECK(times(out.marks[0]) == Times{30});
  CHECK(times(out.marks[1]) == Times{40});
}

TEST_CASE("engine: puts and takes of several tokens wait until all fit") {
  Model model;
  const QueueId room = model.add(Queue{.name = "room", .capacity = 6});
  model.add(
      Process{.name = "chunks",
              .program = model.add(
                  ProgramBuilder().repeat(12).delay({10}, 0).put(room, 0).mark(0).next().build())});
  model.add(Process{
      .name = "batches",
      .program = model.add(
          ProgramBuilder().repeat(3).take(room, 1, 4).mark(1).delay({100}, 1).next().build())});
  const Outcome out = simulate(model);
  // Four at 40. Six more fit until 100, the eleventh (110) waits for the take at 140, then the
  // twelfth at 150.
  CHECK(times(out.marks[1]) == Times{40, 140, 240});
  CHECK(times(out.marks[0]) == Times{10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 140, 150});
}

TEST_CASE("engine: a ring serves its queues in turn, and takes and puts can share the cursor") {
  // A main process takes batch k from worker k mod 3 and hands that worker its next index.
  Model model;
  const QueueId index = model.add(Queue{.name = "index 0", .initial = 2});
  model.add(Queue{.name = "index 1", .initial = 2});
  model.add(Queue{.name = "index 2", .initial = 2});
  const QueueId data = model.add(Queue{.name = "data 0"});
  model.add(Queue{.name = "data 1"});
  model.add(Queue{.name = "data 2"});
  const auto queue = [](QueueId first, std::uint32_t i) {
    return QueueId(static_cast<std::uint32_t>(first) + i);
  };
  for (std::uint32_t w = 0; w < 3; ++w) {
    const auto program = model.add(ProgramBuilder()
                                       .repeat_forever()
                                       .take(queue(index, w), 0)
                                       .delay({w == 1 ? 50 : 10}, 0)
                                       .put(queue(data, w), 0)
                                       .next()
                                       .build());
    model.add(Process{.name = "worker", .program = program, .daemon = true});
  }
  model.add(
      Process{.name = "main",
              .program = model.add(ProgramBuilder()
                                       .repeat(9)
                                       .take(Ring{.first = data, .count = 3, .advance = false}, 1)
                                       .mark(0)
                                       .put(Ring{.first = index, .count = 3}, 1)
                                       .next()
                                       .build())});
  const Outcome out = simulate(model);
  // Worker 1 delivers at 50, 100, 150; whatever the others have ready waits for its turn.
  CHECK(times(out.marks[0]) == Times{10, 50, 50, 50, 100, 100, 100, 150, 150});
  for (int q = 3; q < 6; ++q) CHECK(out.queues[q].taken == 3);
}

TEST_CASE("engine: an ordered queue yields by ticket, whoever is done first") {
  Model model;
  const QueueId tickets =
      model.add(Queue{.name = "tickets", .initial = 6, .kind = QueueKind::numbering});
  const QueueId results =
      model.add(Queue{.name = "results", .kind = QueueKind::ordered, .numbered_by = tickets});
  const auto worker = [&](std::int64_t ns) { add_worker(model, tickets, results, ns); };
  worker(100);  // ticket 0 until 100, then 5 (1, 2, 3 and 4 went to the quick one) until 200
  worker(24);   // 1 at 24, 2 at 48, 3 at 72, 4 at 96
  model.add(Process{
      .name = "main",
      .program = model.add(ProgramBuilder().repeat(6).take(results, 1).mark(0).next().build())});
  const Outcome out = simulate(model);
  CHECK(times(out.marks[0]) == Times{100, 100, 100, 100, 100, 120});
  CHECK(out.queues[1].taken == 6);
  CHECK(out.queues[1].level == 0);
}

TEST_CASE(
    "engine: an ordered queue of capacity c takes tickets up to c ahead of the next expected") {
  Model model;
  const QueueId tickets =
      model.add(Queue{.name = "tickets", .initial = 6, .kind = QueueKind::numbering});
  const QueueId results = model.add(
      Queue{.name = "results", .capacity = 2, .kind = QueueKind::ordered, .numbered_by = tickets});
  const auto worker = [&](std::int64_t ns) { add_worker(model, tickets, results, ns); };
  worker(100);
  worker(24);
  model.add(Process{
      .name = "main",
      .program = model.add(ProgramBuilder().repeat(6).take(results, 1).mark(0).next().build())});
  const Outcome out = simulate(model);
  // Ticket 1 is filed at 24; ticket 2, ready at 48, waits until 0 is taken at 100. Then the slow
  // one has 3 until 200, the quick one files 4 at 124 and waits with 5 from 148 until 3 is taken.
  CHECK(times(out.marks[0]) == Times{100, 100, 100, 200, 200, 200});
  CHECK(out.processes[1].blocked[0] == (100 - 48) + (200 - 148));
}

TEST_CASE("engine: an item put into an ordered queue without a ticket is refused") {
  Model model;
  const QueueId tickets = model.add(Queue{.name = "tickets", .kind = QueueKind::numbering});
  const QueueId results =
      model.add(Queue{.name = "results", .kind = QueueKind::ordered, .numbered_by = tickets});
  model.add(Process{.name = "p", .program = model.add(ProgramBuilder().put(results, 0).build())});
  CHECK_THROWS_AS(simulate(model), BuildError);
}

TEST_CASE("engine: a barrier lets all go with the last") {
  Model model;
  const BarrierId all = model.add(Barrier{"all", 3});
  for (const std::int64_t ns : {10, 30, 20}) {
    const auto program =
        model.add(ProgramBuilder().repeat(4).delay({ns}, 1).join(all, 2).mark(0).next().build());
    model.add(Process{.name = "rank", .program = program});
  }
  const Outcome out = simulate(model);
  CHECK(times(out.marks[0]) == Times{30, 30, 30, 60, 60, 60, 90, 90, 90, 120, 120, 120});
  CHECK(out.processes[0].blocked[2] == 4 * 20);
  CHECK(out.processes[1].blocked[2] == 0);
  CHECK(out.processes[2].blocked[2] == 4 * 10);
}

TEST_CASE("engine: what waits longest in a queue is what Little's law says") {
  // One token every 10, taken 35 later each: 3.5 on average while it runs.
  Model model;
  const QueueId line = model.add(Queue{.name = "line"});
  model.add(Process{.name = "in",
                    .program = model.add(
                        ProgramBuilder().repeat(100).delay({10}, 0).put(line, 0).next().build())});
  model.add(Process{.name = "out",
                    .program = model.add(ProgramBuilder()
                                             .delay({35}, 1)
                                             .repeat(100)
                                             .delay({10}, 1)
                                             .take(line, 1)
                                             .next()
                                             .build())});
  const Outcome out = simulate(model);
  CHECK(out.queues[0].level_time == 100 * 35);
  CHECK(out.queues[0].empty.ns == 10);
}
