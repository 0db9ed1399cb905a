#pragma once
// The keys of a file format, explained to people and to editors.
#include <cstddef>
#include <string>
#include <string_view>

#include "schema/record/key.hpp"

namespace feedrate::schema {

class JsonWriter;

/// `words` in lines that end before column 100, all but the first indented by `indent` columns,
/// which the first is taken to have already.
std::string wrapped(std::string_view words, std::size_t indent);

/// `introduction`, then the keys by section: name, what it takes, what it means, its default.
std::string manual_text(const Key& root, std::string_view introduction);

/// What a JSON Schema says of the keys of an object. Precondition: inside that object.
void properties(const Key& key, JsonWriter& out);

/// JSON Schema (2020-12) of the object that `root` describes.
std::string json_schema(const Key& root, std::string_view title, std::string_view description);

}  // namespace feedrate::schema
