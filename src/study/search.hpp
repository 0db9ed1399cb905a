#pragma once
// "largest KEY in A..B with METRIC >= X": read, and answered.
#include <string>
#include <string_view>

#include "catalog/catalog.hpp"
#include "model/host.hpp"
#include "model/search.hpp"
#include "study/run.hpp"
#include "study/setting.hpp"

namespace feedrate::study {

/// How a search is written, for messages and manuals.
inline constexpr std::string_view search_form = "largest KEY in A..B with METRIC >= X";

/// Whether the text asks for a search rather than for a figure.
bool is_search(std::string_view text);

/// (largest | smallest) KEY in A..B with CONDITION, where A and B are whole numbers from 0 to 1e9,
/// A ≤ B, and CONDITION is a limit of thresholds.hpp on a figure itself ("gpu_busy >= 90%", "hours
/// <= 24", "bottleneck is gpu"). Whether there is such a key is found out by who sets it.
/// InputError with all problems, each at `pointer`.
Search parse_search(std::string_view text, const std::string& pointer);

/// The largest (smallest) value in the range for which the condition holds in `with` and the key
/// set to it. Nothing is taken to be monotone: the first 64 values of the range are all simulated,
/// further ones at distances of an eighth, and where the condition changes between two of these the
/// place is found by bisection; what contradicts the answer becomes its exception. With
/// options.exact values lie farther apart. A value that makes no scenario that can be simulated
/// does not hold. With options.replications, so many draws of the uncertain inputs are each
/// searched near the answer for the band; only conditions on banded_figures have one.
/// InputError where no value makes one, or where the results have no such figure.
SearchAnswer search(const Search& search, const Setting& with, const MakeScenario& make,
                    const Catalog& catalog, const HostProfile* host, const RunOptions& options);

}  // namespace feedrate::study
