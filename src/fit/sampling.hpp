#pragma once
// Rounds and calibrations: what is measured again, so that it says how far the rest can be trusted.
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fit/statistics.hpp"
#include "model/curve.hpp"
#include "model/measurement.hpp"

namespace feedrate::fit {

/// The rounds of a set, and the calibration that each belongs to. Calibrations of one host that
/// began less than a quarter of an hour after another one count as one with it: they saw the same
/// weather.
class Sampling {
 public:
  explicit Sampling(const std::vector<Round>& rounds);

  [[nodiscard]] std::size_t rounds() const { return calibration_of_.size(); }  ///< ≥ 1
  [[nodiscard]] std::size_t calibrations() const { return host_of_.size(); }
  [[nodiscard]] std::size_t calibration_of(std::size_t round) const;
  /// Of a joined set; "" of another.
  [[nodiscard]] const std::string& host_of(std::size_t calibration) const;

  /// A series' samples above 0 (others are of a clock too coarse), by round; rounds without any
  /// are left out.
  [[nodiscard]] std::vector<RoundSamples> samples_of(const Measurement& what) const;

 private:
  std::vector<std::size_t> calibration_of_;
  std::vector<std::string> host_of_;  ///< by calibration
};

/// What a fit found, by what it is of. A number is a curve of one point.
using FoundCurves = std::map<std::string, Curve<double>>;

/// The rounds and calibrations that a number stands on.
struct Units {
  std::set<std::size_t> rounds;
  std::set<std::size_t> calibrations;
};

/// The same fit without one round, or without one calibration, for each of them.
struct Refits {
  struct Without {
    std::size_t unit = 0;
    std::size_t stratum = 0;
    FoundCurves found;
  };
  std::vector<Without> rounds;
  std::vector<Without> calibrations;

  /// Relative error of what was found with everything. Fitting again without each round lets what
  /// several series share (a slow round is slow in all of them) count once, and cancel where a
  /// number is a ratio. Not there where that says nothing: of one round, or where no round matters.
  [[nodiscard]] std::optional<double> relative_error(const std::string& of,
                                                     const Curve<double>& whole,
                                                     const Units& units) const;
};

}  // namespace feedrate::fit
