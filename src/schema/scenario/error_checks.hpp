#pragma once
// Whether the numbers that have an error are some that runs can draw.
#include "model/scenario.hpp"
#include "schema/record/codec.hpp"

namespace feedrate::schema {

/// Complains of each key of "errors" that leads to a key of the scenario, but to no number that may
/// have an error, or to none that is given.
void check_errors(const Scenario& scenario, const JsonValue& errors, Reading& r);

}  // namespace feedrate::schema
