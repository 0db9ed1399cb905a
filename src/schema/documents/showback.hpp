#pragma once
// What jobs cost in a month, as JSON.
#include <string>

#include "model/showback.hpp"

namespace feedrate::schema {

struct DocumentKind;

/// `showback --format json`: {"feedrate", "kind": "showback", "schema", "by", "jobs": [one per
/// scenario], "groups": [one per value of the tag], "all", "remarks"}.
std::string write_showback(const Showback& showback);
extern const DocumentKind showback_document;

}  // namespace feedrate::schema
