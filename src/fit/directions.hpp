#pragma once
// What measurements tell of unknowns and what they cannot: singular values of their slopes.
#include <span>
#include <vector>

#include "fit/least_squares.hpp"
#include "fit/unknowns.hpp"

namespace feedrate::fit {

struct Directions {
  std::vector<Tangle> tangles;
  std::vector<bool> tangled;       ///< of each unknown: it is in one of them
  std::vector<double> deviations;  ///< standard errors of the coordinates along what is fixed, for
                                   ///< residuals of deviation 1
  /// Of each unknown the part of `deviations` squared that comes from each measurement.
  Rows variances;
  std::vector<double> leaning;  ///< how much of each unknown is in open directions, 0 … 1
  Rows open;  ///< one of each direction that no prediction tells: unit vectors, a row each
  [[nodiscard]] std::size_t fixed() const { return deviations.size() - open.size(); }
};

/// `slopes`: of the residuals, each over its error; `errors`: those. A direction is open where a
/// large step along it changes no prediction by more than a five-hundredth.
Directions directions_of(const Rows& slopes, std::span<const double> errors, std::size_t unknowns);

/// Whether the slopes without row i leave directions open along which row i changes.
bool alone_fixes(const Rows& slopes, std::span<const double> errors, std::size_t i,
                 std::size_t unknowns);

/// Slopes' transpose times slopes.
Rows normal_of(const Rows& slopes, std::size_t unknowns);

/// Standard errors from an information matrix and a wide prior on each coordinate: that of an even
/// spread over `widths`.
std::vector<double> deviations_of(const Rows& information, std::span<const double> widths);

}  // namespace feedrate::fit
