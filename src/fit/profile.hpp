#pragma once
// Measurements → host profile. bench/README.md lists the quantities that are understood.
#include <vector>

#include "model/fit_line.hpp"
#include "model/host.hpp"
#include "model/measurement.hpp"

namespace feedrate::fit {

struct FittedProfile {
  HostProfile profile;         ///< a section only where something was measured
  std::vector<FitLine> lines;  ///< what was found, in the order of the path of the data
};

/// Every number carries the probe, the date and a standard error from its samples. What a reader
/// must doubt (under four points, a spread or a miss over 20 %, residuals with a shape) stands in
/// the lines' warnings and in the profile's remarks.
FittedProfile fit_profile(const MeasurementSet& set);

}  // namespace feedrate::fit
