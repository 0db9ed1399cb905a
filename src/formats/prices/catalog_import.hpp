#pragma once
// Imported prices merged into the text of the pricing files, one line per record as they are
// written.
#include <optional>
#include <string>
#include <vector>

#include "base/replace_files.hpp"
#include "catalog/catalog.hpp"
#include "catalog/price_change.hpp"
#include "formats/prices/price_file.hpp"

namespace feedrate::formats {

/// Files as they would be, and what is different. Nothing is written here.
struct ImportPlan {
  std::vector<NewFile> files;
  std::vector<PriceChange> changes;  ///< new offers, other prices
  std::vector<StoragePriceChange> storage{};
  std::size_t confirmed = 0;  ///< the same price, with a newer source and date
  std::size_t older = 0;      ///< left alone: what is there is newer
  std::size_t elsewhere = 0;  ///< left out: in regions that the catalogue has no price for
  std::size_t partial = 0;    ///< left alone: records with prices that the list does not have
};

/// The catalogue's machines by the names that price lists have for them: "Standard_NC24ads_A100_v4"
/// is Azure's of "NC24ads A100 v4", "ml.g5.xlarge" SageMaker's of "g5.xlarge".
Wanted machines_of(const Catalog& catalog);

/// Offers of `imported` replace current ones of the same service, instance, region and purchase
/// whose date is not later; others are added for regions that the catalogue knows. Each new record
/// carries the import's source and date, and sources.json tells of it. The result is read back
/// before it is returned: InputError when a file is not laid out one record per line, or `imported`
/// has two prices of one offer. Of several imports each is planned on the plan before.
ImportPlan plan_import(const std::string& folder, const Catalog& catalog,
                       const ImportedPrices& imported, ImportPlan before = {});

/// What `imported` would have if it were whole: current on-demand offers of the regions and
/// services that it prices, of machines that it does not.
std::vector<Offer> missing_from(const Catalog& catalog, const ImportedPrices& imported);

/// The catalogue as it would be.
Catalog catalog_after(const std::string& folder, const ImportPlan& plan);

/// Writes all files as one change, or none (HostError), into the folder that was held before it was
/// read. False where it cannot be exchanged as a whole, so that each file was replaced on its own.
bool write_plan(const HeldFolder& folder, const ImportPlan& plan);

}  // namespace feedrate::formats
