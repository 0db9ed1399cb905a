// The probes of GPUs: here they run, or say why they cannot.
#include <algorithm>
#include <string>

#include "bench/cuda/operations.hpp"
#include "bench/measured.hpp"
#include "bench/probes.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;

namespace {

void check_outcome(const Probe& probe, const MeasurementSet& set) {
  INFO(probe.name);
  REQUIRE(set.probes.size() == 1);
  const ProbeOutcome& outcome = set.probes.front();
  INFO(outcome.reason);
  CHECK(outcome.measured == !set.measurements.empty());
  if (probe.unavailable(Settings{}).empty()) {
    CHECK(outcome.reason.empty());
    CHECK(outcome.measured);
  } else {
    CHECK(outcome.reason == probe.unavailable(Settings{}));
    CHECK_FALSE(outcome.measured);
  }
  CHECK(std::all_of(set.measurements.begin(), set.measurements.end(), test::sane));
}

}  // namespace

TEST_CASE("GPU probes: each runs, or leaves a reason and no measurement") {
  for (const Probe* probe : {&probe_h2d, &probe_gpu, &probe_gpu_preprocess, &probe_allreduce}) {
    check_outcome(*probe, test::measured(*probe, Settings{}));
  }
}

TEST_CASE("GPU probes: without a GPU the reason says what is missing") {
  const std::string reason = gpu::unavailable(1);
  if (!reason.empty()) {
    const bool says = reason.find("no CUDA") != std::string::npos ||
                      reason.find("driver") != std::string::npos ||
                      reason.find("GPU") != std::string::npos;
    INFO(reason);
    CHECK(says);
    CHECK(gpu::count() == 0);
  } else {
    CHECK(gpu::count() >= 1);
    CHECK(gpu::unavailable(gpu::count() + 1).find("expected") == 0);
  }
}
