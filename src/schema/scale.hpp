#pragma once
// The scaling of a job as JSON.
#include <string>

#include "model/scale.hpp"

namespace feedrate::schema {

/// `scale --format json`: {"feedrate", "kind": "scale", "schema", "scenario": {name, file}, …,
/// "curves": […]}; what was not asked for or does not apply is null.
std::string write_scaling(const Scaling& scaling, const std::string& name, const std::string& file);

std::string scale_manual();
std::string scale_json_schema();

}  // namespace feedrate::schema
