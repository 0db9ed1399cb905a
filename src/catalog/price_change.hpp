#pragma once
// An offer as it was and as an import makes it.
#include "catalog/catalog.hpp"

namespace feedrate {

struct PriceChange {
  Offer before;  ///< without a price where it is new
  Offer after;
};

}  // namespace feedrate
