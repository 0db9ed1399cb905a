// Several hosts of one kind as one profile: how far they differ, and which of them is slow.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include "base/random.hpp"
#include "fit/profile.hpp"
#include "fit/statistics.hpp"
#include "model/merge_measurements.hpp"
#include "report/render.hpp"
#include "report/reports.hpp"
#include "schema/documents/measurements.hpp"
#include "seed.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::fit;

namespace {

constexpr double decoding = 4e-3;  // s a sample
constexpr double latency = 80e-6;  // s a read

std::string node(int number) {
  return fmt::format("node{:02}", number);
}

/// A calibration of a host whose CPU and disk take so many times as long as others'; samples differ
/// by 1 %.
MeasurementSet host_of(Random& random, int number, double cpu, double disk, int hour = 10) {
  MeasurementSet set;
  set.date = fmt::format("2026-05-01T{:02}:00:00Z", hour);
  set.version = "test";
  set.host.hostname = node(number);
  set.host.cpu = "a CPU";
  set.host.hardware_threads = 8.0;
  for (int round = 0; round < 3; ++round) {
    Round one;
    one.began = fmt::format("2026-05-01T{:02}:{:02}:00Z", hour, round);
    one.took = seconds(30.0);
    set.rounds.push_back(one);
  }
  set.probes = {{"decode", true, "", {}, seconds(1.0)}, {"disk", true, "", {}, seconds(1.0)}};
  const auto add = [&](const char* probe, const char* quantity, const char* unit, double work,
                       std::map<std::string, double> at, std::map<std::string, std::string> how,
                       double time) {
    Measurement m{probe, quantity, unit, work, std::move(at), std::move(how), {}, {}, ""};
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 5; ++i)
        m.times.push_back(seconds(time * std::exp(0.01 * random.normal())));
      m.rounds.push_back(5);
    }
    set.measurements.push_back(std::move(m));
  };
  add("decode", "decode", "samples", 1.0, {{"users", 1.0}}, {}, decoding * cpu);
  for (const double bytes : {4096.0, 65536.0, 262144.0}) {
    add("disk", "random_read", "bytes", bytes, {{"bytes", bytes}, {"users", 1.0}},
        {{"cache", "direct"}}, (latency + bytes / 1e9) * disk);
  }
  return set;
}

/// Hosts that differ by `spread`; `slow` of them, the last, take 40 % longer to decode.
std::vector<MeasurementSet> fleet(Random& random, int hosts, double spread, int slow = 0) {
  std::vector<MeasurementSet> sets;
  for (int i = 1; i <= hosts; ++i) {
    const double own = std::exp(spread * random.normal());
    const double disk = std::exp(spread * random.normal());
    sets.push_back(host_of(random, i, i > hosts - slow ? own * 1.4 : own, disk));
  }
  return sets;
}

std::vector<std::string> slow_ones(const FittedProfile& fitted) {
  std::vector<std::string> names;
  for (const HostBeside& host : fitted.hosts) {
    if (host.slow()) names.push_back(host.name);
  }
  return names;
}

double decode_time(const FittedProfile& fitted) {
  return fitted.profile.operations.at("decode").value.base();
}

const Drift& drift(const FittedProfile& fitted, const std::string& group) {
  const auto found = std::find_if(fitted.drifts.begin(), fitted.drifts.end(),
                                  [&](const Drift& one) { return one.group == group; });
  REQUIRE(found != fitted.drifts.end());
  return *found;
}

Random random_of(std::uint64_t stream) {
  return {test::seeded(77), stream};
}

}  // namespace

TEST_CASE("hosts: the joined profile is the mean host's, with the spread between hosts") {
  Random random = random_of(1);
  for (int i = 0; i < 20; ++i) {
    const std::vector<MeasurementSet> sets = fleet(random, 12, 0.05);
    double mean = 0.0;
    std::vector<double> levels;
    for (const MeasurementSet& set : sets) {
      levels.push_back(decode_time(fit_profile(set)));
      mean += levels.back() / 12.0;
    }
    const FittedProfile fitted = fit_profile(joined(sets));
    REQUIRE(fitted.hosts.size() == 12);
    if (!slow_ones(fitted).empty()) continue;
    CHECK(decode_time(fitted) == Approx(mean).epsilon(0.005));
    const Drift cpu = drift(fitted, "cpu");
    CHECK(cpu.measured);
    CHECK(cpu.calibrations == 12);
    CHECK(cpu.words.find("of several hosts") != std::string::npos);
    // The deviation of these twelve, times Student's factor.
    CHECK(cpu.stated ==
          Approx(standard_deviation(levels) / mean * student_factor(11, 1.645)).epsilon(0.03));
  }
}

TEST_CASE("hosts: a slow one is named, is not in the numbers, and others are not") {
  Random random = random_of(2);
  for (int i = 0; i < 40; ++i) {
    const int hosts = 4 + i % 8;
    const std::vector<MeasurementSet> sets = fleet(random, hosts, 0.02, 1);
    const MeasurementSet all = joined(sets);
    const FittedProfile fitted = fit_profile(all);
    INFO(hosts << " hosts");
    CHECK(slow_ones(fitted) == std::vector<std::string>{node(hosts)});
    const HostBeside& last = fitted.hosts.back();
    REQUIRE(last.probes.size() == 2);
    CHECK(last.probes[0].probe == "decode");
    CHECK(last.probes[0].slow);
    CHECK(last.probes[0].ratio == Approx(1.4).epsilon(0.12));
    CHECK(last.probes[1].probe == "disk");
    CHECK_FALSE(last.probes[1].slow);
    const FittedProfile others = fit_profile(joined({sets.data(), sets.size() - 1}));
    CHECK(decode_time(fitted) == decode_time(others));
    CHECK(fitted.profile.cpu_drift == others.profile.cpu_drift);
    const std::string& remark = fitted.profile.remarks.back();
    CHECK(remark.find(node(hosts) + " is slow, and not in these numbers: decode takes") == 0);
    // The evidence holds it.
    CHECK(hosts_of(all).size() == sets.size());
  }
}

TEST_CASE("hosts: of equal ones few fleets have one that is named slow") {
  Random random = random_of(3);
  int named = 0;
  for (int i = 0; i < 300; ++i) {
    const auto sets = fleet(random, static_cast<int>(3 + i % 14), 0.05);
    named += slow_ones(fit_profile(joined(sets))).empty() ? 0 : 1;
  }
  // Two probes each: 15 fleets in 100 at most.
  CHECK(named < 45);
}

TEST_CASE("hosts: of two none is named, and a floor is stated until there are three") {
  Random random = random_of(4);
  const std::vector<MeasurementSet> sets = {host_of(random, 1, 1.0, 1.0),
                                            host_of(random, 2, 1.5, 1.0)};
  const FittedProfile fitted = fit_profile(joined(sets));
  CHECK(slow_ones(fitted).empty());
  CHECK_FALSE(drift(fitted, "cpu").measured);
  CHECK(drift(fitted, "cpu").words.find("calibrate --join") != std::string::npos);
  CHECK(fitted.hosts[1].probes[0].ratio == Approx(1.2).epsilon(0.01));
}

TEST_CASE("hosts: two calibrations of one count as one host, however they are joined") {
  Random random = random_of(5);
  std::vector<MeasurementSet> sets = fleet(random, 4, 0.02);
  const MeasurementSet again = host_of(random, 4, 1.0, 1.0, 12);
  std::vector<MeasurementSet> separately = sets;
  separately.push_back(again);
  const MeasurementSet all = joined(separately);
  CHECK(hosts_of(all).size() == 4);
  const MeasurementSet pair[] = {sets[3], again};
  sets[3] = merged(pair);
  const FittedProfile apart = fit_profile(all);
  const FittedProfile together = fit_profile(joined(sets));
  CHECK(decode_time(apart) == Approx(decode_time(together)).epsilon(1e-9));
  CHECK(apart.hosts == together.hosts);
  // In halves, in any order, a half twice.
  const MeasurementSet first = joined({separately.data(), 2});
  const MeasurementSet second = joined({separately.data() + 2, 3});
  const MeasurementSet halves[] = {second, first, second};
  CHECK(fit_profile(joined(halves)).hosts == apart.hosts);
  CHECK(decode_time(fit_profile(joined(halves))) == Approx(decode_time(apart)).epsilon(1e-9));
}

TEST_CASE("hosts: those that began at one moment are two, and a name goes before the system's") {
  Random random = random_of(6);
  std::vector<MeasurementSet> sets = {host_of(random, 1, 1.0, 1.0), host_of(random, 1, 1.0, 1.0)};
  sets[0].host.name = "first";
  sets[1].host.name = "second";
  const MeasurementSet all = joined(sets);
  CHECK(all.rounds.size() == 6);
  CHECK(hosts_of(all) == std::vector<std::string>{"first", "second"});
  CHECK(fit_profile(all).profile.name == "2 hosts");
  CHECK(fit_profile(sets[0]).profile.name == "first");
}

TEST_CASE("hosts: a joined set is written and read again, and fits alike") {
  Random random = random_of(7);
  const MeasurementSet all = joined(fleet(random, 5, 0.02, 1));
  const MeasurementSet again = schema::parse_measurements(schema::write_measurements(all), "f");
  CHECK(again == all);
  const FittedProfile fitted = fit_profile(again);
  CHECK(fitted.profile == fit_profile(all).profile);
  report::Calibration calibration{"5 hosts", "fleet.json", "", false, {}};
  calibration.hosts = fitted.hosts;
  const std::string text =
      report::to_text(report::calibrate_report(all, fitted.lines, calibration), report::Style{});
  CHECK(text.find("node05") != std::string::npos);
  CHECK(text.find("slow, not in the profile") != std::string::npos);
  CHECK(text.find("goes at the pace of its slowest host") != std::string::npos);
}
