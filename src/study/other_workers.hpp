#pragma once
// Whether there are too few workers or too few cores: decided by simulating other numbers of
// workers.
#include <optional>

#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"
#include "resolve/resolve.hpp"
#include "study/by_events.hpp"

namespace feedrate::study {

/// Whether the stage that gains most is the work of the loader's workers or threads.
bool is_a_matter_of_workers(const Result& result, const Scenario& scenario);

/// Whether the GPUs' waiting for the download lies mostly before training, where workers have no
/// part in it.
bool downloads_before_training(const Result& result);

/// Numbers of workers per GPU to try.
struct WorkersTried {
  double twice = 0.0;  ///< the hardware threads of its share of the instance, or what there are
  /// That, or where workers mostly wait twice as many as would keep all cores, the source or the
  /// GPU busy if none waited for another; no more than an epoch has work for.
  double most = 0.0;

  /// After `n`: within 3 % of it, beyond twice the hardware threads within 10 %.
  [[nodiscard]] double next(double n) const;
};
WorkersTried workers_tried(const resolve::Resolved& resolved);

/// Numbers of workers that the instance has memory for, from 1 to most that are tried. An inline
/// loader is tried as a pytorch one. `stated` is the job with its own number: where the events are
/// what is stated of it, or of the job with the number that the mean chooses, they choose.
OtherWorkers try_workers(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                         const resolve::Resolved& resolved, const Stated& stated);

/// Whether more workers gain at least half of what a bottleneck twice as fast would:
/// then there are too few workers, and what they use is not exhausted.
bool too_few_workers(const Bottleneck& bottleneck);

}  // namespace feedrate::study
