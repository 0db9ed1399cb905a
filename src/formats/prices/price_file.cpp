#include "formats/prices/price_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <tuple>

#include "base/byte_order_mark.hpp"
#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/today.hpp"
#include "base/unit_text.hpp"

namespace feedrate::formats {

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

ImportedPrices read_price_file(const std::string& path, const std::string& date,
                               const Wanted& wanted, const std::string& otherwise) {
  // Prices of a day to come would not be replaced by any import before it. Tomorrow has begun
  // somewhere.
  const std::int64_t last = today() + 1;
  const auto too_late = [&](const std::string& text) { return day_of(text).value_or(0) > last; };
  const std::string expected =
      fmt::format("expected a day up to tomorrow, {}, got ", day_text(last));
  if (!date.empty() && !day_of(date)) {
    refuse_flag("--date", "expected a day such as 2026-11-01, got " + in_quotes(date));
  }
  if (too_late(date)) refuse_flag("--date", expected + in_quotes(date));
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse_file(path, 0, "expected a readable file, got none");
  std::string head(4096, ' ');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  file.close();
  refuse_utf16(head, path);
  const std::size_t first = head.find_first_not_of(" \n\r\t");
  if (first == std::string::npos) refuse_file(path, 0, "expected a price list, got an empty file");
  const auto says = [&](const char* key) { return head.find(key) != std::string::npos; };
  const std::string& day = date.empty() ? otherwise : date;
  const bool azure =
      !says("\"formatVersion\"") && (says("\"Items\"") || says("\"BillingCurrency\""));
  ImportedPrices prices = head[first] != '{' ? read_price_csv(path, day, wanted)
                          : azure            ? read_azure_prices(path, day, wanted)
                                             : read_aws_price_list(path, wanted);
  if (!day_of(prices.date)) {
    refuse_file(path, 0,
                "expected a \"publicationDate\" such as 2026-11-01T00:00:00Z, got " +
                    in_quotes(prices.date));
  }
  if (too_late(prices.date)) {
    refuse_file(path, 0, "\"publicationDate\": " + expected + in_quotes(prices.date));
  }
  if (!date.empty() && prices.date != date) {
    refuse_file(path, 0,
                fmt::format("expected a file of {} (--date), got one of {}", date, prices.date));
  }
  if (prices.prices.empty() && prices.storage.empty() && prices.next.empty()) {
    refuse_file(path, 0,
                "expected prices of machines or storage in the catalogue, got none of any");
  }
  return prices;
}

}  // namespace feedrate::formats
