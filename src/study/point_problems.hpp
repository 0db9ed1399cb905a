#pragma once
// Why points of a sweep have no result: each reason is told once, however many points have it.
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/errors.hpp"

namespace feedrate::study {

/// Keeps the first few reasons in the order of the points, whatever order they come in.
class PointProblems {
 public:
  void add(std::size_t point, const InputError& error);

  /// Number of points that have been added.
  [[nodiscard]] std::size_t count() const { return count_; }

  /// Throws InputError when all of `points` (at least one) have been added: it has each reason
  /// once, with the first point that has it; a single reason is said to hold for every point.
  /// `setting` returns the words for a point: "instances=8, epochs=2", or "".
  void throw_if_all(std::size_t points,
                    const std::function<std::string(std::size_t)>& setting) const;

 private:
  struct Reason {
    std::vector<Problem> problems;
    std::size_t first = 0;  ///< index of the first point that has it
  };

  std::size_t count_ = 0;
  bool more_ = false;  ///< there are more reasons than are kept
  std::vector<Reason> reasons_;
};

}  // namespace feedrate::study
