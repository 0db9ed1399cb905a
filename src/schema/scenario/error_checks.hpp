#pragma once
// Whether the numbers that have an error are some that runs can draw.
#include <string_view>

#include "model/scenario.hpp"
#include "schema/record/codec.hpp"

namespace feedrate::schema {

/// Whether it is a JSON pointer, and names an operation by its place, "/preprocess/0/cpu": which
/// one is meant must not hang on what it is called.
bool is_by_place(std::string_view key);

/// Complains of each key of "errors" that leads to a key of the scenario, but to no number that may
/// have an error, or to none that is given; not of those that are not by place.
void check_errors(const Scenario& scenario, const JsonValue& errors, Reading& r);

}  // namespace feedrate::schema
