#pragma once
// What `validate --format json` prints.
#include <string>

#include "model/case_result.hpp"

namespace feedrate::schema {

/// {"feedrate", "kind": "validation", "schema", "profile", "measured", "validation": {…}, "cases":
/// […]}. What an error is: model/case_result.hpp.
std::string write_validation(const ScenarioCases& of, const std::string& profile);

}  // namespace feedrate::schema
