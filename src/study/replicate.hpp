#pragma once
// Uncertainty: the job again and again with drawn parameters and times.
#include "model/result.hpp"
#include "study/run.hpp"

namespace feedrate::study {

/// `options.replications` means of jobs whose uncertain inputs are drawn: measured ones lognormally
/// about their level, with one drift a group, assumed ones from their ranges (where
/// `options.guesses`); and each at a place in its own variability.
Bands replicate(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                const RunOptions& options);

/// The share of those same jobs that end within `deadline`.
double share_in_time(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                     const RunOptions& options, Duration deadline);

}  // namespace feedrate::study
