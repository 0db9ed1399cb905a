// How far data is from the machines that read it, across the names of three clouds.
#include "resolve/distance.hpp"

#include <algorithm>
#include <set>

#include "catch.hpp"
#include "tests/study/billed.hpp"

using namespace feedrate;
using namespace feedrate::resolve;

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

pipeline::Read read_of(Settings settings) {
  settings.insert(settings.begin(), {{"source.input_mode", "stream"}, {"gpu_times", "any"}});
  return resolve::resolve(test::job(settings), test::catalog()).inputs.source.value();
}

/// One connection's own rate.
double each(const pipeline::Read& read) {
  return read.rate.total(1.0).base();
}

const Settings on_google = {{"instance", "a2-highgpu-8g"}, {"region", "us-central1"}};

}  // namespace

TEST_CASE("distance: the continent of every region that the catalogue prices machines in") {
  std::set<std::string> unknown;
  for (const Offer& offer : test::catalog().offers) {
    const bool named =
        offer.region != "all" && offer.region != "US" && offer.region != "not stated";
    const bool of_three =
        offer.service == "ec2" || offer.service == "gcp" || offer.service == "azure";
    if (named && of_three && continent_of(offer.region).empty()) unknown.insert(offer.region);
  }
  CHECK(unknown == std::set<std::string>{});
}

TEST_CASE("distance: a region's name says whose it is") {
  for (const Offer& offer : test::catalog().offers) {
    const bool named =
        offer.region != "all" && offer.region != "US" && offer.region != "not stated";
    const std::string cloud = offer.service == "ec2" ? "aws" : offer.service;
    if (!named || (cloud != "aws" && cloud != "gcp" && cloud != "azure")) continue;
    INFO(offer.region);
    CHECK(cloud_of_region(offer.region) == cloud);
  }
  for (const char* name : {"onprem", "on-premises", "at-home", "rack-1", "us-east", "campus",
                           "brussels", "us", "us-ashburn-1", "eu-frankfurt-1", ""}) {
    INFO(name);
    CHECK(cloud_of_region(name).empty());
  }
  for (const char* name : {"centralus", "eastus2", "southcentralus", "usgovvirginia", "uksouth",
                           "ukwest", "malaysiawest"}) {
    INFO(name);
    CHECK(cloud_of_region(name) == "azure");
  }
  CHECK(cloud_of_region("us-gov-west-1") == "aws");
  CHECK(cloud_of_region("me-west1") == "gcp");
}

TEST_CASE("distance: regions of other sellers are no cloud's, but for names that one has, too") {
  std::set<std::string> clouds;
  for (const Offer& offer : test::catalog().offers) {
    for (const char* service : {"ec2", "sagemaker", "gcp", "azure"}) {
      if (offer.service == service) clouds.insert(offer.region);
    }
  }
  std::set<std::string> others;
  for (const Offer& offer : test::catalog().offers) {
    if (!clouds.contains(offer.region)) others.insert(offer.region);
  }
  CHECK(others.contains("eu-north1"));
  for (const std::string& region : others) {
    INFO(region);
    CHECK(cloud_of_region(region).empty());
  }
}

TEST_CASE("distance: names of one continent, whatever the cloud") {
  for (const char* name : {"eu-west-1", "europe-west4", "westeurope", "uksouth", "austriaeast"}) {
    CHECK(continent_of(name) == "europe");
  }
  for (const char* name :
       {"us-east-1", "ca-central-1", "us-central1", "eastus2", "canadacentral"}) {
    CHECK(continent_of(name) == "north america");
  }
  CHECK(continent_of("australiaeast") == "australia");
  CHECK(continent_of("ap-southeast-2") == "australia");
  CHECK(continent_of("ap-southeast-1") == "asia");
  CHECK(continent_of("southafricanorth") == "africa");
  CHECK(continent_of("malaysiawest") == "asia");
  CHECK(continent_of("us") == "north america");
  CHECK(continent_of("at-home").empty());
}

TEST_CASE("distance: another cloud's data takes the way to it") {
  const pipeline::Read near = read_of({{"source.region", "us-east-1"}});
  const pipeline::Read far = read_of({{"source.region", "us-west-2"}});
  const pipeline::Read google =
      read_of({{"source.region", "us-east-1"}, on_google[0], on_google[1]});
  const pipeline::Read from_europe =
      read_of({{"source.region", "eu-west-1"}, on_google[0], on_google[1]});
  const double share = assumed::region_connection_share.value;
  // As between two regions of AWS: a round trip longer, and half a connection's rate.
  CHECK((far.latency - near.latency).base() == Approx(assumed::region_latency.value));
  CHECK((google.latency - near.latency).base() == Approx(assumed::cloud_latency.value));
  CHECK((from_europe.latency - near.latency).base() == Approx(assumed::continent_latency.value));
  CHECK(each(far) == Approx(share * each(near)));
  CHECK(each(google) == Approx(share * each(near)));
  // So it is without a region, and from Google's store to AWS.
  CHECK(read_of({on_google[0], on_google[1]}).latency == google.latency);
  const Settings gcs = {{"source.service", "gcs"}, {"source.first_byte_latency", "50 ms"}};
  const pipeline::Read measured = read_of(gcs);
  CHECK(measured.latency.base() == Approx(0.05));
}

TEST_CASE("distance: auxiliary instances that read beside the data take no way to it") {
  Settings settings = {on_google[0], on_google[1]};
  const pipeline::Read alone = read_of(settings);
  settings.emplace_back("loader.remote",
                        R"({"instance": "c5.4xlarge", "instances": 4, "price": "1 USD/h"})");
  const pipeline::Read aside = read_of(settings);
  CHECK((alone.latency - aside.latency).base() == Approx(assumed::cloud_latency.value));
}
