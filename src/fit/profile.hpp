#pragma once
// Measurements → host profile. bench/README.md lists the quantities that are understood.
#include <vector>

#include "model/drift.hpp"
#include "model/fit_line.hpp"
#include "model/host.hpp"
#include "model/measurement.hpp"

namespace feedrate::fit {

struct FittedProfile {
  HostProfile profile;              ///< a section only where something was measured
  std::vector<FitLine> lines;       ///< what was found, in the order of the path of the data
  std::vector<Drift> drifts;        ///< a group each that was measured
  std::vector<HostBeside> hosts{};  ///< of a joined set
};

/// Every number carries the probe, the date and the standard error of its level: of its rounds
/// among each other, where there are several. How far the machine drifts comes on top. What a
/// reader must doubt (under four points, a spread or a miss over 20 %, residuals with a shape)
/// stands in the lines' warnings and in the profile's remarks. The profile of a joined set is that
/// of any of its hosts: drifts hold how far they differ; slow hosts are named and not in it.
FittedProfile fit_profile(const MeasurementSet& set);

}  // namespace feedrate::fit
