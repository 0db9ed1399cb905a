// Waiting for the slowest rank, apart from the exchange itself.
#include <algorithm>

#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/simulate.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

TEST_CASE("straggling: a part of the waits for gradients, and none of a single GPU's") {
  Generator random(61);
  int waits = 0;
  for (int i = 0; i < 500; ++i) {
    Inputs inputs = random.inputs(30.0);
    const Outcome out = simulate(inputs);
    const Duration all = out.total.stall[Stage::allreduce];
    CHECK(out.total.straggling >= Duration{});
    CHECK(out.total.straggling <= all * (1.0 + 1e-12));
    waits += out.total.straggling > Duration{} ? 1 : 0;
    // What is exposed is exposed whoever waits for whom.
    if (out.total.straggling > Duration{} && !inputs.time_ratio) {
      Inputs free = inputs;
      free.exposed_allreduce = {};
      CHECK(simulate(free).total.stall[Stage::allreduce] <= all * (1.0 + 1e-9));
    }
    inputs.instances = 1.0;
    inputs.ranks = 1.0;
    inputs.time_ratio.reset();
    CHECK(simulate(inputs).total.straggling == Duration{});
  }
  CHECK(waits > 50);
}

TEST_CASE("straggling: the events book it as the mean does, beside the exchange") {
  Inputs inputs;
  inputs.kind = LoaderKind::inline_;
  inputs.asynchronous_step = false;
  inputs.ranks = 8.0;
  inputs.batch = 1.0;
  inputs.samples = 8.0 * 2000.0;
  inputs.step.fixed = milliseconds(100.0);
  inputs.step_cv = 0.1;
  inputs.exposed_allreduce = milliseconds(20.0);
  inputs.cores = linear_until(1.0, 64.0);
  const Outcome mean = simulate(inputs);
  SimulationOptions options;
  options.exact = true;
  const Outcome events = simulate(inputs, options);
  const auto exchanged = [](const Outcome& out) {
    return (out.total.stall[Stage::allreduce] - out.total.straggling).base();
  };
  CHECK(exchanged(mean) == Approx(2000.0 * 0.02).epsilon(1e-6));
  CHECK(exchanged(events) == Approx(2000.0 * 0.02).epsilon(1e-6));
  // The largest of eight is 1.4 standard deviations above their mean.
  CHECK(mean.total.straggling.base() == Approx(2000.0 * 0.0142).epsilon(0.05));
  CHECK(events.total.straggling.base() == Approx(mean.total.straggling.base()).epsilon(0.1));
}
