#pragma once
// The answer to "largest KEY in A..B with METRIC >= X" (words/searches.hpp).
#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/search.hpp"
#include "study/run.hpp"
#include "study/setting.hpp"

namespace feedrate::study {

/// The largest (smallest) value in the range for which the condition holds in `with` and the key
/// set to it. Nothing is taken to be monotone: the first 64 values of the range are all simulated,
/// further ones at distances of an eighth, and where the condition changes between two of these the
/// place is found by bisection; what contradicts the answer becomes its exception. From there on up
/// to 4,096 further ones are looked at, until 64 in a row do not hold. With options.exact values
/// lie farther apart. With options.events the answer is where the search goes on: from there to the
/// value that holds for the jobs as `run` states them. A value that makes no scenario that can be
/// simulated does not hold. With options.replications, so many draws of the uncertain inputs are
/// each searched near the answer for the band; only conditions on banded_figures have one.
/// InputError where no value makes one, or where the results have no such figure.
SearchAnswer search(const Search& search, const Setting& with, const MakeScenario& make,
                    const Catalog& catalog, const HostProfile* host, const RunOptions& options);

}  // namespace feedrate::study
