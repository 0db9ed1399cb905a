#pragma once
// Uncertainty: the job simulated repeatedly with drawn inputs and times.
#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "model/result.hpp"
#include "study/run.hpp"

namespace feedrate::study {

/// Bands over `options.replications` jobs whose uncertain inputs are drawn: measured ones from a
/// lognormal distribution about their level, with one drift per group, and, with `options.guesses`,
/// assumed ones from their ranges; each job also lies at a random place within its own variability.
/// Bands::replications says how many were drawn before `options.enough` ended it.
Bands replicate(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                const RunOptions& options);

/// The same where only these inputs are drawn, by their keys, and nothing of the job's own luck nor
/// of the model's error.
Bands replicate_inputs(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                       const RunOptions& options, const std::set<std::string, std::less<>>& drawn);

/// Calls `draw` for each replication with the number of its stream of random numbers, from 1 on.
/// Returns how many there were: at least one, and fewer than `options.replications` where
/// `options.enough` ended it.
int each_replication(const RunOptions& options, const std::function<void(std::uint64_t)>& draw);

/// The share of the jobs of replicate() that end within `deadline`.
double share_in_time(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                     const RunOptions& options, Duration deadline);

}  // namespace feedrate::study
