#pragma once
// How wrong the predictions of measured cases are. All cases count, whether or not they state a
// tolerance.
#include <span>

#include "model/case_result.hpp"

namespace feedrate::study {

/// Summary of the cases of all these scenarios together; the scenarios' own `summary` is not read.
CaseSummary summary_of(std::span<const ScenarioCases> scenarios);

/// The bars that good predictions pass.
struct Bars {
  double max_error = 0.1;     ///< mean absolute error
  double min_coverage = 0.8;  ///< share of measured figures inside their 90 % interval
  /// With fewer measured figures that share is mostly chance, and is not judged.
  static constexpr std::size_t least_banded = 20;
};

/// Whether the predictions pass the bar on coverage.
bool covers(const CaseSummary& summary, const Bars& bars);
/// Whether the predictions pass both bars.
bool holds(const CaseSummary& summary, const Bars& bars);

}  // namespace feedrate::study
