#pragma once
// What interruptions do to a job, or would do, as its result says it.
#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/resolve.hpp"

namespace feedrate::study {

/// Throws InputError where interruptions keep the job from ever ending.
void expect_an_end(const pipeline::Outcome& outcome);

/// Fills `result.interruptions` where interruptions are simulated or blocks are booked, and adds
/// the remarks about them; for other jobs, adds a remark on what is left out. Throws as
/// expect_an_end(). `stretch` of the epochs: what the events that are stated take over the mean.
void report_interruptions(Result& result, const Scenario& scenario, const Catalog& catalog,
                          const HostProfile* host, const resolve::Resolved& resolved,
                          const pipeline::Outcome& outcome, double stretch = 1.0);

}  // namespace feedrate::study
