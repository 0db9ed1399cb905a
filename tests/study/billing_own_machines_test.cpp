// What machines pay of which the catalogue knows no name, by where they stand.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "catch.hpp"
#include "tests/study/billed.hpp"

using namespace feedrate;
using test::Billed;
using test::job;

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Machines without a name that read 1 TB in an epoch.
Billed own(const std::string& region, Settings more = {}) {
  const std::string there = region.empty() ? "" : ", \"region\": \"" + region + "\"";
  more.insert(more.begin(),
              {{"/cluster", R"({"vcpus": 8, "cores": 4, "memory": "61 GB", "gpus_per_instance": 1,
                                "network": "10 Gbit/s", "price": "3 USD/h")" +
                                there + "}"},
               {"source.input_mode", "stream"}});
  return Billed(job(more));
}

std::string refusal(const Settings& settings) {
  try {
    Billed(job(settings));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("billing: what leaves a cloud for machines of one's own goes to the internet") {
  const char* const out = "transfer from AWS to the internet";
  // 0.09 USD/GB for the first 10 TB.
  CHECK(own("on-premises").dollars(out) == Approx(90.0));
  CHECK(own("on-premises").remarks_say("/cluster/region is none of its regions: 1 TB cross"));
  CHECK(own("on-premises", {{"source.region", "us-east-1"}}).dollars(out) == Approx(90.0));
  CHECK(own("us-central1").dollars(out) == Approx(90.0));
  CHECK(own("us-east-1").bill.transfer == Money{});
  CHECK(own("us-east-1", {{"source.region", "us-west-2"}})
            .dollars("transfer from us-west-2 to us-east-1") == Approx(20.0));
  // Of Google's store 0.12 USD/GB for the first TB.
  const Settings gcs = {{"source.service", "gcs"},
                        {"source.first_byte_latency", "50 ms"},
                        {"source.bandwidth", "1 GB/s"},
                        {"source.region", "us-central1"}};
  CHECK(own("on-premises", gcs).dollars("transfer from GCP to the internet") == Approx(120.0));
  CHECK(own("us-central1", gcs).bill.transfer == Money{});
}

TEST_CASE("billing: of machines without name and region it is said where they are taken to stand") {
  const Billed somewhere = own("");
  CHECK(somewhere.bill.transfer == Money{});
  CHECK(somewhere.remarks_say("no /cluster/region, and are taken to stand in AWS"));
  CHECK_FALSE(own("us-east-1").remarks_say("taken to stand in AWS"));
  CHECK_FALSE(own("on-premises").remarks_say("taken to stand in AWS"));
}

TEST_CASE("billing: checkpoints that come back from a cloud are paid on their way out alone") {
  const Billed home = own("on-premises", {{"job.checkpoint.size", "10 GB"},
                                          {"job.checkpoint.interval", "100 s"},
                                          {"job.checkpoint.bandwidth", "2 GB/s"},
                                          {"cluster.failures.mttf", "1 h"},
                                          {"source.storage_class", "STANDARD"}});
  const double struck = home.outcome.interrupted.counted.interruptions;
  REQUIRE(struck > 0.1);
  CHECK(home.dollars("transfer of checkpoints from AWS to the internet") ==
        Approx(0.9 * struck).epsilon(0.01));
}

TEST_CASE("billing: regions that nobody has are refused, or told with the nearest name") {
  const Settings to_mars = {{"job.checkpoint", R"({"to": "s3", "region": "us-west2", "size": "1 GB",
                             "interval": "1 h", "bandwidth": "1 GB/s"})"}};
  const std::string said = refusal(to_mars);
  CHECK(said.find("/job/checkpoint/region: expected one of") != std::string::npos);
  CHECK(said.find("did you mean \"us-west-2\"?") != std::string::npos);
  const Billed near = own("us-esat-1");
  CHECK(near.remarks_say("/cluster/region: no price of the catalogue is of \"us-esat-1\""));
  CHECK(near.remarks_say("did you mean \"us-east-1\"?"));
  CHECK(own("on-premises")
            .remarks_say("no price of the catalogue is of \"on-premises\": the machines are taken "
                         "to stand outside of every cloud"));
  CHECK_FALSE(own("us-east-1").remarks_say("no price of the catalogue"));
  CHECK_FALSE(own("us-central1").remarks_say("no price of the catalogue"));
  // Clouds have regions that the catalogue lacks: their machines are not one's own.
  for (const char* region : {"eu-central-2", "us-east-11", "swedencentral"}) {
    INFO(region);
    const Billed there = own(region);
    CHECK(there.remarks_say("those of another region are taken for it"));
    CHECK_FALSE(there.remarks_say("outside of every cloud"));
    CHECK_FALSE(there.remarks_say("did you mean"));
  }
  CHECK(own("eu-central-2").bill.transfer == Money{});
}

TEST_CASE("billing: a store's price of several regions is one of a region that it has") {
  const auto told = [](const char* region) {
    return own("us-central1", {{"source.service", "gcs"},
                               {"source.first_byte_latency", "50 ms"},
                               {"source.bandwidth", "1 GB/s"},
                               {"source.region", region}})
        .remarks_say("/source/region: no price");
  };
  CHECK_FALSE(told("EU multi-region"));
  CHECK_FALSE(told("europe-west4"));  // is one, of which the catalogue has no price
  CHECK(told("EU multiregion"));
  CHECK(told("us-east-1"));
}

TEST_CASE("billing: machines without a name pay for the distance within their cloud") {
  const Settings gcs = {{"source.service", "gcs"},
                        {"source.first_byte_latency", "50 ms"},
                        {"source.bandwidth", "1 GB/s"},
                        {"source.region", "europe-west1"}};
  // 1 TB at 0.02 USD/GB.
  CHECK(own("europe-west4", gcs).dollars("transfer from europe-west1 to europe-west4") ==
        Approx(20.0));
  const Billed far = own("us-central1", gcs);
  CHECK(far.bill.transfer == Money{});
  const auto& caveats = far.resolved.caveats;
  CHECK(std::any_of(caveats.begin(), caveats.end(), [](const std::string& text) {
    return text.starts_with("What GCS sends from europe-west1 to us-central1 is not on the bill");
  }));
}

TEST_CASE("billing: machines of one's own have a name where no price of the way to them is known") {
  Catalog unpriced = test::catalog();
  unpriced.transfer.clear();
  const Scenario scenario =
      job({{"/cluster", R"({"vcpus": 8, "cores": 4, "memory": "61 GB", "gpus_per_instance": 1,
                            "network": "10 Gbit/s", "price": "3 USD/h", "region": "on-premises",
                            "failures": {"mttf": "1 h"}})"},
           {"source.input_mode", "stream"},
           {"source.service", "gcs"},
           {"source.first_byte_latency", "50 ms"},
           {"source.bandwidth", "1 GB/s"},
           {"job.checkpoint.size", "10 GB"},
           {"job.checkpoint.interval", "100 s"},
           {"job.checkpoint.bandwidth", "2 GB/s"}});
  const auto caveats = Billed(scenario, unpriced).resolved.caveats;
  const auto told = [&](std::string_view begin) {
    return std::any_of(caveats.begin(), caveats.end(),
                       [&](const std::string& text) { return text.starts_with(begin); });
  };
  CHECK(told("What leaves GCP for machines of your own is not on the bill"));
  CHECK(told("What checkpoints cost that leave GCP for machines of your own is not on the bill"));
}
