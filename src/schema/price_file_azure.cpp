// Azure's Retail Prices API: pages of meters, each with a link to the next.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/text_file.hpp"
#include "base/unit_text.hpp"
#include "schema/json_reader.hpp"
#include "schema/price_file.hpp"

namespace feedrate::schema {
namespace {

constexpr std::size_t longest_page = 64'000'000;

std::string word(const JsonValue& item, std::string_view key) {
  const JsonValue* member = item.find(key);
  return member != nullptr && member->kind == JsonKind::text ? member->text : "";
}

/// How a meter is paid; empty where nobody rents a Linux machine by it. Low priority is what spot
/// was called for batch jobs, with prices of its own.
std::optional<Purchase> purchase_of(const JsonValue& item) {
  const JsonValue* primary = item.find("isPrimaryMeterRegion");
  const bool second = primary != nullptr && primary->kind == JsonKind::boolean && !primary->boolean;
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
  const JsonPtr root = parse_json(read_text_file(path, longest_page), path);
  const JsonValue* items = root->find("Items");
  if (items == nullptr || items->kind != JsonKind::array) {
    refuse_file(path, root->line, "expected \"Items\" of Azure's Retail Prices API, got none");
  }
  ImportedPrices out{"azure-retail-prices",
                     "Azure Retail Prices API: Linux, on demand and spot",
                     "prices.azure.com/api/retail/prices",
                     date,
                     {}};
  out.next = word(*root, "NextPageLink");
  for (const JsonPtr& item : items->items) {
    const auto purchase = purchase_of(*item);
    const std::string region = word(*item, "armRegionName");
    const std::string name = purchase ? wanted(word(*item, "armSkuName")) : "";
    if (name.empty() || region.empty()) continue;
    const std::string since = word(*item, "effectiveStartDate").substr(0, 10);
    if (since > date) continue;  // announced
    const JsonValue* price = item->find("retailPrice");
    if (price == nullptr || price->kind != JsonKind::number || price->number < 0.0) {
      refuse_file(path, item->line,
                  fmt::format("expected a \"retailPrice\" of {} in {}, got {}", name, region,
                              price == nullptr ? "none" : describe(*price)));
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

void keep_newest(ImportedPrices& list, const std::string& named) {
  using Key = std::tuple<std::string, std::string, std::string, Purchase>;
  const auto key_of = [](const ImportedPrice& price) {
    return Key(price.service, price.instance, price.region, price.purchase);
  };
  std::map<Key, std::string> newest;
  for (const ImportedPrice& price : list.prices) {
    std::string& since = newest[key_of(price)];
    since = std::max(since, price.since);
  }
  std::map<Key, HourlyPrice> known;
  std::erase_if(list.prices, [&](const ImportedPrice& price) {
    if (price.since < newest[key_of(price)]) return true;
    const auto [same, is_new] = known.emplace(key_of(price), price.price);
    if (!is_new && same->second != price.price) {
      refuse_file(named, 0,
                  fmt::format("expected one price for {} in {}, got {} and {}", price.instance,
                              price.region, format_in(same->second.base(), "USD/h"),
                              format_in(price.price.base(), "USD/h")));
    }
    return !is_new;
  });
}

}  // namespace feedrate::schema
