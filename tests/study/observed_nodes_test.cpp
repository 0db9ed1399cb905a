// Nodes of one job beside each other: which of them the others wait for, and why.
#include "study/observed_nodes.hpp"

#include <cmath>

#include <fmt/format.h>
#include "base/random.hpp"
#include "catalog/catalog.hpp"
#include "seed.hpp"
#include "study/run.hpp"
#include "tests/catch.hpp"

using namespace feedrate;
using namespace feedrate::study;

namespace {

ObservedNumber of_steps(double value) {
  return {value, 0.01, 100.0, "steps"};
}

/// A node whose two workers take `work` of a CPU, `queue` for one and `reading` for a sample, of a
/// job whose steps last `interval`; the step itself 50 ms.
ObservedNode node(int number, double interval, double wait, double work, double queue = 0.0) {
  ObservedJob job;
  job.source = fmt::format("node{}.jsonl", number);
  job.batch_size = 16.0;
  job.workers = 2.0;
  job.cpus = 8.0;
  job.throughput = of_steps(16.0 / interval);
  job.interval = of_steps(interval);
  job.wait = of_steps(wait);
  job.least_wait = wait * 0.9;
  job.cpu_busy = of_steps(0.3);
  job.worker_cpu = of_steps(work);
  job.worker_cpu_wait = of_steps(queue);
  job.main_cpu = of_steps(1e-4);
  job.all_cpu = of_steps(work + 2e-4);
  job.device_bytes = of_steps(0.0);
  job.cached_bytes = of_steps(1e5);
  ObservedDevice disk;
  disk.name = "nvme0n1";
  disk.busy = of_steps(0.05);
  job.disk = disk;
  return {fmt::format("node{}", number), job};
}

/// Four nodes whose workers need 5 ms; the third one's `slow`. A step of 50 ms asks for 16 samples
/// of two workers: 40 ms of the others.
std::vector<ObservedNode> four(double slow, double queue = 0.0, double reading = 0.0) {
  const double interval = std::max(0.05, (slow + queue + reading) * 16.0 / 2.0);
  std::vector<ObservedNode> nodes;
  for (int i = 1; i <= 4; ++i) {
    const bool is_slow = i == 3;
    nodes.push_back(node(i, interval, is_slow ? interval - 0.05 + 1e-4 : 2e-4,
                         is_slow ? slow : 0.005, is_slow ? queue : 0.0));
  }
  return nodes;
}

bool begins(const std::string& text, const std::string& with) {
  return text.find(with) == 0;
}

}  // namespace

TEST_CASE("observed nodes: the one that waits longest holds the others up, by what it waits more") {
  Random random(test::seeded(301), 0);
  for (int i = 0; i < 100; ++i) {
    const double slow = 0.0075 * std::exp(random.uniform());
    const ObservedNodes all = judge_nodes(four(slow));
    INFO(slow);
    REQUIRE(all.straggler == 2U);
    CHECK(all.pace == 2U);
    CHECK(all.late.base() == Approx(8.0 * slow - 0.05 - 1e-4));
    REQUIRE_FALSE(all.causes.empty());
    CHECK(begins(all.causes.front(), "its workers need "));
    CHECK(all.throughput() == Approx(4.0 * 2.0 / slow));
    CHECK(begins(verdict_on(all), "node3 holds the others up: they wait "));
  }
}

TEST_CASE("observed nodes: no node that waits as the others do is named") {
  const ObservedNodes all = judge_nodes(four(0.005));
  CHECK_FALSE(all.straggler);
  CHECK(verdict_on(all) ==
        "None of the 4 nodes holds the others up: all wait alike for their batches.");
}

TEST_CASE("observed nodes: why is told by what the straggler does otherwise") {
  const auto cause = [](std::vector<ObservedNode> nodes) {
    const ObservedNodes all = judge_nodes(std::move(nodes));
    REQUIRE(all.straggler == 2U);
    return all.causes.empty() ? std::string() : all.causes.front();
  };
  SECTION("others' programs") {
    auto nodes = four(0.005, 0.006);
    nodes[2].job.others = 0.7;
    CHECK(cause(nodes) ==
          "its workers wait 6 ms a sample for a CPU, the others' 0 us; programs beside the "
          "job use 70 % of its CPUs");
  }
  SECTION("a cold page cache") {
    auto nodes = four(0.005, 0.0, 0.006);
    nodes[2].job.device_bytes = of_steps(9e4);
    CHECK(cause(nodes) ==
          "it reads 90 KB a sample from its disk, the others nothing: its page cache holds less "
          "of the data");
  }
  SECTION("a busy disk") {
    auto nodes = four(0.005, 0.0, 0.006);
    nodes[2].job.disk->busy = of_steps(0.98);
    CHECK(cause(nodes) == "its disk is busy 98 % of the time, the others' 5 %");
  }
  SECTION("reads that no device explains") {
    CHECK(cause(four(0.005, 0.0, 0.006)) == "its workers wait 6 ms a sample for what they read");
  }
  SECTION("nothing that was seen") {
    auto nodes = four(0.0052, 0.0, 0.002);
    for (ObservedNode& one : nodes) one.job.worker_cpu.reset();
    CHECK(cause(nodes).empty());
    CHECK(verdict_on(judge_nodes(nodes)).find("Why is not told") != std::string::npos);
  }
}

TEST_CASE("observed nodes: without waits a lower clock tells, or one reading is asked for") {
  std::vector<ObservedNode> nodes = four(0.005);
  for (ObservedNode& one : nodes) one.job.wait.reset();
  CHECK(verdict_on(judge_nodes(nodes)).find("one reading decides") != std::string::npos);
  for (ObservedNode& one : nodes) one.job.gpu_clock = of_steps(1.98e9);
  CHECK_FALSE(judge_nodes(nodes).straggler);
  nodes[1].job.gpu_clock = of_steps(1.2e9);
  const ObservedNodes all = judge_nodes(nodes);
  REQUIRE(all.straggler == 1U);
  CHECK(verdict_on(all) ==
        "node2 holds the others up. Why: its GPUs run at 1200 MHz, the others' at 1980 MHz.");
}

TEST_CASE("observed nodes: the rank whose batches come last is named where ranks tell") {
  std::vector<ObservedNode> nodes = four(0.01);
  nodes[2].job.rank_waits = {{"rank4", 0.0002}, {"rank5", 0.03}, {"rank6", 0.0001}};
  CHECK(begins(verdict_on(judge_nodes(nodes)), "node3, rank5 first of all, holds"));
  nodes[2].job.rank_waits["rank6"] = 0.0299;
  CHECK(begins(verdict_on(judge_nodes(nodes)), "node3 holds"));
}

TEST_CASE("observed nodes: the scenario is of all nodes, and predicts what was observed") {
  for (const double slow : {0.005, 0.008, 0.012}) {
    const ObservedNodes all = judge_nodes(four(slow));
    const ObservedScenario made = observed_scenario(all);
    CHECK(made.scenario.cluster.instances == 4.0);
    CHECK(made.scenario.cases.front().measured == Approx(all.throughput()).epsilon(1e-5));
    const Result result = run(made.scenario, Catalog{}, nullptr);
    CHECK(result.throughput->base() == Approx(all.throughput()).epsilon(0.03));
    CHECK(begins(made.scenario.about.expectation, verdict_on(all)));
  }
}
