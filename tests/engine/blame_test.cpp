#include <numeric>

#include "catch.hpp"
#include "engine/simulate.hpp"

using namespace feedrate::engine;

namespace {

std::int64_t sum(const TimeByTag& times) {
  return std::accumulate(times.begin(), times.end(), std::int64_t{0});
}

constexpr Tag fetch_tag = 1;
constexpr Tag decode_tag = 2;
constexpr Tag train_tag = 3;
constexpr Tag copy_tag = 4;
constexpr Tag hand_out = 5;

}  // namespace

TEST_CASE("engine: a wait is booked on the stages in which the awaited item's producer stood") {
  Model model;
  const QueueId batches = model.add(Queue{.name = "batches", .capacity = 1});
  model.add(Process{.name = "rank",
                    .program = model.add(ProgramBuilder()
                                             .repeat(10)
                                             .take(batches, train_tag)
                                             .delay({10}, train_tag)
                                             .next()
                                             .build())});
  model.add(Process{.name = "worker",
                    .program = model.add(ProgramBuilder()
                                             .repeat(10)
                                             .delay({20}, fetch_tag)
                                             .delay({30}, decode_tag)
                                             .put(batches, decode_tag)
                                             .next()
                                             .build())});
  const Outcome out = simulate(model);
  const ProcessStats& rank = out.processes[0];
  // It waits 50 for the first batch; then it trains for the first 10 of each fetch.
  CHECK(rank.blocked[fetch_tag] == 20 + 9 * 10);
  CHECK(rank.blocked[decode_tag] == 10 * 30);
  CHECK(rank.active[train_tag] == 10 * 10);
  CHECK(sum(rank.active) + sum(rank.blocked) == rank.wall.ns);
}

TEST_CASE("engine: a wait for a process that itself waits is booked on the one it waits for") {
  Model model;
  const QueueId samples = model.add(Queue{.name = "samples", .capacity = 1});
  const QueueId batches = model.add(Queue{.name = "batches", .capacity = 1});
  model.add(Process{.name = "rank",
                    .program = model.add(ProgramBuilder()
                                             .repeat(5)
                                             .take(batches, train_tag)
                                             .delay({1}, train_tag)
                                             .next()
                                             .build())});
  model.add(Process{.name = "pinner",
                    .program = model.add(ProgramBuilder()
                                             .repeat(5)
                                             .take(samples, copy_tag)
                                             .delay({4}, copy_tag)
                                             .put(batches, copy_tag)
                                             .next()
                                             .build())});
  model.add(Process{.name = "worker",
                    .program = model.add(ProgramBuilder()
                                             .repeat(5)
                                             .delay({60}, fetch_tag)
                                             .delay({40}, decode_tag)
                                             .put(samples, decode_tag)
                                             .next()
                                             .build())});
  const Outcome out = simulate(model);
  const ProcessStats& rank = out.processes[0];
  // Batch k is there at 100 k + 4. The copy and the step of one batch hide in the fetch of the
  // next.
  CHECK(out.now.ns == 505);
  CHECK(rank.blocked[fetch_tag] == 60 + 4 * (60 - 5));
  CHECK(rank.blocked[decode_tag] == 5 * 40);
  CHECK(rank.blocked[copy_tag] == 5 * 4);
  CHECK(rank.blocked[train_tag] == 0);
  CHECK(out.processes[1].blocked[fetch_tag] == 60 + 4 * (60 - 4));
}

TEST_CASE("engine: a wait for an ordered item is booked on the holder of its ticket") {
  Model model;
  const QueueId tickets =
      model.add(Queue{.name = "tickets", .initial = 2, .kind = QueueKind::numbering});
  const QueueId results =
      model.add(Queue{.name = "results", .kind = QueueKind::ordered, .numbered_by = tickets});
  model.add(Process{
      .name = "rank",
      .program = model.add(ProgramBuilder().repeat(2).take(results, train_tag).next().build())});
  const auto worker = [&](std::int64_t late, std::int64_t fetch, std::int64_t decode) {
    const auto program = model.add(ProgramBuilder()
                                       .delay({late}, hand_out)
                                       .take(tickets, hand_out)
                                       .delay({fetch}, fetch_tag)
                                       .delay({decode}, decode_tag)
                                       .put(results, decode_tag)
                                       .build());
    model.add(Process{.name = "worker", .program = program});
  };
  worker(5, 10, 85);  // ticket 0 from 5 to 100
  worker(6, 30, 4);   // ticket 1 from 6 to 40
  const Outcome out = simulate(model);
  const ProcessStats& rank = out.processes[0];
  CHECK(rank.blocked[train_tag] == 5);  // nobody has the ticket yet
  CHECK(rank.blocked[fetch_tag] == 10);
  CHECK(rank.blocked[decode_tag] == 85);
  CHECK(sum(rank.blocked) == 100);
}

TEST_CASE("engine: a wait for a process that is blocked in put is booked on its put") {
  Model model;
  const QueueId here = model.add(Queue{.name = "here", .producer = ProcessId{1}});
  const QueueId full = model.add(Queue{.name = "full", .capacity = 1, .initial = 1});
  model.add(Process{.name = "rank",
                    .program = model.add(ProgramBuilder().take(here, train_tag).build())});
  model.add(Process{.name = "worker",
                    .program = model.add(ProgramBuilder()
                                             .delay({10}, fetch_tag)
                                             .put(full, copy_tag)
                                             .delay({5}, decode_tag)
                                             .put(here, 0)
                                             .build())});
  model.add(Process{.name = "other",
                    .program = model.add(ProgramBuilder().delay({25}, 0).take(full, 0).build())});
  const Outcome out = simulate(model);
  CHECK(out.processes[0].blocked[fetch_tag] == 10);
  CHECK(out.processes[0].blocked[copy_tag] == 15);
  CHECK(out.processes[0].blocked[decode_tag] == 5);
}

TEST_CASE(
    "engine: processes that wait for each other in a ring of queues do not chase the blame for "
    "ever") {
  Model model;
  const QueueId there = model.add(Queue{.name = "there"});
  const QueueId back = model.add(Queue{.name = "back"});
  // Each is a producer of what the other takes; a third gives the first token late.
  model.add(Process{
      .name = "a",
      .program = model.add(
          ProgramBuilder().repeat(3).take(back, 1).delay({5}, 1).put(there, 1).next().build())});
  model.add(Process{
      .name = "b",
      .program = model.add(
          ProgramBuilder().repeat(3).take(there, 2).delay({7}, 2).put(back, 2).next().build())});
  model.add(Process{.name = "c",
                    .program = model.add(ProgramBuilder().delay({100}, 3).put(back, 3).build())});
  const Outcome out = simulate(model);
  CHECK(out.now.ns == 100 + 3 * 12);
  for (const ProcessStats& process : out.processes) {
    CHECK(sum(process.active) + sum(process.blocked) == process.wall.ns);
  }
}
