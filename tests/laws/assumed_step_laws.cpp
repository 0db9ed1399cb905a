// What is taken of a step that nobody said: how it varies from GPU to GPU, and what it is at
// another batch than it was measured at.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "catch.hpp"
#include "pipeline/mean.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"

using namespace feedrate;
using pipeline::Generator;
using testing_resolve::catalog;
using testing_resolve::scenario_with;
using testing_resolve::Settings;

namespace {

constexpr double steps = 500.0;

/// A job of nothing but steps, and next to nothing that is exchanged.
Settings plain_steps(double instances, double ranks) {
  return {{"/dataset", fmt::format(R"({{"samples": {:.0f}}})", steps * 8.0 * instances * ranks)},
          {"/preprocess", "[]"},
          {"/loader", R"({"kind": "inline", "batch_size": 8, "handover": "0 s"})"},
          {"/cluster/instance", "p4d.24xlarge"},
          {"/cluster/instances", fmt::format("{:g}", instances)},
          {"/cluster/gpus_per_instance", fmt::format("{:g}", ranks)},
          {"/job/epochs", "1"},
          {"/job/step", R"({"fixed": "400 ms"})"},
          {"/job/allreduce", R"({"algorithm": "ring", "gradient_bytes": "1 B", "busbw": "1 TB/s",
                                 "latency": "0 s", "overlap": 0})"}};
}

Settings with(Settings settings, const std::string& key, const std::string& value) {
  settings.emplace_back(key, value);
  return settings;
}

pipeline::Inputs inputs(const Settings& settings, const resolve::Draw& draw = {}) {
  return resolve::resolve(scenario_with(settings), catalog(), nullptr, draw).inputs;
}

double training(const pipeline::Inputs& in, bool exact = false) {
  pipeline::SimulationOptions options;
  options.exact = exact;
  return pipeline::simulate(in, options).training().base();
}

/// How many times as long a step takes on so many GPUs of an instance as on one.
double beside_others(double gpus, double accumulated = 1.0) {
  return 1.0 + resolve::assumed::beside_others.value * (1.0 - 1.0 / gpus) / accumulated;
}

/// Of `at` in the range of what varies; all else as it is.
resolve::Draw drawn(double at) {
  return [at](std::string_view key) { return key == resolve::assumed::step_cv.key ? at : 0.5; };
}

}  // namespace

TEST_CASE("assumed step: GPUs that exchange gradients lose beside each other what studies show") {
  Generator random(303);
  for (int i = 0; i < 200; ++i) {
    const double ranks = random.whole(1.0, 8.0);
    const double accumulated = random.whole(1.0, 4.0);
    const double measured = random.whole(1.0, 64.0);
    const Settings one = with(plain_steps(1.0, ranks), "/job/gradient_accumulation",
                              fmt::format("{:g}", accumulated));
    INFO(ranks << " GPUs, " << accumulated << " accumulated, measured on " << measured);
    const auto step = [&](const Settings& settings, const resolve::Draw& draw = {}) {
      return inputs(settings, draw).step.fixed->base();
    };
    const auto measured_on = [&](double gpus) {
      return with(one, "/job/step", fmt::format(R"({{"fixed": "400 ms", "gpus": {:g}}})", gpus));
    };
    const double longer = beside_others(ranks, accumulated);
    CHECK(step(one) == Approx(0.4 * longer));
    CHECK(step(measured_on(ranks)) == Approx(0.4));
    CHECK(step(measured_on(measured)) ==
          Approx(0.4 * longer / beside_others(measured, accumulated)));
    // A step that is said to vary waits for the slowest, which is a part of that loss: the more it
    // varies, the longer all take, and never less than where nothing varies.
    double before = 0.0;
    for (const char* cv : {"0", "0.01", "0.02", "0.05", "0.2"}) {
      pipeline::Inputs in = inputs(with(one, "/job/step/cv", cv));
      const double all = in.step.fixed->base() * pipeline::slowest_gpu(in, ranks, accumulated).mean;
      CHECK(all >= 0.4 * longer * (1.0 - 1e-9));
      CHECK(all >= before * (1.0 - 1e-9));
      before = all;
    }
    // What is measured or assumed of the whole has it in it, and one GPU has none.
    CHECK(step(with(one, "/job/allreduce", R"({"gradient_bytes": 0})")) == Approx(0.4));
    CHECK(step(with(with(one, "/job/allreduce", "null"), "/job/efficiency", "0.9")) == Approx(0.4));
    CHECK(step(plain_steps(1.0, 1.0)) == Approx(0.4));
  }
}

TEST_CASE(
    "assumed step: a published rate is of one GPU, what a peak is used by of a whole instance") {
  const auto per_sample = [](double ranks, const char* step) {
    return inputs(with(plain_steps(1.0, ranks), "/job/step", step)).step.per_sample->base();
  };
  const char* const rate = R"({"model": "resnet50"})";
  const char* const peak = R"({"model_parameters": 1e9, "tokens_per_sample": 1000})";
  for (const double ranks : {2.0, 4.0, 8.0}) {
    CHECK(per_sample(ranks, rate) == Approx(per_sample(1.0, rate) * beside_others(ranks)));
    CHECK(per_sample(ranks, peak) == Approx(per_sample(1.0, peak)));
  }
}

TEST_CASE("assumed step: the slowest of all GPUs against the slowest of an instance's") {
  Generator random(301);
  for (int i = 0; i < 40; ++i) {
    const double instances = random.whole(2.0, 60.0);
    const double ranks = random.whole(1.0, 8.0);
    const Settings job = plain_steps(instances, ranks);
    INFO(instances << " x " << ranks);
    for (const double u : {0.0, 0.5, 1.0}) {
      pipeline::Inputs in = inputs(job, drawn(u));
      CHECK(in.step_cv == Approx(resolve::assumed::step_cv.at(u)));
      const double all = pipeline::slowest_gpu(in, in.gpus(), 1.0).mean;
      const double own = pipeline::slowest_gpu(in, in.ranks, 1.0).mean;
      const double lost = std::max(1.0, beside_others(in.ranks) / own);
      CHECK(training(in) == Approx(steps * 0.4 * all * lost).epsilon(1e-3));
    }
    if (i >= 8) continue;
    // A second implementation, GPU by GPU.
    const pipeline::Inputs in = inputs(job, drawn(1.0));
    CHECK(training(in, true) == Approx(training(in)).epsilon(0.01));
  }
}

TEST_CASE("assumed step: it varies only where several instances wait, and nobody said how much") {
  const Settings job = plain_steps(16.0, 8.0);
  CHECK(inputs(job).step_cv == resolve::assumed::step_cv.value);
  // What is measured or assumed of the whole has it in it.
  CHECK(inputs(with(job, "/job/step/cv", "0")).step_cv == 0.0);
  CHECK(training(inputs(with(job, "/job/step/cv", "0"))) ==
        Approx(steps * 0.4 * beside_others(8.0)).epsilon(1e-3));
  CHECK(inputs(with(job, "/cluster/instances", "1")).step_cv == 0.0);
  CHECK(inputs(with(job, "/job/allreduce", "null")).step_cv == 0.0);
  CHECK(inputs(with(job, "/job/allreduce", R"({"gradient_bytes": 0})")).step_cv == 0.0);
  const Settings efficiency = with(with(job, "/job/allreduce", "null"), "/job/efficiency", "0.9");
  CHECK(inputs(efficiency).step_cv == 0.0);
  // The range is drawn: a thousand GPUs are not certain to a thousandth.
  const Settings large = plain_steps(125.0, 8.0);
  CHECK(training(inputs(large, drawn(1.0))) > 1.05 * training(inputs(large, drawn(0.0))));
}

TEST_CASE("assumed step: what is assumed of it may be stated, and more variation costs more") {
  const std::string assumed = fmt::format("{:g}", resolve::assumed::step_cv.value);
  for (const char* const step : {R"({"fixed": "400 ms", "tokens_per_sample": 1000)",
                                 R"({"model_parameters": 1e9, "tokens_per_sample": 1000)"}) {
    for (const char* const parallel :
         {"null", R"({"tensor": 4, "layers": 32, "hidden_size": 1024})"}) {
      INFO(step << " spread as " << parallel);
      const auto time = [&](const std::string& cv) {
        const Settings job = with(plain_steps(16.0, 8.0), "/job/parallel", parallel);
        return training(inputs(with(job, "/job/step", step + cv + "}")));
      };
      const auto stated = [&](const std::string& cv) { return time(", \"cv\": " + cv); };
      CHECK(stated(assumed) == Approx(time("")).epsilon(1e-12));
      CHECK(stated("0") < stated(assumed));
      CHECK(stated(assumed) < stated("0.02"));
      CHECK(stated("0.02") < stated("0.3"));
      CHECK(stated("0.3") > 1.3 * stated("0"));
    }
  }
}

TEST_CASE("assumed step: an efficiency is seconds of messages, which a faster GPU leaves") {
  Generator random(302);
  for (int i = 0; i < 40; ++i) {
    const double efficiency = random.uniform(0.1, 0.9);
    const Settings job =
        with(with(plain_steps(random.whole(2.0, 32.0), 8.0), "/job/allreduce", "null"),
             "/job/efficiency", fmt::format("{:.17g}", efficiency));
    pipeline::Inputs in = inputs(job);
    const double before = training(in);
    CHECK(before == Approx(steps * 0.4 / efficiency).epsilon(1e-3));
    in.speed[Stage::gpu] = 2.0;
    CHECK(training(in) == Approx(before - steps * 0.2).epsilon(1e-3));
    in.speed[Stage::gpu] = 1.0;
    in.speed[Stage::allreduce] = 2.0;
    CHECK(training(in) == Approx(0.5 * (before + steps * 0.4)).epsilon(1e-3));
    // Event by event too.
    CHECK(training(inputs(job), true) == Approx(before).epsilon(1e-3));
  }
}

TEST_CASE("assumed step: given in one form it grows with the batch for the most part") {
  Generator random(303);
  for (int i = 0; i < 60; ++i) {
    schema::Document document = testing_resolve::document_with(
        {{"/loader/batch_size", "64"},
         {"/job/step", random.chance(0.5) ? R"("64 ms")" : R"({"per_sample": "1 ms"})"}});
    document.keep_as_base();
    const double batch = std::round(random.log_uniform(4.0, 1024.0));
    schema::set_value(document, "batch_size", fmt::format("{:g}", batch));
    const Scenario scenario = schema::read_scenario(document);
    const auto step = [&](const resolve::Draw& draw) {
      const auto in = resolve::resolve(scenario, catalog(), nullptr, draw).inputs;
      CHECK(in.step_is_guess == (batch != 64.0));
      return pipeline::step_time(in, batch).base();
    };
    const double share = batch == 64.0 ? 1.0 : resolve::assumed::fixed_share.value;
    INFO("batch " << batch);
    CHECK(step({}) == Approx(0.064 * (share + (1.0 - share) * batch / 64.0)));
  }
}

TEST_CASE("assumed step: published batches lie within the range") {
  // Step in ms by batch on one GPU (Pollux, OSDI 2021); on one K80 (TensorFlow's benchmarks).
  const std::vector<std::vector<std::pair<double, double>>> published = {
      {{4, 455.3}, {8, 703.3}, {12, 921.5}},
      {{32, 42.8}, {129, 103.9}, {513, 355.4}, {1024, 702.1}},
      {{10, 466.4}, {20, 681.2}, {40, 1121.7}, {80, 2540.6}},
      {{20, 147.4}, {40, 253.5}, {81, 420.7}, {200, 923.5}},
      {{32, 661.2}, {64, 1221.4}},
      {{32, 1095.9}, {64, 2154.9}}};
  int within = 0;
  int pairs = 0;
  for (const auto& table : published) {
    // From the largest, which is what jobs are measured at.
    const auto& [most, longest] = table.back();
    for (const auto& [batch, ms] : table) {
      if (batch == most) continue;
      const double part = batch / most;
      const auto at = [part, whole = longest](double share) {
        return whole * (share + (1.0 - share) * part);
      };
      const double few = at(resolve::assumed::fixed_share.low);
      const double many = at(resolve::assumed::fixed_share.high);
      ++pairs;
      within += ms >= 0.999 * few && ms <= 1.001 * many ? 1 : 0;
    }
  }
  CHECK(within >= pairs - 2);
}

TEST_CASE(
    "assumed step: recorded steps of GPUs that waited for each other are the slowest of them") {
  // One step in a hundred of eight GPUs takes a second: of one GPU it is one in 1 / (1 -
  // 0.99^(1/8)), and of n GPUs it is one in 1 / (1 - 0.99^(n/8)).
  const std::string times = R"("times": [[99, "100 ms"], [1, "1000 ms"]])";
  const auto at = [](double gpus) { return 0.1 + 0.9 * (1.0 - std::pow(0.99, gpus / 8.0)); };
  for (const double instances : {1.0, 4.0, 16.0}) {
    for (const double ranks : {1.0, 8.0}) {
      const auto job = [&](const std::string& more) {
        return with(plain_steps(instances, ranks), "/job/step", "{" + times + more + "}");
      };
      const pipeline::Inputs in = inputs(job(R"(, "gpus": 8)"));
      INFO(instances << " x " << ranks);
      // What GPUs lose beside each other beyond waiting is in the steps of eight, and not of one.
      const double lost = ranks > 1.0 ? 1.0 : std::max(1.0, beside_others(8.0) * at(1.0) / at(8.0));
      CHECK(training(in) == Approx(steps * at(in.gpus()) / lost).epsilon(2e-3));
      // Of few steps the events draw few that are long.
      if (in.gpus() <= 8.0) CHECK(training(in, true) == Approx(training(in)).epsilon(0.15));
      const double plain = 0.1 + 0.9 * (1.0 - std::pow(0.99, in.gpus()));
      CHECK(training(inputs(job(""))) == Approx(steps * plain).epsilon(0.07));
    }
  }
  // However many batches there are between two exchanges, each recorded step waited.
  const auto accumulated =
      inputs(with(with(plain_steps(1.0, 1.0), "/job/gradient_accumulation", "4"), "/job/step",
                  "{" + times + R"(, "gpus": 8})"));
  CHECK(training(accumulated) == Approx(steps * at(1.0)).epsilon(2e-3));
}
