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

/// What has to be known of points of which this is the first, with these settings: data that is in
/// no region in particular is in that of each job, and never crosses from one to another. "" for
/// nothing.
std::string data_follows(const Scenario& first, std::span<const Setting> settings);

/// Likewise of points that spread the model over other numbers of GPUs, each with the scenario's
/// own batch of a replica: they train on other numbers of samples in a step. "" where none do.
std::string batch_follows(std::span<const Setting> settings);
/// The same of all values that a grid has.
std::string batch_follows(const Grid& grid);

/// Called with (points done, points in all), from one thread at a time.
using SweepProgress = std::function<void(std::size_t, std::size_t)>;

/// Simulates every point, `jobs` at a time (0: one per hardware thread); the result does not depend
/// on `jobs`. A point that cannot be simulated or priced keeps its problems, and is never the
/// fastest, the cheapest or the like; where no point can be, throws as PointProblems::throw_if_all.
Sweep sweep(std::span<const SweepInput> inputs, const Catalog& catalog, const HostProfile* host,
            const RunOptions& options, int jobs = 0, const SweepProgress& progress = {});

/// The sweep of points that are simulated already, in this order.
Sweep swept(std::vector<SweepPoint> points);

/// Records the constraints, how many points meet them, and the cheapest of those.
void hold_against(Sweep& sweep, const Constraints& constraints);

/// The sweep without the points that have no result, with the indices in its lists adjusted.
Sweep answered(const Sweep& sweep);

}  // namespace feedrate::study
