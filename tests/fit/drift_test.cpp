// How far a machine drifts: by groups, at least a floor, and from calibrations at other times.
#include <cmath>
#include <vector>

#include "fit/profile.hpp"
#include "fit/weather.hpp"
#include "report/render.hpp"
#include "report/reports.hpp"
#include "schema/documents/host.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::fit;

namespace {

using test::Machine;
using test::World;

constexpr World quiet = {"no drift"};
constexpr World quick = {"15 % within half a minute", 0.15, 30.0};

MeasurementSet calibrated(const World& world, const std::vector<double>& begin, HostClass kind) {
  Machine machine(world, begin.back() + 300.0, 3);
  MeasurementSet set;
  set.host.kind = kind;
  for (const double at : begin) machine.calibrate(set, at);
  return set;
}

Drift cpu_drift(const MeasurementSet& set) {
  const FittedProfile fitted = fit_profile(set);
  REQUIRE(fitted.drifts.size() == 1);
  const Drift drift = fitted.drifts.front();
  CHECK(drift.group == "cpu");
  REQUIRE(fitted.profile.cpu_drift);
  const Value<double>& stated = *fitted.profile.cpu_drift;
  CHECK(stated.value == Approx(drift.stated).epsilon(1e-4));
  CHECK(stated.from.origin == (drift.measured ? Origin::measured : Origin::assumed));
  CHECK(stated.from.source == drift.words);
  CHECK_FALSE(fitted.profile.disk_drift);
  CHECK_FALSE(fitted.profile.network_drift);
  CHECK_FALSE(fitted.profile.gpu_drift);
  return drift;
}

TEST_CASE("drift: one quiet calibration states the floor of its class of host") {
  const std::pair<HostClass, double> floors[] = {{HostClass::unknown, 0.15},
                                                 {HostClass::shared_virtual_machine, 0.15},
                                                 {HostClass::dedicated_virtual_machine, 0.05},
                                                 {HostClass::bare_metal, 0.03}};
  for (const auto& [kind, floor] : floors) {
    const Drift drift = cpu_drift(calibrated(quiet, {0.0}, kind));
    CHECK(drift.stated == floor);
    CHECK(drift.seen < 0.02);
    CHECK_FALSE(drift.measured);
    CHECK(drift.words.find("floor for") == 0);
    CHECK(drift.words.find("calibrate --add") != std::string::npos);
    CHECK(drift.advice.empty());
  }
}

TEST_CASE("drift: what one calibration sees above the floor is stated, and said") {
  const MeasurementSet set = calibrated(quick, {0.0}, HostClass::bare_metal);
  const Drift drift = cpu_drift(set);
  CHECK(drift.seen > 0.07);
  CHECK(drift.seen < 0.3);
  CHECK(drift.stated == drift.seen);
  CHECK_FALSE(drift.measured);
  CHECK(drift.words.find("seen in one calibration, above the floor of 3 % for bare metal") == 0);
  CHECK(drift.advice.find("this machine drifted by ") == 0);
  CHECK(drift.advice.find("measure longer (--time-limit) or repeat (--add)") != std::string::npos);
  CHECK(fit_profile(set).profile.remarks == std::vector<std::string>{"cpu: " + drift.advice});
}

TEST_CASE("drift: three calibrations at different times replace the floor, fewer do not") {
  const HostClass kind = HostClass::shared_virtual_machine;
  const Drift three = cpu_drift(calibrated(quiet, {0.0, 1200.0, 2400.0}, kind));
  CHECK(three.measured);
  CHECK(three.calibrations == 3);
  CHECK(three.stated == 0.02);
  CHECK(cpu_drift(calibrated(quick, {0.0, 1200.0, 2400.0}, kind)).stated > 0.05);
  const Drift two = cpu_drift(calibrated(quiet, {0.0, 1200.0}, kind));
  CHECK_FALSE(two.measured);
  CHECK(two.stated == 0.15);
  // One after the other they saw the same weather.
  const Drift together = cpu_drift(calibrated(quiet, {0.0, 300.0, 600.0, 900.0}, kind));
  CHECK_FALSE(together.measured);
  CHECK(together.calibrations == 2);
  MeasurementSet timeless = calibrated(quiet, {0.0, 1200.0, 2400.0}, kind);
  timeless.rounds[3].began.clear();
  CHECK(cpu_drift(timeless).calibrations == 1);
}

TEST_CASE("drift: levels that differ between calibrations make both the drift and the error") {
  MeasurementSet set = calibrated(quiet, {0.0, 1200.0, 2400.0}, HostClass::bare_metal);
  const double factors[] = {0.8, 1.0, 1.2};
  for (Measurement& m : set.measurements) {
    for (std::size_t i = 0; i < m.times.size(); ++i) m.times[i] = m.times[i] * factors[i / 64];
  }
  const FittedProfile fitted = fit_profile(set);
  CHECK(cpu_drift(set).stated == Approx(0.2 * 1.775).epsilon(0.05));
  CHECK(fitted.drifts.front().seen < 0.02);
  const auto decode = fitted.profile.operations.at("decode");
  CHECK(decode.value.base() == Approx(1e-3).epsilon(0.01));
  CHECK(decode.from.relative_error == Approx(0.2 / std::sqrt(3.0) * 1.32).epsilon(0.05));
}

TEST_CASE("drift: each group has its own, and what is no part of it does not count") {
  MeasurementSet set;
  set.host.kind = HostClass::shared_virtual_machine;
  set.rounds.resize(4);
  const auto add = [&](const char* probe, const char* quantity,
                       std::map<std::string, std::string> how, double deviation) {
    Measurement m{probe, quantity, "bytes", 1.0, {{"bytes", 1.0}}, std::move(how), {}, {}, ""};
    for (const double sign : {-1.0, 1.0, 1.0, -1.0}) {
      for (const double noise : {0.99, 1.01}) m.times.push_back(seconds(noise + sign * deviation));
      m.rounds.push_back(2);
    }
    set.measurements.push_back(m);
  };
  add("disk", "random_read", {{"cache", "direct"}}, 0.3);
  add("disk", "random_read", {{"cache", "cached"}}, 0.0);
  add("download", "transfer", {{"server", "loopback"}}, 0.3);
  add("h2d", "copy", {{"direction", "h2d"}, {"memory", "pinned"}}, 0.0);
  add("canary", "registers", {}, 0.3);
  const FittedProfile fitted = fit_profile(set);
  REQUIRE(fitted.drifts.size() == 2);
  CHECK(fitted.drifts[0].group == "disk");
  CHECK(fitted.drifts[0].seen > 0.3);
  CHECK(fitted.drifts[1].group == "gpu");
  CHECK(fitted.drifts[1].stated == 0.02);
  CHECK_FALSE(fitted.profile.network_drift);
  CHECK_FALSE(fitted.profile.cpu_drift);
}

TEST_CASE("drift: series with one sample a round, whose noise is not known, count only alone") {
  MeasurementSet set = calibrated(quiet, {0.0}, HostClass::bare_metal);
  const auto add = [](MeasurementSet& to) {
    for (const char* quantity : {"worker_startup", "worker_shutdown", "handover", "throughput"}) {
      Measurement m{"loader", quantity, "workers", 1.0, {}, {}, {}, {}, ""};
      for (int round = 0; round < 8; ++round) {
        m.times.push_back(seconds(round % 2 == 0 ? 1.0 : 1.5));
        m.rounds.push_back(1);
      }
      to.measurements.push_back(m);
    }
  };
  add(set);
  CHECK(cpu_drift(set).seen < 0.02);
  set.measurements.clear();
  add(set);
  CHECK(cpu_drift(set).seen > 0.15);
}

TEST_CASE("drift: the report says what was seen, what is stated and what to do") {
  const MeasurementSet set = calibrated(quick, {0.0}, HostClass::bare_metal);
  const FittedProfile fitted = fit_profile(set);
  report::Calibration calibration{"host", "host.json", "", false, fitted.drifts};
  const std::string text =
      report::to_text(report::calibrate_report(set, fitted.lines, calibration), {});
  INFO(text);
  CHECK(text.find("Drift\n") != std::string::npos);
  CHECK(text.find("above the floor of 3 % for bare metal") != std::string::npos);
  CHECK(text.find("this machine drifted by") != std::string::npos);
}

TEST_CASE("canary: pieces of work by name, alone and all at once, and no lines") {
  MeasurementSet set;
  set.rounds.resize(3);
  set.host.hostname = "host";
  set.host.cpu = "a processor";
  set.host.kernel = "6.1";
  set.host.driver = "580";
  const auto add = [&](const char* quantity, double users, double time) {
    Measurement m{"canary", quantity, "bytes", 64e6, {{"users", users}}, {}, {}, {}, ""};
    for (const double factor : {0.9, 1.0, 1.1}) {
      m.times.push_back(milliseconds(time * factor));
      m.rounds.push_back(1);
    }
    set.measurements.push_back(m);
  };
  add("registers", 1.0, 10.0);
  add("copy", 1.0, 20.0);
  add("copy", 4.0, 40.0);
  const FittedProfile fitted = fit_profile(set);
  CHECK(fitted.lines.empty());
  CHECK(fitted.drifts.empty());
  const auto& canary = fitted.profile.canary;
  REQUIRE(canary.size() == 3);
  CHECK(canary.at("registers").value.base() == Approx(0.010));
  CHECK(canary.at("copy").value.base() == Approx(0.020));
  CHECK(canary.at("copy_all").value.base() == Approx(0.040));
  CHECK(canary.at("copy_all").from.relative_error ==
        Approx(0.1 / std::sqrt(3.0) * 1.32).epsilon(0.01));
  const HostProfile& profile = fitted.profile;
  CHECK(profile.hostname == "host");
  CHECK(profile.processor == "a processor");
  CHECK(profile.kernel == "6.1");
  CHECK(profile.driver == "580");
  CHECK(schema::parse_host_profile(schema::write_host_profile(profile), "h.json") == profile);
}

}  // namespace
