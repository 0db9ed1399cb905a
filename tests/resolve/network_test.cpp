// What a message over each kind of network is taken to lose, by the machines that have it.
#include <algorithm>
#include <string>

#include "catch.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/assumptions.hpp"
#include "resolve/resolve.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/scenario/scenario.hpp"

using namespace feedrate;
using resolve::Assumption;

namespace {

const Catalog& all_prices() {
  static const Catalog catalog = schema::read_whole_catalog(FEEDRATE_SOURCE_DIR "/pricing");
  return catalog;
}

/// Sentences on what two of them lose of a message, of all inputs of the job.
std::string lost_between(const std::string& instance) {
  const Scenario scenario = schema::read_scenario(schema::parse_document(
      R"({"dataset": {"samples": 64000, "bytes_per_sample": "100 kB"},
          "loader": {"kind": "pytorch", "num_workers": 4, "batch_size": 64},
          "cluster": {"instance": ")" +
          instance + R"(", "instances": 2, "price": "1 USD/h"},
          "preprocess": [{"operation": "decode", "cpu": "1 ms"}],
          "job": {"step": "100 ms", "allreduce": {"gradient_bytes": "100 MB"}}})",
      "network.json"));
  std::string all;
  for (const InputUsed& used : resolve::resolve(scenario, all_prices()).used) {
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
  CHECK(has(lost_between("a3-megagpu-8g"), filling_messages));
}

TEST_CASE("network: GPUs with ports of their own exchange by these, and data comes by the other") {
  const auto resolved = [](const char* instance, const char* network) {
    schema::Document document = schema::parse_document(
        R"({"dataset": {"samples": 64000, "bytes_per_sample": "100 kB"},
            "source": {"service": "s3", "input_mode": "stream"},
            "loader": {"kind": "pytorch", "num_workers": 4, "batch_size": 64},
            "cluster": {"instances": 2, "price": "1 USD/h"},
            "preprocess": [{"operation": "decode", "cpu": "1 ms"}],
            "job": {"step": "100 ms", "allreduce": {"gradient_bytes": "10 GB"}}})",
        "network.json");
    schema::set_value(document, "/cluster/instance", instance);
    if (network != nullptr) schema::set_value(document, "/cluster/network", network);
    return resolve::resolve(schema::read_scenario(document), all_prices());
  };
  const auto own = resolved("ND96isr H100 v5", nullptr);
  REQUIRE(own.inputs.network);
  CHECK(own.inputs.network->base() == Approx(80e9 / 8.0));
  CHECK(own.inputs.network_allreduce == Bytes{});
  const auto one = resolved("ND96isr H100 v5", "3200 Gbit/s");
  const auto mega = resolved("a3-megagpu-8g", nullptr);
  CHECK(mega.inputs.network->base() == Approx(200e9 / 8.0));
  CHECK(own.inputs.exposed_allreduce < mega.inputs.exposed_allreduce);
  // The same line typed in is of the same fabric.
  CHECK(one.inputs.exposed_allreduce.base() == Approx(own.inputs.exposed_allreduce.base()));
  // A line that is given is the only one.
  const auto slow = resolved("ND96isr H100 v5", "80 Gbit/s");
  CHECK(slow.inputs.network_allreduce > Bytes{});
  CHECK(slow.inputs.exposed_allreduce > own.inputs.exposed_allreduce);
}

TEST_CASE("network: what is stated of a store is what it gives to all instances together") {
  const auto time = [](const char* more, double instances) {
    schema::Document document = schema::parse_document(
        R"({"dataset": {"samples": 64000, "bytes_per_sample": "1 MB"},
            "source": {"service": "minio", "input_mode": "stream", "first_byte_latency": "1 ms",
                       "bandwidth": "1 GB/s", "bandwidth_per_connection": "500 MB/s")" +
            std::string(more) + R"(},
            "loader": {"kind": "pytorch", "num_workers": 16, "batch_size": 64},
            "cluster": {"vcpus": 32, "cores": 32, "gpus_per_instance": 1, "network": "100 Gbit/s",
                        "price": "1 USD/h"},
            "preprocess": [{"operation": "decode", "cpu": "1 us"}],
            "job": {"step": "1 ms", "allreduce": {"gradient_bytes": "1 MB"}}})",
        "store.json");
    schema::set_value(document, "/cluster/instances", std::to_string(instances));
    const auto resolved = resolve::resolve(schema::read_scenario(document), Catalog{});
    return pipeline::simulate(resolved.inputs).trained.wall.base();
  };
  for (const double instances : {1.0, 4.0, 16.0}) {
    CHECK(time("", instances) == Approx(64.0).epsilon(0.1));
    CHECK(time(R"(, "shared": false)", instances) == Approx(64.0 / instances).epsilon(0.2));
  }
}
