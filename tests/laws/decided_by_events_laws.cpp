// What is said of a job whose events are stated: busy time, bottleneck, gains.
#include <algorithm>
#include <map>
#include <string>

#include "catalog/catalog.hpp"
#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/simulate.hpp"
#include "schema/scenario/scenario.hpp"
#include "seed.hpp"
#include "study/run.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

TEST_CASE("law: credits that run out make no GPU work for longer") {
  Generator generate(8401);
  int ran_out = 0;
  for (int i = 0; i < 400 && ran_out < 25; ++i) {
    Inputs inputs = generate.inputs(20.0);
    if (inputs.gpus() > 8.0 || !inputs.source || inputs.source->limits.empty()) continue;
    inputs.step_cv = 0.0;
    inputs.step_times.reset();
    RateLimit& limit = inputs.source->limits.front();
    const Outcome fast = simulate(inputs);
    const double asked = limit.each * fast.samples / fast.later.wall.base();
    limit.rate = 0.3 * asked / std::max(1.0, inputs.instances);
    limit.burst_rate = 3.0 * asked;
    limit.credit = 5.0 * limit.each * fast.samples;
    inputs.epochs = 30.0;
    SimulationOptions options;
    options.most_events = 1e12;
    const Outcome events = simulate(inputs, options);
    if (events.ends.empty() || events.only_mean) continue;
    ++ran_out;
    inputs.epochs = 1.0;
    const Outcome one = simulate(inputs, options);
    INFO("job " << i);
    CHECK(events.trained.busy / one.trained.busy == Approx(30.0).epsilon(0.02));
    Duration parts = events.total.busy;
    for (const Stage stage : all_stages()) parts += events.total.stall[stage];
    CHECK(parts.base() == Approx(events.total.wall.base()).epsilon(1e-6));
  }
  CHECK_DRAWN(ran_out >= 10);
}

TEST_CASE("by events: all of them name the bottleneck as those do that are affordable") {
  const Scenario job = schema::read_scenario(schema::parse_document(
      R"({"dataset": {"samples": 20000, "bytes_per_sample": "110 KB", "size_cv": 1.5},
          "source": {"service": "s3", "input_mode": "stream", "first_byte_latency": "20 ms",
                     "bandwidth_per_connection": "90 MB/s"},
          "loader": {"kind": "tfdata", "num_workers": 8, "batch_size": 256, "prefetch_factor": 4},
          "preprocess": [{"operation": "decode", "cpu": "8 ms"}],
          "cluster": {"vcpus": 32, "cores": 16, "gpus_per_instance": 1, "price": "1 USD/h",
                      "network": "10 Gbit/s"},
          "job": {"epochs": 1, "step": {"per_sample": "5 ms"}}})",
      "pool.json"));
  study::RunOptions affordable;
  study::RunOptions exact;
  exact.exact = true;
  const Result few = study::run(job, Catalog{}, nullptr, affordable);
  const Result all = study::run(job, Catalog{}, nullptr, exact);
  REQUIRE(all.by_events);
  CHECK(all.by_events->stated);
  CHECK(all.by_events->total.base() == all.times.total.base());
  REQUIRE(all.bottleneck.stage);
  CHECK(*all.bottleneck.stage == Stage::gpu);
  CHECK(few.bottleneck.stage == all.bottleneck.stage);
}

TEST_CASE("by events: the fewest workers that are enough are so by what is stated of each") {
  // With four workers the mean and the events agree; with more, samples that vary by twice their
  // mean keep the loop waiting for longer than the mean has it.
  Scenario job = schema::read_scenario(schema::parse_document(
      R"({"dataset": {"samples": 8000, "bytes_per_sample": "100 KB", "size_cv": 2},
          "source": {"service": "http", "input_mode": "stream", "first_byte_latency": "0 s",
                     "open_latency": "0 s", "bandwidth_per_connection": "500 MB/s",
                     "bandwidth": "10 GB/s"},
          "loader": {"kind": "pytorch", "num_workers": 4, "batch_size": 8, "prefetch_factor": 2,
                     "read_cv": 0, "make_cv": 0, "collate": "0 s/MB"},
          "preprocess": [{"operation": "decode", "cpu": "30 ms"}],
          "cluster": {"vcpus": 16, "cores": 16, "gpus_per_instance": 1, "price": "3 USD/h",
                      "network": "100 Gbit/s"},
          "job": {"epochs": 1, "step": {"per_sample": "6.75 ms"}}})",
      "workers.json"));
  study::RunOptions options;
  options.events = true;
  options.try_workers = true;
  const Result result = study::run(job, Catalog{}, nullptr, options);
  REQUIRE(result.bottleneck.workers);
  const OtherWorkers found = *result.bottleneck.workers;
  CHECK(found.by_events);
  options.try_workers = false;
  std::map<double, double> seconds;
  double shortest = 1e300;
  for (double n = 4.0; n <= 24.0; n += 1.0) {
    job.loader.num_workers = WorkerCount(n);
    seconds[n] = study::run(job, Catalog{}, nullptr, options).times.total.base();
    shortest = std::min(shortest, seconds[n]);
  }
  INFO(found.best << " workers");
  REQUIRE(seconds.count(found.best) > 0);
  // Within 1 % of those that were tried; where the events part from the mean by less than 1 %, the
  // mean is stated, and a time of so few steps has an error of its own.
  CHECK(seconds[found.best] <= 1.03 * shortest);
  CHECK(seconds[found.best - 1.0] > 1.005 * shortest);
  CHECK(found.gain == Approx(1.0 - seconds[found.best] / seconds[4.0]).epsilon(1e-9));
}
