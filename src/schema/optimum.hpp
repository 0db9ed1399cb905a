#pragma once
// An optimum as JSON.
#include <string>

#include "model/optimum.hpp"

namespace feedrate::schema {

/// `optimize --format json`: {"feedrate", "kind": "optimum", "schema", "scenario", "minimized", …,
/// "winner"}; `name` and `file` are the scenario's. What does not apply is null.
std::string write_optimum(const Optimum& optimum, const std::string& name, const std::string& file);

/// What `feedrate schema optimum` prints for readers.
std::string optimum_manual();
/// JSON Schema (2020-12) of it.
std::string optimum_json_schema();

}  // namespace feedrate::schema
