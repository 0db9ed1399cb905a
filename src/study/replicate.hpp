#pragma once
// Uncertainty: the job again and again with drawn parameters and times.
#include "model/result.hpp"
#include "study/run.hpp"

namespace feedrate::study {

/// `options.replications` runs. Parameters with a standard error are drawn lognormally; sizes and
/// step times too where the scenario gives a cv.
Bands replicate(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                const RunOptions& options);

}  // namespace feedrate::study
