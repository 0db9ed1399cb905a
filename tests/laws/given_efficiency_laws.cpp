// A parallel efficiency that is given, of jobs that wait for the GPU, and of jobs that wait for
// their input on one instance already: more instances lose time, and what limits the job stays.
#include <fmt/format.h>

#include <string>

#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "resolve/generated_scenario.hpp"
#include "seed.hpp"
#include "study/run.hpp"

using namespace feedrate;
using testing_resolve::scenario_with;
using testing_resolve::Settings;

namespace {

Result answer(const Settings& settings) {
  return study::run(scenario_with(settings), testing_resolve::catalog(), nullptr);
}

Settings with(Settings settings, const std::string& key, const std::string& value) {
  settings.emplace_back(key, value);
  return settings;
}

/// Decoding or the disk takes from a tenth of the step to ten times as long.
Settings drawn_job(pipeline::Generator& random) {
  const double times = random.log_uniform(0.1, 10.0);
  Settings job = {{"/job/step", R"({"fixed": "0 s", "per_sample": "1 ms"})"},
                  {"/dataset/samples", "500000"},
                  {"/job/startup", "0 s"}};
  if (random.chance(0.6)) {
    return with(job, "/preprocess/0/cpu", fmt::format("{:.4g} ms", 6.0 * times));
  }
  job.emplace_back("/disk", fmt::format(R"({{"kind": "other", "bandwidth": "{:.4g} MB/s",
                                             "latency": "0 s", "page_cache": "1 B"}})",
                                        100.0 / times));
  return with(job, "/preprocess/0/cpu", "0.1 ms");
}

}  // namespace

TEST_CASE("efficiency: what limits a job on one instance limits it on many, which lose time") {
  pipeline::Generator random(2611);
  int by_input = 0, by_exchange = 0;
  for (int i = 0; i < 150; ++i) {
    const Settings job = drawn_job(random);
    const double given = random.uniform(0.5, 0.98);
    const std::string instances = fmt::format("{}", random.whole(2.0, 16.0));
    const Result one = answer(job);
    const Settings several = with(job, "/cluster/instances", instances);
    const Result many = answer(with(several, "/job/efficiency", fmt::format("{}", given)));
    INFO("job " << i << ": " << instances << " instances, efficiency " << given << ", GPUs busy "
                << one.gpu_busy << " on one");
    REQUIRE(many.efficiency);
    if (*many.efficiency < given * 0.9999) continue;  // out of reach: said so
    CHECK(*many.efficiency == Approx(given).epsilon(1e-3));
    // The GPU's part of the time, were its steps as much longer as the efficiency says; the copies
    // stand between the steps and hide nothing.
    const double fed = one.gpu_busy / given;
    const double lost = 1.0 - given;
    const double exchanged = many.stages[Stage::allreduce].stall / many.times.total;
    if (fed < 0.85) {
      ++by_input;
      REQUIRE(one.bottleneck.stage);
      CHECK(many.bottleneck.stage == one.bottleneck.stage);
      // The exchange is the one that loses as much of steps that wait for nothing.
      CHECK(exchanged <= lost * (one.gpu_busy + 0.06));
      CHECK(many.bottleneck.gain_if_twice_as_fast > 0.0);
    } else if (one.bottleneck.stage == Stage::gpu && one.gpu_busy > 0.9) {
      ++by_exchange;
      // No less than what the job takes beyond one without an exchange, of which the start of an
      // epoch is as much on each instance; a loader that was late goes on meanwhile.
      const Result none = answer(with(several, "/job/efficiency", "1"));
      CHECK(exchanged >= 1.0 - none.times.total / many.times.total - 0.01);
      CHECK(exchanged <= lost + 0.02);
    }
  }
  CHECK_DRAWN(by_input > 40);
  CHECK_DRAWN(by_exchange > 20);
}

TEST_CASE(
    "efficiency: what several instances' caches gain stays beside an efficiency of the steps") {
  pipeline::Generator random(26120101);
  int gained = 0;
  for (int i = 0; i < test::some(64); ++i) {
    // 100 GB, of which one instance keeps a part from epoch to epoch.
    const double kept = random.uniform(10.0, 120.0);
    Settings several = drawn_job(random);
    several.emplace_back("/disk", fmt::format(R"({{"kind": "other", "bandwidth": "{:.4g} MB/s",
                                               "latency": "0 s", "page_cache": "{:.4g} GB"}})",
                                              random.log_uniform(20.0, 400.0), kept));
    several.emplace_back("/dataset/bytes_per_sample", "200 kB");
    several.emplace_back("/job/epochs", "10");
    several.emplace_back("/cluster/instances", fmt::format("{}", random.whole(2.0, 8.0)));
    several.emplace_back("/job/allreduce", R"({"gradient_bytes": "0 B"})");
    const Result free = answer(several);
    several = with(several, "/job/allreduce", "null");
    INFO("job " << i << ": " << free.instances << " instances keep " << kept << " GB each");
    const auto takes = [&](double efficiency) {
      return answer(with(several, "/job/efficiency", fmt::format("{}", efficiency))).times.total;
    };
    REQUIRE(free.efficiency);
    if (*free.efficiency < 1.01) continue;
    ++gained;
    CHECK(takes(1.0) / free.times.total == Approx(1.0).epsilon(1e-3));
    const double given = random.uniform(0.7, 0.98);
    CHECK(takes(given) / (free.times.total / given) == Approx(1.0).epsilon(0.01));
  }
  CHECK_DRAWN_OF_ALL(gained > 10);
}
