#pragma once
// What AWS's price lists call prices of storage, and where the pricing files have them. Internal to
// schema.
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace feedrate::schema {

using PriceAttributes = std::map<std::string, std::string, std::less<>>;

struct StorageRow {
  std::string_view offer;   ///< "AmazonEC2"
  std::string_view family;  ///< of products
  /// Attributes of the product and how their values end.
  std::array<std::pair<std::string_view, std::string_view>, 2> attributes;
  std::string_view unit;  ///< of the rate, "GB-Mo"
  std::string_view file;  ///< "ebs.json", whose "prices" have
  std::string_view key;   ///< beside "region" this member
  std::string_view value;
  std::string_view field;   ///< and the price as this one,
  std::string_view priced;  ///< in this unit,
  double times = 1.0;       ///< which the rate becomes by this factor
};

/// The row of a product; null where its price is not wanted. The first tier counts.
const StorageRow* storage_row(std::string_view offer, const PriceAttributes& attributes);

/// How many prices a list has of one record.
std::size_t storage_fields(std::string_view file, std::string_view value);

/// A rate of the list as the pricing files write it: "0.08 USD/GiB/month".
std::string price_text(const StorageRow& row, double rate);

}  // namespace feedrate::schema
