// Waiting for the slowest rank, apart from the exchange itself.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "laws/first_epoch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/simulate.hpp"
#include "queueing/pace.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/generated_scenario.hpp"
#include "seed.hpp"
#include "study/run.hpp"
#include "study/setting.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;
using testing_laws::time_of;

namespace {

/// A job whose loader keeps up with its GPUs, whose steps vary as they were measured.
testing_resolve::Settings straggling_job(Generator& random) {
  std::string times;
  for (double i = random.whole(2.0, 6.0); i > 0.0; i -= 1.0) {
    times += fmt::format(R"({}[{:.0f}, "{:.4f} s"])", times.empty() ? "" : ", ",
                         random.whole(1.0, 50.0), random.log_uniform(0.3, 3.0));
  }
  testing_resolve::Settings settings = {
      {"/cluster/instance", "p4d.24xlarge"},
      {"/cluster/instances", fmt::format("{:g}", random.whole(2.0, 32.0))},
      {"/cluster/gpus_per_instance", fmt::format("{:g}", random.whole(1.0, 8.0))},
      {"/loader/batch_size", "4"},
      {"/dataset/samples", "4000000"},
      {"/dataset/bytes_per_sample", "1 kB"},
      {"/job/step", fmt::format(R"({{"times": [{}]}})", times)}};
  if (random.chance(0.3)) settings.emplace_back("/job/gradient_accumulation", "4");
  return settings;
}

Result answer(testing_resolve::Settings settings, const std::string& key,
              const std::string& value) {
  if (!key.empty()) settings.emplace_back(key, value);
  return study::run(testing_resolve::scenario_with(settings), testing_resolve::catalog(), nullptr);
}

bool is_refused(const Result& result) {
  return std::any_of(result.remarks.begin(), result.remarks.end(), [](const std::string& text) {
    return text.find("cannot be reached") != std::string::npos;
  });
}

const char* const next_to_nothing =
    R"({"algorithm": "ring", "gradient_bytes": "1 B", "busbw": "1 TB/s", "latency": "0 s",
        "overlap": 0})";

}  // namespace

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
    if (out.total.straggling > Duration{}) {
      Inputs free = inputs;
      free.exposed_allreduce = {};
      CHECK(simulate(free).total.stall[Stage::allreduce] <= all * (1.0 + 1e-9));
    }
    inputs.instances = 1.0;
    inputs.ranks = 1.0;
    CHECK(simulate(inputs).total.straggling == Duration{});
  }
  CHECK_DRAWN(waits > 50);
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

TEST_CASE("straggling: GPUs that wait for their batches are late by their last batch alone") {
  // A worker of each rank makes a batch in 160 ms of CPU time, the steps take 32 ms.
  Inputs in;
  in.kind = LoaderKind::pytorch;
  in.instances = 8.0;
  in.workers = 1.0;
  in.batch = 32.0;
  in.samples = 32.0 * 8.0 * 40.0;
  in.cpu = seconds_per_sample(5e-3);
  in.step.fixed = milliseconds(32.0);
  in.handover = milliseconds(20.0);
  constexpr double step_cv = 0.3;
  constexpr double handover_cv = 0.6;
  const double step = 32e-3 * (queueing::largest_of(8.0, step_cv).mean - 1.0);
  const double handed = 20e-3 * (queueing::largest_of(8.0, handover_cv).mean - 1.0);
  const auto late = [&](bool by_events) {
    Inputs varying = in;
    varying.step_cv = step_cv;
    varying.handover_cv = handover_cv;
    if (!by_events) return time_of(varying) - time_of(in);
    return testing_laws::by_events(varying, 200) - testing_laws::by_events(in, 1);
  };
  for (const double group : {1.0, 4.0}) {  // batches between exchanges
    in.accumulation = group;
    INFO("groups of " << group);
    in.cores = {{{1.0, 1.0}, {64.0, 64.0}}, 0.0};
    in.asynchronous_step = true;
    CHECK(late(false) == Approx(std::hypot(step, handed)).epsilon(1e-9));
    CHECK(late(true) == Approx(std::hypot(step, handed)).epsilon(0.1));
    // One process hands its batch over before it steps: the slowest is slow by both.
    in.asynchronous_step = false;
    CHECK(late(false) == Approx(std::hypot(step, handed)).epsilon(1e-9));
    CHECK(late(true) == Approx(std::hypot(step, handed)).epsilon(0.1));
    // On one core that it shares with its worker, it takes longer by what that has of the period.
    in.cores = {{{1.0, 1.0}}, 0.0};
    Inputs twice = in;
    twice.samples *= 2.0;
    const double period = (time_of(twice) - time_of(in)) / 40.0;
    const double crowding = 1.0 + 160e-3 / period;
    CHECK(late(false) == Approx(std::hypot(step, crowding * handed)).epsilon(1e-9));
  }
}

TEST_CASE("straggling: an efficiency that was measured has it in it, and is reached") {
  Generator random(62);
  int below = 0;
  for (int i = 0; i < 60; ++i) {
    const auto settings = straggling_job(random);
    const double given = random.uniform(0.5, 0.98);
    INFO(study::setting_words(settings) << " at " << given);
    const Result result = answer(settings, "/job/efficiency", fmt::format("{:.17g}", given));
    CHECK_FALSE(is_refused(result));
    REQUIRE(result.efficiency);
    CHECK(*result.efficiency == Approx(given).epsilon(1e-6));
    // Also where waiting for the slowest alone would be taken to lose more.
    const Result alone = answer(settings, "/job/allreduce", next_to_nothing);
    below += *alone.efficiency < given ? 1 : 0;
    double lost = 0.0;
    for (const Stage stage : all_stages()) lost += (*result.lost_to_scaling)[stage];
    CHECK(lost == Approx(1.0 - *result.job_efficiency).margin(1e-9));
    CHECK(*result.lost_to_stragglers <= (*result.lost_to_scaling)[Stage::allreduce] + 1e-9);
  }
  CHECK_DRAWN(below > 10);
}

TEST_CASE("straggling: an efficiency is reached where few times make its curve steep") {
  // A tenth of an instance's GPUs more or less change the efficiency by a tenth.
  const testing_resolve::Settings settings = {
      {"/cluster/instance", "p4d.24xlarge"},
      {"/cluster/instances", "16"},
      {"/cluster/gpus_per_instance", "2"},
      {"/loader/batch_size", "4"},
      {"/dataset/samples", "4000000"},
      {"/dataset/bytes_per_sample", "1 kB"},
      {"/job/step", R"({"times": [[2, "1.0133 s"], [27, "1.1036 s"], [32, "0.4547 s"]]})"}};
  for (const double given : {0.5, 0.7, 0.837, 0.8372504902, 0.8375, 0.838, 0.86, 0.9, 0.95}) {
    const Result result = answer(settings, "/job/efficiency", fmt::format("{:.17g}", given));
    CHECK_FALSE(is_refused(result));
    REQUIRE(result.efficiency);
    CHECK(*result.efficiency == Approx(given).epsilon(1e-6));
  }
}

TEST_CASE("straggling: what is assumed of messages comes on top, however much steps vary") {
  Generator random(63);
  int more = 0;
  int less = 0;
  for (int i = 0; i < 60; ++i) {
    const auto settings = straggling_job(random);
    INFO(study::setting_words(settings));
    const Result result = answer(settings, "", "");
    const Result alone = answer(settings, "/job/allreduce", next_to_nothing);
    const double assumed = resolve::assumed::unknown_communication.value;
    CHECK(1.0 / *result.efficiency - 1.0 / *alone.efficiency ==
          Approx(1.0 / assumed - 1.0).epsilon(5e-3));
    (*alone.efficiency < assumed ? more : less) += 1;
  }
  CHECK_DRAWN(more > 10);
  CHECK_DRAWN(less > 10);
}

TEST_CASE("straggling: the stated time lies within its band, whatever stragglers lose") {
  Generator random(64);
  study::RunOptions options;
  options.replications = 40;
  for (int i = 0; i < 15; ++i) {
    const auto settings = straggling_job(random);
    INFO(study::setting_words(settings));
    const Result result = study::run(testing_resolve::scenario_with(settings),
                                     testing_resolve::catalog(), nullptr, options);
    const auto& band = result.bands->total_s;
    CHECK(band[0] <= result.times.total.base());
    CHECK(result.times.total.base() <= band[2]);
  }
}
