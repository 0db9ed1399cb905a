#pragma once
// One scenario at many settings.
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "model/sweep.hpp"
#include "study/run.hpp"
#include "study/setting.hpp"

namespace feedrate::study {

struct SweepInput {
  Setting set;
  Scenario scenario;
};

/// Called with (points done, points in all), from one thread at a time.
using SweepProgress = std::function<void(std::size_t, std::size_t)>;

/// Every point, `jobs` at a time (0: one a hardware thread); the result does not depend on `jobs`.
/// A point that cannot be simulated or priced keeps its problems and stands out in nothing; where
/// none can, throws what PointProblems makes of them.
Sweep sweep(std::span<const SweepInput> inputs, const Catalog& catalog, const HostProfile* host,
            const RunOptions& options, int jobs = 0, const SweepProgress& progress = {});

/// The same of points that are simulated already, in the order of the sweep.
Sweep swept(std::vector<SweepPoint> points);

/// Says which points meet the constraints, if there are any.
void hold_against(Sweep& sweep, const Constraints& constraints);

/// The sweep without the points that have no result, their places in its lists told anew.
Sweep answered(const Sweep& sweep);

/// Indices of results that no other beats in both time and total cost, by ascending time;
/// points without a result are none.
std::vector<std::size_t> pareto_set(std::span<const SweepPoint> points);

}  // namespace feedrate::study
