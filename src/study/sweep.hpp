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

namespace feedrate::study {

struct SweepInput {
  std::vector<std::pair<std::string, std::string>> set;  ///< KEY, VALUE
  Scenario scenario;
};

/// Called with (points done, points in all), from one thread at a time.
using SweepProgress = std::function<void(std::size_t, std::size_t)>;

/// Every point, `jobs` at a time (0: one a hardware thread); the result does not depend on `jobs`.
/// Throws the InputError of the first point that has one, with its setting named.
Sweep sweep(std::span<const SweepInput> inputs, const Catalog& catalog, const HostProfile* host,
            const RunOptions& options, int jobs = 0, const SweepProgress& progress = {});

/// The same problems, with the point that has them.
InputError at_point(const InputError& error, const SweepInput& input);

/// Indices of results that no other beats in both time and total cost, by ascending time.
std::vector<std::size_t> pareto_set(std::span<const SweepPoint> points);

}  // namespace feedrate::study
