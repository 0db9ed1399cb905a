// CPU quotas, which count the time of hardware threads: how much of a core each has is nothing to
// them.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "laws/first_epoch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/loading.hpp"
#include "seed.hpp"

using namespace feedrate;
using namespace feedrate::pipeline;
using testing_laws::by_events;
using testing_laws::time_of;

namespace {

/// Eight cores of two threads each, which together do half as much again as one; 100 batches of
/// 100 samples of 10 ms, and nothing else.
Inputs on_eight_cores(double workers, double quota) {
  Inputs in;
  in.kind = LoaderKind::pytorch;
  in.workers = workers;
  in.batch = 100.0;
  in.samples = 1e5;
  in.cores = {{{1.0, 1.0}, {8.0, 8.0}, {16.0, 12.0}}, 0.0};
  in.hardware_threads = 16.0;
  in.cpu = milliseconds(10.0) / samples(1.0);
  in.step.fixed = microseconds(1.0);
  if (quota > 0.0) in.cpu_quota = RateLimit{"CPU quota", quota};
  return in;
}

double limit_of(const Inputs& in) {
  const auto all = loadings(in, EpochKind::first, misses_in(in, 1.0), active_workers(in));
  return all.front().limits.front().rate;
}

}  // namespace

TEST_CASE("cpu quota: threads that share cores use it up in a part of each period, by hand") {
  struct Case {
    double workers, quota, cores;  // that the work is done on
  };
  // n threads run quota/n of each period, together as fast as n do on the cores.
  for (const Case& c : {Case{16.0, 0.0, 12.0},
                        {16.0, 16.0, 12.0},
                        {16.0, 12.0, 12.0 * 12.0 / 16.0},
                        {16.0, 8.0, 12.0 * 8.0 / 16.0},
                        {16.0, 4.0, 12.0 * 4.0 / 16.0},
                        {8.0, 8.0, 8.0},
                        {8.0, 4.0, 4.0},
                        {12.0, 8.0, 10.0 * 8.0 / 12.0},
                        // No more run at once than there are hardware threads.
                        {48.0, 8.0, 12.0 * 8.0 / 16.0},
                        {48.0, 32.0, 12.0}}) {
    const Inputs in = on_eight_cores(c.workers, c.quota);
    INFO(c.workers << " workers, a quota of " << c.quota);
    CHECK(time_of(in) == Approx(1000.0 / c.cores).epsilon(0.02));
    CHECK(by_events(in, 1) == Approx(1000.0 / c.cores).epsilon(0.02));
  }
}

TEST_CASE("cpu quota: threads of other programs have their part of the hardware threads") {
  // 16 of the job and 16 others: 8 of the job's run at a time, on half of what the cores do.
  Inputs in = on_eight_cores(16.0, 4.0);
  in.cores = {{{1.0, 12.0 / 17.0}, {16.0, 6.0}}, 0.0};
  in.other_threads = 16.0;
  CHECK(limit_of(in) == Approx(4.0 * 6.0 / 8.0 / 10e-3));
}

TEST_CASE("cpu quota: who reads meanwhile is not ready to run") {
  Draws draws(8101);
  int between = 0;
  for (int i = 0; i < 1000; ++i) {
    Inputs in = on_eight_cores(draws.whole(1.0, 64.0), draws.uniform(0.5, 20.0));
    Read read;
    read.latency = seconds(draws.log_uniform(1e-4, 0.1));
    in.source = in.first_source = read;
    const double rate = limit_of(in);
    const double reading = read.latency.base() * rate;  // workers, by Little's law
    INFO("job " << i << ": " << in.workers << " workers, a quota of " << in.cpu_quota->rate);
    const auto with = [&](double ready) {
      return in.cpu_quota->rate * in.cores.total(ready) / std::min(ready, 16.0) / 10e-3;
    };
    const double ready = std::max(in.workers - reading, std::min(in.workers, in.cpu_quota->rate));
    REQUIRE(rate == Approx(with(ready)).epsilon(1e-6));
    between += ready > in.cpu_quota->rate && ready < in.workers ? 1 : 0;
  }
  CHECK_DRAWN(between > 200);
}

TEST_CASE("cpu quota: a larger one never makes a job slower, and none is the largest") {
  Generator generate(8102);
  int slowed = 0;
  for (int i = 0; i < 1500; ++i) {
    Inputs in = generate.inputs(100.0);
    in.cpu_quota = RateLimit{"CPU quota", generate.log_uniform(0.5, 32.0)};
    Inputs more = in;
    more.cpu_quota->rate *= generate.uniform(1.0, 2.0);
    Inputs none = in;
    none.cpu_quota.reset();
    INFO("job " << i);
    const double tolerance = 1.0 + (in.locked.base() > 0.0 ? 2e-3 : 1e-9);
    REQUIRE(time_of(more) <= time_of(in) * tolerance);
    REQUIRE(time_of(none) <= time_of(more) * tolerance);
    slowed += time_of(in) > time_of(none) * 1.01 ? 1 : 0;
  }
  CHECK_DRAWN(slowed > 100);
}
