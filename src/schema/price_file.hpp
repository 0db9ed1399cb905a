#pragma once
// Prices out of what others publish: AWS's Price List bulk files and the SkyPilot catalogue's CSV.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "model/scenario.hpp"

namespace feedrate::schema {

struct ImportedPrice {
  std::string service;  ///< "ec2", "sagemaker"; "" where the file does not say: the machine's cloud
  std::string instance;  ///< as in Machine::name
  std::string region;
  Purchase purchase = Purchase::on_demand;
  HourlyPrice price;                   ///< spot: median over zones
  std::optional<HourlyPrice> lowest;   ///< spot
  std::optional<HourlyPrice> highest;  ///< spot
  std::optional<double> zones;         ///< spot
};

struct ImportedPrices {
  std::string source;  ///< key for sources.json
  std::string what;
  std::string where;
  std::string date;  ///< "2026-11-01": when the source was made
  std::vector<ImportedPrice> prices;
};

/// Whether prices of this instance are wanted; files name hundreds of others.
using Wanted = std::function<bool(const std::string& instance)>;

/// Reads a bulk file of AmazonEC2 (Linux, shared, on demand) or AmazonSageMaker (training), of any
/// size, or a vms.csv; told apart by their first character. `date` is needed for a CSV, which has
/// none; it must be empty or equal for a bulk file. InputError for everything that is malformed,
/// cut short or contradicts itself.
ImportedPrices read_price_file(const std::string& path, const std::string& date,
                               const Wanted& wanted);

/// The two forms; read_price_file() chooses.
ImportedPrices read_aws_price_list(const std::string& path, const Wanted& wanted);
ImportedPrices read_skypilot_csv(const std::string& path, const std::string& date,
                                 const Wanted& wanted);

}  // namespace feedrate::schema
