// A deterministic run becomes periodic; what is skipped must not change any figure.
#include <string>

#include "catch.hpp"
#include "engine/simulate.hpp"
#include "pipeline/build.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/simulate.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

namespace {

void check_equal(const Outcome& skipped, const Outcome& exact) {
  CHECK(skipped.total.wall.base() == Approx(exact.total.wall.base()).epsilon(1e-9));
  CHECK(skipped.total.busy.base() == Approx(exact.total.busy.base()).epsilon(1e-9));
  for (Stage stage : all_stages()) {
    CHECK(skipped.total.stall[stage].base() ==
          Approx(exact.total.stall[stage].base()).epsilon(1e-9).margin(1e-9));
  }
}

}  // namespace

TEST_CASE("skipping: 2,000 generated jobs come out as when every event is executed") {
  Generator generator(20240601);
  double skipped_steps = 0.0;
  for (int i = 0; i < 2000; ++i) {
    INFO("job " << i);
    const Inputs inputs = generator.inputs(i % 20 == 0 ? 600.0 : 60.0);
    SimulationOptions exact;
    exact.exact = true;
    const Outcome skipping = simulate(inputs, {});
    check_equal(skipping, simulate(inputs, exact));
    skipped_steps += skipping.effort.steps_skipped;
  }
  CHECK(skipped_steps > 10000.0);
}

TEST_CASE("skipping: several ranks simulated apart agree in every statistic") {
  Generator generator(77);
  for (int i = 0; i < 400; ++i) {
    INFO("job " << i);
    const Inputs inputs = generator.inputs(40.0);
    const Layout layout{1 + i % 2, 1 + i % 3, 1.0, false, 0.0};
    const EpochModel built = build_epoch(inputs, EpochKind::later, layout);
    engine::Options exact;
    exact.exact = true;
    CHECK(engine::same_result(engine::simulate(built.model, {}),
                              engine::simulate(built.model, exact)));
  }
}

TEST_CASE("skipping: ten billion samples take as few events as a million") {
  Inputs inputs;
  inputs.batch = 64.0;
  inputs.workers = 7.0;
  inputs.cpu = seconds_per_sample(8.5e-3);
  inputs.cores = {{{1.0, 1.0}, {4.0, 4.0}, {8.0, 5.2}}, 0.0};
  inputs.step.per_sample = seconds_per_sample(3.1e-3);
  inputs.handover = milliseconds(0.5);
  inputs.worker_startup = milliseconds(10.0);
  inputs.samples = 1e6;
  const Outcome million = simulate(inputs, {});
  inputs.samples = 1e10;
  const Outcome billions = simulate(inputs, {});
  CHECK(million.effort.events < 2000.0);
  CHECK(billions.effort.events < 2000.0);
  CHECK(billions.total.wall / million.total.wall == Approx(1e4).epsilon(1e-3));
}
