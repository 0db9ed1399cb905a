#pragma once
// What `validate --format json` prints.
#include <string>

#include "model/case_result.hpp"

namespace feedrate::schema {

struct DocumentKind;

/// {"feedrate", "kind": "validation", "schema", "profile", "measured", "validation": {…}, "cases":
/// […]}. What an error is: model/case_result.hpp.
std::string write_validation(const ScenarioCases& of, const std::string& profile);

extern const DocumentKind validation_document;

}  // namespace feedrate::schema
