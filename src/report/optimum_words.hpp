#pragma once
// Phrases of the report of an optimum.
#include <string>
#include <utility>
#include <vector>

#include "model/optimum.hpp"

namespace feedrate::report {

/// "2.5 h, $31.00", and the total where hours have a value.
std::string outlay_words(const Optimum& optimum, const Outlay& outlay);

/// What differs, and how: "num_workers 4 instead of 3"; "" where nothing does.
std::string instead_words(const Candidate& point, const Candidate& than);

/// "$0.41 more expensive (+3.2 %), 12 min faster": what is minimized first.
std::string beside_words(const Optimum& optimum, const Outlay& outlay, const Outlay& than);

/// "lowest total cost", "shortest time".
std::string least_words(const Optimum& optimum);

/// " of the 40 of 100 points that meet the deadline of 3 h".
std::string feasible_words(const Optimum& optimum);

/// Why no point is feasible, and which comes nearest. Precondition: there is no winner.
std::string no_winner_words(const Optimum& optimum);

}  // namespace feedrate::report
