// Whether stated errors hold: on machines that drift in simulated time, a later job's mean is
// compared with what a calibration said of it.
#include <cmath>
#include <vector>

#include "fit/profile.hpp"
#include "fit/statistics.hpp"
#include "fit/weather.hpp"
#include "tests/catch.hpp"

namespace feedrate::fit {
namespace {

using test::Machine;
using test::World;

constexpr double calibration_lasts = 240.0;
constexpr double job_lasts = 300.0;
constexpr double longest_wait = 3600.0;

const World worlds[] = {
    {"no drift"},
    {"3 % within half a minute", 0.03, 30.0},
    {"15 % within half a minute", 0.15, 30.0},
    {"15 % within five minutes", 0.15, 300.0},
    {"15 % within an hour", 0.15, 3600.0},
    {"a neighbour of 30 % for two minutes", 0.2624, 120.0, true},
    {"a neighbour of 30 % for twenty minutes", 0.2624, 1200.0, true},
};

struct Coverage {
  double holds = 0.0;   ///< share of hosts within two deviations of own error and drift
  double own = 0.0;     ///< stated error of the level, median
  double drift = 0.0;   ///< stated, median
  double missed = 0.0;  ///< root mean square of what was missed
};

/// A job that begins two minutes to an hour after the last of the calibrations, which begin at
/// these times.
Coverage coverage(const World& world, const std::vector<double>& begin, HostClass kind, int hosts) {
  Coverage found;
  std::vector<double> own;
  std::vector<double> drift;
  for (int host = 0; host < hosts; ++host) {
    const double ended = begin.back() + calibration_lasts;
    Machine machine(world, ended + longest_wait + job_lasts + 1.0,
                    static_cast<std::uint64_t>(host));
    MeasurementSet set;
    set.host.kind = kind;
    for (const double at : begin) machine.calibrate(set, at, calibration_lasts);
    const double waits = 120.0 + (longest_wait - 120.0) * machine.uniform();
    const double truth = 1e-3 * machine.mean_factor(ended + waits, job_lasts);
    const HostProfile profile = fit_profile(set).profile;
    const auto& decode = profile.operations.at("decode");
    own.push_back(decode.from.relative_error);
    drift.push_back(profile.cpu_drift.value().value);
    const double missed = decode.value.base() / truth - 1.0;
    found.missed += missed * missed / hosts;
    const bool held = std::abs(missed) <= 2.0 * std::hypot(own.back(), drift.back());
    found.holds += held ? 1.0 / hosts : 0.0;
  }
  found.missed = std::sqrt(found.missed);
  found.own = median(own);
  found.drift = median(drift);
  return found;
}

TEST_CASE(
    "coverage: what a shared machine's profile says holds in nine jobs of ten, in any weather") {
  for (const World& world : worlds) {
    const Coverage found = coverage(world, {0.0}, HostClass::shared_virtual_machine, 400);
    INFO(world.name << ": " << found.holds << ", own " << found.own << ", drift " << found.drift
                    << ", missed " << found.missed);
    CHECK(found.holds >= 0.9);
    if (world.time > 30.0) continue;
    // Where eight rounds see all of the weather, what is stated is no exaggeration.
    CHECK(found.own <= 2.5 * found.missed);
    CHECK(found.own >= found.missed / 2.5);
  }
}

TEST_CASE("coverage: three calibrations within 40 minutes tell how far a machine drifts") {
  const std::vector<double> begin = {0.0, 1200.0, 2400.0};
  const auto check = [&](const World& world, double holds, double drift) {
    const Coverage found = coverage(world, begin, HostClass::shared_virtual_machine, 200);
    INFO(world.name << ": " << found.holds << ", own " << found.own << ", drift " << found.drift
                    << ", missed " << found.missed);
    CHECK(found.holds >= holds);
    CHECK(found.drift <= drift);
  };
  check(worlds[0], 0.99, 0.021);
  check(worlds[1], 0.95, 0.045);
  check(worlds[2], 0.95, 0.2);
  check(worlds[3], 0.9, 0.3);
  // Drift within an hour shows in part only; calibrations an hour apart hold in 93 of 100.
  check(worlds[4], 0.85, 0.3);
  check(worlds[5], 0.95, 0.3);
}

}  // namespace
}  // namespace feedrate::fit
