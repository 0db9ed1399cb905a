// How an epoch begins, event by event and in closed form: what limits let through meanwhile, when
// the first step is done, and what is left after it.
#include <algorithm>
#include <cmath>

#include "base/statistics.hpp"
#include "catch.hpp"
#include "model/figures.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/simulate.hpp"
#include "schema/scenario/scenario.hpp"
#include "seed.hpp"
#include "study/run.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;

namespace {

/// One GPU that a limit of its source keeps waiting.
Scenario limited(double samples, double workers, double batch, const std::string& rate) {
  return schema::read_scenario(schema::parse_document(
      R"({"dataset": {"samples": )" + std::to_string(samples) + R"(, "bytes_per_sample": "100 KB"},
          "source": {"service": "s3", "input_mode": "stream", "first_byte_latency": "20 ms",
                     "bandwidth": ")" +
          rate + R"(", "bandwidth_per_connection": "90 MB/s",
                     "requests_per_second": "1e9 /s"},
          "loader": {"num_workers": )" +
          std::to_string(workers) + R"(, "batch_size": )" + std::to_string(batch) + R"(},
          "preprocess": [{"operation": "decode", "cpu": "5 ms"}],
          "cluster": {"vcpus": 64, "cores": 64, "gpus_per_instance": 1, "price": "1 USD/h",
                      "network": "100 Gbit/s"},
          "job": {"epochs": 1, "step": {"fixed": "10 ms"}}})",
      "limited.json"));
}

double seconds_of(const Scenario& scenario, bool exact) {
  study::RunOptions options;
  options.exact = exact;
  return study::run(scenario, Catalog{}, nullptr, options).times.total.base();
}

}  // namespace

TEST_CASE("law: no number of workers brings more through a limit than it lets through") {
  Generator generate(8301);
  for (int i = 0; i < 40; ++i) {
    const double workers = generate.whole(1.0, 32.0);
    const double batch = generate.whole(1.0, 512.0);
    const double samples = batch * generate.whole(2.0, 40.0);
    const double bytes_per_second = generate.log_uniform(2e5, 5e6);
    Scenario job = limited(samples, workers, batch, std::to_string(bytes_per_second) + " B/s");
    job.loader.read_cv = 0.0;  // what is left to chance is no matter of limits
    const double least = samples * 1e5 / bytes_per_second;
    INFO(samples << " samples, " << workers << " workers, batches of " << batch << ", "
                 << bytes_per_second << " B/s");
    const double by_events = seconds_of(job, true);
    // Chunks ask for all of their samples at once: one of them is what the last may lack.
    const double alone = batch * (0.02 + 0.005 + 1e5 / 90e6);
    CHECK(by_events >= least - alone / std::min(batch, 8.0));
    // What nothing limits: what one worker needs for its first batch, and the last step. Few
    // workers may need longer for all of theirs than the limit does.
    const double rounds = std::ceil(samples / batch / workers);
    CHECK(by_events <= std::max(least, (rounds - 1.0) * alone) + alone + 2.0);
  }
}

TEST_CASE("law: a limit that nobody reaches costs nothing at an epoch's beginning") {
  Generator generate(8302);
  for (int i = 0; i < 20; ++i) {
    const double workers = generate.whole(1.0, 16.0);
    const double batch = generate.whole(8.0, 256.0);
    const double samples = batch * generate.whole(2.0, 20.0);
    // Each worker asks for less than 40 samples a second.
    const double enough = workers * 40.0 * 1e5;
    const Scenario near = limited(samples, workers, batch, std::to_string(enough * 1.2) + " B/s");
    const Scenario far = limited(samples, workers, batch, std::to_string(enough * 1e3) + " B/s");
    INFO(samples << " samples, " << workers << " workers, batches of " << batch);
    CHECK(seconds_of(near, true) <= seconds_of(far, true) * 1.02 + 1e-3);
  }
}

TEST_CASE("first step: a loader that is always ahead keeps no GPU waiting after it") {
  Scenario job = limited(6400, 16, 64, "10 GB/s");
  job.job.step->fixed = seconds(2.0);
  for (const bool exact : {false, true}) {
    study::RunOptions options;
    options.exact = exact;
    const Result result = study::run(job, Catalog{}, nullptr, options);
    INFO((exact ? "by events" : "in closed form"));
    // 64 samples of 26.1 ms, and a step of 2 s.
    CHECK(*value_of(result, FigureId::first_step) == Approx(64 * 0.0261 + 2.0).epsilon(0.1));
    CHECK(*value_of(result, FigureId::busy_after_first_step) > 0.99);
    CHECK(result.gpu_busy < *value_of(result, FigureId::busy_after_first_step));
    const double after = *value_of(result, FigureId::throughput_after_first_step);
    CHECK(after == Approx(32.0).epsilon(0.01));
  }
}

TEST_CASE("first step: epochs of one step have nothing after it") {
  const Result one = study::run(limited(64, 4, 64, "10 GB/s"), Catalog{}, nullptr, {});
  CHECK(value_of(one, FigureId::first_step));
  CHECK_FALSE(value_of(one, FigureId::busy_after_first_step));
  CHECK_FALSE(value_of(one, FigureId::throughput_after_first_step));
}

TEST_CASE("law: the first step comes when the events say it does, and never after the epoch") {
  Generator generate(8303);
  std::vector<double> errors;
  for (int i = 0; i < 120; ++i) {
    Inputs inputs = generate.inputs(60.0);
    inputs.epochs = 1.0;
    const Outcome mean = simulate(inputs);
    REQUIRE(mean.trained.first_step > Duration{});
    REQUIRE(mean.trained.first_step <= mean.trained.wall);
    if (inputs.gpus() > 16.0) continue;
    SimulationOptions options;
    options.exact = true;
    double by_events = 0.0;
    constexpr int seeds = 4;
    for (int seed = 1; seed <= seeds; ++seed) {
      options.seed = static_cast<std::uint64_t>(seed);
      const Outcome exact = simulate(inputs, options);
      REQUIRE(exact.trained.first_step > Duration{});
      REQUIRE(exact.trained.first_step <= exact.trained.wall);
      by_events += exact.trained.first_step.base() / seeds;
    }
    errors.push_back(std::abs(mean.trained.first_step.base() - by_events) /
                     mean.trained.wall.base());
  }
  // Of the epoch's time, which is what figures after the first step leave it out of.
  std::sort(errors.begin(), errors.end());
  INFO("median " << median(errors) << ", worst " << errors.back());
  // A tenth of all jobs at most is off by more: of so many draws, by three standard deviations.
  const double tenth = 0.1 * static_cast<double>(errors.size());
  const auto beyond = errors.end() - std::lower_bound(errors.begin(), errors.end(), 0.05);
  CHECK(static_cast<double>(beyond) <= tenth + 3.0 * std::sqrt(tenth));
  CHECK(median(errors) < 0.01);
}
