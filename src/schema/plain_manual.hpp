#pragma once
// Manual and JSON Schema of documents whose writer is a few plain functions and no list of entries.
#include <string>
#include <string_view>
#include <vector>

namespace feedrate::schema {

/// A key that is always written.
struct PlainKey {
  std::string name;
  std::string types;  ///< of JSON Schema, "number|null"; "array" of objects where `keys` are given
  std::string about;
  std::vector<PlainKey> keys{};  ///< of an object, or of each object of an array
};

/// `about` the document, then one line per key, those of objects indented.
std::string plain_manual(std::string_view about, const std::vector<PlainKey>& keys);

/// JSON Schema (2020-12): all keys required, and no others but for objects without `keys`.
std::string plain_json_schema(std::string_view title, const std::vector<PlainKey>& keys);

}  // namespace feedrate::schema
