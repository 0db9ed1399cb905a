// feedrate observe beside GPUs: those of the simulated host, whose driver answers as NVIDIA's does.
#include <algorithm>
#include <cmath>

#include "cli/process.hpp"
#include "schema/documents/observation.hpp"
#include "tests/catch.hpp"

namespace {

using namespace testing_cli;
using namespace feedrate;

/// `settings` are FEEDRATE_SIM_… of the environment.
Outcome observe(const std::string& arguments, const std::string& settings) {
  return shell(std::string("'") + FEEDRATE_SIMULATED_BINARY + "' observe " + arguments,
               "LC_ALL=C.UTF-8 " + settings);
}

struct Seen {
  std::vector<Sample> samples;
  double gpus = 0.0;
};

Seen read(const std::string& file) {
  Seen seen;
  schema::for_each_line(file, [&](const schema::ObservationLine& line) {
    if (const auto* header = std::get_if<ObservationHeader>(&line)) {
      seen.gpus = header->gpus.value_or(0.0);
    }
    if (const auto* sample = std::get_if<Sample>(&line)) seen.samples.push_back(*sample);
  });
  return seen;
}

/// The last of it; NaN where there is none.
double value_of(const Seen& seen, MetricId metric, const std::string& name) {
  double value = std::nan("");
  for (const Sample& sample : seen.samples) {
    if (sample.metric == metric && sample.name == name) value = sample.value;
  }
  return value;
}

TEST_CASE("observe: what NVML tells of each GPU") {
  const Folder folder;
  const std::string file = folder / "o.jsonl";
  const Outcome outcome =
      observe("--interval 50ms --for 400ms -o '" + file + "'",
              "FEEDRATE_SIM_GPUS=2 FEEDRATE_SIM_BUSY=40 FEEDRATE_SIM_FOREIGN=20 "
              "FEEDRATE_SIM_POWER=312.5 FEEDRATE_SIM_CLOCK=1755 FEEDRATE_SIM_RECEIVED=3e9");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const Seen seen = read(file);
  CHECK(seen.gpus == 2.0);
  CHECK(value_of(seen, MetricId::gpu_busy, "gpu0") == 40.0);
  CHECK(value_of(seen, MetricId::gpu_busy, "gpu1") == 60.0);
  CHECK(value_of(seen, MetricId::gpu_memory_busy, "gpu1") == 7.0);
  const double held = 20.0 * std::pow(2.0, 30);
  CHECK(value_of(seen, MetricId::gpu_memory_bytes, "gpu0") == held);
  CHECK(value_of(seen, MetricId::gpu_memory_used, "gpu0") ==
        Approx(100.0 * held / 80e9).epsilon(1e-4));
  CHECK(value_of(seen, MetricId::gpu_clock, "gpu0") == 1.755e9);
  CHECK(value_of(seen, MetricId::gpu_power, "gpu0") == 312.5);
  // Bytes over PCIe are asked for beside the samples.
  CHECK(value_of(seen, MetricId::gpu_receive, "gpu1") == 3e9);
  CHECK(value_of(seen, MetricId::gpu_transmit, "gpu1") == 1e6);
}

TEST_CASE("observe: a driver that cannot tell is said, and why") {
  struct Case {
    const char* settings;
    const char* says;
  };
  for (const Case& of : {
           Case{"FEEDRATE_SIM_FAIL=nvmlInit_v2:1+:9",
                "no GPU is seen: NVIDIA's driver says: Driver Not Loaded"},
           Case{"FEEDRATE_SIM_GPUS=0", "no GPU is seen: NVIDIA's driver reports none"},
           Case{"FEEDRATE_SIM_WITHOUT=nvml", "no GPU is seen: libnvidia-ml.so.1"},
           Case{"FEEDRATE_SIM_FAIL=nvmlDeviceGetUtilizationRates:1+:3",
                "gpu0: the driver does not report how busy it is"},
       }) {
    const Folder folder;
    const std::string file = folder / "o.jsonl";
    const Outcome outcome = observe("--interval 50ms --for 200ms -o '" + file + "'", of.settings);
    INFO(of.settings << ": " << outcome.err);
    CHECK(outcome.status == 0);
    CHECK(has(outcome.err, of.says));
    const Seen seen = read(file);
    CHECK(std::isnan(value_of(seen, MetricId::gpu_busy, "gpu0")));
    const bool some = std::string_view(of.says).starts_with("gpu0");
    CHECK(std::isnan(value_of(seen, MetricId::gpu_memory_used, "gpu0")) != some);
  }
}

TEST_CASE("observe: dollars while GPUs wait") {
  const Outcome outcome = observe("--interval 50ms --for 200ms --instance p3.2xlarge",
                                  "FEEDRATE_SIM_GPUS=2 FEEDRATE_SIM_BUSY=40");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK_FALSE(has(outcome.err, "no GPU is seen"));
  CHECK(has(outcome.out, "GPU 50 %"));
  CHECK(has(outcome.out, "$1.53 an hour of $3.06 (p3.2xlarge) wasted"));
}

}  // namespace
