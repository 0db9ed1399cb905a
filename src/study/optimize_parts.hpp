#pragma once
// What the parts of optimize() share: time and cost of all points, in little memory, and their
// order.
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "study/optimize.hpp"

namespace feedrate::study {

/// `value` rounded to 40 bits, or twelve digits, so that values that differ only in their last bits
/// become equal.
double without_last_bits(double value);

/// The rounded values by which points are ordered, what is minimized first: the smallest is best.
using Rank = std::array<double, 3>;
Rank rank_of(const Outlay& outlay, Minimized minimized);

/// The rank behind which points differ from `rank` by more than alike_share.
Rank end_of_alike(const Rank& rank);

/// Time and cost of a scenario: of the mean in closed form, or with options.exact or events as `run`
/// states them.
Outlay outlay_of(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                 const RunOptions& options);

/// The outlays of all points of a grid.
class Field {
 public:
  Field(const Axes& axes, const OptimizeOptions& options) : axes_(&axes), options_(&options) {
    outlays_.resize(axes.size());
  }

  /// Precondition: no other thread sets the same point.
  void set(std::size_t point, const Outlay& outlay) { outlays_[point] = outlay; }
  void set_unanswered(std::size_t point);

  [[nodiscard]] std::size_t size() const { return outlays_.size(); }
  [[nodiscard]] const Axes& axes() const { return *axes_; }
  [[nodiscard]] const OptimizeOptions& options() const { return *options_; }
  [[nodiscard]] const Outlay& operator[](std::size_t point) const { return outlays_[point]; }
  [[nodiscard]] bool answered(std::size_t point) const;
  /// Whether the point has a result that keeps the constraints.
  [[nodiscard]] bool feasible(std::size_t point, const Constraints& constraints) const;
  [[nodiscard]] bool feasible(std::size_t point) const {
    return feasible(point, options_->constraints);
  }
  [[nodiscard]] Rank rank(std::size_t point) const {
    return rank_of(outlays_[point], options_->minimized);
  }
  [[nodiscard]] Candidate candidate(std::size_t point) const {
    return {point, axes_->at(point), outlays_[point]};
  }
  /// Where some points with a measured step keep the constraints: points whose step is a guess no
  /// longer do.
  void set_guesses_aside();
  /// Likewise of those whose bill lacks a price, where money is minimized or limited.
  void set_unpriced_aside();
  /// The first of the points of least rank among those that keep the constraints and, where
  /// `beyond` is given, rank behind it; empty where there are none.
  [[nodiscard]] std::optional<std::size_t> first(const Constraints& constraints,
                                                 const std::optional<Rank>& beyond = {}) const;

 private:
  const Axes* axes_;
  const OptimizeOptions* options_;
  bool guesses_aside_ = false;
  bool unpriced_aside_ = false;
  std::vector<Outlay> outlays_;  ///< not a number as a time: no result
};

/// By how much the point misses the constraints, as a share of them; 0 where it keeps them.
double excess(const Outlay& outlay, const Constraints& constraints);

/// The best point with all that is reported of it: by the mean, unless the events of the best by it
/// choose another. `first` is the first point of the smallest rank among those that keep the
/// constraints.
Winner winner_of(const Field& field, std::size_t first, const Catalog& catalog,
                 const HostProfile* host);

/// The share of draws in which the best point stays the best; empty where no other point has a
/// result.
std::optional<Chances> chances_of(const Field& field, std::size_t best, const Catalog& catalog,
                                  const HostProfile* host);

}  // namespace feedrate::study
