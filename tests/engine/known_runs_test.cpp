#include "engine/known_runs.hpp"
#include "catch.hpp"
#include "tests/engine/support/same_result.hpp"

using namespace feedrate::engine;

namespace {

Model model_of(std::int64_t rounds, double burst) {
  Model model;
  const BucketId bucket = model.add(Bucket{.name = "b", .rate = 1000.0, .burst = burst});
  const ProgramId program = model.add(ProgramBuilder()
                                          .repeat(rounds)
                                          .delay({1'000'000}, 0, exponential_spread)
                                          .pass(bucket, 1.0, 0)
                                          .next()
                                          .build());
  model.add(Process{.name = "p", .program = program});
  return model;
}

}  // namespace

TEST_CASE("engine: a run that is known already is the run") {
  // The models' programs are one, and the second differs beside them.
  for (const double burst : {1.0, 50.0, 1.0}) {
    for (const std::uint64_t seed : {1, 2, 1}) {
      const Model model = model_of(100, burst);
      CHECK(same_result(simulate_once(model, {.seed = seed}), simulate(model, {.seed = seed})));
    }
  }
}

TEST_CASE("engine: a known run answers where its events are within the limit, and no other run") {
  const Model model = model_of(77, 1.0);
  const Outcome cut = simulate_once(model, {.max_events = 10});
  CHECK(cut.event_limit);
  const Outcome whole = simulate_once(model, {});
  CHECK_FALSE(whole.event_limit);
  CHECK(simulate_once(model, {.max_events = 10}).event_limit);
  CHECK_FALSE(simulate_once(model, {.max_events = whole.effort.events}).event_limit);
  int spans = 0;
  CHECK(same_result(whole, simulate_once(model, {.trace = [&](const Span&) { ++spans; }})));
  CHECK(spans > 0);
}
