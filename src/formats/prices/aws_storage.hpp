#pragma once
// What AWS's price lists call prices of storage and of what lies beside it, and where the pricing
// files have them. Internal to formats.
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace feedrate::formats {

using PriceAttributes = std::map<std::string, std::string, std::less<>>;

struct StorageRow {
  using Members = std::array<std::pair<std::string_view, std::string_view>, 3>;

  std::string_view offer;  ///< "AmazonEC2"
  /// Attributes of the product, "productFamily" among them, with their values. A usage type's value
  /// is that of us-east-1, to which others put the letters of their region.
  Members attributes;
  std::string_view unit;          ///< of the rate, "GB-Mo"
  std::string_view file;          ///< "ebs.json",
  std::string_view section;       ///< whose "prices" have
  Members record;                 ///< beside "region" these members,
  std::string_view field;         ///< and the price as this one,
  std::string_view priced;        ///< in this unit,
  double times = 1.0;             ///< which the rate becomes by this factor
  std::string_view begins = "0";  ///< of the tier, as the list has it
};

/// The rows of a product; none where its price is not wanted.
std::vector<const StorageRow*> storage_rows(std::string_view offer,
                                            const PriceAttributes& attributes);

/// How many prices a list has of the record of a row.
std::size_t storage_fields(std::string_view file, std::string_view section,
                           const std::vector<std::pair<std::string, std::string>>& record);

/// The members that a row's record has.
std::vector<std::pair<std::string, std::string>> members_of(const StorageRow::Members& record);

/// A rate of the list as the pricing files write it: "0.08 USD/GiB/month".
std::string price_text(const StorageRow& row, double rate);

}  // namespace feedrate::formats
