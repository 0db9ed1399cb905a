// AWS Price List, bulk JSON: products first, then terms that name them. Files reach gigabytes, so
// they are read as a stream and only what is wanted is kept.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_reader.hpp"
#include "base/errors.hpp"
#include "base/number_chars.hpp"
#include "base/quote.hpp"
#include "catalog/lookup.hpp"
#include "formats/prices/aws_storage.hpp"
#include "formats/prices/price_file.hpp"
#include "schema/json/json_stream.hpp"

namespace feedrate::formats {
namespace {

struct Stored {
  std::vector<const StorageRow*> rows;
  std::string region;
  std::map<std::string, double, std::less<>> rates{};  ///< by where their tier begins
};

[[noreturn]] void refuse_list(const std::string& path, std::int64_t line,
                              const std::string& message) {
  throw InputError(std::vector<Problem>{{path, static_cast<int>(line), "", message}});
}

class PriceList {
 public:
  PriceList(const std::string& path, const Wanted& wanted)
      : path_(path), wanted_(wanted), bytes_(path), json_(bytes_) {
    try {
      read();
      if (json_.next() != Kind::end)
        refuse_list(path, json_.line(), "expected the end of the file");
    } catch (const schema::JsonBroken& broken) {
      refuse_list(
          path, broken.line,
          "expected a whole JSON file, got one that breaks off or is damaged: " + broken.message);
    }
  }

  std::string version, offer, date;
  bool has_products = false;
  bool has_terms = false;
  std::map<std::string, ImportedPrice> products;  ///< wanted ones by SKU
  std::map<std::string, double> rates;            ///< USD/h by SKU
  std::map<std::string, Stored> storage;          ///< by SKU

 private:
  using Kind = schema::JsonStream::Kind;

  /// `take` takes the value of each member of the object that comes next, by its key.
  template <class Take>
  void each_member(const Take& take) {
    if (json_.next() != Kind::object) return json_.skip();
    json_.enter();
    while (const auto key = json_.member()) take(std::string(*key));
  }

  /// The value that comes next; "" for what is no text.
  std::string text() {
    if (json_.next() == Kind::text) return std::string(json_.text());
    json_.skip();
    return "";
  }

  void read() {
    each_member([&](const std::string& key) {
      if (key == "formatVersion") {
        version = text();
      } else if (key == "offerCode") {
        offer = text();
      } else if (key == "publicationDate") {
        date = text();
      } else if (key == "products") {
        has_products = true;
        each_member([&](const std::string& sku) { read_product(sku); });
      } else if (key == "terms") {
        has_terms = true;
        if (!has_products) {
          refuse("expected \"products\" before \"terms\"");
        }
        each_member([&](const std::string& kind) {
          if (kind != "OnDemand") return json_.skip();
          each_member([&](const std::string& sku) { read_terms(sku); });
        });
      } else {
        json_.skip();
      }
    });
  }

  void read_product(const std::string& sku) {
    PriceAttributes attributes;
    each_member([&](const std::string& key) {
      if (key == "productFamily") {
        attributes[key] = text();
      } else if (key == "attributes") {
        each_member([&](const std::string& name) { attributes[name] = text(); });
      } else {
        json_.skip();
      }
    });
    keep_product(sku, attributes);
  }

  void keep_product(const std::string& sku, const PriceAttributes& attributes) {
    const auto attribute = [&](std::string_view name) -> std::string {
      const auto found = attributes.find(name);
      return found == attributes.end() ? "" : found->second;
    };
    ImportedPrice price;
    price.region = attribute("regionCode");
    if (auto rows = storage_rows(offer, attributes); !rows.empty()) {
      if (!price.region.empty()) storage.emplace(sku, Stored{std::move(rows), price.region, {}});
      return;
    }
    if (offer == "AmazonEC2") {
      const bool plain = attribute("operatingSystem") == "Linux" &&
                         attribute("tenancy") == "Shared" && attribute("preInstalledSw") == "NA" &&
                         attribute("capacitystatus") == "Used";
      if (!plain) return;
      price.service = "ec2";
      price.instance = attribute("instanceType");
    } else if (offer == "AmazonSageMaker") {
      const std::string component = attribute("component");
      if (component != "Training" && component != "training") return;
      price.service = "sagemaker";
      price.instance = std::string(without_prefix(attribute("instanceName")));
    } else {
      return;
    }
    price.instance = wanted_(price.instance);
    if (price.region.empty() || price.instance.empty()) return;
    products.emplace(sku, price);
  }

  /// SKU/TERM/priceDimensions/RATE/{unit, beginRange, pricePerUnit/USD}.
  void read_terms(const std::string& sku) {
    if (!products.contains(sku) && !storage.contains(sku)) return json_.skip();
    each_member([&](const std::string& /*term*/) {
      each_member([&](const std::string& key) {
        if (key != "priceDimensions") return json_.skip();
        each_member([&](const std::string& /*rate*/) { read_rate(sku); });
      });
    });
  }

  void read_rate(const std::string& sku) {
    std::string unit, begins;
    std::optional<double> rate;
    each_member([&](const std::string& key) {
      if (key == "unit") {
        unit = text();
      } else if (key == "beginRange") {
        begins = text();
      } else if (key == "pricePerUnit") {
        each_member([&](const std::string& currency) {
          if (currency != "USD" || json_.next() != Kind::text) return json_.skip();
          rate = usd_in(json_.text(), sku);
        });
      } else {
        json_.skip();
      }
    });
    if (!rate) return;
    if (const auto stored = storage.find(sku); stored != storage.end()) {
      // A price by another unit is none that is known here; the rows of a product have one.
      const bool known = unit == stored->second.rows.front()->unit;
      if (known) stored->second.rates[begins.empty() ? "0" : begins] = *rate;
      return;
    }
    if (unit != "Hrs" && unit != "Hours" && unit != "Hour") {
      refuse(fmt::format("expected a price per hour (Hrs) for {}, got one per {}", sku,
                         in_quotes(unit)));
    }
    const auto [known, is_new] = rates.emplace(sku, *rate);
    if (!is_new && known->second != *rate) {
      refuse(fmt::format("expected one price for {}, got {} and {}", sku, known->second, *rate));
    }
  }

  [[nodiscard]] double usd_in(std::string_view text, const std::string& sku) const {
    double rate = 0.0;
    const auto read = read_double(text.data(), text.data() + text.size(), rate);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || !std::isfinite(rate) ||
        rate < 0.0) {
      refuse(fmt::format("expected a price in USD for {}, got {}", sku, in_quotes(text)));
    }
    return rate;
  }

  [[noreturn]] void refuse(const std::string& message) const { refuse_list(path_, 0, message); }

  const std::string& path_;
  const Wanted& wanted_;
  ByteReader bytes_;
  schema::JsonStream json_;
};

/// What lists of AWS are taken, and what of them.
struct TakenList {
  std::string_view offer, source, what;
};
constexpr TakenList taken_lists[] = {
    {"AmazonEC2", "aws-price-list-ec2",
     "AWS Price List, Linux on demand, shared tenancy, EBS volumes and NAT gateways"},
    {"AmazonSageMaker", "aws-price-list-sagemaker", "AWS Price List, training instances on demand"},
    {"AmazonS3", "aws-price-list-s3", "AWS Price List, S3"},
    {"AmazonEFS", "aws-price-list-efs", "AWS Price List, EFS"},
    {"AmazonFSx", "aws-price-list-fsx", "AWS Price List, FSx for Lustre"},
};

/// Each price of storage that the list has once; one that it has twice and not alike is none.
std::vector<ImportedStorage> storage_of(const PriceList& list) {
  std::map<std::pair<const StorageRow*, std::string>, std::set<double>> rates;
  for (const auto& [sku, stored] : list.storage) {
    for (const StorageRow* row : stored.rows) {
      const auto rate = stored.rates.find(row->begins);
      if (rate == stored.rates.end() || rate->second <= 0.0) continue;
      rates[{row, stored.region}].insert(rate->second);
    }
  }
  std::vector<ImportedStorage> all;
  for (const auto& [of, found] : rates) {
    if (found.size() != 1) continue;
    const StorageRow& row = *of.first;
    all.push_back({std::string(row.file), std::string(row.section), members_of(row.record),
                   std::string(row.field), of.second, price_text(row, *found.begin())});
  }
  return all;
}

}  // namespace

ImportedPrices read_aws_price_list(const std::string& path, const Wanted& wanted) {
  const auto refuse = [&](const std::string& message) { refuse_list(path, 0, message); };
  const PriceList list(path, wanted);
  if (list.version != "v1.0") {
    refuse("expected \"formatVersion\": \"v1.0\" of an AWS price list, got " +
           (list.version.empty() ? "none" : in_quotes(list.version)));
  }
  const auto known = std::find_if(std::begin(taken_lists), std::end(taken_lists),
                                  [&](const TakenList& one) { return one.offer == list.offer; });
  if (known == std::end(taken_lists)) {
    refuse(
        "expected the price list of AmazonEC2, AmazonSageMaker, AmazonS3, AmazonEFS or AmazonFSx, "
        "got " +
        (list.offer.empty() ? "no \"offerCode\"" : in_quotes(list.offer)));
  }
  if (!list.has_products || !list.has_terms) {
    refuse("expected \"products\" and \"terms\", got a part of a price list");
  }
  ImportedPrices out;
  out.source = known->source;
  out.what = known->what;
  out.storage = storage_of(list);
  out.where = "pricing.us-east-1.amazonaws.com/offers/v1.0/aws/" + list.offer;
  out.date = list.date.substr(0, 10);
  // Several SKUs may name one machine in one region; they must agree.
  std::map<std::string, double> priced;
  for (const auto& [sku, product] : list.products) {
    const auto rate = list.rates.find(sku);
    if (rate == list.rates.end()) continue;  // reserved only
    if (rate->second == 0.0) continue;       // a placeholder, not a price
    const auto [same, is_new] =
        priced.emplace(product.instance + ' ' + product.region, rate->second);
    if (!is_new && same->second != rate->second) {
      refuse(fmt::format("expected one price for {} in {}, got {} and {} USD/h", product.instance,
                         product.region, same->second, rate->second));
    }
    if (!is_new) continue;
    out.prices.push_back(product);
    out.prices.back().price = usd_per_hour(rate->second);
  }
  return out;
}

}  // namespace feedrate::formats
