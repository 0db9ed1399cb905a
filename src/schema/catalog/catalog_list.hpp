#pragma once
// What a filter chose of the catalogue, as JSON.
#include <string>

#include "catalog/filter.hpp"

namespace feedrate::schema {

struct DocumentKind;

/// `catalog list --format json`: {"feedrate", "kind": "catalog", "schema", "filter", "machines":
/// [one per machine and region], "unknown": {KEY: machines left out because it is not known}}.
std::string write_catalog_list(const Catalog& catalog, const Chosen& chosen,
                               const std::string& filter);

/// [{"instance", "service", "gpus", "gpu"}, …]: rented_with_gpus(), for a list to choose from.
std::string write_instances(const Catalog& catalog);

/// [{"region", "on_demand_usd_per_h", "spot_usd_per_h"}, …]: prices_of(); a region of null is that
/// of a scenario which names none.
std::string write_prices_of(const Catalog& catalog, const std::string& instance);

extern const DocumentKind catalog_list_document;

}  // namespace feedrate::schema
