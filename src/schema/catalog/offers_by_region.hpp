#pragma once
// Offers of one instance in many regions, said once.
#include "schema/json/json_reader.hpp"

namespace feedrate::schema {

/// A pricing file in which each offer that has "by_region" stands as one offer a region: the value
/// is its price, or an object of what differs there. The file itself where none has. What is not
/// laid out so stays, for its reader to complain of.
JsonPtr with_offers_by_region(const JsonPtr& root);

}  // namespace feedrate::schema
