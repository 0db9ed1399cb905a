#pragma once
// The head of a file that feedrate writes and reads again: which kind it is, in which version.
#include <string_view>
#include <vector>

#include "schema/json/json_reader.hpp"
#include "schema/json/json_writer.hpp"
#include "schema/record/key.hpp"

namespace feedrate::schema {

struct Envelope {
  std::string_view kind;     ///< "measurements"
  double version = 1.0;      ///< rises when the meaning of a key changes
  std::string_view manual;   ///< of the key "kind": "\"measurements\""
  std::string_view no_such;  ///< to someone whose file is another: "this is no measurement file …"
  std::string_view remedy;   ///< to someone whose version is another, behind a semicolon; or ""
};

/// The object without "kind" and "schema". Throws InputError where it is no object, where they are
/// not those of `envelope`: what another version means by its keys is not known here.
JsonPtr body_of(const JsonPtr& root, const Envelope& envelope);

/// The two keys, for the manual.
std::vector<Key> envelope_keys(const Envelope& envelope);

/// The two keys. Precondition: inside an object, before its first member.
void write_envelope(const Envelope& envelope, JsonWriter& out);

}  // namespace feedrate::schema
