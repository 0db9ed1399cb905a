// How many workers a rule comes to, on machines of any size: no machine of the catalogue has so few
// hardware threads a GPU that none would be left.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "resolve/resolve.hpp"
#include "schema/scenario.hpp"

using namespace feedrate;

TEST_CASE("workers: a GPU's share of the threads, less its main process's where that works too") {
  pipeline::Generator random(71);
  int at_least_one = 0;
  for (int i = 0; i < 400; ++i) {
    const double threads = random.whole(1.0, random.chance(0.5) ? 8.0 : 128.0);
    const double gpus = random.whole(1.0, 8.0);
    const double quota = random.uniform(0.5, 1.5 * threads);
    const bool quota_given = random.chance(0.5);
    const bool pool = random.chance(0.5);
    const bool automatic = random.chance(0.5);
    const Scenario scenario = schema::read_scenario(schema::parse_document(
        fmt::format(
            R"({{"dataset": {{"samples": 64000, "bytes_on_gpu_per_sample": "1 KB"}},
                "loader": {{"kind": "{}", "num_workers": "{}", "batch_size": 64}},
                "cluster": {{"vcpus": {}, {} "gpus_per_instance": {}, "price": "1 USD/h"}},
                "preprocess": [{{"operation": "decode", "cpu": "1 ms"}}],
                "job": {{"epochs": 1, "step": {{"fixed": "100 ms"}}}}}})",
            pool ? "pool" : "pytorch", automatic ? "auto" : "cpus-1", threads,
            quota_given ? fmt::format("\"cpu_quota\": {},", quota) : std::string(), gpus),
        "workers.json"));
    INFO(threads << " threads, " << gpus << " GPUs, a quota of " << (quota_given ? quota : 0.0)
                 << (pool ? ", pool, " : ", pytorch, ") << (automatic ? "auto" : "cpus-1"));
    const double run = automatic && quota_given ? std::min(quota, threads) : threads;
    const double share = std::floor(run / gpus);
    const double left = automatic && pool ? share : share - 1.0;
    at_least_one += left < 1.0 ? 1 : 0;
    CHECK(resolve::resolve(scenario, Catalog{}).inputs.workers == std::max(1.0, left));
  }
  CHECK(at_least_one > 50);
}
