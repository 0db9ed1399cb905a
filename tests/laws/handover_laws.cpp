// Handing a batch over takes the main process a time that varies, and what waits for all GPUs waits
// for the longest of them: closed forms, over generated jobs, by the mean and by the events.
#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "laws/first_epoch.hpp"
#include "pipeline/generated.hpp"
#include "queueing/pace.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/resolve.hpp"
#include "schema/scenario/scenario.hpp"
#include "seed.hpp"
#include "study/run.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;
using testing_laws::by_events;
using testing_laws::time_of;

namespace {

/// Loops that wait for each step, of `ranks` GPUs whose loaders have nothing to do.
Inputs fed(double instances, double ranks, Duration handover, double cv) {
  Inputs in;
  in.instances = instances;
  in.ranks = ranks;
  in.batch = 1.0;
  in.workers = 1.0;
  in.asynchronous_step = false;
  in.handover = handover;
  in.handover_cv = cv;
  in.step.fixed = milliseconds(3.5);
  in.step.per_sample = DurationPerSample{};
  in.samples = 2000.0 * instances * ranks;
  return in;
}

Inputs resolved(const std::string& loader, const HostProfile* host = nullptr) {
  const Scenario scenario = schema::read_scenario(schema::parse_document(
      R"({"dataset": {"samples": 6400, "bytes_on_gpu_per_sample": "1 MB"},
          "loader": {"num_workers": 4, "batch_size": 10)" +
          loader + R"(},
          "cluster": {"vcpus": 8, "gpus_per_instance": 1, "price": "1 USD/h"},
          "preprocess": [{"operation": "decode", "cpu": "1 ms"}],
          "job": {"epochs": 1, "step": {"fixed": "100 ms"}}})",
      "handover.json"));
  return resolve::resolve(scenario, Catalog{}, host).inputs;
}

}  // namespace

TEST_CASE(
    "hand-over: a step of n GPUs that wait for each other takes the longest of n hand-overs") {
  for (const double cv : {0.2, 0.32, 0.5}) {
    double before = 0.0;
    for (const double gpus : {1.0, 2.0, 8.0, 26.0, 60.0}) {
      const Inputs in =
          fed(gpus > 8.0 ? 2.0 : 1.0, gpus > 8.0 ? gpus / 2.0 : gpus, milliseconds(0.9), cv);
      INFO(gpus << " GPUs, cv " << cv);
      const double longest = 0.9e-3 * queueing::largest_of(gpus, cv).mean;
      const double period = time_of(in) / 2000.0;
      CHECK(period == Approx(3.5e-3 + longest).epsilon(0.005));
      CHECK(by_events(in, 2) / 2000.0 == Approx(period).epsilon(0.01));
      CHECK(period > before);
      before = period;
    }
  }
}

TEST_CASE("hand-over: of one GPU that waits for each step only the mean counts") {
  Generator generate(2501);
  for (int i = 0; i < 500; ++i) {
    Inputs in = generate.inputs(200.0);
    in.instances = in.ranks = 1.0;
    in.asynchronous_step = false;
    in.handover_cv = 0.0;
    Inputs varies = in;
    varies.handover_cv = generate.uniform(0.1, 0.5);
    INFO("job " << i);
    REQUIRE(time_of(varies) == Approx(time_of(in)).epsilon(1e-9));
  }
}

TEST_CASE("hand-over: a longer one, or one that varies more, never makes a job faster") {
  Generator generate(2502);
  int slower = 0;
  for (int i = 0; i < 2000; ++i) {
    Inputs in = generate.inputs(200.0);
    // Whole batches: the step of a smaller last one counts where steps set the pace.
    in.samples = in.batch * in.gpus() * std::ceil(in.samples / (in.batch * in.gpus()));
    Inputs more = in;
    if (generate.chance(0.5)) {
      more.handover = 1.3 * in.handover;
    } else {
      more.handover_cv = in.handover_cv + 0.2;
    }
    // A server is an approximation; a longer period leaves the workers more of the cores.
    const double tolerance = std::max(in.locked.base() > 0.0 ? 1e-3 : 1e-5, left_by_uneven(in));
    INFO("job " << i);
    REQUIRE(time_of(more) >= time_of(in) * (1.0 - tolerance));
    if (time_of(more) > time_of(in) * 1.001) ++slower;
  }
  CHECK_DRAWN(slower > 200);
}

TEST_CASE("hand-over: jobs that it decides, by the mean and by the events") {
  Generator generate(2503);
  std::vector<double> errors;
  for (int i = 0; i < 300; ++i) {
    Inputs in = fed(1.0, generate.whole(1.0, 16.0), milliseconds(generate.log_uniform(0.3, 10.0)),
                    generate.uniform(0.1, 0.5));
    in.asynchronous_step = generate.chance(0.5);
    in.copies = generate.chance(0.5) ? Copies::waited : Copies::queued;
    in.copy = seconds_per_sample(generate.log_uniform(1e-5, 1e-3));
    in.cores = {{{1.0, 1.0}, {64.0, 64.0}}, 0.0};
    in.step_cv = generate.chance(0.3) ? generate.uniform(0.0, 0.3) : 0.0;
    in.samples = 300.0 * in.ranks;
    errors.push_back(std::abs(time_of(in) / by_events(in, 2) - 1.0));
  }
  std::sort(errors.begin(), errors.end());
  INFO("median " << errors[150] << ", nine of ten " << errors[270] << ", worst " << errors[299]);
  CHECK(errors[150] < 0.02);
  CHECK(errors[270] < 0.07);
}

TEST_CASE("hand-over: a batch costs by its bytes and by how it comes, unless it is known") {
  const Inputs shared = resolved("");
  CHECK(shared.handover.base() == Approx(0.37e-3 + 10e6 * resolve::assumed::handover_shared.value));
  CHECK(shared.handover_cv == Approx(0.32));
  CHECK(resolved(R"(, "transport": "pickled")").handover.base() == Approx(0.37e-3 + 10e6 * 0.8e-9));
  // The thread that pins a batch is the first to touch its bytes.
  const Inputs pinned = resolved(R"(, "pin_memory": true)");
  CHECK(pinned.handover.base() == Approx(0.37e-3));
  CHECK(pinned.pin.base() == Approx(1e6 / 8e9));
  // … and to unpickle them, which no pinning makes free.
  const Inputs unpickled = resolved(R"(, "pin_memory": true, "transport": "pickled")");
  CHECK(unpickled.handover.base() == Approx(0.37e-3));
  CHECK(unpickled.pin.base() == Approx(1e6 * (1.0 / 8e9 + 0.8e-9)));
  // Tensors that a batch holds one by one cost the thread that takes it, each its own segment.
  const double one_by_one = 7.0 * resolve::assumed::handover_of_tensor.value;
  const std::string tensors = R"(, "tensors_per_sample": 7)";
  CHECK(resolved(tensors).handover.base() == Approx(shared.handover.base() + 10.0 * one_by_one));
  const Inputs pinned_tensors = resolved(tensors + R"(, "pin_memory": true)");
  CHECK(pinned_tensors.handover.base() == Approx(0.37e-3));
  CHECK(pinned_tensors.pin.base() == Approx(1e6 / 8e9 + one_by_one));
  CHECK(resolved(tensors + R"(, "transport": "pickled")").handover.base() ==
        Approx(0.37e-3 + 10e6 * 0.8e-9));
  CHECK(resolved(tensors + R"(, "handover": "3 ms")").handover.base() == Approx(3e-3));
  // What is given is what it is.
  const Inputs given = resolved(R"(, "handover": "3 ms", "handover_cv": 0, "pin_memory": true)");
  CHECK(given.handover.base() == Approx(3e-3));
  CHECK(given.handover_cv == 0.0);
  CHECK(given.pin.base() == Approx(1e6 / 8e9));
  HostProfile host;
  host.name = "own";
  host.handover = Value<Duration>{milliseconds(2.0), {Origin::measured, "own", 0.0}};
  CHECK(resolved("", &host).handover.base() == Approx(2e-3));
  CHECK(resolved(tensors, &host).handover.base() == Approx(2e-3 + 10.0 * one_by_one));
}

TEST_CASE("workers: one after the other, each as long as its way to start takes") {
  CHECK(resolved("").worker_startup.base() == Approx(0.010));
  double before = 0.0;
  for (const char* start : {"fork", "forkserver", "spawn"}) {
    Inputs in = resolved(R"(, "start": ")" + std::string(start) + R"(")");
    CHECK(in.worker_startup.base() > before);
    before = in.worker_startup.base();
    const double time = time_of(in);
    Inputs at_once = in;
    at_once.worker_startup = {};
    CHECK(time - time_of(at_once) == Approx(4.0 * before));
    Effort effort;
    in.size_cv = in.make_cv = in.handover_cv = 0.0;
    at_once.size_cv = at_once.make_cv = at_once.handover_cv = 0.0;
    CHECK(random_epoch(in, {}, 1, effort).wall.base() -
              random_epoch(at_once, {}, 1, effort).wall.base() ==
          Approx(4.0 * before).epsilon(1e-6));
  }
  CHECK(resolved(R"(, "start": "spawn", "worker_startup": "20 ms")").worker_startup.base() ==
        Approx(0.020));
}

TEST_CASE("hand-over: GPUs twice as fast make no step shorter than starting it takes") {
  Generator generate(2504);
  int held = 0;
  for (int i = 0; i < 60; ++i) {
    Inputs in = fed(1.0, 1.0, milliseconds(0.2), 0.0);
    in.samples = 500.0;
    in.launch = milliseconds(generate.uniform(0.0, 7.0));
    in.speed[Stage::gpu] = generate.uniform(0.5, 1.5);
    const auto least = [&](const Inputs& job) {
      return 0.2e-3 + std::max(job.launch.base(), job.step.fixed->base() / job.speed[Stage::gpu]);
    };
    const Inputs faster = twice_as_fast(in, Stage::gpu);
    INFO("launch " << in.launch.base() << " at speed " << in.speed[Stage::gpu]);
    for (const Inputs* job : std::vector<const Inputs*>{&in, &faster}) {
      CHECK(time_of(*job) / 500.0 == Approx(least(*job)).epsilon(0.005));
      CHECK(by_events(*job, 1) == Approx(time_of(*job)).epsilon(0.005));
    }
    held += least(faster) > 0.51 * least(in) + 0.1e-3 ? 1 : 0;
  }
  CHECK_DRAWN(held > 20);

  // As the scenario has it, where the step is as long as its start: faster GPUs gain nothing.
  const auto found = [](const char* launch) {
    const Scenario scenario =
        schema::read_scenario(schema::parse_document(std::string(R"({"dataset": {"samples": 6400},
            "loader": {"num_workers": 4, "batch_size": 10},
            "cluster": {"vcpus": 8, "gpus_per_instance": 1, "price": "1 USD/h"},
            "job": {"epochs": 1, "asynchronous_step": false,
                    "step": {"fixed": "100 ms", "launch": ")") +
                                                         launch + R"("}}})",
                                                     "launch.json"));
    return study::run(scenario, Catalog{}, nullptr);
  };
  const auto gpu_gain = [](const Result& r) {
    for (const auto& [stage, gain] : r.bottleneck.gains) {
      if (stage == Stage::gpu) return gain;
    }
    return 0.0;
  };
  const auto says_launch = [](const Result& r) {
    return std::any_of(r.caveats.begin(), r.caveats.end(), [](const std::string& caveat) {
      return caveat.find("in which the main process starts it (/job/step/launch)") !=
             std::string::npos;
    });
  };
  CHECK(gpu_gain(found("10 ms")) > 0.45);
  CHECK_FALSE(says_launch(found("10 ms")));
  CHECK(gpu_gain(found("80 ms")) == Approx(0.2).margin(0.02));
  CHECK(says_launch(found("80 ms")));
  CHECK(gpu_gain(found("100 ms")) < 0.01);
  CHECK(says_launch(found("100 ms")));
}
