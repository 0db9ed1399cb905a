#pragma once
// The keys of a document that is only written, explained to people and to editors.
#include <string>
#include <string_view>

#include "schema/json_writer.hpp"
#include "schema/key.hpp"

namespace feedrate::schema {

/// A line a key: name and meaning, those of an object indented below it.
std::string written_manual(const Key& root);

/// The JSON Schema of what `command` prints with --format json.
std::string written_json_schema(const Key& root, std::string_view title, std::string_view command);

/// "properties" and "required" of an object's JSON Schema: all keys are always written.
/// Precondition: inside that object.
void write_written_properties(const Key& root, JsonWriter& out);

}  // namespace feedrate::schema
