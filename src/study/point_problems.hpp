#pragma once
// Why points of a sweep have no result: each reason once, however many points have it.
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

  /// Points that have been added.
  [[nodiscard]] std::size_t count() const { return count_; }

  /// InputError when all of `points` have been added, of which there is at least one: each reason
  /// once, with the first point that has it; a single reason is said of every point. `setting`
  /// gives a point's words: "instances=8, epochs=2", "" for none.
  void throw_if_all(std::size_t points,
                    const std::function<std::string(std::size_t)>& setting) const;

 private:
  struct Reason {
    std::vector<Problem> problems;
    std::size_t first = 0;  ///< point that has it
  };

  std::size_t count_ = 0;
  bool more_ = false;  ///< reasons than are kept
  std::vector<Reason> reasons_;
};

}  // namespace feedrate::study
