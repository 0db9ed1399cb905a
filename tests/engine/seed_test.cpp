#include "catch.hpp"
#include "engine/simulate.hpp"
#include "tests/engine/support/same_result.hpp"

using namespace feedrate::engine;

TEST_CASE("engine: the seed decides the run, and each process draws from a stream of its own") {
  const auto run = [](std::uint64_t seed, int processes, bool shared) {
    Model model;
    const ProgramId program = model.add(
        ProgramBuilder().repeat(100).delay({1'000'000}, 0, exponential_spread).next().build());
    for (int p = 0; p < processes; ++p) {
      model.add(Process{.name = "p", .program = program, .stream = shared ? 3 : -1});
    }
    return simulate(model, {.seed = seed});
  };
  CHECK(same_result(run(1, 3, false), run(1, 3, false)));
  CHECK_FALSE(same_result(run(1, 3, false), run(2, 3, false)));
  const Outcome three = run(1, 3, false);
  CHECK(three.processes[0].wall.ns != three.processes[1].wall.ns);
  // What a process draws does not depend on the others, unless they share a stream.
  CHECK(run(1, 1, false).processes[0].wall == three.processes[0].wall);
  CHECK(run(1, 1, true).processes[0].wall != run(1, 3, true).processes[0].wall);
}

TEST_CASE("engine: a random run skips nothing; a coefficient of variation of 0 is not random") {
  const auto run = [](double cv) {
    Model model;
    const ProgramId program = model.add(ProgramBuilder()
                                            .repeat_long(1000)
                                            .delay({1'000'000}, 0, {Law::lognormal, cv})
                                            .next()
                                            .build());
    model.add(Process{.name = "p", .program = program});
    return simulate(model);
  };
  CHECK(run(0.2).effort.steps_skipped == 0);
  CHECK(run(0.2).events == 1000);
  CHECK(run(0.0).effort.steps_skipped > 900);
  CHECK(run(0.0).now.ns == 1'000'000'000);
}
