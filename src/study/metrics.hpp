#pragma once
// The figures of a result by name, for cases and thresholds.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace feedrate::study {

/// All names, in the order in which they are documented; `stall_s.STAGE` for each stage.
std::vector<std::string> metric_names();

/// The figure called `name`; empty when there is no such name or the result has no such figure.
/// "bottleneck is STAGE" is 1 or 0.
std::optional<double> metric(const Result& result, std::string_view name);

/// Its 5 %, 50 % and 95 % quantiles over the draws; empty where there are none of it.
std::optional<Band> metric_band(const Result& result, std::string_view name);

}  // namespace feedrate::study
