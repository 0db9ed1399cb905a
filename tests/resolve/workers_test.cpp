// How many workers a rule comes to, on machines of any size: no machine of the catalogue has so few
// hardware threads a GPU that none would be left.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "resolve/cores.hpp"
#include "resolve/resolve.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/scenario/scenario.hpp"

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

TEST_CASE("workers: beside threads that are always ready each thread has an equal share") {
  const Curve<double> two{{{1.0, 1.0}, {2.0, 2.0}}, 0.0};
  // One worker and three others on two cores: half a core; two workers: 2/5 each.
  CHECK(resolve::beside_others(two, 3.0).total(1.0) == Approx(0.5));
  CHECK(resolve::beside_others(two, 3.0).total(2.0) == Approx(0.8));
  CHECK(resolve::beside_others(two, 0.0) == two);
  CHECK(resolve::beside_others({}, 3.0).empty());
  pipeline::Generator random(72);
  for (int i = 0; i < 100; ++i) {
    const double cores = random.whole(1.0, 64.0);
    const double others = random.uniform(0.1, 200.0);
    const Curve<double> curve =
        resolve::cores_curve(cores, 2.0 * cores, 0.0, {.hyper_threading_gain = 0.3});
    const Curve<double> left = resolve::beside_others(curve, others);
    for (double n = 1.0; n <= 300.0; n += 1.0) {
      INFO(cores << " cores, " << others << " others, " << n << " workers");
      const double share = curve.total(n + others) * n / (n + others);
      CHECK(left.total(n) == Approx(share).epsilon(0.01));
      CHECK(left.total(n) <= curve.total(n) * (1.0 + 1e-12));
      CHECK(left.total(n + 1.0) >= left.total(n));
    }
  }
}

namespace {

Scenario with_threads(const std::string& scaling) {
  return schema::read_scenario(schema::parse_document(
      fmt::format(R"({{"dataset": {{"samples": 64000, "bytes_on_gpu_per_sample": "1 KB"}},
                       "loader": {{"num_workers": 4, "batch_size": 64, "thread_scaling": {}}},
                       "cluster": {{"vcpus": 64, "price": "1 USD/h"}},
                       "preprocess": [{{"operation": "decode", "cpu": "20 ms"}}],
                       "job": {{"epochs": 1, "step": "10 ms"}}}})",
                  scaling),
      "threads.json"));
}

}  // namespace

TEST_CASE("workers: measured rates of threads are of what one thread does") {
  const auto cores = [](const std::string& scaling) {
    return resolve::resolve(with_threads(scaling), Catalog{}, nullptr).inputs.cores;
  };
  // Eight threads do what three and a half would, each on its own.
  CHECK(cores("[[8, 3.5]]").total(1.0) == 1.0);
  CHECK(cores("[[8, 3.5]]").total(8.0) == 3.5);
  CHECK(cores("[[8, 3.5]]").total(64.0) == 3.5);
  CHECK(cores("[[8, 3.5]]").total(4.5) == Approx(2.25));
  CHECK(cores("[[2, 1.8], [4, 3]]").total(4.0) == 3.0);
  // Beside a pair of one thread in any unit.
  CHECK(cores("[[1, 1], [4, 3.5]]").total(4.0) == 3.5);
  CHECK(cores("[[1, 50], [4, 175]]").total(4.0) == Approx(3.5));
  CHECK(cores("[[1, 50], [4, 175]]").total(1.0) == 1.0);
  for (const char* wrong : {"[[4, 350]]", "[[2, 1.8], [4, 4.5]]"}) {
    CHECK_THROWS_WITH(with_threads(wrong),
                      Catch::Contains("expected a rate of at most 4 for 4 threads"));
  }
}

TEST_CASE("workers: helpers bring no objects to workers that have none") {
  Duration shutdown_of_one;
  // Workers of each of 4 GPUs, and of all helpers.
  const auto workers = [&](double objects, std::string_view helpers, std::string_view where) {
    const auto resolved =
        resolve::resolve(schema::read_scenario(schema::parse_document(
                             fmt::format(
                                 R"({{"dataset": {{"samples": {}, "bytes_per_sample": "10 KB",
                                 "samples_per_object": {}, "bytes_on_gpu_per_sample": "1 KB"}},
                    "source": {{"service": "minio", "input_mode": "stream",
                                "first_byte_latency": "1 ms", "bandwidth": "1 GB/s"}},
                    "loader": {{"kind": "webdataset", "num_workers": 11, "batch_size": 64{}}},
                    "cluster": {{"vcpus": 32, "gpus_per_instance": 4, "price": "1 USD/h",
                                 "network": "10 Gbit/s"}},
                    "preprocess": [{{"operation": "decode", "cpu": "1 ms", "where": "{}"}}],
                    "job": {{"epochs": 1, "step": {{"fixed": "100 ms"}},
                             "efficiency": 0.9}}}})",
                                 objects * 1000.0, 1000.0, helpers, where),
                             "workers.json")),
                         schema::read_whole_catalog(FEEDRATE_SOURCE_DIR "/pricing"));
    const auto& remote = resolved.inputs.remote;
    // Who is left out has no end to wait for.
    const Duration each = resolved.inputs.worker_shutdown / resolved.inputs.workers;
    if (shutdown_of_one <= Duration{}) shutdown_of_one = each;
    CHECK(each / shutdown_of_one == Approx(1.0));
    return std::pair(resolved.inputs.workers, remote ? remote->workers : 0.0);
  };
  using Workers = std::pair<double, double>;
  constexpr std::string_view small = R"(, "remote": {"instance": "c5.large", "instances": 1})";
  // 44 here and 2 there: of 12 objects one is for those two, and the rest is for each GPU alike.
  CHECK(workers(12.0, small, "cpu") == Workers(2.0, 1.0));
  CHECK(workers(13.0, small, "cpu") == Workers(3.0, 1.0));
  CHECK(workers(3.0, small, "cpu") == Workers(1.0, 1.0));
  CHECK(workers(46.0, small, "cpu") == Workers(11.0, 2.0));
  CHECK(workers(1000.0, small, "cpu") == Workers(11.0, 2.0));
  // All is done by helpers: theirs are all objects, and no more.
  constexpr std::string_view large = R"(, "remote": {"instance": "c5.18xlarge", "instances": 4})";
  CHECK(workers(12.0, large, "remote") == Workers(11.0, 12.0));
  CHECK(workers(1000.0, large, "remote") == Workers(11.0, 288.0));
  // Without helpers those who have none are counted elsewhere (active_workers).
  CHECK(workers(12.0, "", "cpu") == Workers(11.0, 0.0));
}

TEST_CASE("workers: tasks of Ray Data take the CPUs of their instance") {
  const auto threads = [](std::string_view cluster) {
    return resolve::resolve(
               schema::read_scenario(schema::parse_document(
                   fmt::format(R"({{"dataset": {{"samples": 1000, "bytes_per_sample": "10 KB"}},
                                    "loader": {{"kind": "ray-data", "batch_size": 64}},
                                    "cluster": {{"instance": "p4d.24xlarge", "region":
                                                 "us-east-1"{}}},
                                    "preprocess": [{{"operation": "decode", "cpu": "1 ms"}}],
                                    "job": {{"epochs": 1, "step": {{"fixed": "100 ms"}}}}}})",
                               cluster),
                   "ray.json")),
               schema::read_whole_catalog(FEEDRATE_SOURCE_DIR "/pricing"))
        .inputs.workers;
  };
  CHECK(threads("") == 12.0);  // 96 for 8 GPUs
  CHECK(threads(R"(, "cpu_quota": 32)") == 4.0);
}
