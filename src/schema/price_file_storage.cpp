#include "schema/price_file_storage.hpp"

#include <algorithm>

#include "base/number_text.hpp"

namespace feedrate::schema {
namespace storage_prices {
namespace {

constexpr std::string_view ec2 = "AmazonEC2", s3 = "AmazonS3", efs = "AmazonEFS";
constexpr std::string_view by_month = "GB-Mo";
constexpr std::string_view per_gib = "USD/GiB/month", per_gb = "USD/GB/month";

constexpr StorageRow volume(std::string_view type) {
  return {ec2,       "Storage", {{{"volumeApiName", type}, {}}}, by_month, "ebs.json", "type", type,
          "storage", per_gib};
}
constexpr StorageRow iops(std::string_view type, std::string_view usage) {
  return {
      ec2,    "System Operation", {{{"usagetype", usage}, {}}}, "IOPS-Mo", "ebs.json", "type", type,
      "iops", "USD/month"};
}
constexpr StorageRow stored(std::string_view offer, std::string_view file, std::string_view of,
                            std::string_view volume_type, std::string_view record) {
  return {offer,    "Storage", {{{"storageClass", of}, {"volumeType", volume_type}}},
          by_month, file,      "storage_class",
          record,   "storage", per_gb};
}
constexpr StorageRow requests(std::string_view group, std::string_view field) {
  return {s3,         "API Request", {{{"group", group}, {}}},
          "Requests", "s3.json",     "storage_class",
          "STANDARD", field,         "USD",
          1000.0};
}

// Attributes: bulk files of AWS as programs that read them name them (infracost and others).
constexpr StorageRow rows[] = {
    volume("gp2"),
    volume("gp3"),
    volume("io1"),
    volume("io2"),
    volume("st1"),
    volume("sc1"),
    iops("gp3", "EBS:VolumeP-IOPS.gp3"),
    iops("io1", "EBS:VolumeP-IOPS.piops"),
    iops("io2", "EBS:VolumeP-IOPS.io2"),
    {ec2,
     "Provisioned Throughput",
     {{{"usagetype", "EBS:VolumeP-Throughput.gp3"}, {}}},
     "GiBps-mo",
     "ebs.json",
     "type",
     "gp3",
     "bandwidth",
     "USD/(MiB/s)/month",
     1.0 / 1024.0},
    {ec2,
     "Storage Snapshot",
     {{{"usagetype", "EBS:SnapshotUsage"}, {}}},
     by_month,
     "ebs.json",
     "type",
     "snapshot",
     "storage",
     per_gib},
    stored(s3, "s3.json", "General Purpose", "Standard", "STANDARD"),
    requests("S3-API-Tier1", "per_1000_puts"),
    requests("S3-API-Tier2", "per_1000_gets"),
    stored(efs, "efs.json", "One Zone-General Purpose", "", "One Zone"),
    stored(efs, "efs.json", "General Purpose", "", "Standard (regional)"),
};

bool fits(const PriceAttributes& attributes,
          const std::pair<std::string_view, std::string_view>& one, bool whole) {
  if (one.second.empty()) return true;
  const auto found = attributes.find(one.first);
  if (found == attributes.end()) return false;
  // Usage types begin with a region's letters: "USW2-EBS:SnapshotUsage".
  return whole ? found->second == one.second : found->second.ends_with(one.second);
}

}  // namespace
}  // namespace storage_prices

const StorageRow* storage_row(std::string_view offer, const PriceAttributes& attributes) {
  const auto family = attributes.find("productFamily");
  if (family == attributes.end()) return nullptr;
  using namespace storage_prices;
  const auto found = std::find_if(std::begin(rows), std::end(rows), [&](const StorageRow& row) {
    return row.offer == offer && row.family == family->second &&
           std::all_of(row.attributes.begin(), row.attributes.end(), [&](const auto& one) {
             return fits(attributes, one, one.first != "usagetype");
           });
  });
  return found == std::end(rows) ? nullptr : &*found;
}

std::size_t storage_fields(std::string_view file, std::string_view value) {
  using namespace storage_prices;
  return static_cast<std::size_t>(
      std::count_if(std::begin(rows), std::end(rows),
                    [&](const StorageRow& row) { return row.file == file && row.value == value; }));
}

std::string price_text(const StorageRow& row, double rate) {
  return exact_text(with_digits(rate * row.times, 12)) + " " + std::string(row.priced);
}

}  // namespace feedrate::schema
