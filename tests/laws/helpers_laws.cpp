// Helpers beside local workers: the mean against the events, and more of them.
#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/loading.hpp"
#include "pipeline/simulate.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

namespace {

/// What one of `workers` helpers' threads does, on one core for two of them.
RemotePool helpers_of(const Inputs& inputs, double workers, double slower) {
  RemotePool pool;
  pool.workers = workers;
  const double cores = std::max(1.0, workers / 2.0);
  pool.cores = {{{1.0, 1.0}, {cores + 1.0, cores}, {2.0 * cores + 1.0, 1.3 * cores}}, 0.0};
  pool.cpu = inputs.cpu * slower;
  if (inputs.source) {
    pool.fetch = inputs.source;
    pool.fetch->nic.reset();
    std::erase_if(pool.fetch->limits, [](const RateLimit& limit) { return limit.of_nic; });
  }
  pool.sent = bytes_per_sample(1e5);
  pool.latency = milliseconds(0.5);
  pool.deliveries = 1.0 / inputs.batch;
  pool.network = bytes_per_second(5e9);
  pool.sending = bytes_per_second(5e9);
  return pool;
}

/// Calls `check` with generated jobs that have helpers beside their local workers. Left out are
/// those whose threads outnumber the cores of their instance, where the main process waits for a
/// core for longer than it works, batches of few samples, and gates of connections, of which each
/// kind of customers has its own in closed form.
template <class Check>
int for_helped(unsigned seed, int count, Check&& check) {
  Generator generate(seed);
  Draws draws(seed + 77U);
  int checked = 0;
  for (int i = 0; i < 60 * count && checked < count; ++i) {
    Inputs inputs = without_pieces(generate.inputs(120.0));
    const bool varies = inputs.size_cv > 0.0 || inputs.read_cv > 0.0 || inputs.make_cv > 0.0;
    if (inputs.kind == LoaderKind::inline_ || inputs.workers < 1.0 || inputs.sequential_stream ||
        !varies || inputs.batch < 8.0 || inputs.instances > 4.0 ||
        inputs.ranks * inputs.workers > inputs.cores.maximum()) {
      continue;
    }
    inputs.locked = {};
    inputs.epochs = 1.0;
    for (std::optional<Read>* read : {&inputs.source, &inputs.first_source, &inputs.disk}) {
      if (*read) (*read)->connections = 0.0;
    }
    if (inputs.cpu < seconds_per_sample(1e-4)) inputs.cpu = seconds_per_sample(1e-3);
    const double helpers = inputs.instances * draws.whole(1.0, 4.0) * draws.whole(2.0, 16.0);
    inputs.remote = helpers_of(inputs, helpers, draws.uniform(0.5, 2.0));
    // What is begun at once is a small part of an epoch.
    const double steps = std::max(100.0, 4.0 * most_begun(inputs));
    inputs.samples = inputs.batch * inputs.gpus() * steps;
    INFO("job " << i << ", " << helpers << " threads of helpers");
    check(inputs);
    ++checked;
  }
  return checked;
}

Span of_events(const Inputs& inputs) {
  SimulationOptions exact;
  exact.exact = true;
  return simulate(inputs, exact).trained;
}

/// How much longer an epoch of three times as many steps takes, whose steps do not vary.
Duration after_opening(Inputs inputs) {
  inputs.step_cv = inputs.handover_cv = 0.0;
  const Duration once = of_events(inputs).wall;
  inputs.samples *= 3.0;
  return of_events(inputs).wall - once;
}

double by_mean(const Inputs& inputs) {
  return simulate(inputs).total.wall.base();
}

}  // namespace

TEST_CASE("law: with helpers beside local workers the mean is within 5 % of the events") {
  int beyond = 0, far = 0;
  const int checked = for_helped(8901, 200, [&](const Inputs& inputs) {
    const Outcome mean = simulate(inputs);
    const double off = std::abs(mean.trained.wall / of_events(inputs).wall - 1.0);
    INFO("off by " << off);
    beyond += off > 0.02 ? 1 : 0;
    far += off > 0.05 ? 1 : 0;
    CHECK(off < 0.2);
  });
  INFO(beyond << " of " << checked << " are off by over 2 %, " << far << " by over 5 %");
  CHECK_DRAWN(checked == 200);
  // One of 15, and one of 50: their numbers among so many draws, by three standard deviations.
  const auto at_most = [&](double share) {
    const double expected = checked * share;
    return expected + 3.0 * std::sqrt(expected);
  };
  CHECK(beyond <= at_most(1.0 / 15.0));
  CHECK(far <= at_most(1.0 / 50.0));
}

TEST_CASE("law: more helpers never make a job slower, nor fewer batches begun") {
  int helped = 0;
  const int checked = for_helped(8902, 100, [&](const Inputs& inputs) {
    Inputs none = inputs;
    none.remote.reset();
    const double alone = by_mean(none);
    double before = alone;
    double begun = 0.0;
    Duration by_half;
    for (const double times : {0.5, 1.0, 2.0, 4.0}) {
      Inputs more = inputs;
      more.remote = helpers_of(inputs, std::ceil(times * inputs.remote->workers),
                               inputs.remote->cpu / inputs.cpu);
      const double now = by_mean(more);
      // A pool's share at work is monotone to a thousandth where its threads are not all alike.
      if (times > 0.5) CHECK(now <= before * (1.0 + 2e-3));
      CHECK(most_begun(more) >= begun);
      before = now;
      begun = most_begun(more);
      // What more of them begin at once shares source and network, so that the first batches come
      // later: it is the pace after them that more helpers keep. Single epochs differ by 2 %.
      if (times == 0.5) by_half = after_opening(more);
      if (times == 4.0) CHECK(after_opening(more) / by_half <= 1.02);
    }
    helped += before < 0.8 * alone ? 1 : 0;
  });
  CHECK_DRAWN(checked == 100);
  CHECK_DRAWN(helped > 20);
}

TEST_CASE("law: helpers' window is theirs: a local worker keeps what it holds without them") {
  const int checked = for_helped(8903, 100, [&](const Inputs& inputs) {
    Inputs none = inputs;
    none.remote.reset();
    const double of_helpers = inputs.remote->workers * inputs.prefetch / inputs.gpus();
    CHECK(most_begun(inputs) == Approx(std::max(1.0, most_begun(none) + of_helpers)));
    CHECK(most_begun_here(inputs) == most_begun_here(none));
    Inputs only = inputs;
    only.workers = 0.0;
    CHECK(most_begun_here(only) == 0.0);
    CHECK(most_begun(only) == std::max(1.0, inputs.prefetch));
  });
  CHECK_DRAWN(checked == 100);
}
