// A global batch that is kept on other numbers of instances.
#include <cmath>

#include "catch.hpp"
#include "schema/scenario/scenario.hpp"
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
