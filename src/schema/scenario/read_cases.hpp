#pragma once
// The measured cases of a scenario, which can be read though the rest of it cannot.
#include <vector>

#include "schema/scenario/scenario.hpp"

namespace feedrate::schema {

/// Of the document as it was written, as far as they can be read: what cannot is read_scenario's to
/// tell.
std::vector<Case> read_cases(const Document& document);

}  // namespace feedrate::schema
