// The GPU probes as a user runs them, on hosts with simulated GPUs: what they measure is what those
// hosts do.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "bench/cuda/simulated_host.hpp"
#include "catch.hpp"
#include "fit/profile.hpp"

using namespace feedrate;
using test::SimulatedEnd;
using test::Variables;

namespace {

// Slow, so that a simulated time is long beside what this machine needs to look at its clock.
constexpr double pcie = 2e9;
constexpr double pageable = 5e8;
constexpr double hbm = 2e11;
constexpr double nvlink = 1e9;
constexpr double copy_latency = 1e-4;
constexpr double launch = 1e-5;
constexpr double hop = 1e-4;
constexpr double fp32 = 1e12;
constexpr double tf32 = 5e12;
constexpr double bf16 = 8e12;

Variables slow_host(int gpus) {
  const auto text = [](double value) { return std::to_string(static_cast<long long>(value)); };
  return {{"GPUS", std::to_string(gpus)}, {"COMPUTE", "0"},     {"PCIE", text(pcie)},
          {"PAGEABLE", text(pageable)},   {"HBM", text(hbm)},   {"NVLINK", text(nvlink)},
          {"COPY_LATENCY", "1e-4"},       {"LAUNCH", "1e-5"},   {"NCCL_LATENCY", "1e-4"},
          {"FP32", text(fp32)},           {"TF32", text(tf32)}, {"BF16", text(bf16)}};
}

/// What one sample takes on the GPU; nothing for those that the host's own time decides.
double simulated_time(const Measurement& what) {
  const auto at = [&](const char* name) { return what.at.at(name); };
  const auto how = [&](const char* name) { return what.how.at(name); };
  if (what.quantity == "copy") {
    return copy_latency + at("bytes") / (how("memory") == "pinned" ? pcie : pageable);
  }
  if (what.quantity == "memory") return launch + 2.0 * at("bytes") / hbm;
  if (what.quantity == "launch") return launch;
  if (what.quantity == "matmul") {
    const double flop = 2.0 * at("n") * at("n") * at("n");
    const double rate = how("precision") == "fp32"   ? fp32
                        : how("precision") == "tf32" ? tf32
                                                     : bf16;
    return launch + flop / rate;
  }
  if (what.quantity == "allreduce") {
    const double n = at("ranks");
    return launch + 2.0 * (n - 1.0) * (hop + at("bytes") / n / nvlink);
  }
  // Preprocessing: bytes of the batch in and out.
  const double decoded = at("batch") * 3.0 * 500.0 * 375.0;
  const double side = at("batch") * 3.0 * 224.0 * 224.0;
  if (what.quantity == "resize") return launch + (decoded + side) / hbm;
  if (what.quantity == "normalize") return launch + (side + 4.0 * side) / hbm;
  return 2.0 * launch + 2.0 * (side + 4.0 * side) / hbm;  // blur, by rows and by columns
}

/// The pieces that one sample does; its work is that of all.
double pieces(const Measurement& what) {
  if (what.quantity == "memory") return what.work / (2.0 * what.at.at("bytes"));
  if (what.quantity == "launch") return what.work;
  if (what.quantity == "matmul") {
    const double n = what.at.at("n");
    return what.work / (2.0 * n * n * n);
  }
  return what.at.count("batch") != 0 ? what.work / what.at.at("batch") : 1.0;
}

/// By the host's clock, or with pauses while the host queues more.
bool host_has_a_part(const Measurement& what) {
  const auto is = [&](const char* name, const char* value) {
    const auto found = what.how.find(name);
    return found != what.how.end() && found->second == value;
  };
  return what.quantity == "copy" || what.quantity == "allreduce" || is("wait", "each") ||
         is("load", "sustained");
}

void check_times(const Measurement& what) {
  const double expected = simulated_time(what) * pieces(what);
  std::string setting = what.quantity;
  for (const auto& [name, value] : what.at) setting += " " + name + " " + std::to_string(value);
  for (const auto& [name, value] : what.how) setting += " " + value;
  INFO(setting);
  REQUIRE_FALSE(what.times.empty());
  const auto [least, most] = std::minmax_element(what.times.begin(), what.times.end());
  // Nothing ends before the GPU is done, whatever the machine is busy with; events are exact.
  CHECK(least->base() > expected * (1.0 - 1e-4));
  CHECK(least->base() < expected * 1.3 + 5e-3);
  if (!host_has_a_part(what)) {
    CHECK(most->base() < expected * 1.01);
  }
}

std::size_t series_of(const MeasurementSet& set, const std::string& quantity) {
  return static_cast<std::size_t>(
      std::count_if(set.measurements.begin(), set.measurements.end(),
                    [&](const Measurement& what) { return what.quantity == quantity; }));
}

}  // namespace

TEST_CASE("simulated GPUs: every series is what the host does, with one, two and eight GPUs") {
  std::map<int, std::unique_ptr<test::SimulatedRun>> runs;
  for (const int gpus : {1, 2, 8}) {
    std::vector<std::string> arguments = {"h2d", "gpu", "gpu-preprocess", "--quick"};
    if (gpus > 1) arguments.emplace_back("allreduce");
    runs[gpus] = std::make_unique<test::SimulatedRun>(slow_host(gpus), arguments);
  }
  for (const auto& [gpus, run] : runs) {
    const SimulatedEnd end = run->end();
    INFO(gpus << " GPUs\n" << end.err);
    REQUIRE(end.status == 0);
    CHECK(end.bugs.empty());
    CHECK(end.set.host.gpus.size() == static_cast<std::size_t>(gpus));
    for (const char* quantity :
         {"copy", "memory", "matmul", "launch", "resize", "blur", "normalize"}) {
      INFO(quantity);
      CHECK(series_of(end.set, quantity) > 0);
    }
    CHECK((series_of(end.set, "allreduce") > 0) == (gpus > 1));
    for (const Measurement& what : end.set.measurements) {
      if (what.probe != "canary") check_times(what);
    }
  }
}

TEST_CASE("simulated GPUs: the profile holds the rates of the host") {
  SimulatedEnd end =
      test::simulated_calibrate(slow_host(2), {"h2d", "gpu-preprocess", "allreduce", "--quick"});
  INFO(end.err << end.out);
  REQUIRE(end.status == 0);
  // The fastest sample of each series: the rest also shows what else this machine does.
  for (Measurement& what : end.set.measurements) {
    const Duration fastest = *std::min_element(what.times.begin(), what.times.end());
    std::fill(what.times.begin(), what.times.end(), fastest);
  }
  const HostProfile host = fit::fit_profile(end.set).profile;
  REQUIRE(host.pinned_bandwidth);
  CHECK(host.pinned_bandwidth->value.base() == Approx(pcie).epsilon(0.15));
  REQUIRE(host.pageable_bandwidth);
  CHECK(host.pageable_bandwidth->value.base() == Approx(pageable).epsilon(0.15));
  REQUIRE(host.copy_latency);
  CHECK(host.copy_latency->value.base() == Approx(copy_latency).epsilon(0.3));
  REQUIRE(host.allreduce_busbw);
  CHECK(host.allreduce_busbw->value.base() == Approx(nvlink).epsilon(0.2));
  REQUIRE(host.gpu_operations.count("normalize") == 1);
  const double images = 4.0;
  CHECK(host.gpu_operations.at("normalize").value.base() ==
        Approx(launch / images + 15.0 * 224.0 * 224.0 / hbm).epsilon(0.02));
}
