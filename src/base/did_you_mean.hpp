#pragma once
// Suggestions for misspelt names.
#include <span>
#include <string>
#include <string_view>

namespace feedrate {

/// The candidate nearest to `word` by edit distance with transpositions (case ignored), or "" when
/// none is near enough to be meant (more than a third of the letters differ). Where none
/// is, the only candidate of which `word` is a part between hyphens or underscores ("azure" of
/// "azure-blob"), if there is just one.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// ` (did you mean "x"?)`, or "" without a candidate.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace feedrate
