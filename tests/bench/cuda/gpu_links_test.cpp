// Copies and all-reduce on simulated hosts, from the probe to the profile, and what they do when a
// library hangs or is not there.
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/open_file.hpp"
#include "bench/cuda/simulated_host.hpp"
#include "bench/free_port.hpp"
#include "catch.hpp"
#include "fit/profile.hpp"

using namespace feedrate;
using namespace feedrate::test;

namespace {

std::string how(const Measurement& what, const std::string& name) {
  const auto found = what.how.find(name);
  return found == what.how.end() ? "" : found->second;
}

std::set<double> values(const MeasurementSet& set, const std::string& quantity,
                        const std::string& name) {
  std::set<double> found;
  for (const Measurement& what : set.measurements) {
    if (what.quantity == quantity && what.at.count(name) > 0) found.insert(what.at.at(name));
  }
  return found;
}

std::string reason(const SimulatedEnd& end, const std::string& probe) {
  for (const ProbeOutcome& outcome : end.set.probes) {
    if (outcome.probe == probe) return outcome.reason;
  }
  return "";
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("simulated GPUs: copies to 1, 2 and 4 at once become a shared rate of the profile") {
  // So slow that this machine's own pace is little beside it.
  const SimulatedEnd end = simulated_calibrate({{"GPUS", "4"},
                                                {"PCIE", "2e8"},
                                                {"PCIE_OF_ALL", "4e8"},
                                                {"PAGEABLE", "1e8"},
                                                {"COMPUTE", "0"}},
                                               {"h2d", "--quick"});
  INFO(end.err);
  REQUIRE(end.status == 0);
  CHECK(end.bugs.empty());
  CHECK(values(end.set, "copy", "gpus") == std::set<double>{1.0, 2.0, 4.0});
  std::size_t back = 0;
  for (const Measurement& what : end.set.measurements) {
    if (how(what, "load") == "kernel") {
      CHECK(how(what, "memory") == "pinned");
      CHECK(what.at.at("gpus") == 1.0);
    }
    if (how(what, "direction") != "d2h") continue;
    ++back;
    CHECK(how(what, "load") == "idle");
  }
  CHECK(back >= 2);
  CHECK(back <= 6);  // three sizes, pinned and pageable
  const HostProfile profile = fit::fit_profile(end.set).profile;
  REQUIRE(profile.pinned_copies);
  REQUIRE(profile.pageable_copies);
  REQUIRE(profile.copy_beside_kernel);
  CHECK(profile.copy_beside_kernel->value <= 1.0);
  const auto& copies = *profile.pinned_copies;
  // The simulated host may be slower than it says, on a machine that is busy, and never faster.
  CHECK(copies.total(1.0).base() <= 2e8 * 1.01);
  CHECK(copies.total(4.0).base() <= 4e8 * 1.01);
  CHECK(copies.total(4.0) <= copies.total(1.0) * 4.0001);
}

TEST_CASE("simulated GPUs: all-reduce over 2, 4 and 6 of a host") {
  const SimulatedEnd end = simulated_calibrate({{"GPUS", "6"}}, {"allreduce", "--quick"});
  INFO(end.err);
  REQUIRE(end.status == 0);
  CHECK(end.bugs.empty());
  CHECK(values(end.set, "allreduce", "ranks") == std::set<double>{2.0, 4.0, 6.0});
  CHECK(values(end.set, "allreduce", "hosts") == std::set<double>{1.0});
  CHECK(end.calls.at("ncclCommDestroy") == 12);
  const HostProfile profile = fit::fit_profile(end.set).profile;
  CHECK(profile.allreduce_busbw);
  CHECK(profile.allreduce_latency);
  CHECK_FALSE(profile.allreduce_busbw_between);
}

TEST_CASE("simulated GPUs: processes of a group meet, and know that they share a host") {
  const std::string port = std::to_string(test::free_port() - 1);
  const auto process = [&](const std::string& rank) {
    return Variables{{"GPUS", "2"},       {"RANK", rank},        {"LOCAL_RANK", rank},
                     {"WORLD_SIZE", "2"}, {"MASTER_PORT", port}, {"MASTER_ADDR", "127.0.0.1"}};
  };
  SimulatedRun first(process("0"), {"allreduce", "--quick"});
  const SimulatedEnd second = simulated_calibrate(process("1"), {"allreduce", "--quick"});
  const SimulatedEnd end = first.end();
  INFO(end.err << second.err);
  REQUIRE(end.status == 0);
  CHECK(second.status == 0);
  CHECK(end.bugs.empty());
  CHECK(second.bugs.empty());
  CHECK(values(end.set, "allreduce", "ranks") == std::set<double>{2.0});
  CHECK(values(end.set, "allreduce", "hosts") == std::set<double>{1.0});
}

TEST_CASE("simulated GPUs: NCCL that hangs ends its probe, and no other") {
  const SimulatedEnd end = simulated_calibrate({{"GPUS", "2"}, {"HANG", "ncclGroupEnd:2"}},
                                               {"allreduce", "memcpy", "--quick"});
  INFO(end.err);
  CHECK(end.status >= 0);
  CHECK(holds(reason(end, "allreduce"), "an all-reduce over 2 GPUs did not end within 10 s"));
  CHECK(reason(end, "memcpy").empty());
}

TEST_CASE("simulated GPUs: one that cannot be described ends nothing") {
  for (const char* call : {"cudaGetDeviceProperties:1+:999", "cudaGetDeviceCount:1+:999",
                           "cudaDriverGetVersion:1+:999", "cudaDeviceGetPCIBusId:1+:999"}) {
    const SimulatedEnd end =
        simulated_calibrate({{"GPUS", "2"}, {"FAIL", call}}, {"memcpy", "--quick"});
    INFO(call << "\n" << end.err);
    CHECK(end.status == 0);
    CHECK(end.measured);
  }
  const SimulatedEnd unplaced = simulated_calibrate(
      {{"GPUS", "2"}, {"FAIL", "cudaDeviceGetPCIBusId:1+:999"}}, {"h2d", "--quick"});
  INFO(unplaced.err);
  CHECK(unplaced.status == 0);
  CHECK(unplaced.bugs.empty());
}

TEST_CASE("simulated GPUs: where NCCL was looked for is said") {
  const SimulatedEnd end =
      simulated_calibrate({{"GPUS", "2"}, {"WITHOUT", "nccl"}}, {"allreduce", "memcpy", "--quick"});
  INFO(end.err);
  CHECK(holds(reason(end, "allreduce"), "NCCL is missing: libnccl.so.2 was found neither in the "));
}
