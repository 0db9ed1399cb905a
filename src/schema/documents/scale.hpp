#pragma once
// The scaling of a job as JSON.
#include <string>

#include "model/scale.hpp"

namespace feedrate::schema {

struct DocumentKind;

/// `scale --format json`: {"feedrate", "kind": "scale", "schema", "scenario": {name, file}, …,
/// "curves": […]}; what was not asked for or does not apply is null.
std::string write_scaling(const Scaling& scaling, const std::string& name, const std::string& file);

extern const DocumentKind scale_document;

}  // namespace feedrate::schema
