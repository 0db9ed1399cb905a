// GPUs as a driver tells of them: here a library that answers as NVIDIA's does.
#include "bench/observe/gpus.hpp"

#include <cstdlib>
#include <thread>

#include "tests/bench/observe/fake_host.hpp"
#include "tests/catch.hpp"

namespace feedrate::bench::observe {
namespace {

/// What FAKE_NVML is while one lives.
class Fault {
 public:
  explicit Fault(const char* what) { setenv("FAKE_NVML", what, 1); }
  ~Fault() { unsetenv("FAKE_NVML"); }
  Fault(const Fault&) = delete;
  Fault& operator=(const Fault&) = delete;
};

Look second_look(GpuSource& source) {
  Look first;
  first.at = seconds(1.0);
  source.look(first);
  CHECK(first.samples.empty());
  Look second;
  second.remarks = first.remarks;
  second.at = seconds(1.5);
  second.length = seconds(0.5);
  source.look(second);
  return second;
}

TEST_CASE("observe: what NVML tells of each GPU") {
  const auto source = gpu_source(FEEDRATE_FAKE_NVML, milliseconds(1.0));
  CHECK(source->count() == 2.0);
  Look look = second_look(*source);
  CHECK(value_of(look.samples, MetricId::gpu_busy, "gpu0") == 40.0);
  CHECK(value_of(look.samples, MetricId::gpu_busy, "gpu1") == 60.0);
  CHECK(value_of(look.samples, MetricId::gpu_memory_busy, "gpu1") == 7.0);
  CHECK(value_of(look.samples, MetricId::gpu_memory_used, "gpu0") == 25.0);
  CHECK(value_of(look.samples, MetricId::gpu_memory_bytes, "gpu0") == 20e9);
  CHECK(value_of(look.samples, MetricId::gpu_clock, "gpu0") == 1.98e9);
  CHECK(value_of(look.samples, MetricId::gpu_power, "gpu0") == 312.5);
  CHECK(look.remarks.empty());
  // Bytes over PCIe are asked for beside the samples: the next one has them.
  for (int i = 0; i < 500 && !has(look.samples, MetricId::gpu_transmit); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    look = second_look(*source);
  }
  CHECK(value_of(look.samples, MetricId::gpu_receive, "gpu0") == 3e9);
  CHECK(value_of(look.samples, MetricId::gpu_transmit, "gpu0") == 1e6);
}

TEST_CASE("observe: a driver that cannot tell is said, and why") {
  struct Case {
    const char* fault;
    const char* says;
  };
  for (const Case& of : {Case{"init", "no GPU is seen: NVIDIA's driver says: Driver Not Loaded"},
                         Case{"none", "no GPU is seen: NVIDIA's driver knows of none"}}) {
    const Fault fault(of.fault);
    const auto source = gpu_source(FEEDRATE_FAKE_NVML, seconds(0.5));
    const Look look = second_look(*source);
    CHECK(source->count() == 0.0);
    CHECK(look.samples.empty());
    REQUIRE_FALSE(look.remarks.empty());
    CHECK(look.remarks.front() == of.says);
  }
  const Fault fault("utilization");
  const auto source = gpu_source(FEEDRATE_FAKE_NVML, seconds(0.5));
  const Look look = second_look(*source);
  CHECK_FALSE(has(look.samples, MetricId::gpu_busy));
  CHECK(value_of(look.samples, MetricId::gpu_memory_used, "gpu1") == 25.0);
  CHECK(look.remarks.size() == 2);
}

}  // namespace
}  // namespace feedrate::bench::observe
