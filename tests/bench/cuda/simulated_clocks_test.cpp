// What a GPU says of itself beside its series, on hosts with simulated GPUs: all of it, a part, or
// nothing.
#include <algorithm>
#include <set>

#include "bench/cuda/simulated_host.hpp"
#include "catch.hpp"

using namespace feedrate;
using test::SimulatedEnd;
using test::Variables;

namespace {

SimulatedEnd run(Variables host, std::vector<std::string> probes = {"gpu"}) {
  host.emplace("COMPUTE", "0");
  probes.emplace_back("--quick");
  return test::simulated_calibrate(host, probes);
}

/// By the GPU's clock: the host's alone has nothing to ask meanwhile.
bool of_the_gpu(const Measurement& what) {
  const auto wait = what.how.find("wait");
  return what.probe == "gpu" && (wait == what.how.end() || wait->second == "none");
}

void check_measured(const SimulatedEnd& end) {
  INFO(end.err << end.out);
  REQUIRE(end.status == 0);
  CHECK(end.bugs.empty());
  std::set<std::string> found;
  for (const Measurement& what : end.set.measurements) found.insert(what.quantity);
  for (const char* quantity : {"memory", "matmul", "launch"}) CHECK(found.count(quantity) == 1);
}

}  // namespace

TEST_CASE("simulated GPUs: each series has what the GPU said of itself, in each of its rounds") {
  const SimulatedEnd end = run({{"GPUS", "2"},
                                {"CLOCK", "1400"},
                                {"POWER", "690"},
                                {"TEMPERATURE", "66"},
                                {"HELD_BACK", "4"},
                                {"LINK_GENERATION", "4"},
                                {"LINK_LANES", "8"}});
  check_measured(end);
  for (const Measurement& what : end.set.measurements) {
    if (!of_the_gpu(what)) continue;
    INFO(what.quantity);
    std::set<double> rounds;
    for (const GpuState& state : what.gpu) {
      rounds.insert(state.round);
      CHECK(state.sm_clock == Frequency::of(1.4e9));
      CHECK(state.power == 690.0);
      CHECK(state.temperature == 66.0);
      CHECK(state.held_back == "power limit");
    }
    const auto sampled = std::count_if(what.rounds.begin(), what.rounds.end(),
                                       [](std::size_t count) { return count > 0; });
    CHECK(rounds.size() == static_cast<std::size_t>(sampled));
  }
  REQUIRE(end.set.host.gpu_details.size() == 2);
  const GpuFacts& gpu = end.set.host.gpu_details.front();
  CHECK(gpu.name == end.set.host.gpus.front());
  CHECK(gpu.pcie_generation == 4.0);
  CHECK(gpu.pcie_lanes == 8.0);
  CHECK(gpu.multiprocessors == 132.0);
  CHECK(gpu.mig == false);
  CHECK(end.out.find("power limit") != std::string::npos);
}

TEST_CASE("simulated GPUs: without NVML it is said, and everything is measured") {
  const SimulatedEnd end = run({{"WITHOUT", "nvml"}});
  check_measured(end);
  for (const Measurement& what : end.set.measurements) CHECK(what.gpu.empty());
  REQUIRE(end.set.probes.size() == 1);
  const auto& remarks = end.set.probes.front().remarks;
  CHECK(std::count_if(remarks.begin(), remarks.end(), [](const std::string& one) {
          return one.find("clocks, power and heat of the GPU are not recorded") == 0;
        }) == 1);
  REQUIRE(end.set.host.gpu_details.size() == 1);
  CHECK_FALSE(end.set.host.gpu_details.front().pcie_lanes);
  CHECK(end.set.host.gpu_details.front().multiprocessors == 132.0);
}

TEST_CASE("simulated GPUs: what NVML does not tell is left out alone") {
  const SimulatedEnd end = run({{"FAIL", "nvmlDeviceGetClockInfo:1+:3"}});
  check_measured(end);
  for (const Measurement& what : end.set.measurements) {
    for (const GpuState& state : what.gpu) {
      CHECK_FALSE(state.sm_clock);
      CHECK(state.power);
    }
  }
}

TEST_CASE("simulated GPUs: a GPU that is cut into parts is held against nobody's figure") {
  const SimulatedEnd end = run({{"MIG", "1"}});
  check_measured(end);
  CHECK(end.set.host.gpu_details.front().mig == true);
  CHECK(end.out.find("(MIG)") != std::string::npos);
  CHECK(end.out.find("dense") == std::string::npos);
}

TEST_CASE("simulated GPUs: one that cannot be described ends no calibration of the CPU") {
  const SimulatedEnd end = run({{"FAIL", "cudaGetDeviceProperties:1+:999"}}, {"memcpy"});
  INFO(end.err << end.out);
  CHECK(end.status == 0);
  CHECK(end.set.host.gpus.empty());
  CHECK_FALSE(end.set.measurements.empty());
}
