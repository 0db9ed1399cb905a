#pragma once
// What is exported of a result, read out of its JSON.
#include "model/exported.hpp"
#include "schema/json/json_reader.hpp"

namespace feedrate::schema {

/// Whether a document is one that `run` or `sweep` writes with --format json.
bool is_result(const JsonValue& root);
/// The figures of such a document. InputError where it lacks what these have.
Exported read_exported(const JsonPtr& root);

}  // namespace feedrate::schema
