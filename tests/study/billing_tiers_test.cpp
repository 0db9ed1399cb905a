// What is paid by the piece and by tiers: the parts of an object, S3's volume, io2's operations,
// and who is paid while others wait.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "tests/study/billed.hpp"
#include "words/bill.hpp"

using namespace feedrate;
using test::Billed;
using test::job;

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Requests that are paid for each object of that size.
double gets(const std::string& access, const std::string& size, Settings more = {}) {
  more.insert(more.begin(), {{"samples", "100000"},
                             {"page_cache", "0 B"},
                             {"source.access", access},
                             {"dataset.bytes_per_sample", size}});
  return Billed(job(more)).dollars("S3 GET") / (0.0004 / 1000.0) / 1e5;
}

/// Dollars of a month of a million objects that S3 holds.
Billed held(const std::string& service, const std::string& size, Settings more = {}) {
  more.insert(more.begin(), {{"dataset.bytes_per_sample", size},
                             {"source.service", service},
                             {"source.input_mode", "stream"},
                             {"source.bill_storage", "true"},
                             {"source.storage_held", "730 h"}});
  return Billed(job(more));
}

}  // namespace

TEST_CASE("billing: a client that reads objects in parts pays a request for each part") {
  for (const std::string access : {"boto3", "s3-connector"}) {
    INFO(access);
    CHECK(gets(access, "1 MB") == Approx(1.0));
    CHECK(gets(access, "8 MiB") == Approx(1.0));
    CHECK(gets(access, "8.1 MiB") == Approx(2.0));
    CHECK(gets(access, "80 MiB") == Approx(10.0));
  }
  CHECK(gets("s3fs", "80 MiB") == Approx(2.0));
  CHECK(gets("s5cmd", "80 MiB") == Approx(2.0));
  CHECK(gets("boto3", "80 MiB", {{"source.input_mode", "File"}}) == Approx(10.0));
  // A first request of 1.125 MiB, and the parts of what is left.
  CHECK(gets("mountpoint", "1 MiB") == Approx(1.0));
  CHECK(gets("mountpoint", "2 MiB") == Approx(2.0));
  CHECK(gets("mountpoint", "80 MiB") == Approx(11.0));
  // 100 samples of 800 KiB in an object.
  CHECK(gets("boto3", "800 KiB", {{"dataset.samples_per_object", "100"}}) == Approx(0.1));
  // Each epoch again, and in File mode each instance.
  CHECK(gets("boto3", "80 MiB", {{"epochs", "3"}}) == Approx(30.0));
  CHECK(gets("s5cmd", "80 MiB", {{"cluster.instances", "4"}}) == Approx(8.0));
  const Billed without(job({{"samples", "100000"},
                            {"source.input_mode", "stream"},
                            {"dataset.bytes_per_sample", "80 MiB"}}));
  CHECK(without.dollars("S3 GET") == Approx(0.04));
  CHECK_FALSE(without.remarks_say("each of which is paid"));
}

TEST_CASE("law: the parts of an object are never fewer for a larger object") {
  for (const std::string access : {"boto3", "s3-connector", "s3fs", "mountpoint", "s5cmd"}) {
    double before = 0.0;
    for (const int kilobytes : {1, 900, 1200, 8000, 9000, 17000, 60000, 900000}) {
      INFO(access << " " << kilobytes);
      const double now = gets(access, std::to_string(kilobytes) + " KB");
      CHECK(now >= std::max(1.0, before) - 1e-9);
      before = now;
    }
  }
}

TEST_CASE("law: a store's limit counts the requests that the bill does") {
  const std::vector<std::pair<const char*, const char*>> clients = {
      {"boto3", "s3"},   {"s3-connector", "s3"},   {"s3fs", "s3"},     {"mountpoint", "s3"},
      {"s5cmd", "s3"},   {"gcs-connector", "gcs"}, {"gcsfuse", "gcs"}, {"blobfuse2", "azure-blob"},
      {"juicefs", "s3"}, {"juicefs", "azure-blob"}};
  for (const auto& [access, service] : clients) {
    for (const std::string size : {"100 KB", "2 MiB", "80 MiB", "1 GB"}) {
      for (const std::string together : {"1", "50"}) {
        INFO(access << " of " << service << ", " << size << ", " << together << " in an object");
        const Billed billed(job({{"samples", "100000"},
                                 {"page_cache", "0 B"},
                                 {"source.service", service},
                                 {"source.access", access},
                                 {"source.requests_per_second", "5500 /s"},
                                 {"source.first_byte_latency", "50 ms"},
                                 {"dataset.samples_per_object", together},
                                 {"dataset.bytes_per_sample", size}}));
        const pipeline::Inputs& inputs = billed.resolved.inputs;
        const pipeline::Read& read = inputs.staging ? inputs.staging->read : *inputs.source;
        const auto limit =
            std::find_if(read.limits.begin(), read.limits.end(),
                         [](const pipeline::RateLimit& one) { return one.of_requests; });
        REQUIRE(limit != read.limits.end());
        const double counted = inputs.staging ? inputs.staging->objects : inputs.samples;
        REQUIRE(billed.input.requests.size() >= 1);
        CHECK(limit->each * counted == Approx(billed.input.requests.front().amount));
      }
    }
  }
}

TEST_CASE("billing: a store that answers so many requests is as slow as an object has parts") {
  const auto hours_of = [](const char* access, Settings more = {}) {
    more.insert(more.begin(), {{"samples", "100000"},
                               {"page_cache", "0 B"},
                               {"source.access", access},
                               {"source.requests_per_second", "1 /s"},
                               {"dataset.bytes_per_sample", "80 MiB"}});
    return Billed(job(more)).outcome.total.wall / hours(1.0);
  };
  // Beside what else takes time: an hour or two of network, decoding and, in File mode, the disk.
  CHECK(hours_of("s3fs") == Approx(2.0 * 1e5 / 3600.0).epsilon(0.05));
  CHECK(hours_of("boto3") == Approx(10.0 * 1e5 / 3600.0).epsilon(0.05));
  CHECK(hours_of("boto3", {{"source.input_mode", "File"}}) ==
        Approx(10.0 * 1e5 / 3600.0).epsilon(0.05));
}

TEST_CASE("billing: S3 holds large datasets for less by the TB") {
  // 40, 450 and 1000 TB for a month, by AWS's tiers of us-east-1.
  CHECK(held("s3", "40 MB").bill.storage.base() == Approx(40e3 * 0.023));
  CHECK(held("s3", "450 MB").bill.storage.base() == Approx(50e3 * 0.023 + 400e3 * 0.022));
  const Billed most = held("s3", "1 GB");
  CHECK(most.bill.storage.base() == Approx(50e3 * 0.023 + 450e3 * 0.022 + 500e3 * 0.021));
  // It is one line, which multiplies out.
  const BillLine* const line = most.line("S3 STANDARD");
  REQUIRE(line != nullptr);
  CHECK(line->amount == most.bill.storage);
  CHECK(words::quantity(*line) == "1 PB for 730 h");
  // Its first tier was read at a source, the others were not.
  CHECK(line->from.origin == Origin::assumed);
  CHECK(line->from.source.find("infracost") != std::string::npos);
  CHECK(line->from.source.find("; recalled") != std::string::npos);
  CHECK(words::price(*line) == "0.02155 USD/GB-month, mean of tiers");
  CHECK(words::price(*held("s3", "40 MB").line("S3 STANDARD")) == "0.023 USD/GB-month");
  // Other classes have no tiers.
  const Billed rarely = held("s3-ia", "1 GB");
  CHECK(rarely.bill.storage.base() == Approx(1e6 * 0.0125));
  CHECK(words::price(*rarely.line("S3 STANDARD_IA")) == "0.0125 USD/GB-month");
  // Jobs that share the data share each tier.
  const Billed shared = held("s3", "1 GB", {{"job.jobs", "4"}});
  CHECK(shared.bill.storage.base() == Approx(most.bill.storage.base() / 4.0));
}

TEST_CASE("billing: Intelligent-Tiering is paid for each object that it watches") {
  // A million objects of 0.0025 USD a thousand and month.
  const Billed billed = held("s3-intelligent-tiering", "1 MB");
  const std::string line = "S3 INTELLIGENT_TIERING frequent monitoring";
  CHECK(billed.dollars(line) == Approx(2.5));
  REQUIRE(billed.line(line) != nullptr);
  CHECK(words::quantity(*billed.line(line)) == "1000000 objects for 730 h");
  CHECK(words::price(*billed.line(line)) == "0.0025 USD per 1,000 objects and month");
  CHECK(billed.bill.storage.base() == Approx(23.0 + 2.5));
  const Settings packed = {{"dataset.samples_per_object", "1000"}};
  CHECK(held("s3-intelligent-tiering", "1 MB", packed).dollars(line) == Approx(0.0025));
  // What is smaller than 128 KiB is not watched.
  CHECK(held("s3-intelligent-tiering", "100 KB").line(line) == nullptr);
  CHECK(held("s3", "1 MB").line("S3 STANDARD monitoring") == nullptr);
}

TEST_CASE("billing: operations of io2 are cheaper beyond 32,000 and 64,000 of a volume") {
  const auto hourly = [](const char* type, int iops, const char* instances) {
    const Billed billed(job({{"source.service", "ebs"},
                             {"cluster.instance", "g5.xlarge"},
                             {"cluster.instances", instances},
                             {"disk.size", "1 TB"},
                             {"disk.volume_type", type},
                             {"disk.iops", std::to_string(iops) + " /s"}}));
    const auto of_iops = [](const BillLine& line) { return line.of == "EBS IOPS"; };
    CHECK(std::count_if(billed.bill.lines.begin(), billed.bill.lines.end(), of_iops) == 1);
    return billed.dollars("EBS IOPS") / (billed.bill.billed_time / hours(1.0)) * 730.0;
  };
  CHECK(hourly("io2", 32000, "1") == Approx(32000 * 0.065));
  CHECK(hourly("io2", 50000, "1") == Approx(32000 * 0.065 + 18000 * 0.0455));
  CHECK(hourly("io2", 90000, "1") == Approx(32000 * 0.065 + 32000 * 0.0455 + 26000 * 0.032));
  // Of each volume, not of all together; io1 has one price.
  CHECK(hourly("io2", 30000, "4") == Approx(120000 * 0.065));
  CHECK(hourly("io1", 60000, "1") == Approx(60000 * 0.065));
}

TEST_CASE("billing: hard disks of FSx come in steps of their own") {
  const auto month = [](const char* tier, const char* capacity) {
    return Billed(job({{"source.service", "fsx-lustre"},
                       {"source.input_mode", "mount"},
                       {"source.deployment_type", "PERSISTENT_1 HDD"},
                       {"source.throughput_per_capacity", tier},
                       {"source.capacity", capacity},
                       {"source.storage_held", "730 h"}}))
        .dollars("FSx for Lustre");
  };
  CHECK(month("12 MB/s/TiB", "2 TiB") == Approx(6.0 * 25.0));
  CHECK(month("12 MB/s/TiB", "7 TiB") == Approx(12.0 * 25.0));
  CHECK(month("40 MB/s/TiB", "1.8 TiB") == Approx(1.8 * 83.0));
  CHECK(month("40 MB/s/TiB", "2.5 TiB") == Approx(3.6 * 83.0));
}

TEST_CASE("billing: the bill says how many instances are paid while one is waited for") {
  const auto paid = [](const char* instance, const char* count, Settings more = {}) {
    more.insert(more.begin(), {{"cluster.instance", instance},
                               {"cluster.instances", count},
                               {"cluster.purchase", "spot"},
                               {"cluster.price", "2 USD/h"},
                               {"cluster.spot.rate", "0.2 /h"},
                               {"cluster.spot.wait_for_capacity", "1 h"}});
    return Billed(job(more)).bill.paid_in_waits;
  };
  CHECK(paid("p3.2xlarge", "1") == 0.0);
  CHECK(paid("p3.2xlarge", "4") == 3.0);
  CHECK(paid("ml.p3.2xlarge", "4") == 0.0);
  const Settings mixed = {{"cluster.spot.on_demand_instances", "2"},
                          {"cluster.spot.on_demand_price", "5 USD/h"}};
  CHECK(paid("p3.2xlarge", "4", mixed) == 3.0);
}

TEST_CASE("bill: the sources of its prices are told once each, with what they price") {
  Bill bill;
  const auto add = [&](std::string of, std::string source) {
    BillLine line;
    line.of = std::move(of);
    line.from = {Origin::published, std::move(source), 0.0};
    bill.lines.push_back(line);
  };
  CHECK(words::price_sources(bill).empty());
  add("p3.2xlarge", "price list, 2026-11-01");
  CHECK(words::price_sources(bill) == "price list, 2026-11-01");
  add("S3 GET", "scenario");
  add("EBS gp3", "price list, 2026-11-01");
  add("p3.2xlarge", "price list, 2026-11-01");
  CHECK(words::price_sources(bill) ==
        "price list, 2026-11-01 (p3.2xlarge, EBS gp3); scenario (S3 GET)");
}
