#pragma once
// What the reports of a sweep say of its points.
#include <cstddef>
#include <string>

#include "model/sweep.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// The fastest and the cheapest point in a sentence. Precondition: at least one point.
Paragraph sweep_headline(const Sweep& sweep);

/// "fastest, cheapest, Pareto": what holds for point `i`.
std::string sweep_marks(const Sweep& sweep, std::size_t i);

}  // namespace feedrate::report
