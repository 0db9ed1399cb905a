#pragma once
// What the parts of optimize() share: what all points come to, in little memory, and their order.
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "study/optimize.hpp"

namespace feedrate::study {

/// To 40 bits, which is twelve digits: what differs in its last bits only is equal.
double without_last_bits(double value);

/// What is minimized, then the others, rounded: the least comes first.
using Rank = std::array<double, 3>;
Rank rank_of(const Outlay& outlay, Minimized minimized);

/// Whatever ranks behind this is further than alike_share from `rank`.
Rank end_of_alike(const Rank& rank);

/// What a scenario comes to: of the mean in closed form, or with options.exact of events.
Outlay outlay_of(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                 const RunOptions& options);

/// All points of a grid, simulated.
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
  /// The first of the points of least rank among those that keep the constraints and, where
  /// `beyond` is given, rank behind it; empty where there are none.
  [[nodiscard]] std::optional<std::size_t> first(const Constraints& constraints,
                                                 const std::optional<Rank>& beyond = {}) const;

 private:
  const Axes* axes_;
  const OptimizeOptions* options_;
  std::vector<Outlay> outlays_;  ///< a time that is no number: no result
};

/// By how much the point misses the constraints, as a share of them; 0: it keeps them.
double excess(const Outlay& outlay, const Constraints& constraints);

/// All that is said of the best point. `first` ranks least of those that keep the constraints.
Winner winner_of(const Field& field, std::size_t first, const Catalog& catalog,
                 const HostProfile* host);

/// Where a range ends at the best point and another step would have paid.
std::vector<RangeEnd> range_ends(const Field& field, std::size_t best, const Catalog& catalog,
                                 const HostProfile* host);

/// How often the best point stays the best; empty where nothing else has a result.
std::optional<Chances> chances_of(const Field& field, std::size_t best, const Catalog& catalog,
                                  const HostProfile* host);

}  // namespace feedrate::study
