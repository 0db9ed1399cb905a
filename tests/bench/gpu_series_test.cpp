// Series of a GPU in simulated time: long enough, and no longer than they must be.
#include "bench/gpu_series.hpp"

#include <numeric>

#include "base/random.hpp"
#include "base/statistics.hpp"
#include "bench/precision.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;

namespace {

struct Bench {
  Settings settings;
  MeasurementSet set;
  std::atomic<bool> stop{false};
  Duration time;
  Recorder recorder{settings, set, stop, nullptr, [this] { return time; }};
  int done = 0;

  /// An operation that takes `each`, and as long for the host to start.
  gpu::Repeated operation(Duration each) {
    return [this, each](int times, const gpu::Meanwhile& meanwhile) {
      done += times;
      time += each * static_cast<double>(times) + microseconds(20.0);
      if (meanwhile) meanwhile();
      return each * static_cast<double>(times);
    };
  }
  Duration spent(std::size_t series) const {
    const std::vector<Duration>& times = set.measurements.at(series).times;
    return std::accumulate(times.begin(), times.end(), Duration());
  }
};

Measurement product(double size) {
  Measurement what;
  what.quantity = "matmul";
  what.unit = "flop";
  what.work = 2.0 * size;
  what.at = {{"n", size}};
  return what;
}

}  // namespace

TEST_CASE("GPU series: a level does not depend on how often the operation is done in a sample") {
  Random random(3, 0);
  for (int i = 0; i < 300; ++i) {
    Bench bench;
    // No kernel is shorter than a microsecond.
    const Duration each = seconds(1e-6 + std::exp(-9.0 + 3.0 * random.normal()));
    bench.recorder.begin("gpu", {0, seconds(4.0), false});
    GpuSeries series(bench.settings, bench.recorder, 0);
    REQUIRE(series.repeat(product(8.0), [&] { return bench.operation(each); }));
    const Measurement& what = bench.set.measurements.at(0);
    INFO(each.base());
    CHECK(median(what.times).base() / what.work == Approx(each.base() / 16.0));
    CHECK(*std::min_element(what.times.begin(), what.times.end()) >=
          gpu_times(bench.settings).sample);
    // Twice as long would have done.
    const double times = what.work / 16.0;
    if (times > 1.0) CHECK(each * times / 2.0 < gpu_times(bench.settings).sample);
  }
}

TEST_CASE("GPU series: the samples of a round hold their least time, however short its share") {
  Random random(4, 0);
  for (int i = 0; i < 100; ++i) {
    Bench bench;
    const Duration each = seconds(std::exp(-7.0 + 2.0 * random.normal()));
    bench.recorder.begin("gpu", {0, milliseconds(1.0), true});
    GpuSeries series(bench.settings, bench.recorder, 0);
    REQUIRE(series.repeat(product(8.0), [&] { return bench.operation(each); }));
    INFO(each.base());
    CHECK(bench.spent(0) >= gpu_times(bench.settings).series);
  }
}

TEST_CASE("GPU series: all rounds of a series are as often in a row, and make half a second") {
  Bench bench;
  GpuSeries series(bench.settings, bench.recorder, 0);
  const std::size_t rounds = planned_rounds(bench.settings);
  for (std::size_t round = 0; round < rounds; ++round) {
    bench.recorder.begin("gpu", {round, milliseconds(100.0), false});
    // As if a GPU became slower: what is in a row stays, so that the series is one.
    const Duration each = microseconds(100.0 + 20.0 * static_cast<double>(round));
    REQUIRE(series.repeat(product(8.0), [&] { return bench.operation(each); }));
  }
  REQUIRE(bench.set.measurements.size() == 1);
  CHECK(bench.set.measurements[0].rounds.size() == rounds);
  CHECK(bench.spent(0) >= seconds(0.5));
}

TEST_CASE("GPU series: warming up keeps the GPU busy for a second, and is not recorded") {
  for (const double each : {2e-6, 1e-3, 0.5}) {
    Bench bench;
    bench.recorder.begin("gpu", {0, seconds(4.0), false});
    GpuSeries series(bench.settings, bench.recorder, 0);
    series.warm_up(bench.operation(seconds(each)));
    INFO(each);
    CHECK(bench.done * each >= 1.0);
    CHECK(bench.done * each < 1.6);
    CHECK(bench.set.measurements.empty());
  }
}

TEST_CASE("GPU series: Ctrl-C ends warming up, and memory that does not suffice is told") {
  Bench bench;
  bench.recorder.begin("gpu", {0, seconds(4.0), false});
  GpuSeries series(bench.settings, bench.recorder, 0);
  CHECK_FALSE(series.repeat(product(8.0), []() -> gpu::Repeated {
    throw gpu::OutOfMemory("GPU 0's memory has no 2,150 MB left");
  }));
  CHECK(bench.set.measurements.empty());
  CHECK(bench.recorder.end().remarks.back() ==
        "matmul was left out at the largest size: GPU 0's memory has no 2,150 MB left");
  bench.stop = true;
  CHECK_THROWS_AS(series.warm_up(bench.operation(seconds(0.1))), Interrupted);
}

TEST_CASE("GPU series: what a GPU says several times is told as one") {
  GpuState cool{1, Frequency::of(1e9), {}, 100.0, 40.0, ""};
  GpuState hot{1, Frequency::of(2e9), Frequency::of(3e9), 300.0, 80.0, "power limit"};
  const GpuState both = together({cool, hot, {}});
  CHECK(both.sm_clock == Frequency::of(1.5e9));
  CHECK(both.memory_clock == Frequency::of(3e9));
  CHECK(both.power == 200.0);
  CHECK(both.temperature == 80.0);
  CHECK(both.held_back == "power limit");
  CHECK(together({}) == GpuState{});
}
