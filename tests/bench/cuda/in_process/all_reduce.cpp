// All-reduce over two simulated GPUs, and what becomes of it where NCCL never returns: a call that
// hangs is named in the environment, so each such test runs in a process of its own.
#include <atomic>
#include <string>

#include "base/errors.hpp"
#include "bench/clock.hpp"
#include "bench/cuda/operations.hpp"
#include "bench/measured.hpp"
#include "bench/probes.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;

namespace {

const std::atomic<bool> never{false};
constexpr Duration patience = seconds(0.5);

auto two_gpus() {
  return gpu::communicator({}, 2, megabytes(1.0), never, patience);
}

}  // namespace

TEST_CASE("all-reduce: two GPUs of one host") {
  const auto joined = gpu::communicator({}, 2, megabytes(1.0), never);
  CHECK(gpu::ranks(*joined) == 2);
  CHECK(gpu::hosts(*joined) == 1);
  const gpu::Timed once = gpu::allreduce(joined, megabytes(1.0));
  for (int i = 0; i < 3; ++i) CHECK(once() > Duration{});
  const MeasurementSet set = test::measured(probe_allreduce, Settings{});
  REQUIRE_FALSE(set.measurements.empty());
  for (const Measurement& what : set.measurements) {
    CHECK(what.at.at("hosts") == 1.0);
    CHECK(what.at.at("ranks") == 2.0);
  }
}

TEST_CASE("all-reduce: one that never ends is given up, and aborted", "[.stalled]") {
  const auto joined = two_gpus();
  const gpu::Timed once = gpu::allreduce(joined, megabytes(1.0));
  const Duration start = now();
  CHECK_THROWS_WITH(once(), "an all-reduce over 2 GPUs did not end within 0.5 s");
  CHECK(now() - start < seconds(20.0));
}

TEST_CASE("all-reduce: Ctrl-C ends one that never ends", "[.interrupted]") {
  std::atomic<bool> stop{false};
  const auto joined = gpu::communicator({}, 2, megabytes(1.0), stop);
  const gpu::Timed once = gpu::allreduce(joined, megabytes(1.0));
  stop = true;
  CHECK_THROWS_AS(once(), Interrupted);
}

TEST_CASE("all-reduce: NCCL that never connects is given up, and the thread left", "[.hanging]") {
  const Duration start = now();
  CHECK_THROWS_WITH(two_gpus(),
                    "NCCL did not connect 2 GPUs within 0.5 s (NCCL_DEBUG=INFO tells more)");
  CHECK(now() - start < seconds(20.0));
  CHECK(two_gpus() != nullptr);  // the call hangs once
}
