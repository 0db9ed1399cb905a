#pragma once
// Which uncertain inputs decide between the points of a sweep, and what knowing them is worth.
#include <optional>
#include <span>

#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/sweep.hpp"
#include "study/sweep.hpp"

namespace feedrate::study {

/// Expected value of perfect information (Raiffa and Schlaifer 1961): the least expected cost less
/// the expected least cost. It is computed for all uncertain inputs together, and for the inputs of
/// each probe, or each input that no probe measures, with all others at their stated values. All
/// points share each draw of an input. `sweep` holds the results of `inputs`, with their inputs
/// listed. Points without a result are not compared; empty with fewer than two that have one.
/// Without `worth_knowing` only the choice is looked at.
std::optional<Decision> decide(const Sweep& sweep, std::span<const SweepInput> inputs,
                               const Catalog& catalog, const HostProfile* host, std::uint64_t seed,
                               bool worth_knowing = true);

}  // namespace feedrate::study
