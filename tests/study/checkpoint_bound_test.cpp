// A job that mostly writes checkpoints: which stage is named, and what a stage saves of them.
#include "catch.hpp"
#include "resolve/generated_scenario.hpp"
#include "study/run.hpp"

using namespace feedrate;
using testing_resolve::catalog;

namespace {

/// Of so many minutes of steps, a checkpoint each ten that takes twenty.
Result result(double minutes_of_steps) {
  return study::run(
      schema::read_scenario(schema::parse_document(
          fmt::format(R"({{"name": "t", "dataset": {{"samples": {:.0f}, "bytes_per_sample": "1 B"}},
              "source": {{"service": "local"}}, "disk": {{"bandwidth": "1 GB/s", "latency": "0 s"}},
              "loader": {{"kind": "inline", "batch_size": 1}},
              "cluster": {{"gpus_per_instance": 1, "vcpus": 8, "price": "1 USD/h"}},
              "job": {{"step": "1 s", "checkpoint": {{"interval": "10 min", "size": "1200 GB",
                  "bandwidth": "1 GB/s"}}}}}})",
                      60.0 * minutes_of_steps),
          "t.json")),
      Catalog{}, nullptr);
}

double gain_of(const Result& result, Stage stage) {
  for (const auto& [of, gain] : result.bottleneck.gains) {
    if (of == stage) return gain;
  }
  return 0.0;
}

}  // namespace

TEST_CASE("checkpoint bound: a stage saves as many checkpoints as its time has intervals") {
  for (const double minutes_of_steps : {21.0, 25.0, 29.0, 41.0, 55.0, 79.0}) {
    INFO(minutes_of_steps << " min");
    const Result of = result(minutes_of_steps);
    CHECK(of.bottleneck.stage == Stage::checkpoint);
    const double written = std::floor(minutes_of_steps / 10.0);
    const double all = minutes_of_steps + 20.0 * written;
    CHECK(of.times.total.base() == Approx(60.0 * all).epsilon(0.01));
    CHECK(gain_of(of, Stage::checkpoint) == Approx(10.0 * written / all).epsilon(0.02));
    // Half of the steps, and two minutes of writing for each minute of them.
    const bool fewer = std::floor(0.5 * minutes_of_steps / 10.0) != written;
    CHECK(fewer);
    CHECK(gain_of(of, Stage::gpu) == Approx(1.5 * minutes_of_steps / all).epsilon(0.03));
  }
}
