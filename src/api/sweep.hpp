#pragma once
// What a sweep keeps, and what follows from its points together.
#include <cstddef>
#include <span>

#include "catalog/catalog.hpp"
#include "model/constraints.hpp"
#include "model/depth.hpp"
#include "model/host.hpp"
#include "model/sweep.hpp"
#include "study/sweep.hpp"

namespace feedrate::api {

/// Results that are kept whole, for text, JSON and Markdown: at some 33 kB each, a gigabyte.
inline constexpr std::size_t most_kept = 30'000;

/// Whether what a command recommends by the mean is simulated by its events first.
inline bool confirms(const Depth& depth) {
  return !depth.exact && !depth.mean;
}

study::RunOptions options_of_points(const Depth& depth, std::size_t points);

/// The sweep with what is worth knowing before one of its points is chosen, with which of them meet
/// the constraints, and with what the events choose. `depth` and `jobs` as of the points' own.
void conclude(Sweep& sweep, std::span<const study::SweepInput> points, const Catalog& catalog,
              const HostProfile* host, const Depth& depth, const Constraints& constraints,
              int jobs = 0);

}  // namespace feedrate::api
