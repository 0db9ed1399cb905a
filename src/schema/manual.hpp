#pragma once
// The keys of a file format, explained to people and to editors.
#include <string>
#include <string_view>

#include "schema/key.hpp"

namespace feedrate::schema {

/// `introduction`, then the keys by section: name, what it takes, what it means, its default.
std::string manual_text(const Key& root, std::string_view introduction);

/// JSON Schema (2020-12) of the object that `root` describes.
std::string json_schema(const Key& root, std::string_view title, std::string_view description);

}  // namespace feedrate::schema
