// AWS Price List, bulk JSON: products first, then terms that name them. Files reach gigabytes, so
// they are read as a stream and only what is wanted is kept.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include "base/errors.hpp"
#include "base/number_chars.hpp"
#include "base/quote.hpp"
#include "catalog/lookup.hpp"
#include "formats/prices/aws_storage.hpp"
#include "formats/prices/price_file.hpp"
#include "schema/json/json_events.hpp"

namespace feedrate::formats {
namespace {

class PriceListHandler : public schema::JsonEvents {
 public:
  explicit PriceListHandler(const Wanted& wanted) : wanted_(wanted) {}

  bool begin_array() override { return push(""); }
  bool end_array() override { return pop(); }
  bool begin_object() override { return push(key_); }
  bool key(std::string& name) override {
    key_ = name;
    return true;
  }

  bool text(std::string& value) override {
    const std::size_t depth = path_.size();
    if (depth == 1) {
      if (key_ == "formatVersion") version = value;
      if (key_ == "offerCode") offer = value;
      if (key_ == "publicationDate") date = value;
    } else if (depth == 3 && path_[1] == "products" && key_ == "productFamily") {
      attributes_["productFamily"] = value;
    } else if (depth == 4 && path_[1] == "products" && path_[3] == "attributes") {
      attributes_[key_] = value;
    } else if (depth >= 7 && path_[1] == "terms" && path_[2] == "OnDemand") {
      return on_demand(value);
    }
    return true;
  }

  bool end_object() override {
    if (path_.size() == 3 && path_[1] == "products") {
      keep_product(path_[2]);
      attributes_.clear();
    }
    if (path_.size() == 7 && path_[1] == "terms") keep_rate();
    return pop();
  }

  void broken(std::size_t position) override {
    problem = fmt::format(
        "expected a whole JSON file, got one that breaks off or is damaged at byte {}", position);
  }

  std::string version, offer, date, problem;
  bool has_products = false;
  bool has_terms = false;
  std::map<std::string, ImportedPrice> products;  ///< wanted ones by SKU
  std::map<std::string, double> rates;            ///< USD/h by SKU
  struct Stored {
    std::vector<const StorageRow*> rows;
    std::string region;
    std::map<std::string, double, std::less<>> rates{};  ///< by where their tier begins
  };
  std::map<std::string, Stored> storage;  ///< by SKU

 private:
  bool push(const std::string& name) {
    path_.push_back(path_.empty() ? "" : name);
    if (path_.size() == 2 && name == "products") has_products = true;
    if (path_.size() == 2 && name == "terms") {
      has_terms = true;
      if (!has_products) problem = "expected \"products\" before \"terms\"";
    }
    return problem.empty();
  }
  bool pop() {
    key_.clear();
    path_.pop_back();
    return problem.empty();
  }

  [[nodiscard]] std::string attribute(std::string_view name) const {
    const auto found = attributes_.find(name);
    return found == attributes_.end() ? "" : found->second;
  }

  void keep_product(const std::string& sku) {
    ImportedPrice price;
    price.region = attribute("regionCode");
    if (auto rows = storage_rows(offer, attributes_); !rows.empty()) {
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

  /// terms/OnDemand/SKU/TERM/priceDimensions/RATE/{unit, pricePerUnit/USD}.
  bool on_demand(const std::string& value) {
    if (path_[5] != "priceDimensions") return true;
    if (!products.contains(path_[3]) && !storage.contains(path_[3])) return true;
    if (path_.size() == 7 && key_ == "unit") unit_ = value;
    if (path_.size() == 7 && key_ == "beginRange") begins_ = value;
    if (path_.size() != 8 || path_[7] != "pricePerUnit" || key_ != "USD") return true;
    double rate = 0.0;
    const auto read = read_double(value.data(), value.data() + value.size(), rate);
    if (read.ec != std::errc() || read.ptr != value.data() + value.size() || !std::isfinite(rate) ||
        rate < 0.0) {
      problem = fmt::format("expected a price in USD for {}, got {}", path_[3], in_quotes(value));
      return false;
    }
    rate_ = rate;
    return true;
  }

  void keep_rate() {
    if (path_[2] != "OnDemand" || path_[5] != "priceDimensions") return;
    const std::string& sku = path_[3];
    const std::string begins = std::exchange(begins_, "");
    if (!rate_) return;
    if (const auto stored = storage.find(sku); stored != storage.end()) {
      // A price by another unit is none that is known here; the rows of a product have one.
      const bool known = unit_ == stored->second.rows.front()->unit;
      if (known) stored->second.rates[begins.empty() ? "0" : begins] = *rate_;
      unit_.clear();
      rate_.reset();
      return;
    }
    if (!products.contains(sku)) return;
    if (unit_ != "Hrs" && unit_ != "Hours" && unit_ != "Hour") {
      problem = fmt::format("expected a price per hour (Hrs) for {}, got one per {}", sku,
                            in_quotes(unit_));
    } else if (const auto [known, is_new] = rates.emplace(sku, *rate_);
               !is_new && known->second != *rate_) {
      problem = fmt::format("expected one price for {}, got {} and {}", sku, known->second, *rate_);
    }
    unit_.clear();
    rate_.reset();
  }

  const Wanted& wanted_;
  std::vector<std::string> path_;
  std::string key_;
  PriceAttributes attributes_;
  std::string unit_, begins_;
  std::optional<double> rate_;
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
std::vector<ImportedStorage> storage_of(const PriceListHandler& list) {
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
  const auto refuse = [&](const std::string& message) {
    throw InputError(std::vector<Problem>{{path, 0, "", message}});
  };
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse("expected a readable file");
  PriceListHandler list(wanted);
  const bool whole = schema::read_events(file, list);
  if (!list.problem.empty()) refuse(list.problem);
  if (!whole) refuse("expected a whole JSON file");
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
  for (auto& [sku, price] : list.products) {
    const auto rate = list.rates.find(sku);
    if (rate == list.rates.end()) continue;  // reserved only
    if (rate->second == 0.0) continue;       // a placeholder, not a price
    const auto [same, is_new] = priced.emplace(price.instance + ' ' + price.region, rate->second);
    if (!is_new && same->second != rate->second) {
      refuse(fmt::format("expected one price for {} in {}, got {} and {} USD/h", price.instance,
                         price.region, same->second, rate->second));
    }
    if (!is_new) continue;
    price.price = usd_per_hour(rate->second);
    out.prices.push_back(price);
  }
  return out;
}

}  // namespace feedrate::formats
