#pragma once
// An offer as it was and as an import makes it.
#include <string>

#include "catalog/catalog.hpp"

namespace feedrate {

struct PriceChange {
  Offer before;  ///< without a price where it is new
  Offer after;
};

/// A price of storage, as the pricing files write it.
struct StoragePriceChange {
  std::string service;  ///< "ebs"
  std::string what;     ///< "gp3, storage"
  std::string region;
  std::string before, before_date;  ///< "" where it is new
  std::string after;
};

}  // namespace feedrate
