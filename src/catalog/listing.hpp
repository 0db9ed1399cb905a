#pragma once
// What the catalogue's machines are rented out as, and the questions that may be asked of it.
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "catalog/lookup.hpp"

namespace feedrate {

/// A machine as one service rents it out in one region, paid in one way.
struct Listing {
  const Machine* machine = nullptr;  ///< lives as long as the catalogue
  std::string service;               ///< "ec2", "sagemaker", "gcp" …
  std::string region;                ///< "" where nobody names one
  Purchase purchase = Purchase::on_demand;
  std::optional<HourlyPrice> price;  ///< empty: not known

  /// As a scenario's /cluster/instance names it: "ml.g5.xlarge".
  [[nodiscard]] std::string instance() const;
};

/// Every listing with a known price in these regions, on demand and spot; machines in the order of
/// the catalogue, each in the regions where its cloud has prices. Without regions each machine in
/// `wanted` where its cloud has prices there, else in us-east-1, else where find_offer looks first;
/// a machine without any price there is then listed too, once.
std::vector<Listing> listings(const Catalog& catalog, const std::vector<std::string>& regions,
                              const std::optional<std::string>& wanted = {});

/// The regions of the catalogue's prices that are places, in the order of the catalogue.
std::vector<std::string> regions_of(const Catalog& catalog);

/// The peak by which the filter orders GPUs: dense 16-bit tensor operations (bf16, else fp16) of
/// pricing/gpus.json, in units of 1e12/s. Empty where the file has none for just this model.
std::optional<double> tensor_peak(const Catalog& catalog, const std::string& gpu_model);

/// Prices of one machine in one region beside each other.
struct PriceRow {
  const Machine* machine = nullptr;
  std::string region;
  std::optional<HourlyPrice> on_demand, spot, sagemaker;
};

/// One row a machine and region, in the order in which they first come.
std::vector<PriceRow> price_rows(const std::vector<Listing>& listings);

/// Every machine with GPUs once for each service of whose prices it has any; without region and
/// price. What a scenario may name as the instance of its cluster and be billed for.
std::vector<Listing> rented_with_gpus(const Catalog& catalog);

/// What `instance` ("ml.": SageMaker's) costs on demand and as spot where no region is named
/// (region ""), then in each region that find_offer has a price of it for. Empty: no such instance.
std::vector<PriceRow> prices_of(const Catalog& catalog, const std::string& instance);

}  // namespace feedrate
