// What is simulated of a job whose events are counted beforehand, whoever wrote the job.
#include <algorithm>
#include <cmath>
#include <random>

#include "catch.hpp"
#include "pipeline/page_cache.hpp"
#include "pipeline/random.hpp"
#include "pipeline/simulate.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

namespace {

/// Batches of one sample that loaders of `workers` make `prefetch` ahead, and GPUs take slowly.
Inputs runs_ahead(double ranks, double workers, double prefetch) {
  Inputs in;
  in.kind = LoaderKind::pytorch;
  in.ranks = ranks;
  in.workers = workers;
  in.prefetch = prefetch;
  in.batch = 1.0;
  in.samples = 1e9;
  in.epochs = 2.0;
  in.size_cv = 0.5;
  in.cpu = seconds_per_sample(1e-4);
  in.cores = {{{1.0, 1.0}, {workers * ranks, workers * ranks}}, 0.0};
  in.step.fixed = milliseconds(50.0);
  return in;
}

}  // namespace

TEST_CASE("affordable: however far loaders run ahead, so many events are simulated and no more") {
  std::mt19937_64 random(test::seeded(7121));
  const auto draw = [&](double most) {
    return std::floor(std::exp2(std::uniform_real_distribution(0.0, std::log2(most))(random)));
  };
  constexpr double affordable = 3e5;
  int by_mean = 0, by_events = 0;
  for (int i = 0; i < 60; ++i) {
    const Inputs in = runs_ahead(draw(1024.0), draw(4096.0), draw(10000.0));
    SimulationOptions options;
    options.most_events = affordable;
    const Outcome out = simulate(in, options);
    INFO("job " << i << ": " << in.ranks << " GPUs, " << in.workers << " workers, " << in.prefetch
                << " batches ahead");
    CHECK(out.effort.events <= 20.0 * affordable);
    CHECK(out.total.wall > Duration{});
    ++(out.only_mean ? by_mean : by_events);
  }
  CHECK_DRAWN(by_mean > 10);
  CHECK_DRAWN(by_events > 5);
}

TEST_CASE("affordable: a window is of whole groups of batches between two exchanges, or none") {
  Inputs in = runs_ahead(4.0, 2.0, 2.0);
  in.epochs = 1.0;
  in.exposed_allreduce = seconds(1.0);
  SimulationOptions options;
  options.most_events = 1e4;
  const auto by_mean = [&](double accumulation) {
    in.accumulation = accumulation;
    return simulate(in, options).only_mean;
  };
  CHECK_FALSE(by_mean(1.0));
  CHECK_FALSE(by_mean(16.0));
  CHECK(by_mean(4096.0));
  in.exposed_allreduce = {};  // nothing comes between them
  CHECK_FALSE(by_mean(4096.0));
}

TEST_CASE("affordable: within its limit an epoch is the same, beyond it none") {
  Inputs in = runs_ahead(2.0, 4.0, 2.0);
  in.samples = 2'000.0;
  Effort effort;
  const Span whole = random_epoch(in, {}, 7, effort);
  const double events = effort.events;
  Effort of_within, of_beyond;
  const auto within = random_epoch_within(in, {}, 7, of_within, events + 1.0);
  REQUIRE(within.has_value());
  CHECK(within->wall == whole.wall);
  CHECK(of_within.events == events);
  CHECK_FALSE(random_epoch_within(in, {}, 7, of_beyond, events / 2.0).has_value());
  CHECK(of_beyond.events <= events / 2.0 + 1.0);
}

TEST_CASE("affordable: epochs that fill a cache slowly are taken together, and add up") {
  // Each of 300 epochs on 500 instances finds more in memory, and reads the rest in a time by its
  // bytes alone.
  for (const double readers : {50.0, 500.0}) {
    Inputs in;
    in.kind = LoaderKind::pytorch;
    in.workers = 1.0;
    in.batch = 20.0;
    in.samples = 2'000.0;
    in.instances = readers;
    in.samples *= readers;
    in.cores = {{{1.0, 1.0}, {4.0, 4.0}}, 0.0};
    in.step.fixed = milliseconds(1e-3);
    in.caches.readers = readers;
    in.caches.room = 0.9 * readers;
    in.disk = Read{};
    in.disk->bytes = bytes_per_sample(1e5);
    in.disk->rate = Curve<Bandwidth>{{{1.0, bytes_per_second(1e8)}}, 0.0};
    double one_by_one = 0.0;
    constexpr double epochs = 300.0;
    for (double epoch = 1.0; epoch <= epochs; epoch += 1.0) {
      const double misses =
          1.0 - hit_in_epoch(in.caches.room, in.caches.policy, readers, epoch, in.caches.staged);
      one_by_one += 2'000.0 * misses * 1e-3;
    }
    in.epochs = epochs;
    INFO(readers << " instances");
    CHECK(simulate(in).trained.wall.base() == Approx(one_by_one).epsilon(0.02));
  }
}
