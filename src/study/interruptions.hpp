#pragma once
// What interruptions do to a job, or would do, for its result.
#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/resolve.hpp"

namespace feedrate::study {

/// Throws InputError where the job would in effect never end.
void expect_an_end(const pipeline::Outcome& outcome);

/// Fills `result.interruptions` where any are counted, or blocks are booked, with the remarks that
/// belong to them; and says of a job without them what it leaves out. Throws as above.
void report_interruptions(Result& result, const Scenario& scenario, const Catalog& catalog,
                          const HostProfile* host, const resolve::Resolved& resolved,
                          const pipeline::Outcome& outcome);

}  // namespace feedrate::study
