#pragma once
// Suggestions for misspelt names.
#include <span>
#include <string>
#include <string_view>

namespace feedrate {

/// The candidate nearest to `word` by edit distance with transpositions (case ignored), or "" when
/// none is near enough to be meant (more than a third of the letters differ). Where none is, the
/// only candidate of which `word`, in the singular or the plural, is a part between hyphens,
/// underscores or dots ("azure" of "azure-blob"), if there is just one.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// ` (did you mean "x"?)`, or "" without a candidate. Of several of which `word` is a part it names
/// the first four.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace feedrate
