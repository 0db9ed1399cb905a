// What the kernel's files say of a round, from given text; and what makes a round a bad one.
#include "bench/weather.hpp"

#include <string>
#include <thread>

#include "bench/canary.hpp"
#include "bench/clock.hpp"
#include "bench/host.hpp"
#include "bench/transform.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;

namespace {

Counters counters(double at, double all, double tasks, double stolen, double own) {
  Counters made;
  made.at = seconds(at);
  made.cpu = CpuTimes{seconds(all), seconds(tasks), seconds(stolen)};
  made.own = seconds(own);
  return made;
}

std::vector<Round> rounds(const std::vector<double>& gigahertz) {
  std::vector<Round> made(gigahertz.size());
  for (std::size_t i = 0; i < made.size(); ++i) made[i].clock = per_second(gigahertz[i] * 1e9);
  return made;
}

}  // namespace

TEST_CASE("weather: CPU times of /proc/stat, without guests that are in their users already") {
  const auto times = cpu_times_in(
      "cpu  100 20 30 1000 50 5 7 8 40 3\ncpu0 50 10 15 500 25 2 3 4 20 1\nintr 12345\n", 100.0);
  REQUIRE(times);
  CHECK(times->all.base() == Approx(12.20));
  CHECK(times->tasks.base() == Approx(1.50));
  CHECK(times->stolen.base() == Approx(0.08));
  for (const char* text : {"", "cpu", "cpu 1 2 3", "cpu0 1 2 3 4 5 6 7 8", "cpu a b c d e f g h"}) {
    INFO(text);
    CHECK_FALSE(cpu_times_in(text, 100.0));
  }
}

TEST_CASE("weather: time that a control group was held back, and that tasks waited") {
  CHECK(throttled_in("usage_usec 12\nnr_throttled 3\nthrottled_usec 250000\nburst_usec 0\n") ==
        milliseconds(250.0));
  CHECK_FALSE(throttled_in("usage_usec 12\nuser_usec 10\n"));
  CHECK_FALSE(throttled_in("throttled_usec\n"));
  CHECK(waited_in("some avg10=0.04 avg60=0.11 avg300=5.56 total=3316085\n"
                  "full avg10=0.00 avg60=0.00 avg300=0.00 total=77\n") == seconds(3.316085));
  CHECK_FALSE(waited_in("full avg10=0.00 avg60=0.00 avg300=0.00 total=77\n"));
  CHECK_FALSE(waited_in(""));
  CHECK(control_group_in("12:cpu:/old\n0::/user.slice/my session\n") == "/user.slice/my session");
  CHECK(control_group_in("12:cpu:/old\n").empty());
}

TEST_CASE("weather: the clock is the mean of the cores") {
  const auto clock = mean_clock_in(
      "processor\t: 0\ncpu MHz\t\t: 2000.000\n\nprocessor\t: 1\ncpu MHz"
      "\t\t: 3000.5\n");
  REQUIRE(clock);
  CHECK(clock->base() == Approx(2500.25e6));
  CHECK_FALSE(mean_clock_in("processor\t: 0\nBogoMIPS\t: 243.75\n"));
  CHECK_FALSE(mean_clock_in("cpu MHz\t\t:\n"));
}

TEST_CASE("weather: a process and all that it started, whatever their names and order") {
  const auto line = process_times_in(
      "123 (a (worse) name) S 45 1 1 0 -1 4194560 100 200 0 0 7 8 9 10 20 0 1 0 500 1 1\n");
  REQUIRE(line);
  CHECK(*line == ProcessTimes{123, 45, 34.0});
  CHECK_FALSE(process_times_in("123 (short) S 45 1 1"));
  CHECK_FALSE(process_times_in(""));
  CHECK_FALSE(process_times_in("no process"));
  const std::vector<ProcessTimes> all = {{1, 0, 1000}, {7, 30, 1},  {10, 1, 2},
                                         {20, 10, 4},  {30, 20, 8}, {40, 1, 1000}};
  CHECK(ticks_of_family(all, 10) == 15.0);
  CHECK(ticks_of_family(all, 99) == 0.0);
}

TEST_CASE("weather: shares of a round are differences over its CPU time and its length") {
  Counters before = counters(100, 1000, 500, 10, 300);
  Counters after = counters(104, 1008, 505, 10.4, 303);
  before.throttled = seconds(1.0);
  after.throttled = seconds(1.2);
  before.waited = seconds(0.0);
  after.waited = seconds(2.0);
  Round round;
  describe(before, after, round);
  CHECK(round.steal.value() == Approx(0.05));
  CHECK(round.foreign.value() == Approx(0.25));
  CHECK(round.throttled.value() == Approx(0.05));
  CHECK(round.pressure.value() == Approx(0.5));

  // Ours are counted finer than all: nobody else can have used less than nothing.
  Round alone;
  describe(before, counters(104, 1008, 503, 10, 303.5), alone);
  CHECK(alone.foreign.value() == 0.0);
  CHECK_FALSE(alone.throttled);
  Round moment;
  describe(before, counters(100.1, 1000.2, 500.2, 10, 300), moment);
  CHECK_FALSE(moment.foreign);  // too short for a count of ticks
  Round unknown;
  describe(Counters{}, after, unknown);
  CHECK_FALSE(unknown.steal);
}

TEST_CASE("weather: a bad round says why, and a good one nothing") {
  std::vector<Round> all = rounds({3.0, 3.1, 2.9, 2.6});
  all[0].steal = 0.019;
  all[0].foreign = 0.10;
  all[1].steal = 0.05;
  all[1].foreign = 0.4;
  all[2].throttled = 0.011;
  mark_disturbed(all);
  CHECK(all[0].disturbed.empty());
  CHECK(all[1].disturbed ==
        "the hypervisor gave 5.0 % of the CPU time to other guests; other processes used 40 % of "
        "the CPUs");
  CHECK(all[2].disturbed == "the control group was throttled for 1.1 % of the time");
  CHECK(all[3].disturbed == "the cores ran at 2.60 GHz instead of 3.00 GHz");
  // Judged anew when more is known.
  all[1].foreign = 0.0;
  all[1].steal = 0.0;
  mark_disturbed(all);
  CHECK(all[1].disturbed.empty());
  std::vector<Round> one = rounds({2.0});
  mark_disturbed(one);
  CHECK(one[0].disturbed.empty());
}

TEST_CASE("weather: what this machine counts goes up, and what this process does is its own") {
  const Counters before = count_now();
  volatile double sink = 0.0;
  for (const Duration start = now(); now() - start < milliseconds(300.0);) sink = sink + 1.0;
  const Counters after = count_now();
  REQUIRE(after.cpu);
  CHECK(after.cpu->all > before.cpu->all);
  CHECK(after.own - before.own >= milliseconds(100.0));
  Round round;
  describe(before, after, round);
  REQUIRE(round.foreign);
  CHECK(*round.foreign >= 0.0);
}

TEST_CASE("canary: each piece by one and by all threads, within its time") {
  std::atomic<bool> stop{false};
  const auto times = run_canary(milliseconds(50.0), stop);
  std::vector<std::string> names = {"registers", "copy"};
  if (jpeg_unavailable().empty()) names.emplace_back("jpeg");
  CHECK(times.size() == names.size() * (usable_threads() > 1 ? 2 : 1));
  for (const std::string& name : names) {
    INFO(name);
    REQUIRE(times.count(name) == 1);
    CHECK(times.at(name) > microseconds(10.0));
    CHECK(times.at(name) < seconds(1.0));
    CHECK(times.count(name + "_all") == (usable_threads() > 1 ? 1 : 0));
  }
  stop = true;
  CHECK(run_canary(hours(1.0), stop).empty());
}

TEST_CASE("host: how much of a machine its user has alone") {
  const std::string metal = "processor\t: 0\nflags\t\t: fpu vme sse2\nbugs\t\t: none\n";
  const std::string guest = "processor\t: 0\nflags\t\t: fpu vme hypervisor sse2\n";
  const std::string arm = "processor\t: 0\nFeatures\t: fp asimd\n";
  CHECK(class_of_host(metal, "Dell Inc.", "PowerEdge") == HostClass::bare_metal);
  CHECK(class_of_host(guest, "QEMU", "Standard PC") == HostClass::shared_virtual_machine);
  CHECK(class_of_host(guest, "Amazon EC2", "p4d.24xlarge") == HostClass::dedicated_virtual_machine);
  for (const char* type : {"t2.micro", "t3.large", "t3a.nano", "t4g.small"}) {
    CHECK(class_of_host(guest, "Amazon EC2", type) == HostClass::shared_virtual_machine);
  }
  CHECK(class_of_host(metal, "Amazon EC2", "c5.metal") == HostClass::bare_metal);
  CHECK(class_of_host(arm, "Amazon EC2", "g5g.xlarge") == HostClass::dedicated_virtual_machine);
  CHECK(class_of_host(arm, "", "") == HostClass::unknown);
  CHECK(class_of_host("", "", "") == HostClass::unknown);
  CHECK(class_of_host("bugs: hypervisor\n", "", "") == HostClass::unknown);
}
