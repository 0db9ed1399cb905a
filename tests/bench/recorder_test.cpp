// The recorder: how often something is repeated, and that nothing is lost.
#include <numeric>
#include <stdexcept>

#include "base/errors.hpp"
#include "bench/precision.hpp"
#include "bench/probe.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;

namespace {

struct Bench {
  Settings settings;
  MeasurementSet set;
  std::atomic<bool> stop{false};
  Recorder recorder{settings, set, stop, nullptr};
  Bench() {
    settings.quick = true;
    recorder.begin("test");
  }
};

Measurement named(const char* quantity) {
  Measurement what;
  what.quantity = quantity;
  what.unit = "samples";
  return what;
}

std::vector<Duration> in_seconds(const std::vector<double>& numbers) {
  std::vector<Duration> times;
  for (const double number : numbers) times.push_back(seconds(number));
  return times;
}

}  // namespace

TEST_CASE("recorder: a steady series ends after seven samples, and warming up is not recorded") {
  Bench bench;
  int calls = 0;
  bench.recorder.repeat(named("steady"), [&] {
    ++calls;
    return microseconds(5.0);
  });
  REQUIRE(bench.set.measurements.size() == 1);
  const Measurement& what = bench.set.measurements[0];
  CHECK(what.probe == "test");
  CHECK(what.times == std::vector<Duration>(7, microseconds(5.0)));
  CHECK(calls == 9);  // two warm-up runs: the second was no faster
}

TEST_CASE("recorder: a series that will not settle ends with its time, at three samples or more") {
  Bench bench;
  bench.settings.time_limit = Duration();
  bench.settings.quick = false;
  int calls = 0;
  bench.recorder.plan(1);
  bench.recorder.repeat(named("wild"), [&] { return seconds(++calls % 2 == 0 ? 1.0 : 2.0); });
  CHECK(bench.set.measurements.at(0).times.size() == 3);
}

TEST_CASE("recorder: series in turn are sampled one after the other, round by round") {
  Bench bench;
  std::string order;
  const auto series = [&](const char* name) {
    Series one;
    one.what.push_back(named(name));
    one.once = [&order, name] {
      order += name;
      return std::vector<Duration>{microseconds(1.0)};
    };
    return one;
  };
  bench.recorder.repeat_in_turn({series("a"), series("b")});
  CHECK(order ==
        "aabb"
        "ababababababab");
  CHECK(bench.set.measurements.size() == 2);
}

TEST_CASE("recorder: what was sampled before a failure or Ctrl-C is kept") {
  Bench bench;
  int calls = 0;
  const auto fail_at_five = [&]() -> Duration {
    if (++calls == 5) throw HostError("the disk is gone");
    return seconds(1.0);
  };
  CHECK_THROWS_AS(bench.recorder.repeat(named("failing"), fail_at_five), HostError);
  CHECK(bench.set.measurements.at(0).times.size() == 2);  // two calls were to warm up
  const auto stop_now = [&] {
    bench.stop = ++calls == 8;
    return seconds(1.0);
  };
  CHECK_THROWS_AS(bench.recorder.repeat(named("stopped"), stop_now), Interrupted);
  CHECK(bench.set.measurements.at(1).times.size() == 1);
  CHECK_THROWS_AS(bench.recorder.check(), Interrupted);
}

TEST_CASE("recorder: a failing probe leaves its reason, and the next one still runs") {
  const Probe broken = {"broken", "", [](const Settings&) { return std::string(); },
                        [](const Settings&, Recorder& recorder) {
                          recorder.add(named("first"));
                          throw std::runtime_error("the second part broke");
                        }};
  const Probe absent = {"absent", "", [](const Settings&) { return std::string("no such part"); },
                        [](const Settings&, Recorder&) { FAIL("it cannot run"); }};
  const Probe fine = {"fine", "", [](const Settings&) { return std::string(); },
                      [](const Settings&, Recorder& recorder) {
                        recorder.add(named("only"));
                        recorder.remark("one file was skipped");
                      }};
  const Probe* const chosen[] = {&broken, &absent, &fine};
  MeasurementSet set;
  int kept = 0;
  run_probes(chosen, Settings(), set, std::atomic<bool>(false), nullptr, [&] { ++kept; });
  REQUIRE(set.probes.size() == 3);
  CHECK(kept == 3);
  CHECK((set.probes[0].measured && set.probes[0].reason == "the second part broke"));
  CHECK((!set.probes[1].measured && set.probes[1].reason == "no such part"));
  CHECK((set.probes[2].measured && set.probes[2].reason.empty()));
  CHECK(set.probes[2].remarks == std::vector<std::string>{"one file was skipped"});
  CHECK(set.measurements.size() == 2);
}

TEST_CASE("precision: median, and its standard error from the ranks around it") {
  CHECK(median(in_seconds({3, 1, 2})) == seconds(2.0));
  CHECK(median(in_seconds({4, 1, 2, 3})) == seconds(2.5));
  // Of 101 samples the ranks 45 and 56 (counted from 0) hold the median with 68 %.
  std::vector<double> numbers(101);
  std::iota(numbers.begin(), numbers.end(), 50.0);
  CHECK(relative_error_of_median(in_seconds(numbers)) == Approx((106.0 - 94.0) / 100.0 / 2.0));
  CHECK(relative_error_of_median(in_seconds({1, 1, 1, 1, 1, 1, 1, 1, 1, 9})) == 0.0);
  CHECK(relative_error_of_median(in_seconds({1, 2, 3})) == Approx(0.5));
}
