#pragma once
// Suggestions for misspelt names.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

/// The candidate nearest to `word` by edit distance with transpositions (case ignored), or "" when
/// none is near enough to be meant (more than a third of the letters differ). Where none is, the
/// only candidate of which `word`, in the singular or the plural, is a part between hyphens,
/// underscores or dots ("azure" of "azure-blob"), if there is just one.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// The `most` candidates that differ least from `word` in their spelling, the nearest first,
/// however far it is from all; none for what is too long to be a name.
std::vector<std::string> nearest_of_all(std::string_view word,
                                        std::span<const std::string> candidates, std::size_t most);

/// ` (did you mean "x"?)`, or "" without a candidate. Of several of which `word` is a part it names
/// the first four.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace feedrate
