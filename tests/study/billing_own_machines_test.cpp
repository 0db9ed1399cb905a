// What machines pay of which the catalogue knows no name, by where they stand.
#include <string>
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
  const Billed near = own("us-east-11");
  CHECK(near.remarks_say("/cluster/region: no price of the catalogue is of \"us-east-11\""));
  CHECK(near.remarks_say("did you mean \"us-east-1\"?"));
  CHECK(own("on-premises")
            .remarks_say("no price of the catalogue is of \"on-premises\": the machines are taken "
                         "to stand outside of every cloud"));
  CHECK_FALSE(own("us-east-1").remarks_say("no price of the catalogue"));
  CHECK_FALSE(own("us-central1").remarks_say("no price of the catalogue"));
}
