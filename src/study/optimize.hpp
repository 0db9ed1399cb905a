#pragma once
// The best of up to a million settings, each simulated.
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/optimum.hpp"
#include "study/run.hpp"
#include "study/setting.hpp"
#include "study/sweep.hpp"

namespace feedrate::study {

/// A grid, and what its settings make of a scenario.
struct Axes : Grid {
  /// The scenario of a point. Called from several threads; an InputError of it ends the search and
  /// names the point by itself.
  std::function<Scenario(std::size_t point)> scenario;
  /// Makes any other setting of the same scenario.
  MakeScenario make;
};

struct OptimizeOptions {
  Minimized minimized = Minimized::total;
  Constraints constraints;
  RunOptions run;   ///< for the best point; the others take only `exact` and `seed` from it
  int draws = 100;  ///< number of draws of the uncertain inputs
  int jobs = 0;     ///< threads, 0: one per hardware thread; no result depends on it
};

/// The point with the smallest value of what is minimized among those that keep the constraints; of
/// equal ones that with the smallest other values, then that which changes the fewest keys, then
/// the first. Values that agree to twelve digits are equal. Points whose step is a guess at
/// their batch win only where all that keep the constraints are. Where options.run asks for events,
/// the best are simulated by them and choose among themselves. Uses 32 bytes of memory per point.
/// Points that cannot be simulated or priced are counted; InputError where none can.
Optimum optimize(const Axes& axes, const Catalog& catalog, const HostProfile* host,
                 const OptimizeOptions& options, const SweepProgress& progress = {});

}  // namespace feedrate::study
