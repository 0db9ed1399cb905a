#pragma once
// A document that a command writes with --format json: what stands before its keys, and what
// explains it to people and to editors.
#include <string>
#include <string_view>

#include "schema/record/record.hpp"

namespace feedrate::schema {

struct DocumentKind {
  std::string_view kind;        ///< "optimum": its "kind"
  std::string_view command{};   ///< "optimize": prints it; empty: `about` says what does
  std::vector<Key> (*keys)();   ///< those of the document itself
  std::string_view about{};     ///< what holds for all of them
  std::string_view scenario{};  ///< what its key "scenario" means; empty: it has none
  double version = 1.0;         ///< its "schema"
};

/// The scenario that a document, or a point in it, is of.
struct ScenarioSource {
  std::string_view name, file;  ///< `file` empty: null
};

template <>
struct Recorded<ScenarioSource> {
  static Keys<ScenarioSource> keys() {
    using S = ScenarioSource;
    return {written<&S::name>("name"), text_or_null<&S::file>("file", "as given")};
  }
};

/// "feedrate", "kind", "schema", and "scenario" where the kind has it.
void begin_document(const DocumentKind& of, std::string_view name, std::string_view file,
                    JsonWriter& out);

/// Those keys and then its own, as manual and JSON Schema have them.
std::string document_manual(const DocumentKind& of);
std::string document_json_schema(const DocumentKind& of);

template <class T>
std::string write_document(const DocumentKind& of, const T& value, std::string_view name = "",
                           std::string_view file = "") {
  JsonWriter out;
  begin_document(of, name, file, out);
  write_members(value, out);
  out.end();
  return std::move(out).finish();
}

/// A line a key: name and meaning, those of an object indented below it.
std::string written_manual(const Key& root);

/// "properties" and "required" of an object's JSON Schema: all keys are always written.
/// Precondition: inside that object.
void write_written_properties(const Key& root, JsonWriter& out);

}  // namespace feedrate::schema
