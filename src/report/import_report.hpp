#pragma once
// `catalog import` and `catalog update`: which prices are not what they were, and what that does.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/price_change.hpp"
#include "model/scenario.hpp"
#include "report/blocks.hpp"

namespace feedrate::report {

/// How tables name a way to pay: "on demand", "savings plan".
std::string_view purchase_text(Purchase purchase);

/// What one scenario comes to at the prices before and after.
struct Affected {
  std::string file;
  std::optional<Money> before;  ///< empty: it could not be priced
  std::optional<Money> after;
  std::string bottleneck_before;
  std::string bottleneck_after;
  std::string problem;  ///< why not; of the prices after where both fail
  std::optional<Currency> currency;
};

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
  std::size_t partial = 0;    ///< records of storage that the source has only a part of
  std::vector<Offer> gone{};  ///< that the source does not offer any more
  bool more_pages = false;    ///< of the source, which were not read
  std::vector<Affected> affected{};
};

/// What an import changes.
struct ImportChanges {
  std::span<const PriceChange> machines;
  std::span<const StoragePriceChange> storage;
  [[nodiscard]] std::size_t count() const { return machines.size() + storage.size(); }
};

/// A row a change: what, old price and its date, new price, difference.
Table import_table(const ImportChanges& changes);

/// A row a scenario: cost before and now, difference, bottleneck.
Table affected_table(std::span<const Affected> affected);

Report import_report(const ImportChanges& changes, const ImportSummary& summary);

}  // namespace feedrate::report
