// What a run says of jobs that are counted in steps and of workers that deliver together.
#include <algorithm>
#include <string>

#include "catch.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/run.hpp"

using namespace feedrate;

namespace {

Scenario scenario(const std::string& job, const std::string& loader) {
  return schema::read_scenario(schema::parse_document(R"({
    "dataset": {"samples": 6400, "bytes_per_sample": "100 KB"},
    "source": {"service": "s3", "input_mode": "stream", "first_byte_latency": "1 ms",
               "bandwidth": "10 GB/s", "bandwidth_per_connection": "1 GB/s",
               "requests_per_second": "100000 /s"},
    "loader": {"batch_size": 64, )" + loader + R"(},
    "preprocess": [{"operation": "blur", "cpu": "62.5 ms"}],
    "cluster": {"vcpus": 16, "cores": 16, "gpus_per_instance": 1, "price": "1 USD/h",
                "network": "100 Gbit/s"},
    "job": {)" + job + R"(, "step": {"fixed": "200 ms"}}})",
                                                      "steps.json"));
}

Result run(const std::string& job, const std::string& loader = R"("num_workers": 7)") {
  return study::run(scenario(job, loader), Catalog{}, nullptr, {});
}

bool says(const Result& result, const std::string& part) {
  return std::any_of(result.remarks.begin(), result.remarks.end(), [&](const std::string& remark) {
    return remark.find(part) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("steps: a quarter of an epoch and whole ones, as text and numbers say") {
  const Result part = run(R"("steps": 25)");
  const Result whole = run(R"("epochs": 1)");
  CHECK(part.steps == 25.0);
  CHECK(part.steps_per_epoch == 100.0);
  // An epoch's time is that of a whole one.
  CHECK(part.times.epoch.base() == Approx(whole.times.epoch.base()));
  // Four rounds of seven workers, of fifteen, and the steps of the batches that the last brings.
  const double round = 64.0 * 0.0636;
  const double expected = (4.0 * round + 4.0 * 0.2) / (15.0 * round + 2.0 * 0.2);
  CHECK(part.times.total / whole.times.total == Approx(expected).epsilon(0.01));
  CHECK(run(R"("steps": 100)").times.total.base() == Approx(whole.times.total.base()));
}

TEST_CASE("steps: throughput is of the samples that were trained on") {
  const Result part = run(R"("steps": 25)");
  CHECK(part.throughput->base() == Approx(25.0 * 64.0 / part.times.total.base()));
}

TEST_CASE("steps: on several instances as many steps train on more samples, and the run says so") {
  Scenario two = scenario(R"("steps": 25)", R"("num_workers": 7)");
  two.cluster.instances = 2.0;
  const Result result = study::run(two, Catalog{}, nullptr, {});
  CHECK(says(result, "2 instances train on 2 times the samples of one"));
  CHECK(*result.efficiency == Approx(1.0).epsilon(0.06));
}

TEST_CASE("round gap: run says at which step of a round the GPU waits, and for how long") {
  // A worker takes 64 x 63.6 ms for a batch; seven of them, seven steps of 0.2 s.
  CHECK(says(run(R"("epochs": 10)"), "s at every 7th step: 7 workers deliver together"));
  CHECK(says(run(R"("epochs": 10)", R"("num_workers": 2)"), " at every 2nd step: 2 workers"));
  CHECK(says(run(R"("epochs": 10)", R"("num_workers": 11)"), " at every 11th step"));
  CHECK_FALSE(says(run(R"("epochs": 10)", R"("num_workers": 1)"), "deliver together"));
  CHECK_FALSE(
      says(run(R"("epochs": 10)", R"("kind": "pool", "num_workers": 7)"), "deliver together"));
}
