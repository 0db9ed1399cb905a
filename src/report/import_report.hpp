#pragma once
// `catalog import`: which prices are not what they were.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "catalog/price_change.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// How tables name a way to pay: "on demand", "savings plan".
std::string_view purchase_text(Purchase purchase);

struct ImportSummary {
  std::string what;    ///< the source, in words
  std::string date;    ///< when it was made
  std::string folder;  ///< of the pricing files
  bool dry_run = false;
  bool as_one = true;         ///< written as one change of the whole folder
  std::size_t files = 0;      ///< changed
  std::size_t confirmed = 0;  ///< same price, newer source
  std::size_t older = 0;      ///< left alone
  std::size_t elsewhere = 0;  ///< in regions without any price
};

/// A row a change: what, old price and its date, new price, difference.
Table import_table(std::span<const PriceChange> changes);

Report import_report(std::span<const PriceChange> changes, const ImportSummary& summary);

}  // namespace feedrate::report
