// Calibrations of one host as one: nothing is lost, and it does not matter how they are grouped.
#include "model/merge_measurements.hpp"

#include <numeric>
#include <random>

#include "catch.hpp"

using namespace feedrate;

namespace {

/// A calibration of some of a few series, in some rounds; without any where `rounds` is 0.
MeasurementSet made(std::uint64_t seed, std::size_t rounds) {
  std::mt19937_64 random(seed);
  MeasurementSet set;
  set.date = "2026-05-0" + std::to_string(seed % 9 + 1) + "T12:00:00Z";
  set.command_line = "feedrate calibrate --seed " + std::to_string(seed);
  set.host.hostname = "vm";
  set.host.kind = seed % 2 == 0 ? HostClass::unknown : HostClass::bare_metal;
  for (std::size_t i = 0; i < rounds; ++i) {
    const Duration took = seconds(100.0 * static_cast<double>(seed) + static_cast<double>(i));
    set.rounds.push_back({set.date, 1, took, {}, {}, {}, {}, {}, ""});
  }
  for (const char* probe : {"disk", "decode", "loader"}) {
    if (random() % 4 == 0) continue;
    const bool measured = random() % 4 != 0;
    set.probes.push_back({probe,
                          measured,
                          random() % 2 == 0 ? "interrupted" : "",
                          {"remark " + std::to_string(random() % 3)},
                          seconds(1.0)});
    if (!measured) continue;
    for (double users = 1.0; users < 5.0; users *= 2.0) {
      if (random() % 3 == 0) continue;
      Measurement what{probe, "read", "bytes", 4096, {{"users", users}}, {}, {}, {}, ""};
      std::size_t count = 0;
      for (std::size_t i = 0; i < rounds; ++i) {
        what.rounds.push_back(random() % 4);
        count += what.rounds.back();
      }
      if (rounds == 0) count = 3;
      if (count == 0) continue;
      for (std::size_t i = 0; i < what.rounds.size(); ++i) {
        if (what.rounds[i] == 0) continue;
        GpuState state;
        state.round = static_cast<double>(i + 1);
        state.power = 100.0 * static_cast<double>(seed) + static_cast<double>(i);
        what.gpu.push_back(state);
      }
      for (std::size_t i = 0; i < count; ++i) {
        what.times.push_back(seconds(static_cast<double>(random() % 1000)));
      }
      set.measurements.push_back(std::move(what));
    }
  }
  return set;
}

MeasurementSet merged_of(const std::vector<MeasurementSet>& sets) {
  return merged(sets);
}

std::size_t samples_of(const MeasurementSet& set) {
  return std::accumulate(
      set.measurements.begin(), set.measurements.end(), std::size_t{0},
      [](std::size_t sum, const Measurement& what) { return sum + what.times.size(); });
}

}  // namespace

TEST_CASE("merge: nothing is lost, counts add up, and no series is there twice") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO(seed);
    const std::vector<MeasurementSet> sets = {made(seed, seed % 4), made(seed + 1000, 8),
                                              made(seed + 2000, seed % 3)};
    const MeasurementSet all = merged(sets);
    std::size_t samples = 0;
    std::size_t rounds = 0;
    for (const MeasurementSet& set : sets) {
      samples += samples_of(set);
      rounds += std::max<std::size_t>(set.rounds.size(), 1);
    }
    REQUIRE(samples_of(all) == samples);
    REQUIRE(all.rounds.size() == rounds);
    CHECK(all.rounds.front().calibration == 1.0);
    CHECK(all.rounds.back().calibration == 3.0);
    for (const Measurement& what : all.measurements) {
      REQUIRE(what.rounds.size() <= rounds);
      REQUIRE(std::accumulate(what.rounds.begin(), what.rounds.end(), std::size_t{0}) ==
              what.times.size());
      for (const GpuState& state : what.gpu) {
        const auto round = static_cast<std::size_t>(state.round);
        REQUIRE((round >= 1 && round <= what.rounds.size() && what.rounds[round - 1] > 0));
      }
      REQUIRE(std::count_if(all.measurements.begin(), all.measurements.end(),
                            [&](const Measurement& one) { return same_series(one, what); }) == 1);
    }
  }
}

TEST_CASE("merge: it does not matter in which groups sets are merged") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO(seed);
    const MeasurementSet a = made(seed, seed % 4);
    const MeasurementSet b = made(seed + 1000, seed % 3);
    const MeasurementSet c = made(seed + 2000, seed % 5);
    const MeasurementSet all = merged_of({a, b, c});
    REQUIRE(merged_of({merged_of({a, b}), c}) == all);
    REQUIRE(merged_of({a, merged_of({b, c})}) == all);
  }
}

TEST_CASE("merge: samples of a series stand in their own rounds") {
  MeasurementSet old;  // of before there were rounds
  old.date = "2026-05-01T12:00:00Z";
  old.measurements.push_back(
      {"disk", "read", "bytes", 1, {}, {}, {seconds(1), seconds(2)}, {}, ""});
  MeasurementSet later = old;
  later.date = "2026-06-01T12:00:00Z";
  later.rounds.resize(3);
  later.measurements[0].times = {seconds(3), seconds(4), seconds(5)};
  later.measurements[0].rounds = {1, 0, 2};
  later.measurements.push_back({"disk", "seek", "bytes", 1, {}, {}, {seconds(6)}, {0, 1}, ""});
  const MeasurementSet all = merged_of({old, later});
  REQUIRE(all.rounds.size() == 4);
  CHECK(all.rounds[0].began == old.date);
  CHECK(all.date == later.date);
  REQUIRE(all.measurements.size() == 2);
  CHECK(all.measurements[0].rounds == std::vector<std::size_t>{2, 1, 0, 2});
  CHECK(all.measurements[0].times.back() == seconds(5));
  CHECK(all.measurements[1].rounds == std::vector<std::size_t>{0, 0, 1});
}

TEST_CASE("merge: a probe's reason is that of when it was measured, and each is told once") {
  MeasurementSet none;
  none.probes.push_back({"loader", false, "give --loader", {}, {}});
  MeasurementSet cut;
  cut.probes.push_back({"loader", true, "interrupted", {"slow"}, seconds(2)});
  const MeasurementSet all = merged_of({none, cut, cut, none});
  REQUIRE(all.probes.size() == 1);
  CHECK(all.probes[0].measured);
  CHECK(all.probes[0].reason == "interrupted");
  CHECK(all.probes[0].remarks == std::vector<std::string>{"slow"});
  CHECK(all.probes[0].took == seconds(4));
}

TEST_CASE("merge: what a file holds that another was put to is not counted twice") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    INFO(seed);
    const MeasurementSet a = made(seed, 1 + seed % 8);
    const MeasurementSet b = made(seed + 1000, 8);
    const MeasurementSet c = made(seed + 2000, 4);
    const MeasurementSet ab = merged_of({a, b});
    const auto same = [](const MeasurementSet& one, const MeasurementSet& other) {
      CHECK(one.rounds == other.rounds);
      CHECK(one.measurements == other.measurements);
    };
    same(merged_of({a, ab}), ab);
    same(merged_of({ab, ab}), ab);
    same(merged_of({ab, merged_of({ab, c})}), merged_of({a, b, c}));
    same(merged_of({a, merged_of({a, c}), merged_of({a, b})}), merged_of({a, c, b}));
  }
}
