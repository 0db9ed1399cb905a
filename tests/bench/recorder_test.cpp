// The recorder: how often something is repeated, and that nothing is lost.
#include <numeric>
#include <stdexcept>

#include "base/errors.hpp"
#include "base/statistics.hpp"
#include "bench/precision.hpp"
#include "bench/rounds.hpp"
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

Measurement timed(const char* quantity) {
  Measurement what = named(quantity);
  what.times = {seconds(1.0)};
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

TEST_CASE("recorder: a series that will not settle ends with its time, at one sample or more") {
  Bench bench;
  bench.settings.time_limit = Duration();
  bench.settings.quick = false;
  int calls = 0;
  bench.recorder.begin("test");
  bench.recorder.repeat(named("wild"), [&] { return seconds(++calls % 2 == 0 ? 1.0 : 2.0); });
  CHECK(bench.set.measurements.at(0).times.size() == 1);
}

TEST_CASE(
    "recorder: a series holds the time that it must, whatever its share, and no more than that") {
  Bench bench;
  bench.recorder.begin("test", {0, Duration(), true});
  Series series;
  series.what.push_back(named("short"));
  series.once = [] { return std::vector<Duration>{milliseconds(10.0)}; };
  series.least = milliseconds(500.0);
  series.gpu = [] { return std::vector<GpuState>{{1, {}, {}, 300.0, {}, "power limit"}}; };
  bench.recorder.repeat(series);
  const Measurement& what = bench.set.measurements.at(0);
  CHECK(what.times.size() == 50);
  REQUIRE(what.gpu.size() == 1);
  CHECK(what.gpu[0].round == 1.0);
  bench.recorder.end();
  bench.recorder.begin("test", {3, Duration(), true});
  bench.recorder.repeat(series);
  REQUIRE(what.gpu.size() == 2);
  CHECK(what.gpu[1].round == 4.0);
}

TEST_CASE("recorder: what is left out of the share takes none of it") {
  Settings settings;
  MeasurementSet set;
  std::atomic<bool> stop{false};
  Duration time;
  Recorder recorder(settings, set, stop, nullptr, [&] { return time; });
  recorder.begin("test", {0, seconds(2.0), true});
  time += seconds(10.0);
  recorder.leave_out(seconds(10.0));
  CHECK_FALSE(recorder.out_of_time());
  time += seconds(2.0);
  CHECK(recorder.out_of_time());
  CHECK(recorder.left_out("test") == seconds(10.0));
  CHECK(recorder.end().took == seconds(12.0));  // for who waits for it
}

TEST_CASE("recorder: series in turn begin in random order, then take one sample each in turn") {
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
  std::vector<Series> both = {series("a"), series("b")};
  bench.recorder.repeat_in_turn(both);
  // Two runs of each to warm up, and the first that counts.
  INFO(order);
  CHECK((order == "aaabbb"
                  "abababababab" ||
         order == "bbbaaa"
                  "babababababa"));
  REQUIRE(bench.set.measurements.size() == 2);
  CHECK(bench.set.measurements[0].times.size() == 7);
  CHECK(bench.set.measurements[1].times.size() == 7);
  CHECK((both[0].turns == 1 && both[1].turns == 1));
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
                        [](const Settings&, Recorder& recorder) -> std::function<void()> {
                          return [&recorder] {
                            recorder.add(timed("first"));
                            throw std::runtime_error("the second part broke");
                          };
                        }};
  const Probe absent = {"absent", "", [](const Settings&) { return std::string("no such part"); },
                        [](const Settings&, Recorder&) -> std::function<void()> {
                          FAIL("it cannot run");
                          return {};
                        }};
  const Probe fine = {"fine", "", [](const Settings&) { return std::string(); },
                      [](const Settings&, Recorder& recorder) -> std::function<void()> {
                        return [&recorder] {
                          recorder.add(timed("only"));
                          recorder.remark("one file was skipped");
                        };
                      }};
  const Probe* const chosen[] = {&broken, &absent, &fine};
  MeasurementSet set;
  std::vector<std::string> ended;
  int kept = 0;
  Settings settings;
  settings.quick = true;
  Listener listener;
  listener.ended = [&](const ProbeOutcome& outcome) { ended.push_back(outcome.probe); };
  listener.after_round = [&] { ++kept; };
  Surroundings quiet;
  quiet.canary = false;
  run_probes(chosen, settings, set, std::atomic<bool>(false), listener, quiet);
  REQUIRE(set.probes.size() == 3);
  CHECK(kept == 3);
  CHECK(ended == std::vector<std::string>{"absent", "broken", "fine"});
  CHECK((set.probes[0].measured && set.probes[0].reason == "the second part broke"));
  CHECK((!set.probes[1].measured && set.probes[1].reason == "no such part"));
  CHECK((set.probes[2].measured && set.probes[2].reason.empty()));
  CHECK(set.probes[2].remarks == std::vector<std::string>{"one file was skipped"});
  REQUIRE(set.measurements.size() == 2);
  CHECK(set.measurements[0].rounds == std::vector<std::size_t>{1});
  CHECK(set.measurements[1].rounds == std::vector<std::size_t>{1, 1, 1});
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
