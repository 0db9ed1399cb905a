#pragma once
// Advice as JSON.
#include <string>

#include "model/advice.hpp"

namespace feedrate::schema {

/// `advise --format json`; `name` and `file` are the scenario's.
std::string write_advice(const Advice& advice, const std::string& name, const std::string& file);

/// What `feedrate schema advice` prints for readers.
std::string advice_manual();
/// JSON Schema (2020-12) of it.
std::string advice_json_schema();

}  // namespace feedrate::schema
