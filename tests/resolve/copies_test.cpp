// How a training loop's copies to the GPU are understood: job.non_blocking, job.copy_stream, pinned
// memory, and a loop that waits for its steps.
#include <fmt/format.h>

#include <algorithm>

#include "catch.hpp"
#include "resolve/resolve.hpp"
#include "schema/scenario/scenario.hpp"

using namespace feedrate;
using pipeline::Copies;

namespace {

struct Understood {
  Copies copies;
  std::string remarks;
};

/// A job with these keys, from pinned memory or not.
Understood understood(const std::string& job, bool pinned = true) {
  const Scenario scenario = schema::read_scenario(schema::parse_document(
      R"({"dataset": {"samples": 6400, "bytes_on_gpu_per_sample": "602112 B"},
          "loader": {"kind": "pytorch", "num_workers": 4, "batch_size": 64, "pin_memory": )" +
          std::string(pinned ? "true" : "false") + R"(},
          "cluster": {"vcpus": 8, "gpus_per_instance": 1, "price": "1 USD/h"},
          "preprocess": [{"operation": "decode", "cpu": "1 ms"}],
          "job": {"epochs": 1, "step": {"fixed": "100 ms"})" +
          job + "}}",
      "copies.json"));
  const auto resolved = resolve::resolve(scenario, Catalog{});
  Understood found{resolved.inputs.copies, ""};
  for (const std::string& remark : resolved.remarks) {
    if (remark.starts_with("/job/")) found.remarks += remark + "\n";
  }
  return found;
}

}  // namespace

TEST_CASE("copies: waited for unless non_blocking; then beside the step, or queued in its stream") {
  CHECK(understood("").copies == Copies::waited);
  CHECK(understood(R"(, "non_blocking": false)").copies == Copies::waited);
  CHECK(understood(R"(, "non_blocking": true)").copies == Copies::beside);
  CHECK(understood(R"(, "non_blocking": true, "copy_stream": "side")").copies == Copies::beside);
  CHECK(understood(R"(, "non_blocking": true, "copy_stream": "step")").copies == Copies::queued);
  CHECK(understood(R"(, "non_blocking": true, "copy_stream": "step")").remarks.empty());
}

TEST_CASE("copies: a setting without effect is said") {
  const Understood pageable = understood(R"(, "non_blocking": true)", false);
  CHECK(pageable.copies == Copies::waited);
  CHECK(pageable.remarks.find("/loader/pin_memory") != std::string::npos);
  const Understood waits = understood(R"(, "non_blocking": true, "asynchronous_step": false)");
  CHECK(waits.copies == Copies::waited);
  CHECK(waits.remarks.find("/job/non_blocking has no effect") != std::string::npos);
  const Understood alone = understood(R"(, "copy_stream": "step")");
  CHECK(alone.copies == Copies::waited);
  CHECK(alone.remarks.find("/job/copy_stream has no effect") != std::string::npos);
}

TEST_CASE("copies: another stream's name is refused") {
  CHECK_THROWS_WITH(understood(R"(, "copy_stream": "own")"),
                    Catch::Contains("side") && Catch::Contains("step"));
}

TEST_CASE("copies: the link that is given carries them, below its line") {
  double before = 1e9;
  for (const double line : {4.0, 15.8, 31.5, 63.0}) {
    INFO(line);
    const auto inputs = [&](const std::string& more) {
      return resolve::resolve(
                 schema::read_scenario(schema::parse_document(
                     fmt::format(
                         R"({{"dataset": {{"samples": 6400, "bytes_on_gpu_per_sample": "1 MB"}},
                             "loader": {{"num_workers": 4, "batch_size": 64, "pin_memory": true}},
                             "cluster": {{"vcpus": 8, "gpus_per_instance": 1, "price": "1 USD/h",
                                          "pcie": "{:g} GB/s"{}}},
                             "preprocess": [{{"operation": "decode", "cpu": "1 ms"}}],
                             "job": {{"epochs": 1, "step": {{"fixed": "100 ms"}}}}}})",
                         line, more),
                     "link.json")),
                 Catalog{})
          .inputs;
    };
    const double copy = inputs("").copy.base();
    CHECK(copy > 1e6 / (line * 1e9));
    CHECK(copy == Approx(1e6 / (0.8 * line * 1e9)));
    CHECK(copy < before);
    before = copy;
    CHECK(inputs(R"(, "pinned_bandwidth": "2 GB/s")").copy.base() == Approx(1e6 / 2e9));
  }
}
