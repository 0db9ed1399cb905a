// What a message over each kind of network is taken to lose, by the machines that have it.
#include <algorithm>

#include "catch.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/resolve.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/scenario/scenario.hpp"

using namespace feedrate;
using resolve::Assumption;

namespace {

/// Sentences on what two of them lose of a message, of all inputs of the job.
std::string lost_between(const std::string& instance, const std::string& fabric = "") {
  static const Catalog catalog = schema::read_whole_catalog(FEEDRATE_SOURCE_DIR "/pricing");
  const Scenario scenario = schema::read_scenario(schema::parse_document(
      R"({"dataset": {"samples": 64000, "bytes_per_sample": "100 kB"},
          "loader": {"kind": "pytorch", "num_workers": 4, "batch_size": 64},
          "cluster": {"instance": ")" +
          instance + R"(", "instances": 2, "price": "1 USD/h"},
          "preprocess": [{"operation": "decode", "cpu": "1 ms"}],
          "job": {"step": "100 ms", "allreduce": {"gradient_bytes": "100 MB")" +
          fabric + "}}}",
      "network.json"));
  std::string all;
  for (const InputUsed& used : resolve::resolve(scenario, catalog).used) {
    if (used.stage == Stage::allreduce) all += used.key + ": " + used.from.source + "\n";
  }
  return all;
}

bool has(const std::string& text, const Assumption& assumption) {
  return text.find(assumption.why) != std::string::npos;
}

}  // namespace

TEST_CASE("network: EFA writes by itself from P5 on, and sends messages before") {
  using namespace resolve::assumed;
  for (const char* const instance : {"p3dn.24xlarge", "p4d.24xlarge", "p4de.24xlarge"}) {
    const std::string lost = lost_between(instance);
    INFO(instance << "\n" << lost);
    CHECK(has(lost, efa_messages_beyond));
    CHECK(has(lost, filling_messages));
    CHECK(!has(lost, efa_beyond));
  }
  for (const char* const instance : {"p5.48xlarge", "p6-b200.48xlarge"}) {
    const std::string lost = lost_between(instance);
    INFO(instance << "\n" << lost);
    CHECK(has(lost, efa_beyond));
    CHECK(has(lost, filling_between));
    CHECK(!has(lost, efa_messages_beyond));
  }
}

TEST_CASE("network: InfiniBand fills the links of any GPUs as RDMA does, TCPXO as messages do") {
  using namespace resolve::assumed;
  CHECK(has(lost_between("ND96amsr A100 v4"), filling_between));
  CHECK(has(lost_between("a3-megagpu-8g", R"(, "fabric": "gpudirect_tcp")"), filling_messages));
}
