#pragma once
// What `validate --format json` prints.
#include <string>

#include "model/case_result.hpp"

namespace feedrate::schema {

/// {"feedrate", "kind": "validation", "schema", "profile", "measured", "validation": {…}, "cases":
/// […]}. Errors are relative: predicted/measured − 1.
std::string write_validation(const ScenarioCases& of, const Validation& validation,
                             const std::string& profile);

}  // namespace feedrate::schema
