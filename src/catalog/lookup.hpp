#pragma once
// Questions to the catalogue. Every answer says where it comes from and what is not quite as asked;
// every failure says what exists and which key of the scenario helps.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "catalog/catalog.hpp"

namespace feedrate {

/// The region whose prices are looked up where none is asked for.
inline constexpr std::string_view default_region = "us-east-1";
inline constexpr std::string_view default_azure_region = "eastus";
inline constexpr std::string_view default_gcp_region = "us-central1";
/// The other one that most prices are collected of.
inline constexpr std::string_view twin_region = "us-west-2";
/// Those whose prices stand in for another region's, the first that has one: a list of one cloud's
/// service has none of another cloud's regions.
inline constexpr std::string_view azure_store_region = "westus";
inline constexpr std::array price_stand_ins = {default_region, twin_region, default_gcp_region,
                                               azure_store_region};

enum class LookupProblem { unknown_name, unknown_region, unknown_price };

/// The problem in a few words, for a cell of a table: "no price".
std::string_view in_few_words(LookupProblem problem);

/// Why a look-up found nothing, in words for the user.
struct LookupFailure {
  LookupProblem kind = LookupProblem::unknown_name;
  std::string message;               ///< "no instance "p3.3xlarge" in the catalogue (did you …"
  std::vector<std::string> choices;  ///< names or regions that exist
  std::string key;                   ///< JSON pointer of the scenario that helps
};

/// A value, or why there is none.
template <class T>
struct Lookup {
  std::optional<T> value;
  LookupFailure failure;

  explicit operator bool() const { return value.has_value(); }
  const T& operator*() const { return *value; }
  const T* operator->() const { return &*value; }
};

/// What find_offer answers.
struct PricedOffer {
  Value<HourlyPrice> price;
  std::string service;
  std::string region;  ///< of the price that was taken
  std::string date;
  bool current = true;
  std::string remark;   ///< empty, or how the price differs from what was asked for
  double spread = 0.0;  ///< standard deviation over it of what will be paid: of spot prices
};

struct OfferQuery {
  std::string service;                ///< empty: service_of(instance)
  std::string instance;               ///< with or without "ml."
  std::optional<std::string> region;  ///< empty: us-east-1, else the first region with a price
  Purchase purchase = Purchase::on_demand;
  std::optional<double> savings;  ///< savings plan: fraction off, 0…1
  /// Where a price of one's own is given, which a failure tells.
  std::string_view price_key = "/cluster/price";
};

/// The file system that is simulated and billed where a scenario names FSx for Lustre and no more.
inline constexpr const char* default_fsx_deployment = "SCRATCH_2";
inline constexpr SpecificBandwidth default_fsx_tier =
    megabytes(200.0) / seconds(1.0) / tebibytes(1.0);

/// How EFS stores data where nothing is said, and in one zone: as a class of its prices, and as a
/// mode of its limits.
inline constexpr const char* default_efs_class = "Standard (regional)";
inline constexpr const char* efs_one_zone = "One Zone";
inline constexpr const char* efs_one_zone_mode = "one zone";

/// Paths of transfer tariffs.
inline constexpr std::string_view to_another_region = "to another region";
inline constexpr std::string_view to_internet = "to internet";
inline constexpr std::string_view between_zones = "between zones";
inline constexpr std::string_view gcs_on_one_continent = "GCS to another location of the continent";
/// The name by which the prices of EBS have what a snapshot of any volume costs.
inline constexpr std::string_view ebs_snapshot = "snapshot";
/// The billing rule of a NAT gateway.
inline constexpr std::string_view nat_gateway_service = "nat_gateway";

/// "ml.p3.2xlarge" → "p3.2xlarge"; other names unchanged.
std::string_view without_prefix(std::string_view instance);

/// "ml." → "sagemaker", an AWS name → "ec2", else the cloud of the machine ("" when not known).
std::string service_of(const Catalog& catalog, std::string_view instance);

/// A machine by name, with or without "ml.", or by the name that Azure's API has. The pointer lives
/// as long as `catalog`.
Lookup<const Machine*> find_machine(const Catalog& catalog, std::string_view instance);

/// The price of an instance. Prefers, in this order: the region itself; a price that holds in
/// all regions; one for "a US region" where a US region is asked for. Where a service has no price
/// with a region at all, one whose source names none (then `assumed`). Among equals current before
/// historical, then the latest date. Savings plans are on-demand less `savings`, SageMaker's
/// managed spot on-demand less what EC2's spot price saves (then `assumed`). Whatever is not
/// exactly what was asked for is in `remark`.
Lookup<PricedOffer> find_offer(const Catalog& catalog, const OfferQuery& query);

/// The shortest capacity block that is sold and holds so much: by the day up to two weeks, by the
/// week up to half a year (EC2 user guide, Capacity Blocks for ML, 2025). Empty: none is so long.
std::optional<Duration> block_as_sold(Duration held);

/// The region by whose price the cluster's instances are billed where it names none; "" where their
/// price has no region, or is the scenario's own.
std::string region_of_price(const Catalog& catalog, const Cluster& cluster);

/// Billing of a service; per second without minimum, assumed, where the catalogue has none.
BillingRule billing_rule(const Catalog& catalog, std::string_view service);

/// Whose cloud a machine stands in; of one without a name (null) its region says so, and "" is
/// nobody's, or not known.
std::string_view cloud_of_machine(const Machine* machine, std::string_view region);

/// Whether a machine is known to stand elsewhere than in `cloud`: what that stores comes to it over
/// the internet. Without name and region it is not known, so no.
bool outside(const Machine* machine, std::string_view region, std::string_view cloud);
bool outside_aws(const Machine* machine, std::string_view region);

/// The region whose prices a cloud's store is billed by where none is named; "" of a cloud without
/// a store that has prices.
std::string_view default_region_of(std::string_view cloud);

/// The region by whose prices services of AWS are billed to a cluster in `region`: that one; and
/// us-east-1 where none is named, or where the region is another cloud's.
std::string aws_region(const Machine* machine, std::string_view region);

/// Prices by region; failures name `/source/bill_storage` or say what else helps. What a region has
/// no price of costs what it does in price_stand_ins, as `assumed`: nothing would be the cheapest.
/// The storage class of S3 that has limits of its own.
inline constexpr std::string_view s3_express = "EXPRESS_ONEZONE";
Lookup<S3Price> find_s3_price(const Catalog& catalog, std::string_view region,
                              std::string_view storage_class);
/// `service` as in object_stores.json: "gcs", "azure_blob".
Lookup<ObjectPrice> find_object_price(const Catalog& catalog, std::string_view service,
                                      std::string_view region, std::string_view storage_class);
Lookup<FsxPrice> find_fsx_price(const Catalog& catalog, std::string_view region,
                                std::string_view deployment_type, SpecificBandwidth throughput);
Lookup<EfsPrice> find_efs_price(const Catalog& catalog, std::string_view region,
                                std::string_view storage_class);
Lookup<EfsThroughputPrice> find_efs_throughput_price(const Catalog& catalog,
                                                     std::string_view region);
Lookup<EbsPrice> find_ebs_price(const Catalog& catalog, std::string_view region,
                                std::string_view volume_type);
Lookup<std::vector<TransferTier>> find_transfer(const Catalog& catalog, std::string_view path,
                                                std::string_view region);
/// What leaves `cloud` for the internet. AWS asks by the region `from` that it leaves; Google by
/// the `continent` where it goes.
Lookup<std::vector<TransferTier>> find_way_out(const Catalog& catalog, std::string_view cloud,
                                               std::string_view from, std::string_view continent);
/// From one region of AWS to another: the tariff of the two, else what the first asks of all.
Lookup<std::vector<TransferTier>> find_transfer_between(const Catalog& catalog,
                                                        std::string_view from, std::string_view to);

Lookup<NatGatewayPrice> find_nat_gateway(const Catalog& catalog, std::string_view region);

/// The tier of FSx for Lustre; failures list the tiers that exist.
Lookup<FsxTier> find_fsx_tier(const Catalog& catalog, std::string_view deployment_type,
                              SpecificBandwidth throughput);
Value<CapacitySteps> fsx_steps(const Catalog& catalog, std::string_view deployment_type,
                               SpecificBandwidth throughput);
const EbsVolume* find_ebs_volume(const Catalog& catalog, std::string_view type);
const EfsMode* find_efs_mode(const Catalog& catalog, std::string_view mode);

/// What a host-to-device copy from pinned memory reaches on this machine: the typical rate of its
/// PCIe generation, or its GPU's, scaled to the lanes. Always `assumed`; empty where neither is
/// known. `texts`: whether anyone reads where the number comes from.
Known<Bandwidth> typical_pinned_copy(const Catalog& catalog, const Machine& machine,
                                     bool texts = true);

/// The size that is billed for a wanted one.
Bytes billed_capacity(Bytes wanted, const CapacitySteps& steps);

/// The middle of a range, with the standard error of a uniform distribution over it.
template <class T>
Known<T> middle_of(const Range<T>& range) {
  if (!range.low || !range.high) return range.low ? range.low : range.high;
  Value<T> middle{0.5 * (range.low->value + range.high->value), range.low->from};
  const double width = (range.high->value - range.low->value) / middle.value;
  middle.from.source += ", middle of the range";
  middle.from.relative_error = width / 3.4641016151377544;  // width / √12
  return middle;
}

}  // namespace feedrate
