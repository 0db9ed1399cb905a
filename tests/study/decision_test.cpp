// What is worth knowing before one of several points is chosen, against choices whose answer can be
// worked out by hand, and against trying every value.
#include "study/decision.hpp"

#include "catch.hpp"
#include "report/render.hpp"
#include "report/reports.hpp"
#include "resolve/assumptions.hpp"
#include "schema/documents/host.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/drawn_job.hpp"

using namespace feedrate;

namespace {

/// A job that hands batches over in the main process, at a price of an hour; all else is given.
Scenario job(const std::string& price, const std::string& handover, const std::string& step) {
  return schema::read_scenario(schema::parse_document(
      R"({"name": "t", "dataset": {"samples": 100000, "bytes_per_sample": "1 KB", "size_cv": 0},
          "source": {"service": "local"}, "disk": {"page_cache": "1 TB", "bandwidth": "100 GB/s",
          "latency": "0 s", "discipline": "shared"},
          "loader": {"kind": "pytorch", "num_workers": 4, "batch_size": 10, "oversubscription": 0,
          "worker_startup": "0 s", "contention": 0, "make_cv": 0, "read_cv": 0)" +
          handover + R"(},
          "cluster": {"gpus_per_instance": 1, "vcpus": 8, "cores": 8, "price": ")" +
          price + R"("}, "preprocess": [{"operation": "decode", "cpu": "1 us"}],
          "job": {"epochs": 10, "step": {"fixed": ")" +
          step + R"("}}})",
      "t.json"));
}

std::vector<study::SweepInput> points(const std::vector<Scenario>& scenarios) {
  std::vector<study::SweepInput> list;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    list.push_back({{{"point", std::to_string(i)}}, scenarios[i]});
  }
  return list;
}

Sweep decided(const std::vector<study::SweepInput>& inputs, const HostProfile* host = nullptr) {
  Sweep sweep = study::sweep(inputs, Catalog{}, host, {});
  sweep.decision = study::decide(sweep, inputs, Catalog{}, host, 1);
  return sweep;
}

const Worth* worth_of(const Decision& decision, const std::string& probe) {
  for (const Worth& worth : decision.worth) {
    if (worth.probe == probe) return &worth;
  }
  return nullptr;
}

/// A GPU that steps in 0.7 ms for 1 USD an hour, or one of 0.17 ms for 1.6 USD, which only a main
/// process that hands over in less than 0.44 ms (0.7 ms · 1/1.6) makes worth its price.
std::vector<study::SweepInput> slow_or_fast(const std::string& handover) {
  return points({job("1 USD/h", handover, "0.7 ms"), job("1.6 USD/h", handover, "0.17 ms")});
}

}  // namespace

TEST_CASE(
    "decision: an assumed hand-over decides whether a fast GPU pays, and is worth measuring") {
  const auto inputs = slow_or_fast("");
  const Sweep sweep = decided(inputs);
  REQUIRE(sweep.decision);
  const Decision& decision = *sweep.decision;
  CHECK(decision.in_money);
  CHECK(decision.likely < 0.9);
  const Worth* loader = worth_of(decision, "loader");
  REQUIRE(loader != nullptr);
  CHECK(loader->instead != decision.best);
  CHECK(loader->worth > 0.0);
  CHECK(loader->worth <= decision.expected_loss * 1.3);
  // Every value of the hand-over in turn, all else as stated: what the better point on average
  // costs more than the better one of each value.
  const resolve::Assumption guess =
      resolve::assumed::handover_of(resolve::assumed::handover_shared, Bytes{});
  double mean[2] = {0.0, 0.0};
  double least = 0.0;
  constexpr int steps = 400;
  for (int i = 0; i < steps; ++i) {
    double cost[2];
    for (std::size_t point = 0; point < 2; ++point) {
      Scenario known = inputs[point].scenario;
      known.loader.handover = seconds(guess.at((i + 0.5) / steps));
      cost[point] = study::drawn_job(known, Catalog{}, nullptr, {}).bill.total.base();
      mean[point] += cost[point] / steps;
    }
    least += std::min(cost[0], cost[1]) / steps;
  }
  CHECK(loader->worth == Approx(std::min(mean[0], mean[1]) - least).epsilon(0.3));
  const std::string text = report::to_text(report::sweep_report(sweep, "t"), report::Style{});
  INFO(text);
  CHECK(text.find("Worth knowing before you choose") != std::string::npos);
  CHECK(text.find("`feedrate calibrate loader --loader") != std::string::npos);
}

TEST_CASE("decision: what is known is worth nothing, and the choice stands") {
  const Sweep sweep = decided(slow_or_fast(R"(, "handover": "3 ms", "collate": "0 s/MB")"));
  REQUIRE(sweep.decision);
  CHECK(worth_of(*sweep.decision, "loader") == nullptr);
  CHECK(sweep.decision->likely == 1.0);
  CHECK(sweep.decision->expected_loss == 0.0);
  const std::string text = report::to_text(report::sweep_report(sweep, "t"), report::Style{});
  CHECK(text.find("in all of 100 draws of the uncertain inputs") != std::string::npos);
}

TEST_CASE("decision: the order of the points and one more that is never best change nothing") {
  auto inputs = slow_or_fast("");
  const Decision first = *decided(inputs).decision;
  inputs.push_back({{{"point", "2"}}, job("9 USD/h", "", "4 ms")});
  std::swap(inputs[0], inputs[1]);
  const Decision other = *decided(inputs).decision;
  CHECK(other.best == 1 - first.best);
  CHECK(other.likely == first.likely);
  CHECK(other.expected_loss == Approx(first.expected_loss));
  REQUIRE(other.worth.size() == first.worth.size());
  for (std::size_t i = 0; i < first.worth.size(); ++i) {
    CHECK(other.worth[i].worth == Approx(first.worth[i].worth));
    CHECK(other.worth[i].share == first.worth[i].share);
  }
}

TEST_CASE("decision: prices ten times as high make knowing worth ten times as much") {
  const Decision cheap = *decided(slow_or_fast("")).decision;
  const Decision dear =
      *decided(points({job("10 USD/h", "", "0.7 ms"), job("16 USD/h", "", "0.17 ms")})).decision;
  CHECK(dear.likely == cheap.likely);
  CHECK(dear.expected_loss == Approx(10.0 * cheap.expected_loss).epsilon(0.02));
}

TEST_CASE("decision: without prices the fastest is chosen, in seconds") {
  const Decision decision =
      *decided(points({job("0 USD/h", "", "4 ms"), job("0 USD/h", "", "1 ms")})).decision;
  CHECK_FALSE(decision.in_money);
  CHECK(decision.best == 1);
  CHECK(decision.expected_loss >= 0.0);
}

TEST_CASE("decision: one point is no choice") {
  CHECK_FALSE(decided(points({job("1 USD/h", "", "4 ms")})).decision);
}

TEST_CASE(
    "decision: knowing is worth nothing where one point is best in every draw, and never less") {
  for (const char* price :
       {"1.1 USD/h", "1.3 USD/h", "1.6 USD/h", "2 USD/h", "3 USD/h", "9 USD/h"}) {
    INFO(price);
    const Decision decision =
        *decided(points({job("1 USD/h", "", "4 ms"), job(price, "", "1 ms")})).decision;
    CHECK(decision.expected_loss >= 0.0);
    for (const Worth& worth : decision.worth) CHECK(worth.worth >= 0.0);
    if (decision.likely == 1.0) {
      CHECK(decision.expected_loss == Approx(0.0).margin(1e-9));
      CHECK(decision.choice == decision.best);
    }
  }
}

TEST_CASE("decision: draws are as far from the closed form as the events of their point are") {
  // Twelve workers make a round of twelve batches where six make two: by events, and by hand.
  const auto of = [](const char* workers) {
    Scenario one = schema::read_scenario(schema::parse_document(
        R"({"name": "t", "dataset": {"samples": 1200, "bytes_per_sample": "1 KB", "size_cv": 0.3},
            "source": {"service": "local"}, "disk": {"page_cache": "1 TB", "bandwidth": "100 GB/s"},
            "loader": {"kind": "pytorch", "batch_size": 100, "num_workers": )" +
            std::string(workers) + R"(},
            "cluster": {"gpus_per_instance": 1, "vcpus": 12, "cores": 12, "price": "1 USD/h"},
            "preprocess": [{"operation": "decode", "cpu": "10 ms"}],
            "job": {"epochs": 50, "step": {"fixed": "100 ms"}}})",
        "t.json"));
    return one;
  };
  const auto inputs = points({of("6"), of("9"), of("12")});
  Sweep sweep = study::sweep(inputs, Catalog{}, nullptr, {.events = true});
  const auto cost = [&](std::size_t i) { return sweep.points[i].result.bill.total.base(); };
  REQUIRE(cost(2) < cost(1));
  REQUIRE(cost(1) < cost(0));
  for (SweepPoint& point : sweep.points) REQUIRE(point.result.by_events);
  const Decision as_it_is = *study::decide(sweep, inputs, Catalog{}, nullptr, 1);
  CHECK(as_it_is.best == 2);
  // Were the events to say that nine workers took a tenth, no draw would leave them.
  sweep.points[1].result.bill.total *= 0.1;
  const Decision told = *study::decide(sweep, inputs, Catalog{}, nullptr, 1);
  CHECK(told.best == 1);
  CHECK(told.likely == 1.0);
}
