#pragma once
// An optimum as JSON.
#include <string>

#include "model/optimum.hpp"

namespace feedrate::schema {

struct DocumentKind;

/// `optimize --format json`: {"feedrate", "kind": "optimum", "schema", "scenario", "minimized", …,
/// "winner"}; `name` and `file` are the scenario's. What does not apply is null.
std::string write_optimum(const Optimum& optimum, const std::string& name, const std::string& file);

extern const DocumentKind optimum_document;

}  // namespace feedrate::schema
