// Copies on a simulated host whose kernel names two NUMA nodes: what is measured from where. Two
// simulated GPUs; this process sets nothing else of them.
#include <sched.h>

#include <set>
#include <string>

#include "base/temporary_folder.hpp"
#include "bench/cuda/operations.hpp"
#include "bench/measured.hpp"
#include "bench/numa.hpp"
#include "bench/probes.hpp"
#include "catch.hpp"
#include "fit/profile.hpp"

using namespace feedrate;
using namespace feedrate::bench;
using test::TemporaryFolder;

namespace {

std::string one_cpu() {
  cpu_set_t set;
  CPU_ZERO(&set);
  REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
  int cpu = 0;
  while (CPU_ISSET(cpu, &set) == 0) ++cpu;
  return std::to_string(cpu);
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string how(const Measurement& what, const std::string& name) {
  const auto found = what.how.find(name);
  return found == what.how.end() ? "" : found->second;
}

}  // namespace

TEST_CASE("copies: from near and from far where the kernel names two nodes") {
  REQUIRE(gpu::count() == 2);
  const TemporaryFolder sys;
  const std::string cpu = one_cpu();
  for (const char* node : {"node0", "node1"}) {
    sys.write(std::string("devices/system/node/") + node + "/cpulist", cpu);
  }
  for (int gpu = 0; gpu < 2; ++gpu) {
    const std::string device = "bus/pci/devices/" + lower(gpu::bus_id(gpu));
    sys.write(device + "/numa_node", std::to_string(gpu));
    sys.write(device + "/local_cpulist", cpu);
  }
  Settings settings;
  settings.sysfs = sys.at("");
  MeasurementSet set = test::measured(probe_h2d, settings);
  INFO((set.probes.empty() ? "" : set.probes.front().reason));
  std::set<std::string> places;
  int far = 0;
  for (const Measurement& what : set.measurements) {
    places.insert(how(what, "numa"));
    if (how(what, "numa") != "remote") continue;
    ++far;
    CHECK(what.at.at("gpus") == 1.0);
    CHECK(how(what, "direction") == "h2d");
    CHECK(how(what, "load") == "idle");
  }
  CHECK(places == std::set<std::string>{"local", "remote"});
  CHECK(far >= 2);

  // What this host's memory did meanwhile may vary; that the profile is of the near copies may not. So the
  // series keep what they are of, and get the times of two links.
  for (Measurement& what : set.measurements) {
    const double rate = how(what, "numa") == "remote" ? 10e9 : 20e9;
    for (Duration& time : what.times) time = seconds(10e-6 + what.work / rate);
  }
  const auto pinned = fit::fit_profile(set).profile.pinned_bandwidth;
  REQUIRE(pinned);
  CHECK(pinned->value.base() == Approx(20e9).epsilon(0.001));
}

TEST_CASE("copies: one node is no place") {
  const TemporaryFolder sys;
  Settings settings;
  settings.sysfs = sys.at("");
  const MeasurementSet set = test::measured(probe_h2d, settings);
  REQUIRE_FALSE(set.measurements.empty());
  for (const Measurement& what : set.measurements) CHECK(how(what, "numa").empty());
}

TEST_CASE("copies: each thread runs near its GPU while it touches and copies") {
  // Bound to a CPU that there is not, a thread cannot be.
  CHECK_THROWS_WITH(gpu::copy_buffers({{1023}}, megabytes(1.0), gpu::Memory::pinned),
                    "the system does not allow binding a thread to CPUs");
  const auto buffers =
      gpu::copy_buffers({{}, {std::stoi(one_cpu())}}, megabytes(1.0), gpu::Memory::pageable);
  for (const int gpus : {1, 2}) {
    for (const auto direction : {gpu::Direction::host_to_device, gpu::Direction::device_to_host}) {
      CHECK(gpu::copy(buffers, gpus, megabytes(1.0), direction, gpu::Load::idle)() > Duration{});
    }
  }
}
