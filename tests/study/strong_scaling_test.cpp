// A global batch that is kept on other numbers of instances.
#include <algorithm>
#include <cmath>
#include <string>

#include "catch.hpp"
#include "resolve/generated_scenario.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/run.hpp"
#include "study/scale.hpp"

using namespace feedrate;
using namespace feedrate::study;

namespace {

Scenario job(double batch, double accumulation, double instances) {
  return schema::read_scenario(schema::parse_document(
      R"({"dataset": {"samples": 100000, "bytes_per_sample": "100 KB"},
          "source": {"service": "http", "input_mode": "stream", "first_byte_latency": "1 ms",
                     "bandwidth_per_connection": "1 GB/s"},
          "loader": {"num_workers": 8, "batch_size": )" +
          std::to_string(batch) + R"(},
          "cluster": {"vcpus": 64, "cores": 64, "gpus_per_instance": 4, "price": "1 USD/h",
                      "instances": )" +
          std::to_string(instances) + R"(, "network": "100 Gbit/s"},
          "job": {"epochs": 1, "gradient_accumulation": )" +
          std::to_string(accumulation) + R"(, "step": {"fixed": "20 ms", "per_sample": "5 ms"},
                  "allreduce": {"gradient_bytes": "1 MB", "busbw_inside": "100 GB/s"}}})",
      "strong.json"));
}

}  // namespace

TEST_CASE("strong scaling: batches of an optimiser step become fewer before they become smaller") {
  const Scenario given = job(4, 8, 2);
  struct Row {
    double instances, batch, accumulation;
  };
  for (const Row& row : {Row{1, 4, 16}, Row{2, 4, 8}, Row{4, 4, 4}, Row{8, 4, 2}, Row{16, 4, 1},
                         Row{32, 2, 1}, Row{64, 1, 1}}) {
    INFO(row.instances << " instances");
    const GpuShare share = gpu_share(given, row.instances);
    CHECK(share.batch == row.batch);
    CHECK(share.accumulation == row.accumulation);
    CHECK(share.off() == 0.0);
  }
  // 64/21 samples, of which there can be three.
  CHECK(gpu_share(given, 21).batch == 3.0);
  CHECK(gpu_share(given, 21).off() == Approx(1.0 - 3.0 * 21.0 / 64.0));
}

TEST_CASE("strong scaling: a job of a given duration has as many steps of the global batch") {
  const Scenario given = schema::read_scenario(schema::parse_document(
      R"({"cluster": {"instances": 8}, "job": {"duration_on_one_instance": "800 h", "steps": 1000,
          "allreduce": {"parameters": 7e9}}})",
      "given.json"));
  const auto steps = [&](double instances, BatchKept kept) {
    for (const auto& [key, value] : instances_setting(given, instances, kept)) {
      if (key == "/job/steps") return value;
    }
    return std::string("1000");
  };
  CHECK(steps(16, BatchKept::global) == "1000");
  CHECK(steps(16, BatchKept::per_gpu) == "500");
  CHECK(steps(8, BatchKept::per_gpu) == "1000");
}

TEST_CASE("strong scaling: rows of a job of a given duration are its runs") {
  const auto made = [&](const Setting& set) {
    schema::Document document = schema::parse_document(
        R"({"name": "t", "cluster": {"instance": "p4d.24xlarge", "region": "us-east-1"},
            "job": {"duration_on_one_instance": "100 h", "steps": 100000,
                    "allreduce": {"parameters": 1e9}}})",
        "given.json");
    for (const auto& [key, value] : set) schema::set_value(document, key, value);
    return schema::read_scenario(document);
  };
  ScaleOptions options;
  options.to = 8;
  options.kept = BatchKept::global;
  const ScaleCurve curve = scale_curve({}, made, testing_resolve::catalog(), nullptr, options);
  REQUIRE(curve.rows.size() > 3);
  for (const ScaleRow& row : curve.rows) {
    INFO(row.instances << " instances");
    const Scenario job = made({{"/cluster/instances", std::to_string(int(row.instances))}});
    RunOptions by_mean;
    by_mean.events = false;
    CHECK(row.point.result.times.total ==
          run(job, testing_resolve::catalog(), nullptr, by_mean).times.total);
    CHECK_FALSE(row.rounded);
  }
}

TEST_CASE(
    "strong scaling: a run of more instances trains on more samples, a row of scale does not") {
  const auto made = [&](const Setting& set) {
    testing_resolve::Settings settings = {{"/job/epochs", "null"}, {"/job/steps", "1000"}};
    settings.insert(settings.end(), set.begin(), set.end());
    return testing_resolve::scenario_with(settings);
  };
  const auto says = [](const Result& result) {
    return std::any_of(result.remarks.begin(), result.remarks.end(), [](const std::string& text) {
      return text.find("train on 2 times the samples of one in as many") != std::string::npos;
    });
  };
  CHECK(says(run(made({{"/cluster/instances", "2"}}), testing_resolve::catalog(), nullptr)));
  ScaleOptions options;
  options.to = 2;
  const ScaleCurve curve = scale_curve({}, made, testing_resolve::catalog(), nullptr, options);
  REQUIRE(curve.rows.size() == 2);
  CHECK_FALSE(says(curve.rows.back().point.result));
  const auto remarks = scaling_of({curve}, made({}), options).remarks;
  CHECK(std::any_of(remarks.begin(), remarks.end(), [](const std::string& text) {
    return text.find("twice as many instances in half of the steps") != std::string::npos;
  }));
}

TEST_CASE("strong scaling: what keeps another global batch is not recommended") {
  const Scenario given = job(4, 2, 8);
  ScaleOptions options;
  options.to = 64;
  options.kept = BatchKept::global;
  const MakeScenario make = [&](const Setting& set) {
    Scenario made = given;
    for (const auto& [key, value] : set) {
      if (key == "/cluster/instances") made.cluster.instances = std::stod(value);
      if (key == "/loader/batch_size") made.loader.batch_size = std::stod(value);
      if (key == "/job/gradient_accumulation") made.job.gradient_accumulation = std::stod(value);
    }
    return made;
  };
  const ScaleCurve curve = scale_curve({}, make, Catalog{}, nullptr, options);
  for (const ScalePoint& point : {curve.least, curve.fastest}) {
    INFO(point.instances);
    CHECK(gpu_share(given, point.instances).off() <= 0.05);
  }
  const Scaling scaling = scaling_of({curve}, given, options);
  // 4 samples in 2 batches of each of 32 GPUs.
  CHECK(scaling.global_batch == 256.0);
}
