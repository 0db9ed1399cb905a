#pragma once
// A number that is assumed, and its range: a row of the list in assumptions.hpp.
#include <string_view>

#include "resolve/priors.hpp"

namespace feedrate::resolve {

/// SI base units. `low` and `high` hold nearly all that was seen or can be expected; half of what
/// is drawn lies on either side of the value, which is therefore in the middle of what the range
/// does to a job, and never an end of it. Rows of two studies or more are learned (from_studies);
/// what has fewer is engineering judgement, says so, and is wide.
struct Assumption {
  std::string_view key;  ///< JSON pointer that sets it, or a name where none does
  double value = 0.0;    ///< a factor on what other inputs say, where it depends on them
  double low = 0.0;
  double high = 0.0;
  std::string_view why;    ///< why this value
  std::string_view range;  ///< what the range is taken from
  std::string_view probe;  ///< probe of `feedrate calibrate` that would measure it; "" for none
  int studies = 0;         ///< that the value and its range were learned from
  std::string_view prior = "";  ///< row of resolve/priors.hpp; "" for none

  /// The number that a draw u, 0 ≤ u ≤ 1, stands for: `low` at 0, `value` at 1/2, `high` at 1. In
  /// between it rises linearly, or by equal factors where all three are above 0.
  [[nodiscard]] double at(double u) const;
};

/// A row that bench/evidence/priors has learned.
constexpr Assumption from_studies(std::string_view key, const Prior& prior, std::string_view why,
                                  std::string_view probe) {
  return {key,         prior.value, prior.low,     prior.high, why,
          prior.which, probe,       prior.studies, prior.name};
}

/// The assumption where no host profile is asked, so that no probe would help.
constexpr Assumption unmeasured(Assumption assumption) {
  assumption.probe = "";
  return assumption;
}

}  // namespace feedrate::resolve
