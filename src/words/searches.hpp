#pragma once
// "largest KEY in A..B with METRIC >= X", as people write it.
#include <string>
#include <string_view>

#include "model/search.hpp"

namespace feedrate::words {

/// How a search is written, for messages and manuals.
inline constexpr std::string_view search_form = "largest KEY in A..B with METRIC >= X";

/// Whether the text asks for a search rather than for a figure.
bool is_search(std::string_view text);

/// (largest | smallest) KEY in A..B with CONDITION, where A and B are whole numbers from 0 to 1e9,
/// A ≤ B, and CONDITION is a limit of limits.hpp on a figure itself ("gpu_busy >= 90%", "hours <=
/// 24", "bottleneck is gpu"). Whether there is such a key is found out by who sets it. InputError
/// with all problems, each at `pointer`.
Search parse_search(std::string_view text, const std::string& pointer);

}  // namespace feedrate::words
