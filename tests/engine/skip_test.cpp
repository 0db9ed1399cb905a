#include <numeric>

#include "catch.hpp"
#include "engine/simulate.hpp"
#include "tests/benchmarks/tandem5.hpp"
#include "tests/engine/support/models.hpp"
#include "tests/engine/support/same_result.hpp"

using namespace feedrate::engine;
using feedrate::tests::Kind;
using feedrate::tests::random_model;

namespace {

std::int64_t sum(const TimeByTag& times) {
  return std::accumulate(times.begin(), times.end(), std::int64_t{0});
}

// Every statistic of the run that skips equals that of the full run, to the last nanosecond.
void skip_equals_exact(Kind kind, int models, int least_jumped) {
  int jumped = 0;
  for (int seed = 0; seed < models; ++seed) {
    const Model model = random_model(kind, static_cast<std::uint64_t>(seed));
    const Outcome exact = simulate(model, {.exact = true, .max_events = 5'000'000});
    const Outcome skipped = simulate(model, {.max_events = 5'000'000});
    CAPTURE(seed, skipped.effort.steps, skipped.effort.steps_skipped);
    REQUIRE_FALSE(exact.event_limit);
    REQUIRE(same_result(exact, skipped));
    REQUIRE(exact.effort.jumps == 0);
    REQUIRE(exact.events == exact.effort.events);
    REQUIRE(skipped.effort.events <= exact.events);
    for (const ProcessStats& process : exact.processes) {
      REQUIRE(sum(process.active) + sum(process.blocked) == process.wall.ns);
    }
    if (skipped.effort.jumps > 0) ++jumped;
  }
  CAPTURE(jumped);
  CHECK(jumped >= least_jumped);
}

}  // namespace

TEST_CASE("engine: skipping equals the full run on slow drains") {
  skip_equals_exact(Kind::drain, 150, 60);
}
TEST_CASE("engine: skipping equals the full run on loaders with a barrier") {
  skip_equals_exact(Kind::loader, 200, 150);
}
TEST_CASE("engine: skipping equals the full run on thread pools") {
  skip_equals_exact(Kind::pool, 150, 60);
}
TEST_CASE("engine: skipping equals the full run on hardly coupled cycles") {
  skip_equals_exact(Kind::cycles, 150, 20);
}
TEST_CASE("engine: skipping equals the full run behind rate limits and single servers") {
  skip_equals_exact(Kind::limits, 300, 200);
}

TEST_CASE(
    "engine: a line of five stations ends to the nanosecond where it must, for any number of "
    "items") {
  // The last station is the slowest and never waits once the first item is there: N x 1 ms + 7.5 +
  // 3 + 14 + 0.8 ms.
  for (const std::int64_t items : {1L, 100L, 20'000L, 1'000'000L, 1'000'000'000'000L}) {
    const Model model = feedrate::benchmarks::tandem5(items, no_spread);
    CAPTURE(items);
    const Outcome out = simulate(model);
    CHECK(out.now.ns == items * 1'000'000 + 25'300'000);
    CHECK(out.processes.back().active[4] == items * 1'000'000);
    CHECK(out.queues[0].taken == items);
    CHECK(out.effort.events < 100'000);
    if (items <= 20'000) CHECK(same_result(out, simulate(model, {.exact = true})));
  }
}

TEST_CASE("engine: a queue that drains by one item in ten thousand steps is followed to its end") {
  // A step takes 10,001 ns, a batch 10,002 ns. The 8 prefetched last until step 80,000 or so, all
  // steps alike; then every step waits. A rule that watches step times would go on with 10,001.
  Model model;
  const std::int64_t steps = 2'000'000;
  const QueueId ready = model.add(Queue{.name = "ready", .capacity = 8, .initial = 8});
  model.add(Process{
      .name = "rank",
      .program = model.add(
          ProgramBuilder().repeat_long(steps).take(ready, 0).delay({10'001}, 1).next().build())});
  model.add(Process{
      .name = "loader",
      .program = model.add(
          ProgramBuilder().repeat_forever().delay({10'002}, 2).put(ready, 2).next().build()),
      .daemon = true});
  const Outcome out = simulate(model);
  // Batch k (from 0) is ready at 0 for k < 8, else at (k - 7) x 10,002.
  CHECK(out.now.ns == (steps - 8) * 10'002 + 10'001);
  CHECK(out.processes[0].blocked[2] == out.now.ns - steps * 10'001);
  CHECK(out.effort.steps < 500'000);
  CHECK(same_result(out, simulate(model, {.exact = true})));
}

TEST_CASE("engine: whole epochs are skipped as well as steps") {
  Model model;
  const std::int64_t epochs = 1'000'000'000;
  const QueueId ready = model.add(Queue{.name = "ready", .capacity = 2});
  model.add(Process{.name = "rank",
                    .program = model.add(ProgramBuilder()
                                             .repeat_long(epochs)
                                             .delay({500}, 0)
                                             .repeat_long(10'000)
                                             .take(ready, 1)
                                             .delay({70}, 1)
                                             .next()
                                             .mark(0)
                                             .next()
                                             .build())});
  model.add(Process{
      .name = "loader",
      .program =
          model.add(ProgramBuilder().repeat_forever().delay({60}, 2).put(ready, 2).next().build()),
      .daemon = true});
  const Outcome out = simulate(model, {.marks_kept = 5});
  CHECK(out.now.ns == epochs * (500 + 10'000 * 70));
  CHECK(out.marks[0].count == epochs);
  CHECK(out.marks[0].first[4].ns == 5 * (500 + 10'000 * 70));
  CHECK(out.effort.events < 20'000);
  CHECK(out.effort.steps + out.effort.steps_skipped == epochs * 10'000);
}
