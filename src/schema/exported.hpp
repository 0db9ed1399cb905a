#pragma once
// Figures by name, read out of a result's JSON and written flat.
#include <string>

#include "model/exported.hpp"
#include "schema/json_reader.hpp"

namespace feedrate::schema {

/// Whether a document is one that `run` or `sweep` writes with --format json.
bool is_result(const JsonValue& root);
/// The figures of such a document. InputError where it lacks what these have.
Exported read_exported(const JsonPtr& root);

/// {"kind": "figures", "scenario", "points": [{"set", "instance", FIGURE: number or null, …,
/// "STAGE.FIGURE": …}]}.
std::string write_exported(const Exported& exported);

std::string figures_manual();
std::string figures_json_schema();

}  // namespace feedrate::schema
