#pragma once
// What a filter chose of the catalogue, as JSON.
#include <string>

#include "catalog/filter.hpp"

namespace feedrate::schema {

/// `catalog list --format json`: {"feedrate", "kind": "catalog", "schema", "filter", "machines":
/// [one per machine and region], "unknown": {KEY: machines left out because it is not known}}.
std::string write_catalog_list(const Catalog& catalog, const Chosen& chosen,
                               const std::string& filter);

}  // namespace feedrate::schema
