#pragma once
// Uncertainty: the job again and again with drawn parameters and times.
#include <cstdint>
#include <functional>
#include <string>

#include "model/result.hpp"
#include "study/run.hpp"

namespace feedrate::study {

/// `options.replications` means of jobs whose uncertain inputs are drawn: measured ones lognormally
/// about their level, with one drift a group, assumed ones from their ranges (where
/// `options.guesses`); and each at a place in its own variability.
/// Bands::replications says how many were drawn before `options.enough`.
Bands replicate(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                const RunOptions& options);

/// Calls `draw` with the number of each replication's stream of random numbers, from 1 on, as many
/// as `options` want: at least one, fewer than asked for where options.enough says so. How many.
int each_replication(const RunOptions& options, const std::function<void(std::uint64_t)>& draw);

/// The share of those same jobs that end within `deadline`.
double share_in_time(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                     const RunOptions& options, Duration deadline);

}  // namespace feedrate::study
