#pragma once
// Machines whose speed drifts in simulated time, and what a calibration and a later job see of
// them.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "model/measurement.hpp"

namespace feedrate::test {

/// How the logarithm of all times of a machine moves.
struct World {
  const char* name;
  double deviation = 0.0;  ///< of an Ornstein-Uhlenbeck process; of a neighbour, its whole effect
  double time = 1.0;       ///< s: correlation time; of a neighbour, how long it stays on or off
  bool neighbour = false;  ///< on or off
};

class Machine {
 public:
  Machine(const World& world, double seconds, std::uint64_t seed) : random_(seed, 7) {
    const auto n = static_cast<std::size_t>(seconds) + 1;
    if (world.neighbour) {
      bool on = uniform() < 0.5;
      for (std::size_t i = 0; i < n; ++i) {
        if (uniform() < 1.0 / world.time) on = !on;
        log_.push_back(on ? world.deviation : 0.0);
      }
      return;
    }
    const double keeps = std::exp(-1.0 / world.time);
    double now = world.deviation * random_.normal();
    for (std::size_t i = 0; i < n; ++i) {
      log_.push_back(now);
      now = keeps * now + world.deviation * std::sqrt(1.0 - keeps * keeps) * random_.normal();
    }
  }

  [[nodiscard]] double factor(double at) const {
    return std::exp(log_[static_cast<std::size_t>(at)]);
  }

  /// What a job pays for a second's work.
  [[nodiscard]] double mean_factor(double from, double seconds) const {
    double sum = 0.0;
    for (double at = from; at < from + seconds; at += 1.0) sum += factor(at);
    return sum / seconds;
  }

  double uniform() { return 0.5 * std::erfc(-random_.normal() / std::sqrt(2.0)); }

  /// A calibration of `rounds` rounds over `lasts` seconds: three operations of 1 ms with 3 % of
  /// noise, each at a moment of its own in every round. Merged with what the set holds.
  void calibrate(MeasurementSet& set, double begins, double lasts = 240.0, std::size_t rounds = 8,
                 std::size_t samples = 8) {
    constexpr double noise = 0.03;
    const char* operations[] = {"decode", "crop_resize", "blur"};
    if (set.measurements.empty()) {
      for (const char* name : operations) {
        set.measurements.push_back(
            {"decode", name, "samples", 1.0, {{"users", 1.0}}, {}, {}, {}, ""});
      }
    }
    const double calibration = set.rounds.empty() ? 1.0 : set.rounds.back().calibration + 1.0;
    const double turn = lasts / static_cast<double>(rounds);
    for (std::size_t r = 0; r < rounds; ++r) {
      const double starts = begins + static_cast<double>(r) * turn;
      Round round;
      round.began = clock_time(starts);
      round.calibration = calibration;
      set.rounds.push_back(round);
      for (Measurement& m : set.measurements) {
        const double at = starts + uniform() * turn;
        for (std::size_t i = 0; i < samples; ++i) {
          const double own = std::exp(noise * random_.normal());
          m.times.push_back(seconds(1e-3 * own * factor(at + 0.05 * static_cast<double>(i))));
        }
        m.rounds.push_back(samples);
      }
    }
  }

  /// So many seconds after noon.
  static std::string clock_time(double after) {
    const int whole = static_cast<int>(after);
    return fmt::format("2026-05-01T{:02}:{:02}:{:02}Z", 12 + whole / 3600, whole / 60 % 60,
                       whole % 60);
  }

 private:
  Random random_;
  std::vector<double> log_;
};

}  // namespace feedrate::test
