#include "formats/prices/aws_storage.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/number_text.hpp"

namespace feedrate::formats {
namespace storage_prices {
namespace {

constexpr std::string_view ec2 = "AmazonEC2", s3 = "AmazonS3", efs = "AmazonEFS", fsx = "AmazonFSx";
constexpr std::string_view by_month = "GB-Mo", by_request = "Requests", by_gb = "GB";
constexpr std::string_view per_gib = "USD/GiB/month", per_gb = "USD/GB/month";
constexpr std::string_view prices = "prices", throughput = "throughput_prices";
constexpr std::string_view usage = "usagetype", family = "productFamily";
constexpr std::string_view of_class = "storage_class", frequent = "INTELLIGENT_TIERING frequent";

constexpr StorageRow ebs(StorageRow::Members attributes, std::string_view unit,
                         std::string_view type, std::string_view field, std::string_view priced,
                         double times = 1.0) {
  return {ec2,   attributes, unit, "ebs.json", prices, {{{"type", type}, {}, {}}},
          field, priced,     times};
}
constexpr StorageRow volume(std::string_view type) {
  return ebs({{{family, "Storage"}, {"volumeApiName", type}, {}}}, by_month, type, "storage",
             per_gib);
}
constexpr StorageRow iops(std::string_view type, std::string_view used,
                          std::string_view field = "iops") {
  return ebs({{{usage, used}, {}, {}}}, "IOPS-Mo", type, field, "USD/month");
}

constexpr StorageRow in_s3(StorageRow::Members attributes, std::string_view unit,
                           std::string_view storage_class, std::string_view field,
                           std::string_view priced, double times = 1.0,
                           std::string_view begins = "0") {
  return {s3,    attributes, unit,  "s3.json", prices, {{{of_class, storage_class}, {}, {}}},
          field, priced,     times, begins};
}
constexpr StorageRow held_in_s3(std::string_view used, std::string_view storage_class,
                                std::string_view field = "storage", std::string_view begins = "0") {
  return in_s3({{{usage, used}, {}, {}}}, by_month, storage_class, field, per_gb, 1.0, begins);
}
constexpr StorageRow standard(std::string_view field, std::string_view begins) {
  return in_s3(
      {{{family, "Storage"}, {"storageClass", "General Purpose"}, {"volumeType", "Standard"}}},
      by_month, "STANDARD", field, per_gb, 1.0, begins);
}
/// Tiers of S3 begin at so many GB, 1,024 of which it calls a TB.
constexpr std::string_view above_50 = "51200", above_500 = "512000";
constexpr StorageRow requests(std::string_view used, std::string_view storage_class,
                              std::string_view field) {
  return in_s3({{{usage, used}, {}, {}}}, by_request, storage_class, field, "USD", 1000.0);
}
constexpr StorageRow standard_requests(std::string_view group, std::string_view field) {
  return in_s3({{{family, "API Request"}, {"group", group}, {}}}, by_request, "STANDARD", field,
               "USD", 1000.0);
}
constexpr StorageRow moved(std::string_view used, std::string_view storage_class,
                           std::string_view field) {
  return in_s3({{{usage, used}, {}, {}}}, by_gb, storage_class, field, "USD/GB");
}

constexpr StorageRow in_efs(StorageRow::Members attributes, std::string_view unit,
                            std::string_view storage_class, std::string_view field,
                            std::string_view priced) {
  return {efs,   attributes, unit, "efs.json", prices, {{{of_class, storage_class}, {}, {}}},
          field, priced};
}
constexpr StorageRow held_in_efs(std::string_view listed, std::string_view storage_class) {
  return in_efs({{{family, "Storage"}, {"storageClass", listed}, {}}}, by_month, storage_class,
                "storage", per_gb);
}
constexpr StorageRow through_efs(StorageRow::Members attributes, std::string_view unit,
                                 std::string_view field, std::string_view priced) {
  return {efs, attributes, unit, "efs.json", throughput, {}, field, priced};
}

/// Lustre's price is by what AWS calls a GB, of which 1,000 are a TiB of its tiers: a file system
/// of 1.2 TiB is one of 1,200.
constexpr StorageRow lustre(std::string_view disks, std::string_view listed,
                            std::string_view deployment, std::string_view tier) {
  return {fsx,
          {{{"fileSystemType", "Lustre"}, {"storageType", disks}, {"throughputCapacity", listed}}},
          by_month,
          "fsx_lustre.json",
          prices,
          {{{"deployment_type", deployment}, {"throughput", tier}, {}}},
          "storage",
          "USD/TiB/month",
          1000.0};
}

constexpr StorageRow nat(std::string_view used, std::string_view unit, std::string_view field,
                         std::string_view priced) {
  return {ec2,
          {{{family, "NAT Gateway"}, {usage, used}, {}}},
          unit,
          "transfer.json",
          "nat_gateway_prices",
          {},
          field,
          priced};
}

// Attributes: bulk files of AWS as programs that read them name them, and the usage types of AWS's
// guides to its bills.
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
    iops("io2", "EBS:VolumeP-IOPS.io2.tier2", "iops_above_32000"),
    iops("io2", "EBS:VolumeP-IOPS.io2.tier3", "iops_above_64000"),
    ebs({{{usage, "EBS:VolumeP-Throughput.gp3"}, {}, {}}}, "GiBps-mo", "gp3", "bandwidth",
        "USD/(MiB/s)/month", 1.0 / 1024.0),
    ebs({{{usage, "EBS:SnapshotUsage"}, {}, {}}}, by_month, "snapshot", "storage", per_gib),
    standard("storage", "0"),
    standard("above_50_tb", above_50),
    standard("above_500_tb", above_500),
    standard_requests("S3-API-Tier1", "per_1000_puts"),
    standard_requests("S3-API-Tier2", "per_1000_gets"),
    held_in_s3("TimedStorage-SIA-ByteHrs", "STANDARD_IA"),
    requests("Requests-SIA-Tier1", "STANDARD_IA", "per_1000_puts"),
    requests("Requests-SIA-Tier2", "STANDARD_IA", "per_1000_gets"),
    moved("Retrieval-SIA", "STANDARD_IA", "retrieval"),
    held_in_s3("TimedStorage-INT-FA-ByteHrs", frequent),
    held_in_s3("TimedStorage-INT-FA-ByteHrs", frequent, "above_50_tb", above_50),
    held_in_s3("TimedStorage-INT-FA-ByteHrs", frequent, "above_500_tb", above_500),
    in_s3({{{usage, "Monitoring-Automation-INT"}, {}, {}}}, "Objects", frequent, "per_1000_objects",
          "USD/month", 1000.0),
    requests("Requests-INT-Tier1", frequent, "per_1000_puts"),
    requests("Requests-INT-Tier2", frequent, "per_1000_gets"),
    held_in_s3("TimedStorage-XZ-ByteHrs", "EXPRESS_ONEZONE"),
    requests("Requests-XZ-Tier1", "EXPRESS_ONEZONE", "per_1000_puts"),
    requests("Requests-XZ-Tier2", "EXPRESS_ONEZONE", "per_1000_gets"),
    moved("Retrieval-XZ", "EXPRESS_ONEZONE", "retrieval"),
    moved("Upload-XZ", "EXPRESS_ONEZONE", "upload"),
    held_in_efs("General Purpose", "Standard (regional)"),
    held_in_efs("One Zone-General Purpose", "One Zone"),
    in_efs({{{usage, "IATimedStorage-ByteHrs"}, {}, {}}}, by_month, "Standard-IA", "storage",
           per_gb),
    in_efs({{{usage, "IADataAccess-Bytes"}, {"accessType", "Read"}, {}}}, by_gb, "Standard-IA",
           "access", "USD/GB"),
    in_efs({{{usage, "ArchiveTimedStorage-ByteHrs"}, {}, {}}}, by_month, "Archive", "storage",
           per_gb),
    through_efs({{{usage, "ETDataAccess-Bytes"}, {"accessType", "Read"}, {}}}, by_gb,
                "elastic_read", "USD/GB"),
    through_efs({{{usage, "ETDataAccess-Bytes"}, {"accessType", "Write"}, {}}}, by_gb,
                "elastic_write", "USD/GB"),
    through_efs({{{family, "Provisioned Throughput"}, {"throughputClass", "Provisioned"}, {}}},
                "MiBps-Mo", "provisioned", "USD/(MiB/s)/month"),
    lustre("SSD", "N/A", "SCRATCH_1", "200 MB/s/TiB"),
    lustre("SSD", "N/A", "SCRATCH_2", "200 MB/s/TiB"),
    lustre("SSD", "50", "PERSISTENT_1", "50 MB/s/TiB"),
    lustre("SSD", "100", "PERSISTENT_1", "100 MB/s/TiB"),
    lustre("SSD", "200", "PERSISTENT_1", "200 MB/s/TiB"),
    lustre("SSD", "125", "PERSISTENT_2", "125 MB/s/TiB"),
    lustre("SSD", "250", "PERSISTENT_2", "250 MB/s/TiB"),
    lustre("SSD", "500", "PERSISTENT_2", "500 MB/s/TiB"),
    lustre("SSD", "1000", "PERSISTENT_2", "1000 MB/s/TiB"),
    lustre("HDD", "12", "PERSISTENT_1 HDD", "12 MB/s/TiB"),
    lustre("HDD", "40", "PERSISTENT_1 HDD", "40 MB/s/TiB"),
    nat("NatGateway-Hours", "Hrs", "hour", "USD/h"),
    nat("NatGateway-Bytes", by_gb, "through", "USD/GB"),
};

bool fits(const PriceAttributes& attributes,
          const std::pair<std::string_view, std::string_view>& one) {
  if (one.first.empty()) return true;
  const auto found = attributes.find(one.first);
  if (found == attributes.end()) return false;
  const std::string_view value = found->second;
  if (one.first != usage || value == one.second) return value == one.second;
  // "USW2-EBS:SnapshotUsage"; "USE1-RegionalNatGateway-Hours" is of another thing.
  const std::size_t letters = value.find('-');
  return letters != std::string_view::npos && value.substr(letters + 1) == one.second;
}

bool is_of(const StorageRow& row, std::string_view file, std::string_view section,
           const std::vector<std::pair<std::string, std::string>>& record) {
  return row.file == file && row.section == section && members_of(row.record) == record;
}

}  // namespace
}  // namespace storage_prices

std::vector<const StorageRow*> storage_rows(std::string_view offer,
                                            const PriceAttributes& attributes) {
  using namespace storage_prices;
  std::vector<const StorageRow*> found;
  for (const StorageRow& row : rows) {
    if (row.offer == offer && std::all_of(row.attributes.begin(), row.attributes.end(),
                                          [&](const auto& one) { return fits(attributes, one); })) {
      found.push_back(&row);
    }
  }
  return found;
}

std::size_t storage_fields(std::string_view file, std::string_view section,
                           const std::vector<std::pair<std::string, std::string>>& record) {
  using namespace storage_prices;
  return static_cast<std::size_t>(
      std::count_if(std::begin(rows), std::end(rows),
                    [&](const StorageRow& row) { return is_of(row, file, section, record); }));
}

std::vector<std::pair<std::string, std::string>> members_of(const StorageRow::Members& record) {
  std::vector<std::pair<std::string, std::string>> members;
  for (const auto& [key, value] : record) {
    if (!key.empty()) members.emplace_back(key, value);
  }
  return members;
}

std::string price_text(const StorageRow& row, double rate) {
  // Plain decimals, as people write prices: "0.00003 USD".
  const double price = with_digits(rate * row.times, 12);
  std::string digits = exact_text(price);
  if (digits.find('e') != std::string::npos) {
    digits = fmt::format("{:.18f}", price);
    digits.erase(digits.find_last_not_of('0') + 1);
  }
  return digits + " " + std::string(row.priced);
}

}  // namespace feedrate::formats
