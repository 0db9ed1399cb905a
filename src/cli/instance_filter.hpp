#pragma once
// `sweep --instances FILTER`: what the catalogue rents out, as keys that a sweep varies.
#include <string>
#include <vector>

#include "cli/vary.hpp"
#include "schema/scenario.hpp"

namespace feedrate::cli {

struct FilteredInstances {
  Vary vary;                         ///< instance, with purchase and region along with it
  std::vector<std::string> remarks;  ///< what was left out, what holds for every instance
};

/// The listings that the filter lets through; without a region of its own in the scenario's, where
/// a cloud has prices there. InputError for a filter that cannot be read or lets nothing through,
/// and for a price in the scenario, which would hold for every one of them.
FilteredInstances filtered_instances(const std::string& filter, const schema::Document& document);

}  // namespace feedrate::cli
