#pragma once
// The keys of a document that is only written, explained to people and to editors.
#include <string>

#include "schema/json_writer.hpp"
#include "schema/key.hpp"

namespace feedrate::schema {

/// A line a key: name and meaning, those of an object indented below it.
std::string written_manual(const Key& root);

/// "properties" and "required" of an object's JSON Schema: all keys are always written.
/// Precondition: inside that object.
void write_written_properties(const Key& root, JsonWriter& out);

}  // namespace feedrate::schema
