#pragma once
// What jobs cost in a month, as JSON.
#include <string>

#include "model/showback.hpp"

namespace feedrate::schema {

/// `showback --format json`: {"feedrate", "kind": "showback", "schema", "by", "jobs": [one per
/// scenario], "groups": [one per value of the tag], "all", "remarks"}.
std::string write_showback(const Showback& showback);
std::string showback_manual();
std::string showback_json_schema();

}  // namespace feedrate::schema
