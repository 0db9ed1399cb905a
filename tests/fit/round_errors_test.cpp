// Rounds are the unit of sampling: laws of errors over generated series.
#include <algorithm>
#include <cmath>

#include "fit/profile.hpp"
#include "fit/statistics.hpp"
#include "fit/synthetic.hpp"
#include "fit/weather.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::fit;

namespace {

using test::Machine;
using test::Synthetic;
using test::World;

/// A host with all sorts of fits, in rounds of which each has a factor of its own, from one
/// calibration or several half an hour apart.
MeasurementSet host(std::uint64_t seed, std::size_t rounds, std::size_t calibrations) {
  Random random(seed, 3);
  Synthetic made(0.04, 0, seed);
  const std::size_t all = rounds * calibrations;
  const auto samples = [&](std::size_t round) { return 1 + (round + seed) % 5; };
  int count = 0;
  for (std::size_t r = 0; r < all; ++r) count += static_cast<int>(samples(r));
  for (const double users : {1.0, 2.0, 4.0}) {
    for (const double size : {4096.0, 65536.0, 1048576.0}) {
      made.add("disk", "random_read", "bytes", size * users, {{"bytes", size}, {"users", users}},
               1e-4 + size / 1e9, {{"cache", "direct"}}, count);
    }
    made.add("decode", "chain", "samples", users, {{"users", users}},
             2e-3 * std::max(1.0, users / 2), {}, count);
  }
  made.add("decode", "decode", "samples", 1, {{"users", 1.0}}, 2e-3, {}, count);
  made.add("canary", "registers", "rounds", 1, {}, 1e-2, {}, count);
  MeasurementSet set = made.set;
  set.host.hardware_threads = 2;
  set.host.kind = HostClass::bare_metal;
  std::vector<double> factors;
  for (std::size_t r = 0; r < all; ++r) {
    Round round;
    round.calibration = static_cast<double>(r / rounds) + 1.0;
    round.began = Machine::clock_time(1800.0 * static_cast<double>(r / rounds) +
                                      20.0 * static_cast<double>(r % rounds));
    set.rounds.push_back(round);
    factors.push_back(std::exp(0.1 * random.normal()));
  }
  for (Measurement& m : set.measurements) {
    std::size_t next = 0;
    for (std::size_t r = 0; r < all; ++r) {
      m.rounds.push_back(samples(r));
      for (std::size_t i = 0; i < samples(r); ++i, ++next)
        m.times[next] = m.times[next] * factors[r];
    }
  }
  return set;
}

/// Every relative error and drift of a profile, and with `levels` the fitted numbers too.
std::vector<double> numbers(const HostProfile& p, bool levels) {
  std::vector<double> list;
  const auto value = [&](const auto& v, double level) {
    list.push_back(v.from.relative_error);
    if (levels) list.push_back(level);
  };
  REQUIRE(p.disk);
  REQUIRE(p.cpu);
  list.insert(list.end(), {p.disk->relative_error, p.cpu->relative_error});
  if (levels) list.insert(list.end(), {p.disk->maximum().base(), p.cpu->maximum()});
  value(p.disk_latency.value(), p.disk_latency->value.base());
  value(p.oversubscription.value(), p.oversubscription->value);
  value(p.operations.at("decode"), p.operations.at("decode").value.base());
  value(p.canary.at("registers"), p.canary.at("registers").value.base());
  list.push_back(p.cpu_drift.value().value);
  list.push_back(p.disk_drift.value().value);
  return list;
}

std::vector<double> numbers(const MeasurementSet& set, bool levels = true) {
  return numbers(fit_profile(set).profile, levels);
}

void same(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO(i);
    CHECK(a[i] == Approx(b[i]).epsilon(1e-4).margin(1e-12));
  }
}

/// One round to several, in one calibration to three.
template <class Check>
void for_hosts(const Check& check) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    for (const auto& [rounds, calibrations] : {std::pair<std::size_t, std::size_t>{1, 1},
                                               {2, 1},
                                               {3, 1},
                                               {8, 1},
                                               {3, 2},
                                               {4, 3},
                                               {1, 3}}) {
      INFO("seed " << seed << ", " << calibrations << " × " << rounds << " rounds");
      check(host(seed, rounds, calibrations));
    }
  }
}

/// A series' samples of each round, changed.
template <class Change>
MeasurementSet changed(MeasurementSet set, const Change& change) {
  for (Measurement& m : set.measurements) {
    std::vector<Duration> times;
    std::size_t next = 0;
    for (std::size_t& count : m.rounds) {
      std::vector<Duration> of_round(m.times.begin() + static_cast<std::ptrdiff_t>(next),
                                     m.times.begin() + static_cast<std::ptrdiff_t>(next + count));
      next += count;
      change(of_round);
      count = of_round.size();
      times.insert(times.end(), of_round.begin(), of_round.end());
    }
    m.times = std::move(times);
  }
  return set;
}

TEST_CASE("rounds: errors and drifts are numbers, and never below 0") {
  for_hosts([](const MeasurementSet& set) {
    for (const double error : numbers(set, false)) {
      CHECK(std::isfinite(error));
      CHECK(error >= 0.0);
    }
  });
}

TEST_CASE("rounds: the same samples ten times over shrink no error") {
  for_hosts([](const MeasurementSet& set) {
    const auto again = changed(set, [](std::vector<Duration>& times) {
      const std::vector<Duration> once = times;
      for (int i = 1; i < 10; ++i) times.insert(times.end(), once.begin(), once.end());
    });
    const std::vector<double> before = numbers(set, false);
    const std::vector<double> after = numbers(again, false);
    for (std::size_t i = 0; i < before.size(); ++i) {
      INFO(i);
      CHECK(after[i] >= before[i] * (1.0 - 1e-6));
    }
  });
}

TEST_CASE("rounds: neither the order of samples in a round nor that of rounds matters") {
  for_hosts([](const MeasurementSet& set) {
    const std::vector<double> before = numbers(set);
    same(before, numbers(changed(set, [](std::vector<Duration>& times) {
           std::rotate(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                       times.end());
         })));
    MeasurementSet turned = set;
    std::reverse(turned.rounds.begin(), turned.rounds.end());
    for (Measurement& m : turned.measurements) {
      std::reverse(m.rounds.begin(), m.rounds.end());
      std::reverse(m.times.begin(), m.times.end());
    }
    same(before, numbers(turned));
  });
}

TEST_CASE("rounds: a machine that is slower by a factor has the same errors") {
  for_hosts([](const MeasurementSet& set) {
    const auto slower = changed(set, [](std::vector<Duration>& times) {
      for (Duration& time : times) time = time * 1.75;
    });
    same(numbers(set, false), numbers(slower, false));
  });
}

TEST_CASE("rounds: what all series of a round share counts once, and not at all in a ratio") {
  // Rounds differ by 15 %, samples by 0.1 %: more sizes do not make a bandwidth better known, and
  // how many cores two threads are does not depend on the rounds.
  const double factors[] = {1.0, 1.3, 0.9, 1.1, 0.8, 1.2, 0.95, 1.05};
  Synthetic made(0.001);
  for (double size = 1e6; size < 1e9; size *= 2.0) {
    made.add("h2d", "copy", "bytes", size, {{"bytes", size}}, size / 1e10,
             {{"direction", "h2d"}, {"memory", "pinned"}}, 32);
  }
  for (const double users : {1.0, 2.0}) {
    made.add("decode", "chain", "samples", users, {{"users", users}}, 2e-3, {}, 32);
  }
  MeasurementSet set = made.set;
  set.host.hardware_threads = 2;
  set.rounds.resize(8);
  for (Measurement& m : set.measurements) {
    m.rounds.assign(8, 4);
    for (std::size_t i = 0; i < m.times.size(); ++i) m.times[i] = m.times[i] * factors[i / 4];
  }
  const HostProfile profile = fit_profile(set).profile;
  const double shared = estimate(std::span<const double>(factors)).relative_error;
  CHECK(profile.pinned_bandwidth.value().from.relative_error == Approx(shared).epsilon(0.05));
  CHECK(profile.cpu.value().relative_error < 0.01);
}

TEST_CASE(
    "rounds: thousands of samples do not know a level that drifts by 15 % to half a percent") {
  // As it was once stated for five rounds of 432 images.
  Machine machine({"15 % within half a minute", 0.15, 30.0}, 600.0, 4);
  MeasurementSet set;
  machine.calibrate(set, 0.0, 240.0, 5, 432);
  const HostProfile profile = fit_profile(set).profile;
  CHECK(profile.operations.at("decode").from.relative_error > 0.02);
  // Without rounds they are a stretch of one: no better than eight samples of their spread.
  set.rounds.clear();
  for (Measurement& m : set.measurements) m.rounds.clear();
  CHECK(fit_profile(set).profile.operations.at("decode").from.relative_error > 0.02);
}

TEST_CASE("rounds: a series that was measured in some rounds only has the error of those") {
  const double times[] = {1.0, 1.2, 0.9, 1.1};
  MeasurementSet set;
  set.rounds.resize(9);
  Measurement m{"decode", "decode", "samples", 1.0, {{"users", 1.0}}, {}, {}, {}, ""};
  for (const double time : times) m.times.push_back(milliseconds(time));
  m.rounds = {0, 1, 0, 1, 0, 1, 1};
  set.measurements.push_back(m);
  const auto decode = fit_profile(set).profile.operations.at("decode");
  CHECK(decode.value.base() == Approx(1.05e-3));
  CHECK(decode.from.relative_error ==
        Approx(std::sqrt(0.05 / 3.0 / 4.0) / 1.05 * student_factor(3)).epsilon(1e-3));
  set.measurements[0].times = {milliseconds(1.0)};
  set.measurements[0].rounds = {0, 1};
  CHECK(fit_profile(set).profile.operations.at("decode").from.relative_error == 0.0);
}

}  // namespace
