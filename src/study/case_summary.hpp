#pragma once
// How wrong the predictions of measured cases are, all of them: a case that states no tolerance
// counts as one that does.
#include <span>

#include "model/case_result.hpp"

namespace feedrate::study {

/// Of the cases of all these scenarios together; their own `summary` is not looked at.
CaseSummary summary_of(std::span<const ScenarioCases> scenarios);

/// What predictions must hold to be called good.
struct Bars {
  double max_error = 0.1;     ///< mean of the errors' sizes
  double min_coverage = 0.8;  ///< share of measured figures inside their 90 % interval
  /// With fewer measured figures their share in the intervals is chance.
  static constexpr std::size_t least_banded = 20;
};

bool covers(const CaseSummary& summary, const Bars& bars);
/// Both bars.
bool holds(const CaseSummary& summary, const Bars& bars);

}  // namespace feedrate::study
