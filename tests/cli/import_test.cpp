// feedrate catalog import: what changes is printed, what is broken changes nothing.
#include <algorithm>

#include "base/errors.hpp"
#include "catalog/lookup.hpp"
#include "catch.hpp"
#include "cli/process.hpp"
#include "formats/prices/catalog_import.hpp"
#include "schema/catalog/catalog_reader.hpp"

using namespace testing_cli;

namespace {

/// A bulk file of AmazonEC2, as AWS lays it out: two machines of the catalogue, one of another
/// system, one reserved only.
const std::string bulk = R"({
  "formatVersion": "v1.0",
  "disclaimer": "…",
  "offerCode": "AmazonEC2",
  "version": "20261101000000",
  "publicationDate": "2026-11-01T17:55:34Z",
  "products": {
    "A": {"sku": "A", "productFamily": "Compute Instance", "attributes": {"instanceType": "p3.2xlarge",
      "regionCode": "us-east-1", "operatingSystem": "Linux", "tenancy": "Shared",
      "preInstalledSw": "NA", "capacitystatus": "Used"}},
    "B": {"sku": "B", "productFamily": "Compute Instance", "attributes": {"instanceType": "p3.8xlarge",
      "regionCode": "us-east-1", "operatingSystem": "Linux", "tenancy": "Shared",
      "preInstalledSw": "NA", "capacitystatus": "Used"}},
    "C": {"sku": "C", "productFamily": "Compute Instance", "attributes": {"instanceType": "p3.2xlarge",
      "regionCode": "us-east-1", "operatingSystem": "Windows", "tenancy": "Shared",
      "preInstalledSw": "NA", "capacitystatus": "Used"}},
    "D": {"sku": "D", "productFamily": "Compute Instance", "attributes": {"instanceType": "x1.unknown",
      "regionCode": "us-east-1", "operatingSystem": "Linux", "tenancy": "Shared",
      "preInstalledSw": "NA", "capacitystatus": "Used"}}
  },
  "terms": {
    "OnDemand": {
      "A": {"A.T": {"offerTermCode": "T", "sku": "A", "priceDimensions": {"A.T.R": {"unit": "Hrs",
        "description": "per hour", "appliesTo": [], "pricePerUnit": {"USD": "2.5000000000"}}}}},
      "B": {"B.T": {"offerTermCode": "T", "sku": "B", "priceDimensions": {"B.T.R": {"unit": "Hrs",
        "pricePerUnit": {"USD": "12.2400000000"}}}}},
      "C": {"C.T": {"offerTermCode": "T", "sku": "C", "priceDimensions": {"C.T.R": {"unit": "Hrs",
        "pricePerUnit": {"USD": "9.0000000000"}}}}}
    },
    "Reserved": {}
  }
}
)";

const std::string csv =
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,"
    "AvailabilityZone\n"
    "p3.2xlarge,V100,1.0,8.0,61.0,\"{'Gpus': [{'Name': \"\"V100\"\", 'Count': "
    "1}]}\",3.06,0.5,us-west-2,a\n"
    "p3.2xlarge,V100,1.0,8.0,61.0,\"{'Gpus': [{'Name': \"\"V100\"\", 'Count': "
    "1}]}\",3.06,0.7,us-west-2,b\n"
    "p3.2xlarge,V100,1.0,8.0,61.0,,3.9,,us-moon-1,a\n"
    "x9.none,,,1.0,1.0,,0.1,,us-west-2,a\n";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

/// A copy of the pricing files.
struct Prices {
  Folder folder;
  std::string pricing = folder / "pricing";

  Prices() { shell("cp -r pricing '" + pricing + "'"); }

  Outcome import(const std::string& text, const std::string& flags = "") const {
    return shell("feedrate catalog import '" + folder.write("prices.in", text) + "' " + flags,
                 "LC_ALL=C.UTF-8 FEEDRATE_PRICING='" + pricing + "'");
  }
  [[nodiscard]] std::string differences() const {
    return shell("diff -r pricing '" + pricing + "'").out;
  }
};

TEST_CASE("import: two prices of one offer are never planned, whoever made the list") {
  const std::string folder = std::string(FEEDRATE_SOURCE_DIR) + "/pricing";
  const feedrate::Catalog catalog = feedrate::schema::read_whole_catalog(folder);
  feedrate::formats::ImportedPrices list{"a-list", "a list", "nowhere", "2026-11-20", {}};
  for (const double usd : {1.25, 1.25, 1.5}) {
    list.prices.push_back({"ec2",
                           "p3.2xlarge",
                           "us-east-1",
                           feedrate::Purchase::on_demand,
                           feedrate::usd_per_hour(usd),
                           {},
                           {},
                           {}});
  }
  CHECK_THROWS_AS(feedrate::formats::plan_import(folder, catalog, list), feedrate::InputError);
  list.prices.pop_back();
  CHECK(feedrate::formats::plan_import(folder, catalog, list).changes.size() == 1);
}

}  // namespace

TEST_CASE("import: an AWS bulk file changes the prices it names, with source and date") {
  const Prices prices;
  const Outcome outcome = prices.import(bulk);
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out, "1 price changed, 0 new, 1 confirmed"));
  CHECK(has(outcome.out, "3.06 USD/h"));
  CHECK(has(outcome.out, "2.5 USD/h"));
  CHECK(has(outcome.out, "-18.3 %"));
  const std::string p3 = slurp(prices.pricing + "/aws/p3.json");
  CHECK(has(p3, R"("region": "us-east-1", "purchase": "on_demand", "price": "2.5 USD/h", )"
                R"("source": "aws-price-list-ec2", "date": "2026-11-01"},)"));
  CHECK(has(slurp(prices.pricing + "/sources.json"), "\"aws-price-list-ec2\": {\"what\""));
  const Outcome show = shell("feedrate catalog show p3.2xlarge",
                             "LC_ALL=C.UTF-8 FEEDRATE_PRICING='" + prices.pricing + "'");
  CHECK(show.status == 0);
  CHECK(has(show.out, "2026-11-01"));
  // The same again changes nothing.
  const std::string once = prices.differences();
  CHECK(prices.import(bulk).status == 0);
  CHECK(prices.differences() == once);
}

TEST_CASE(
    "import: a CSV gives on-demand prices, and spot as median, cheapest and most expensive zone") {
  const Prices prices;
  const Outcome outcome = prices.import(csv, "--date 2026-11-01");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(has(slurp(prices.pricing + "/aws/p3.json"),
            R"("region": "us-west-2", "purchase": "spot", "price": "0.6 USD/h", "lowest": )"
            R"("0.5 USD/h", "highest": "0.7 USD/h", "zones": 2,)"));
  CHECK(has(outcome.out, "1 price left out"));
}

TEST_CASE("import: SageMaker's training prices are added where only older ones were known") {
  const Prices prices;
  std::string text = replaced(bulk, "AmazonEC2", "AmazonSageMaker");
  text = replaced(text, "\"instanceType\": \"p3.2xlarge\"",
                  "\"component\": \"Training\", \"instanceName\": \"ml.p3.2xlarge\"");
  const Outcome outcome = prices.import(text);
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out, "1 new"));
  CHECK(has(
      slurp(prices.pricing + "/aws/p3.json"),
      R"({"service": "sagemaker", "instance": "p3.2xlarge", "region": "us-east-1", )"
      R"("purchase": "on_demand", "price": "2.5 USD/h", "source": "aws-price-list-sagemaker")"));
  const Outcome run =
      shell("feedrate run scenarios/caltech256_p3.json --full --set region=us-east-1",
            "LC_ALL=C.UTF-8 FEEDRATE_PRICING='" + prices.pricing + "'");
  CHECK(run.status == 0);
  CHECK(has(run.out, "2.5 USD/h"));
}

TEST_CASE("import: --dry-run writes nothing, older files change nothing newer") {
  const Prices prices;
  const Outcome dry = prices.import(bulk, "--dry-run");
  CHECK(dry.status == 0);
  CHECK(has(dry.out, "nothing was written"));
  CHECK(prices.differences().empty());
  const Outcome old = prices.import(replaced(bulk, "2026-11-01T", "2020-01-01T"));
  CHECK(old.status == 0);
  CHECK(has(old.out, "2 prices left unchanged"));
  CHECK(prices.differences().empty());
}

TEST_CASE("import: malformed and partial files leave the catalogue as it is") {
  const Prices prices;
  const auto refused = [&](const std::string& text, const std::string& flags,
                           const std::string& words) {
    const Outcome outcome = prices.import(text, flags);
    INFO(words << "\n" << outcome.out << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(has(outcome.err, words));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(prices.differences().empty());
  };
  refused("", "", "empty file");
  refused("{", "", "breaks off");
  for (const double share : {0.2, 0.5, 0.9, 0.98}) {
    refused(bulk.substr(0, static_cast<std::size_t>(share * static_cast<double>(bulk.size()))), "",
            "breaks off");
  }
  refused("{}", "", "formatVersion");
  refused(replaced(bulk, "AmazonEC2", "AmazonRDS"), "", "AmazonEFS or AmazonFSx");
  refused(replaced(bulk, "\"terms\"", "\"tems\""), "", "a part of a price list");
  refused(replaced(bulk, "2.5000000000", "cheap"), "", "expected a price in USD");
  refused(replaced(bulk, "2.5000000000", "-1"), "", "expected a price in USD");
  refused(replaced(bulk, "\"Hrs\"", "\"Months\""), "", "per hour");
  refused(replaced(bulk, "2026-11-01T", "lately"), "", "publicationDate");
  refused(bulk, "--date 2026-10-01", "2026-10-01 (--date)");
  refused(csv, "", "--date YYYY-MM-DD");
  refused(csv, "--date soon", "expected a day");
  for (const std::string day : {"2026-13-01", "2026-02-30", "2025-02-29", "2026-00-01",
                                "2026-01-00", "2026-1-011", "20-26-11-0"}) {
    refused(csv, "--date " + day, "--date: expected a day such as 2026-11-01");
    refused(replaced(bulk, "2026-11-01T", day + "T"), "", "publicationDate");
  }
  // Prices of a day that is to come would keep out all that are imported until then.
  refused(csv, "--date 2099-01-01", "--date: expected a day up to tomorrow, 20");
  refused(replaced(bulk, "2026-11-01T", "2099-01-01T"), "",
          "\"publicationDate\": expected a day up to tomorrow, 20");
  refused(csv.substr(0, csv.size() - 12), "--date 2026-11-01", "fields");
  refused(replaced(csv, "3.9", "3,9"), "--date 2026-11-01", "fields");
  refused(replaced(csv, "3.9", "n/a"), "--date 2026-11-01", ":4: expected Price");
  refused(replaced(csv, "3.06,0.7", "3.07,0.7"), "--date 2026-11-01", "expected one price");
  refused(replaced(csv, ",Price", ",Cost"), "--date 2026-11-01", "called Price");
  refused(replaced(csv, "InstanceType", "Machine"), "--date 2026-11-01",
          "expected the columns instance, region and price (in a vms.csv: InstanceType, Region and "
          "Price), got \"Machine\", \"AcceleratorName\",");
  refused("instance;region;price\np3.2xlarge;us-west-2;1\n", "--date 2026-11-01",
          "got one column (fields are separated by commas)");
  refused("InstanceType,Region,Price\nx9.none,us-west-2,1\n", "--date 2026-11-01", "none of any");
  refused("InstanceType,Region,Price\n\"p3.2xlarge,us-west-2,1\n", "--date 2026-11-01",
          "end of a quoted field");
  // Of a file of one's own, all rows that are wrong.
  const Outcome own = prices.import(
      "instance,region,price\nnosuch.xlarge,us-west-2,3\np3.2xlarge,us-west-2,3\n"
      "p3.2xlarge,us-west-2,1 USD\np3.2xlarge,us-west-2\n",
      "--date 2026-11-01");
  CHECK(own.status == 2);
  for (const char* line : {":2: ", ":4: ", ":5: "}) CHECK(has(own.err, line));
  CHECK_FALSE(has(own.err, ":3: "));
  CHECK(prices.differences().empty());
}

TEST_CASE("import: when a file cannot be written, none is changed") {
  const Prices prices;
  // The machines' file fits under the limit, sources.json (written after it) does not.
  const Outcome full =
      shell("trap '' XFSZ; cp pricing/sources.json '" + prices.pricing +
                "/sources.json'; for i in $(seq 4000); do "
                "echo '                                        '; done >>'" +
                prices.pricing + "/sources.json'; cp '" + prices.pricing + "/sources.json' '" +
                (prices.folder / "kept") + "'; ulimit -f 100; feedrate catalog import '" +
                prices.folder.write("prices.in", bulk) + "' >/dev/null",
            "LC_ALL=C.UTF-8 FEEDRATE_PRICING='" + prices.pricing + "'");
  CHECK(full.status == 3);
  CHECK(has(full.err, "cannot be written"));
  CHECK(shell("diff pricing/aws/p3.json '" + prices.pricing + "/aws/p3.json'").status == 0);
  CHECK(shell("cmp '" + (prices.folder / "kept") + "' '" + prices.pricing + "/sources.json'")
            .status == 0);
}

namespace {

/// A list of `offer` with a product a row: SKU, family, attributes, unit, rate of its first tier;
/// two more follow, as S3's do.
struct Product {
  const char* sku;
  const char* family;
  const char* attributes;
  const char* unit;
  const char* rate;
};

std::string list_of(const std::string& offer, const std::vector<Product>& products,
                    const std::string& region = "us-east-1") {
  std::string list, terms;
  for (const Product& one : products) {
    const std::string sku = one.sku;
    const std::string comma = list.empty() ? "" : ",\n";
    list += comma + "\"" + sku + R"(": {"productFamily": ")" + one.family +
            R"(", "attributes": {"regionCode": ")" + region + R"(", )" + one.attributes + "}}";
    const auto tier = [&](const char* begin, const std::string& rate) {
      return "\"" + sku + ".T." + begin + R"(": {"unit": ")" + one.unit + R"(", "beginRange": ")" +
             begin + R"(", "pricePerUnit": {"USD": ")" + rate + "\"}}";
    };
    terms += comma + "\"" + sku + R"(": {")" + sku + R"(.T": {"priceDimensions": {)" +
             tier("0", one.rate) + ", " + tier("51200", "0.0000000002") + ", " +
             tier("512000", "0.0000000001") + "}}}";
  }
  return R"({"formatVersion": "v1.0", "offerCode": ")" + offer +
         R"(", "publicationDate": "2026-11-01T17:55:34Z", "products": {)" + list +
         R"(}, "terms": {"OnDemand": {)" + terms + "}}}";
}

}  // namespace

TEST_CASE("import: prices of storage replace what a record has, whole or not at all") {
  const Prices prices;
  const Product standard = {"S", "Storage",
                            R"("storageClass": "General Purpose", "volumeType": "Standard")",
                            "GB-Mo", "0.0240000000"};
  const Product put = {"P", "API Request", R"("group": "S3-API-Tier1")", "Requests",
                       "0.0000060000"};
  const Product get = {"G", "API Request", R"("group": "S3-API-Tier2")", "Requests",
                       "0.0000004000"};
  const Outcome s3 = prices.import(list_of("AmazonS3", {standard, put, get}));
  CHECK(s3.status == 0);
  CHECK(s3.out.find("4 prices changed, 0 new, 1 confirmed") != std::string::npos);
  CHECK(s3.out.find("0.024 USD/GB/month") != std::string::npos);
  const std::string changed = prices.differences();
  CHECK(
      changed.find(
          R"("storage": "0.024 USD/GB/month", "above_50_tb": "0.0000000002 USD/GB/month", "above_500_tb": "0.0000000001 USD/GB/month", "per_1000_puts": "0.006 USD", "per_1000_gets": "0.0004 USD", "source": "aws-price-list-s3", "date": "2026-11-01", "sources": {"retrieval": "infracost"}})") !=
      std::string::npos);
  CHECK(changed.find(R"("note": "first 50 TB")") != std::string::npos);
  CHECK(s3.out.find("+4.3 %") != std::string::npos);
  // What a record has beside its prices stays; one that is not in the list at all, too.
  CHECK(changed.find(R"("retrieval": "0 USD/GB")") != std::string::npos);
  CHECK(changed.find("us-west-2") == std::string::npos);

  // A record has one source for all its prices, so a part of them is none.
  const Prices others;
  const Outcome part = others.import(list_of("AmazonS3", {standard}));
  CHECK(part.out.find("1 record left unchanged") != std::string::npos);
  CHECK(others.differences().empty());
  // Two prices of one thing are none.
  Product other = standard;
  other.sku = "T";
  other.rate = "0.0250000000";
  CHECK(
      others.import(list_of("AmazonS3", {standard, other, put, get})).out.find("left unchanged") !=
      std::string::npos);
  // Nor is one by a unit that is not known here.
  Product wrong = standard;
  wrong.unit = "TB-Mo";
  CHECK(others.import(list_of("AmazonS3", {wrong, put, get})).out.find("left unchanged") !=
        std::string::npos);
  CHECK(others.differences().empty());
}

TEST_CASE("import: EBS comes with EC2's list, in its units, and new records are added") {
  const Prices prices;
  const Outcome ebs = prices.import(list_of(
      "AmazonEC2",
      {{"V", "Storage", R"("volumeApiName": "gp3", "usagetype": "EBS:VolumeUsage.gp3")", "GB-Mo",
        "0.0800000000"},
       {"I", "System Operation", R"("usagetype": "EBS:VolumeP-IOPS.gp3")", "IOPS-Mo", "0.005"},
       {"B", "Provisioned Throughput", R"("usagetype": "EBS:VolumeP-Throughput.gp3")", "GiBps-mo",
        "40.96"},
       {"N", "Storage Snapshot", R"("usagetype": "USE1-EBS:SnapshotUsage")", "GB-Mo", "0.06"}}));
  CHECK(ebs.status == 0);
  CHECK(ebs.out.find("1 price changed, 3 new, 0 confirmed") != std::string::npos);
  const std::string changed = prices.differences();
  CHECK(
      changed.find(
          R"({"region": "us-east-1", "type": "gp3", "storage": "0.08 USD/GiB/month", "iops": "0.005 USD/month", "bandwidth": "0.04 USD/(MiB/s)/month", "source": "aws-price-list-ec2", "date": "2026-11-01"})") !=
      std::string::npos);
  CHECK(changed.find(R"("type": "snapshot", "storage": "0.06 USD/GiB/month")") !=
        std::string::npos);
  CHECK(changed.find("sources.json") != std::string::npos);
  // A part of a new record would hide the whole one that stands in.
  const Prices part;
  const Outcome few = part.import(list_of(
      "AmazonEC2", {{"V", "Storage", R"("volumeApiName": "gp3")", "GB-Mo", "0.0900000000"}}));
  CHECK(few.out.find("1 record left unchanged") != std::string::npos);
  CHECK(part.differences().empty());
}

TEST_CASE("import: classes of S3 and EFS, tiers of Lustre and NAT gateways, in any region") {
  const std::string europe = "eu-west-1";
  const auto says = [](const std::string& changed, const char* record) {
    INFO(record << " in\n" << changed);
    CHECK(changed.find(record) != std::string::npos);
  };
  // A new record has what is no price from one of another region.
  const Prices s3;
  const std::string cold = list_of(
      "AmazonS3",
      {{"S", "Storage", R"("usagetype": "EU-TimedStorage-SIA-ByteHrs")", "GB-Mo", "0.0125"},
       {"s", "Storage", R"("usagetype": "EU-TimedStorage-SIA-SmObjects")", "GB-Mo", "0.9"},
       {"P", "API Request", R"("usagetype": "EU-Requests-SIA-Tier1")", "Requests", "0.00001"},
       {"G", "API Request", R"("usagetype": "EU-Requests-SIA-Tier2")", "Requests", "0.000001"},
       {"R", "Fee", R"("usagetype": "EU-Retrieval-SIA")", "GB", "0.011"}},
      europe);
  CHECK(s3.import(cold).status == 0);
  says(
      s3.differences(),
      R"({"region": "eu-west-1", "storage_class": "STANDARD_IA", "least_object": "128 KiB", "least_held": "30 days", "storage": "0.0125 USD/GB/month", "per_1000_puts": "0.01 USD", "per_1000_gets": "0.001 USD", "retrieval": "0.011 USD/GB", "source": "aws-price-list-s3", "date": "2026-11-01", "recalled": ["least_object", "least_held"]})");
  // The throughput of EFS is a record of its own, by the region alone.
  const Prices efs;
  const std::vector<Product> moved = {
      {"R", "Storage", R"("usagetype": "EU-ETDataAccess-Bytes", "accessType": "Read")", "GB",
       "0.033"},
      {"W", "Storage", R"("usagetype": "EU-ETDataAccess-Bytes", "accessType": "Write")", "GB",
       "0.066"},
      {"I", "Provisioned Throughput", R"("throughputClass": "Included")", "MiBps-Mo", "0"},
      {"P", "Provisioned Throughput", R"("throughputClass": "Provisioned")", "MiBps-Mo", "6.6"}};
  CHECK(efs.import(list_of("AmazonEFS", moved, europe)).status == 0);
  says(
      efs.differences(),
      R"({"region": "eu-west-1", "elastic_read": "0.033 USD/GB", "elastic_write": "0.066 USD/GB", "provisioned": "6.6 USD/(MiB/s)/month", "source": "aws-price-list-efs", "date": "2026-11-01"})");
  // What of a record had a source of its own has the list's like all the rest of it.
  const Prices east;
  CHECK(east.import(list_of("AmazonEFS", moved)).status == 0);
  CHECK(east.differences().find(R"(> )"
                                R"(  {"region": "us-east-1", "elastic_read": "0.033)") !=
        std::string::npos);
  // One price of scratch disks is that of both deployments; 1,000 of AWS's GB are a TiB of a tier.
  const Prices fsx;
  const char* const lustre = R"("fileSystemType": "Lustre", "storageType": "SSD", )"
                             R"("throughputCapacity": "N/A")";
  const char* const tier = R"("fileSystemType": "Lustre", "storageType": "SSD", )"
                           R"("throughputCapacity": "250")";
  const char* const zfs = R"("fileSystemType": "OpenZFS", "storageType": "SSD")";
  CHECK(fsx.import(list_of("AmazonFSx", {{"S", "Storage", lustre, "GB-Mo", "0.15"},
                                         {"T", "Storage", tier, "GB-Mo", "0.22"},
                                         {"Z", "Storage", zfs, "GB-Mo", "0.09"}}))
            .out.find("3 prices changed") != std::string::npos);
  const std::string tiers = fsx.differences();
  says(
      tiers,
      R"("deployment_type": "SCRATCH_1", "throughput": "200 MB/s/TiB", "storage": "150 USD/TiB/month", "source": "aws-price-list-fsx")");
  says(
      tiers,
      R"("deployment_type": "SCRATCH_2", "throughput": "200 MB/s/TiB", "storage": "150 USD/TiB/month", "source": "aws-price-list-fsx")");
  says(
      tiers,
      R"("deployment_type": "PERSISTENT_2", "throughput": "250 MB/s/TiB", "storage": "220 USD/TiB/month", "source": "aws-price-list-fsx")");
  // Prices are compared as numbers.
  const Prices express;
  const std::string zone = list_of(
      "AmazonS3",
      {{"S", "Storage", R"("usagetype": "TimedStorage-XZ-ByteHrs")", "GB-Mo", "0.11"},
       {"P", "API Request", R"("usagetype": "Requests-XZ-Tier1")", "Requests", "0.00000113"},
       {"G", "API Request", R"("usagetype": "Requests-XZ-Tier2")", "Requests", "0.0000000300"},
       {"R", "Fee", R"("usagetype": "Retrieval-XZ")", "GB", "0.0006"},
       {"U", "Fee", R"("usagetype": "Upload-XZ")", "GB", "0.0032"}});
  CHECK(has(express.import(zone).out, "0 prices changed, 0 new, 5 confirmed"));
  CHECK(has(express.differences(), R"("per_1000_gets": "0.00003 USD")"));
  // EC2's list has gateways of a zone and of a region; the former are meant.
  const Prices nat;
  const std::string gateway =
      list_of("AmazonEC2",
              {{"H", "NAT Gateway", R"("usagetype": "EU-NatGateway-Hours")", "Hrs", "0.048"},
               {"B", "NAT Gateway", R"("usagetype": "EU-NatGateway-Bytes")", "GB", "0.048"},
               {"r", "NAT Gateway", R"("usagetype": "EU-RegionalNatGateway-Hours")", "Hrs", "0.9"}},
              europe);
  CHECK(nat.import(gateway).out.find("0 prices changed, 2 new") != std::string::npos);
  says(
      nat.differences(),
      R"({"region": "eu-west-1", "hour": "0.048 USD/h", "through": "0.048 USD/GB", "source": "aws-price-list-ec2", "date": "2026-11-01"})");
  CHECK(has(nat.import(gateway).out, "2 confirmed"));
  // A folder of an older version has no such section, and its prices of machines go on.
  const Prices old;
  CHECK(shell("cd '" + old.pricing +
              "' && sed -i '/nat_gateway_prices/,/^ ]/d; s/^ ],$/ ]/' "
              "transfer.json && sed -i '/managed_spot_max/i {\"limit\": \"nat_gateway\", "
              "\"value\": \"0.045 USD/h\", \"source\": \"recalled\"},' services.json")
            .status == 0);
  CHECK(has(old.import(gateway).out, "left unchanged"));
  const Outcome run = shell(
      "feedrate run scenarios/s3dataset_stream.json --set source.nat_gateway=true --set "
      "region=eu-west-1 --set instance=p3.2xlarge --full",
      "FEEDRATE_PRICING='" + nat.pricing + "'");
  INFO(run.out << run.err);
  CHECK(has(run.out, "NAT gateway"));
  CHECK_FALSE(has(run.out, "not on the bill"));
}

TEST_CASE("import: a CSV with the mark that Excel puts before it is the same CSV") {
  const std::string rows =
      "instance,region,price,spot\np5.48xlarge,us-gov-west-1,50,\np5.48xlarge,us-east-2,55.04,9\n";
  const Prices plain, marked;
  REQUIRE(plain.import(rows, "--date 2026-07-20").status == 0);
  const Outcome outcome = marked.import("\xEF\xBB\xBF" + rows, "--date 2026-07-20");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(shell("diff -r '" + plain.pricing + "' '" + marked.pricing + "'").status == 0);
  CHECK(has(marked.differences(), "us-gov-west-1"));
}

TEST_CASE("import: tomorrow is a day that has begun somewhere") {
  const std::string rows = "instance,region,price\np5.48xlarge,us-gov-west-1,50\n";
  const Prices prices;
  const std::string file = prices.folder.write("mine.csv", rows);
  const auto status = [&](const std::string& day) {
    return shell("feedrate catalog import '" + file + "' --dry-run --date " + day,
                 "SOURCE_DATE_EPOCH=1793534400 FEEDRATE_PRICING='" + prices.pricing + "'")
        .status;
  };
  CHECK(status("2026-11-01") == 0);
  CHECK(status("2026-11-02") == 0);
  CHECK(status("2026-11-03") == 2);
}

TEST_CASE("import: an offer of one region holds before the record that it shares with others") {
  const Prices prices;
  const std::string own =
      "instance,region,price,spot\np5.48xlarge,us-gov-west-1,50,\np5.48xlarge,us-east-2,55.04,9\n";
  const Outcome done = prices.import(own, "--date 2026-07-20");
  CHECK(done.out.find("2 prices changed") != std::string::npos);
  const std::string changed = prices.differences();
  // What an import does not know stays.
  const std::size_t spot = changed.find("\"9 USD/h\"");
  REQUIRE(spot != std::string::npos);
  CHECK(changed.find("\"interruption\": \"", spot) < changed.find('\n', spot));
  const feedrate::Catalog read = feedrate::schema::read_whole_catalog(prices.pricing);
  const auto paid =
      find_offer(read, {"ec2", "p5.48xlarge", "us-gov-west-1", feedrate::Purchase::on_demand, {}});
  REQUIRE(paid);
  CHECK(paid->price.value / feedrate::usd_per_hour(1.0) == Approx(50.0));
  // Older ones change nothing.
  CHECK(prices.import(own, "--date 2026-07-19").out.find("left unchanged") != std::string::npos);
}
