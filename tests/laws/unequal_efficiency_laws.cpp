// Efficiency and failures of instances with different numbers of GPUs: by their GPUs, not by as
// many instances as large as the largest.
#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "catch.hpp"
#include "model/efficiency.hpp"
#include "pipeline/generated.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"
#include "seed.hpp"
#include "study/run.hpp"
#include "study/scale_out.hpp"

using namespace feedrate;
using pipeline::Generator;
using testing_resolve::scenario_with;
using testing_resolve::Settings;

namespace {

struct Gpus {
  std::vector<double> list;

  explicit Gpus(Generator& random) {
    const double instances = random.whole(2.0, 5.0);
    for (double i = 0.0; i < instances; i += 1.0) list.push_back(random.whole(1.0, 8.0));
  }
  [[nodiscard]] double all() const { return std::accumulate(list.begin(), list.end(), 0.0); }
  [[nodiscard]] double most() const { return *std::max_element(list.begin(), list.end()); }
  [[nodiscard]] std::string text() const { return fmt::format("[{:g}]", fmt::join(list, ", ")); }
};

// Of whole steps for any number of GPUs up to eight.
constexpr double steps = 840.0;
constexpr double batch = 8.0;

/// A job whose data costs nothing, of `steps` steps on these GPUs.
Settings free_job(const Gpus& gpus, const std::string& step) {
  return {{"/dataset", fmt::format(R"({{"samples": {:.0f}}})", steps * batch * gpus.all())},
          {"/preprocess", "[]"},
          {"/loader", R"({"kind": "pytorch", "num_workers": 4, "batch_size": 8,
                          "worker_startup": "0 s", "handover": "0 s"})"},
          {"/cluster/instance", "p4d.24xlarge"},
          {"/cluster/instances", fmt::format("{}", gpus.list.size())},
          {"/cluster/gpus_per_instance", gpus.text()},
          {"/job/epochs", "1"},
          {"/job/step", step}};
}

Settings with(Settings settings, const std::string& key, const std::string& value) {
  settings.emplace_back(key, value);
  return settings;
}

Settings on_largest(Settings settings, const Gpus& gpus) {
  settings.emplace_back("/cluster/gpus_per_instance", fmt::format("{:g}", gpus.most()));
  settings.emplace_back("/cluster/instances", "1");
  return settings;
}

Result answer(const Settings& settings) {
  return study::run(scenario_with(settings), testing_resolve::catalog(), nullptr);
}

bool is_refused(const Result& result) {
  return std::any_of(result.remarks.begin(), result.remarks.end(), [](const std::string& text) {
    return text.find("cannot be reached") != std::string::npos;
  });
}

/// Of the whole cluster.
Frequency failures_of(const Settings& settings) {
  const auto resolved =
      resolve::resolve(scenario_with(settings), testing_resolve::catalog(), nullptr);
  return resolved.inputs.interruptions->sudden;
}

}  // namespace

TEST_CASE("unequal: an efficiency of e takes 1/e of the time that the GPUs would take ideally") {
  Generator random(81);
  int varied = 0;
  for (int i = 0; i < 80; ++i) {
    const Gpus gpus(random);
    const double given = random.uniform(0.3, 0.98);
    const bool varies = random.chance(0.3);
    const Settings job = free_job(
        gpus, varies ? R"({"times": [[8, "0.4 s"], [1, "0.6 s"]]})" : R"({"fixed": "500 ms"})");
    const Result result = answer(with(job, "/job/efficiency", fmt::format("{:.17g}", given)));
    INFO(gpus.text() << " at " << given);
    CHECK_FALSE(is_refused(result));
    REQUIRE(result.efficiency);
    CHECK(*result.efficiency == Approx(given).epsilon(1e-6));
    varied += varies ? 1 : 0;
    if (varies) continue;
    CHECK(result.times.total.base() == Approx(steps * 0.5 / given).epsilon(1e-4));
    CHECK(result.gpu_busy == Approx(given).epsilon(1e-4));
  }
  CHECK_DRAWN(varied > 10);
}

TEST_CASE("unequal: GPUs that nothing keeps are efficient, however they are split") {
  Generator random(82);
  for (int i = 0; i < 60; ++i) {
    const Gpus gpus(random);
    const Settings job = with(free_job(gpus, R"({"fixed": "500 ms", "cv": 0})"), "/job/allreduce",
                              R"({"algorithm": "ring", "gradient_bytes": "1 B", "busbw": "1 TB/s",
                                  "latency": "0 s", "overlap": 0})");
    const Result list = answer(job);
    const Result one = answer(on_largest(job, gpus));
    INFO(gpus.text());
    CHECK(list.gpu_busy > 0.9999);
    CHECK(*list.efficiency == Approx(1.0).epsilon(1e-4));
    CHECK(*list.job_efficiency == Approx(1.0).epsilon(1e-4));
    const auto alone = study::cost_alone(list);
    REQUIRE(alone);
    CHECK(alone->base() == Approx(one.bill.total.base()).epsilon(1e-2));
  }
}

TEST_CASE("unequal: the efficiency is T(1)/T by the GPUs of both, and what is lost adds up to it") {
  Generator random(83);
  int checked = 0;
  for (int i = 0; i < 100; ++i) {
    const Gpus gpus(random);
    Settings job = free_job(gpus, R"({"times": [[5, "0.1 s"], [1, "0.15 s"]]})");
    job.emplace_back("/dataset/bytes_per_sample", "100 kB");
    job.emplace_back("/preprocess",
                     fmt::format(R"([{{"operation": "decode", "cpu": "{:.3g} ms"}}])",
                                 random.log_uniform(1.0, 200.0)));
    job.emplace_back("/job/allreduce", R"({"gradient_bytes": "100 MB"})");
    const Result list = answer(job);
    const Result one = answer(on_largest(job, gpus));
    INFO(gpus.text());
    REQUIRE(list.job_efficiency);
    CHECK(*list.job_efficiency * gpus.all() * list.times.total.base() ==
          Approx(one.times.total.base() * gpus.most()).epsilon(1e-9));
    double lost = 0.0;
    for (const EfficiencyLoss& part : efficiency_losses(list)) lost += part.share;
    CHECK(lost == Approx(1.0 - *list.job_efficiency).margin(1e-9));
    ++checked;
  }
  CHECK(checked == 100);
}

TEST_CASE("unequal: instances fail as often together as each of them does alone") {
  Generator random(84);
  int fewer = 0;
  for (int i = 0; i < 100; ++i) {
    const Gpus gpus(random);
    const std::string given = random.chance(0.6)   ? "{}"
                              : random.chance(0.5) ? R"({"mttf": "100 h"})"
                                                   : R"({"per_1000_node_days": 5})";
    const Settings job = with(free_job(gpus, R"({"fixed": "500 ms"})"), "/cluster/failures", given);
    const Frequency list = failures_of(job);
    Frequency sum;
    for (const double ranks : gpus.list) {
      Settings alone = with(job, "/cluster/gpus_per_instance", fmt::format("{:g}", ranks));
      alone.emplace_back("/cluster/instances", "1");
      sum += failures_of(alone);
    }
    INFO(gpus.text() << " " << given);
    CHECK(list.base() == Approx(sum.base()).epsilon(1e-12));
    const Frequency as_largest =
        failures_of(with(job, "/cluster/gpus_per_instance", fmt::format("{:g}", gpus.most())));
    CHECK(list <= as_largest * (1.0 + 1e-12));
    fewer += list < 0.999 * as_largest ? 1 : 0;
  }
  CHECK_DRAWN(fewer > 30);
}
