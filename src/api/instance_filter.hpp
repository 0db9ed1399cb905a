#pragma once
// `sweep --instances FILTER`: what the catalogue rents out, as keys that a sweep varies.
#include <string>
#include <string_view>
#include <vector>

#include "api/vary.hpp"
#include "catalog/catalog.hpp"
#include "schema/scenario/scenario.hpp"

namespace feedrate::api {

struct FilteredInstances {
  Vary vary;                         ///< instance, with purchase and region along with it
  std::vector<std::string> remarks;  ///< what was left out, what holds for every instance
};

/// The listings that the filter lets through; without a region of its own in the scenario's, where
/// a cloud has prices there. InputError for a filter that cannot be read or lets nothing through,
/// and for a price in the scenario, which would hold for every one of them.
/// `flag` names the option in complaints.
FilteredInstances filtered_instances(const std::string& filter, const schema::Document& document,
                                     const Catalog& catalog, std::string_view flag);

}  // namespace feedrate::api
