#pragma once
// Prices out of what others publish: AWS's Price List bulk files, answers of Azure's Retail Prices
// API, the SkyPilot catalogue's CSV; and a CSV of one's own.
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "model/scenario.hpp"

namespace feedrate::formats {

struct ImportedPrice {
  std::string service;  ///< "ec2", "sagemaker"; "" where the file does not say: the machine's cloud
  std::string instance;  ///< as in Machine::name
  std::string region;
  Purchase purchase = Purchase::on_demand;
  HourlyPrice price;                   ///< spot: median over zones
  std::optional<HourlyPrice> lowest;   ///< spot
  std::optional<HourlyPrice> highest;  ///< spot
  std::optional<double> zones;         ///< spot
  std::string since{};                 ///< "2026-11-01": from when on it holds; "": not told
};

/// A price of storage, or of what lies beside it: a member of the record of a region that has these
/// members in a section of a file.
struct ImportedStorage {
  std::string file, section;                                ///< "ebs.json", "prices"
  std::vector<std::pair<std::string, std::string>> record;  ///< "type": "gp3"
  std::string field;                                        ///< "storage"
  std::string region;
  std::string price;  ///< "0.08 USD/GiB/month"
};

struct ImportedPrices {
  std::string source;  ///< key for sources.json
  std::string what;
  std::string where;
  std::string date;  ///< "2026-11-01": when the source was made
  std::vector<ImportedPrice> prices;
  std::vector<ImportedStorage> storage{};
  std::set<std::string> covered{};  ///< regions that the catalogue covers from now on
  std::string next{};               ///< the URL of what follows this page; "": nothing does
};

/// Of several prices of one service, instance, region and purchase, on whichever pages, the newest
/// stays. InputError for two of the same day; `named` is the list.
void keep_newest(ImportedPrices& list, const std::string& named);

/// The source of a list that is nobody's but the user's, and holds no more than the user wrote
/// down.
inline constexpr const char* own_prices = "own-prices";

/// The catalogue's name of an instance; "" where its prices are not wanted: files name hundreds of
/// others.
using Wanted = std::function<std::string(const std::string& instance)>;

/// Reads a bulk file of AmazonEC2 (Linux, shared, on demand; EBS volumes, NAT gateways),
/// AmazonSageMaker (training), AmazonS3, AmazonEFS or AmazonFSx (Lustre), of any size, a page of
/// Azure's prices (Linux, on demand and spot), or a CSV (a vms.csv, or the columns instance,
/// region, price); told apart by how they begin. A bulk file states its date, which `date` must be
/// equal to if it is given; all others are of `date`, else of `otherwise`. InputError for
/// everything that is malformed, cut short or contradicts itself, and where nothing is wanted,
/// unless more pages follow. Azure lists a machine's earlier prices too: keep_newest(), once all
/// pages are there.
ImportedPrices read_price_file(const std::string& path, const std::string& date,
                               const Wanted& wanted, const std::string& otherwise = "");

/// The three forms; read_price_file() chooses.
ImportedPrices read_aws_price_list(const std::string& path, const Wanted& wanted);
ImportedPrices read_azure_prices(const std::string& path, const std::string& date,
                                 const Wanted& wanted);
ImportedPrices read_price_csv(const std::string& path, const std::string& date,
                              const Wanted& wanted);

}  // namespace feedrate::formats
