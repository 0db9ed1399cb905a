#pragma once
// Too few workers, or exhausted cores? Decided by simulating other numbers of workers.
#include <optional>

#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"
#include "resolve/resolve.hpp"

namespace feedrate::study {

/// Whether the stage that gains most is the work of the loader's workers or threads.
bool is_a_matter_of_workers(const Result& result, const Scenario& scenario);

/// Whether the GPUs wait for the download mostly before training, which workers have no part in.
bool downloads_before_training(const Result& result);

/// The most workers for each GPU that are worth a try: twice the hardware threads of its share of
/// the instance, or twice what the scenario has.
double most_workers_tried(const resolve::Resolved& resolved);

/// Numbers of workers that the instance has memory for, up to most_workers_tried(). An inline
/// loader is tried as a pytorch one. `base` is its time with its own number.
OtherWorkers try_workers(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                         const resolve::Resolved& resolved, Duration base);

/// Whether other workers do at least half of what the bottleneck made twice as fast would do: then
/// it is they who are few, and not what they use that is exhausted.
bool too_few_workers(const Bottleneck& bottleneck);

}  // namespace feedrate::study
