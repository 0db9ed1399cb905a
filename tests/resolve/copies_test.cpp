// How a training loop's copies to the GPU are understood: job.non_blocking, job.copy_stream, pinned
// memory, and a loop that waits for its steps.
#include <algorithm>

#include "catch.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/resolve.hpp"
#include "schema/scenario/scenario.hpp"

using namespace feedrate;
using pipeline::Copies;
namespace assumed = feedrate::resolve::assumed;

namespace {

struct Understood {
  Copies copies;
  std::string remarks;
};

/// A job with these keys, whose loader has those.
resolve::Resolved resolved_of(const std::string& job, const std::string& loader) {
  return resolve::resolve(
      schema::read_scenario(schema::parse_document(
          R"({"dataset": {"samples": 6400, "bytes_on_gpu_per_sample": "602112 B"},
              "loader": {"batch_size": 64, )" +
              loader + R"(},
              "cluster": {"vcpus": 8, "gpus_per_instance": 1, "price": "1 USD/h"},
              "preprocess": [{"operation": "decode", "cpu": "1 ms"}],
              "job": {"epochs": 1, "step": {"fixed": "100 ms"})" +
              job + "}}",
          "copies.json")),
      Catalog{});
}

/// A job with these keys, from pinned memory or not.
Understood understood(const std::string& job, bool pinned = true) {
  const auto resolved = resolved_of(job, R"("kind": "pytorch", "num_workers": 4, "pin_memory": )" +
                                             std::string(pinned ? "true" : "false"));
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

TEST_CASE("copies: who pins a batch copies it, and unpickles one that came through a pipe") {
  const auto pin = [](const std::string& loader) {
    return resolved_of("", loader + R"(, "pin_memory": true)").inputs.pin.base();
  };
  const double copied = 602112.0 / assumed::host_copy.value;
  const double unpickled = 602112.0 * assumed::unpickled_by_pinning.value;
  const std::string workers = R"("kind": "pytorch", "num_workers": 4)";
  CHECK(pin(workers) == Approx(copied));
  CHECK(pin(workers + R"(, "transport": "pickled")") == Approx(copied + unpickled));
  // Threads, and a loop that loads for itself, have the batch in memory of their own.
  CHECK(pin(R"("kind": "dali", "num_workers": 4)") == Approx(copied));
  CHECK(pin(R"("kind": "pytorch", "num_workers": 0)") == Approx(copied));
}
