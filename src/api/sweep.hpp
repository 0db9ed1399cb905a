#pragma once
// What a sweep keeps, and what follows from its points together.
#include <cstddef>
#include <cstdint>
#include <span>

#include "catalog/catalog.hpp"
#include "model/constraints.hpp"
#include "model/host.hpp"
#include "model/sweep.hpp"
#include "study/sweep.hpp"

namespace feedrate::api {

/// Results that are kept whole, for text, JSON and Markdown: at some 33 kB each, a gigabyte.
inline constexpr std::size_t most_kept = 30'000;

/// The sweep with what is worth knowing before one of its points is chosen, and with which of them
/// meet the constraints. `seed` as of the points' own draws.
void conclude(Sweep& sweep, std::span<const study::SweepInput> points, const Catalog& catalog,
              const HostProfile* host, std::uint64_t seed, const Constraints& constraints);

}  // namespace feedrate::api
