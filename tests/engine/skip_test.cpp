#include <numeric>

#include "catch.hpp"
#include "engine/simulate.hpp"
#include "tests/engine/support/models.hpp"

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
  skip_equals_exact(Kind::pool, 150, 100);
}
TEST_CASE("engine: skipping equals the full run on hardly coupled cycles") {
  skip_equals_exact(Kind::cycles, 150, 20);
}
