#pragma once
// The measured cases of a scenario, which can be read though the rest of it cannot.
#include <span>
#include <vector>

#include "schema/record/codec.hpp"
#include "schema/scenario/scenario.hpp"

namespace feedrate::schema {

/// Of the document as it was written, as far as they can be read: what cannot is read_scenario's to
/// tell.
std::vector<Case> read_cases(const Document& document);

/// Complains of measured figures that cannot be: shares that are percentages without their sign,
/// times and rates below 0, and what contradicts its own repeats. `list`: the cases as written.
void check_measured(std::span<const Case> cases, const JsonValue& list, Reading& r);

}  // namespace feedrate::schema
