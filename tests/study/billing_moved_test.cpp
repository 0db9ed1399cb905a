// What is paid for bytes that instances, helpers and caches send each other, or that are copied
// again: sums by hand.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "study/run.hpp"
#include "tests/study/billed.hpp"

using namespace feedrate;
using test::Billed;
using test::job;

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Two instances in two zones, whose exchanges are nothing, changed by `more`.
Billed apart(const Settings& more) {
  Settings settings = {{"source.input_mode", "stream"},
                       {"cluster.instances", "2"},
                       {"cluster.zones", "2"},
                       {"job.allreduce.gradient_bytes", "0 B"}};
  settings.insert(settings.end(), more.begin(), more.end());
  return Billed(job(settings));
}

bool caveats_say(const Billed& of, std::string_view part) {
  const auto& caveats = of.resolved.caveats;
  return std::any_of(caveats.begin(), caveats.end(),
                     [&](const std::string& one) { return one.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("billing: batches of helpers are paid both ways where they go to another zone") {
  constexpr const char* line = "batches from helpers in another zone, both ways";
  const auto helpers = [&](const char* epochs, const char* instances, const char* zones) {
    return apart({{"loader.remote",
                   R"({"instance": "c6i.4xlarge", "instances": 3, "bytes_per_sample": "600 KB"})"},
                  {"job.epochs", epochs},
                  {"cluster.instances", instances},
                  {"cluster.zones", zones}});
  };
  // A million samples of 600 KB: half of them to the other zone, at 0.01 USD/GB each way.
  CHECK(helpers("1", "2", "2").dollars(line) == Approx(600.0 * 0.5 * 2 * 0.01));
  CHECK(helpers("3", "2", "2").dollars(line) == Approx(3 * 600.0 * 0.5 * 2 * 0.01));
  CHECK(helpers("1", "4", "3").dollars(line) == Approx(600.0 * 2.0 / 3.0 * 2 * 0.01));
  CHECK(helpers("1", "2", "1").line(line) == nullptr);
}

TEST_CASE("billing: what a shared cache gives an instance of another zone is paid both ways") {
  constexpr const char* line = "cached data from another zone, both ways";
  const auto cache = [&](const char* room, const char* epochs, const char* zones) {
    return apart({{"source.shared_cache", "true"},
                  {"source.cache", room},
                  {"job.epochs", epochs},
                  {"disk.page_cache", "0 B"},
                  {"disk.size", "2 TB"},
                  {"cluster.zones", zones}});
  };
  // The first epoch of 1 TB comes from S3, each later one from the caches: half from the other.
  const Billed all = cache("600 GB", "3", "2");
  CHECK(all.dollars(line) == Approx(2 * 1000.0 * 0.5 * 2 * 0.01));
  CHECK(cache("600 GB", "1", "2").dollars(line) == Approx(0.0).margin(1e-9));
  CHECK(cache("600 GB", "3", "1").line(line) == nullptr);
  // What S3 and the caches give is all that is read, however much has room.
  for (const char* room : {"600 GB", "300 GB", "50 GB"}) {
    const Billed some = cache(room, "4", "2");
    const double crossed = some.dollars(line) / (2 * 0.01) / 0.5;  // GB
    const double fetched = some.dollars("S3 GET") / 0.4e-6 * 1e-3;
    CHECK(crossed + fetched == Approx(4000.0).epsilon(1e-6));
  }
  // Where all has room in memory an instance asks for what it never had, of 10 GB three quarters
  // and then three quarters of those. Two of the three others are in the other zone.
  const Billed held = apart({{"dataset.samples", "10000"},
                             {"source.shared_cache", "true"},
                             {"source.cache", "10 GB"},
                             {"job.epochs", "3"},
                             {"disk.page_cache", "20 GB"},
                             {"cluster.instances", "4"}});
  CHECK(held.dollars(line) ==
        Approx(10.0 * (0.75 + 0.75 * 0.75) * 2.0 / 3.0 * 2 * 0.01).epsilon(1e-3));
}

TEST_CASE("billing: what has a price in AWS alone leaves other clouds' bills without it") {
  const auto on = [](const char* machine, const char* region, const Settings& more) {
    Settings settings = {{"cluster.instance", machine},
                         {"cluster.region", region},
                         {"cluster.vcpus", "8"},
                         {"cluster.network", "10 Gbit/s"},
                         {"source.service", "gcs"},
                         {"source.input_mode", "stream"},
                         {"source.first_byte_latency", "10 ms"},
                         {"gpu_times", "any"},
                         {"cpu_times", "any"}};
    settings.insert(settings.end(), more.begin(), more.end());
    return Billed(job(settings));
  };
  const Settings zones = {{"cluster.instances", "2"},
                          {"cluster.zones", "2"},
                          {"job.allreduce.gradient_bytes", "100 MB"}};
  const Settings nat = {{"source.nat_gateway", "true"}};
  CHECK_FALSE(on("a2-highgpu-1g", "us-central1", {}).bill.unpriced);
  const Billed apart_there = on("a2-highgpu-1g", "us-central1", zones);
  CHECK(apart_there.bill.unpriced);
  CHECK(caveats_say(apart_there, "What crosses zones is not on the bill"));
  const Billed through_nat = on("a2-highgpu-1g", "us-central1", nat);
  CHECK(through_nat.bill.unpriced);
  CHECK(caveats_say(through_nat, "The NAT gateway is not on the bill"));
  CHECK_FALSE(on("p3.2xlarge", "us-east-1", zones).bill.unpriced);
  CHECK_FALSE(on("p3.2xlarge", "us-east-1", nat).bill.unpriced);
  // Nor are gradients of which it is not known how many they are.
  const Billed unknown =
      on("p3.2xlarge", "us-east-1",
         {{"cluster.instances", "2"}, {"cluster.zones", "2"}, {"job.efficiency", "0.9"}});
  CHECK(unknown.bill.unpriced);
  CHECK(caveats_say(unknown, "Gradients between zones are not on the bill: how many bytes"));
  // Nothing crosses where nothing is exchanged.
  Settings quiet = zones;
  quiet.back().second = "0 B";
  CHECK_FALSE(on("a2-highgpu-1g", "us-central1", quiet).bill.unpriced);
}

TEST_CASE("billing: a copy that an interruption cuts short is billed as far as it came") {
  const auto spot = [](const char* rate) {
    return Billed(job({{"cluster.purchase", "spot"},
                       {"cluster.spot.rate", rate},
                       {"cluster.spot.wait_for_capacity", "40 min"},
                       {"job.startup", "0 s"},
                       {"source.region", "us-west-2"},
                       {"job.checkpoint.size", "5 GB"},
                       {"job.checkpoint.interval", "15 min"},
                       {"job.checkpoint.bandwidth", "500 MB/s"}}));
  };
  constexpr const char* between = "transfer from us-west-2 to us-east-1";
  for (const double per_hour : {0.3, 1.5}) {
    const Billed billed = spot((std::to_string(per_hour) + " /h").c_str());
    const double copy = per_hour / 3600.0 * billed.outcome.staging.base();
    const double struck = billed.outcome.interrupted.counted.interruptions;
    REQUIRE(copy > 0.05);
    // Of each copy that is begun, the mean of an exponential time that ends with the copy.
    const double copies = (1.0 + struck) * -std::expm1(-copy) / copy;
    CHECK(billed.dollars(between) == Approx(1000.0 * 0.02 * copies).epsilon(1e-6));
    CHECK(billed.dollars("S3 GET of checkpoints") ==
          Approx(std::ceil(struck * std::exp(-copy) * 597.0) * 0.4e-6).epsilon(1e-3));
  }
}

TEST_CASE("billing: samples by which shares of ranks are filled up are read, as they are trained") {
  const auto gets = [](const char* samples) {
    return Billed(job({{"source.input_mode", "FastFile"},
                       {"dataset.samples", samples},
                       {"loader.batch_size", "1"},
                       {"cluster.instances", "2"},
                       {"disk.page_cache", "0 B"},
                       {"job.epochs", "1000"}}))
        .dollars("S3 GET");
  };
  CHECK(gets("3") == Approx(4000 * 0.4e-6));
  CHECK(gets("4") == Approx(4000 * 0.4e-6));
}

TEST_CASE("billing: a region that is given is not one that data is taken to be in") {
  const Settings abroad = {{"cluster.instance", "a2-highgpu-1g"},
                           {"cluster.region", "us-central1"},
                           {"cluster.vcpus", "8"},
                           {"cluster.network", "10 Gbit/s"},
                           {"gpu_times", "any"},
                           {"cpu_times", "any"},
                           {"disk.kind", "other"},
                           {"disk.iops", "9000 /s"}};
  CHECK(Billed(job(abroad)).remarks_say("the data is in AWS, taken to be in us-east-1, and"));
  Settings given = abroad;
  given.emplace_back("source.region", "us-west-2");
  CHECK(Billed(job(given)).remarks_say("the data is in AWS (us-west-2), and"));
}

TEST_CASE("billing: a burst that copying uses up is not one that training had") {
  const auto remarks_on = [](const Settings& more) {
    Settings settings = {{"cluster.instance", "g5.2xlarge"},
                         {"dataset.bytes_per_sample", "3 GB"},
                         {"dataset.bytes_on_gpu_per_sample", "1 MB"},
                         {"dataset.samples", "500"},
                         {"dataset.size_cv", "0"},
                         {"disk", R"({"kind": "ebs", "size": "2000 GB", "volume_type": "io2",
                                      "iops": "50000 /s"})"},
                         {"loader.batch_size", "1"},
                         {"loader.num_workers", "1"},
                         {"loader.prefetch_factor", "1"},
                         {"preprocess", "[]"},
                         {"job.epochs", "4"},
                         {"job.step", R"({"fixed": "1 s"})"},
                         {"gpu_times", "any"}};
    settings.insert(settings.end(), more.begin(), more.end());
    const Result result = study::run(job(settings), test::catalog(), nullptr, {});
    const auto told =
        std::count_if(result.remarks.begin(), result.remarks.end(), [](const auto& one) {
          return one.find("burst of the EBS bandwidth") != std::string::npos;
        });
    return std::pair(told, result.stages[Stage::disk].burst_end.has_value());
  };
  // 1.5 TB at 437.5 MB/s need longer than the half hour of the burst.
  const auto [told, shown] = remarks_on({{"source.input_mode", "File"}});
  CHECK(told == 0);
  CHECK_FALSE(shown);
  // Read in place, the first half hour of training has it.
  const auto [told_once, shown_once] =
      remarks_on({{"source.service", "ebs"}, {"source.input_mode", "local"}});
  CHECK(told_once == 1);
  CHECK(shown_once);
}
