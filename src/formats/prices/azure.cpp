// Azure's Retail Prices API: pages of meters, each with a link to the next.
#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "formats/prices/price_file.hpp"
#include "schema/json/json_reader.hpp"

namespace feedrate::formats {
namespace {

constexpr std::size_t longest_page = 64'000'000;

std::string word(const schema::JsonValue& item, std::string_view key) {
  const schema::JsonValue* member = item.find(key);
  return member != nullptr && member->kind == schema::JsonKind::text ? member->text : "";
}

/// How a meter is paid; empty where nobody rents a Linux machine by it. Low priority is what spot
/// was called for batch jobs, with prices of its own.
std::optional<Purchase> purchase_of(const schema::JsonValue& item) {
  const schema::JsonValue* primary = item.find("isPrimaryMeterRegion");
  const bool second =
      primary != nullptr && primary->kind == schema::JsonKind::boolean && !primary->boolean;
  const std::string product = word(item, "productName");
  const auto has = [&](const char* part) { return product.find(part) != std::string::npos; };
  if (word(item, "type") != "Consumption" || second) return std::nullopt;
  if (has("Windows") || has("Cloud Services") || has("CloudServices") || has("Dedicated Host")) {
    return std::nullopt;
  }
  const std::string sku = word(item, "skuName");
  if (sku.ends_with("Low Priority")) return std::nullopt;
  return sku.ends_with("Spot") ? Purchase::spot : Purchase::on_demand;
}

}  // namespace

ImportedPrices read_azure_prices(const std::string& path, const std::string& date,
                                 const Wanted& wanted) {
  if (date.empty()) {
    refuse_file(
        path, 0,
        "Azure's prices have no date: expected --date YYYY-MM-DD, the day they were fetched");
  }
  const schema::JsonPtr root = schema::parse_json(read_text_file(path, longest_page), path);
  const schema::JsonValue* items = root->find("Items");
  if (items == nullptr || items->kind != schema::JsonKind::array) {
    refuse_file(path, root->line, "expected \"Items\" of Azure's Retail Prices API, got none");
  }
  ImportedPrices out{"azure-retail-prices",
                     "Azure Retail Prices API: Linux, on demand and spot",
                     "prices.azure.com/api/retail/prices",
                     date,
                     {}};
  out.next = word(*root, "NextPageLink");
  for (const schema::JsonPtr& item : items->items) {
    const auto purchase = purchase_of(*item);
    const std::string region = word(*item, "armRegionName");
    const std::string name = purchase ? wanted(word(*item, "armSkuName")) : "";
    if (name.empty() || region.empty()) continue;
    const std::string since = word(*item, "effectiveStartDate").substr(0, 10);
    if (since > date) continue;  // announced
    const schema::JsonValue* price = item->find("retailPrice");
    if (price == nullptr || price->kind != schema::JsonKind::number || price->number < 0.0) {
      refuse_file(path, item->line,
                  fmt::format("expected a \"retailPrice\" of {} in {}, got {}", name, region,
                              price == nullptr ? "none" : schema::describe(*price)));
    }
    const std::string unit = word(*item, "unitOfMeasure"), currency = word(*item, "currencyCode");
    if (unit != "1 Hour" || currency != "USD") {
      refuse_file(
          path, item->line,
          fmt::format("expected a price of {} per \"1 Hour\" in \"USD\", got one per {} in {}",
                      name, in_quotes(unit), in_quotes(currency)));
    }
    if (price->number == 0.0) continue;  // a placeholder, not a price
    out.prices.push_back(
        {"azure", name, region, *purchase, usd_per_hour(price->number), {}, {}, {}, since});
  }
  return out;
}

}  // namespace feedrate::formats
