#pragma once
// Contradictions in a scenario that can be seen without a catalogue.
#include "model/scenario.hpp"
#include "schema/record/codec.hpp"

namespace feedrate::schema {

/// Adds to `r.problems`. `complete` tells that every key was read without a complaint; only then
/// is something missing worth reporting.
void check_scenario(const Scenario& scenario, const JsonValue& root, bool complete, Reading& r);

/// Lets prices be read in the currency whose rate the root states, where it states one.
void accept_currency(const JsonValue& root, Reading& r);

}  // namespace feedrate::schema
