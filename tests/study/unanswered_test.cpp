// Points of a sweep that cannot be simulated or priced: they change nothing of the others, and each
// reason is told once.
#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/decision.hpp"
#include "study/point_problems.hpp"
#include "study/sweep.hpp"
#include "study/sweep_stream.hpp"

using namespace feedrate;

namespace {

/// A job at a price; without one it cannot be priced.
Scenario job(const std::string& price, const std::string& step) {
  return schema::read_scenario(schema::parse_document(
      R"({"name": "t", "dataset": {"samples": 100000, "bytes_per_sample": "1 KB"},
          "disk": {"bandwidth": "1 GB/s", "latency": "0 s", "page_cache": "1 TB"},
          "loader": {"num_workers": 4, "batch_size": 10},
          "cluster": {"gpus_per_instance": 1, "vcpus": 8, "cores": 8, "price": )" +
          price + R"(}, "preprocess": [{"operation": "decode", "cpu": "1 us"}],
          "job": {"epochs": 10, "step": {"fixed": ")" +
          step + R"("}}})",
      "t.json"));
}

Sweep swept(const std::vector<study::SweepInput>& inputs) {
  Sweep sweep = study::sweep(inputs, Catalog{}, nullptr, {}, 2);
  sweep.decision = study::decide(sweep, inputs, Catalog{}, nullptr, 1);
  return sweep;
}

std::string refusal(const study::PointProblems& problems, std::size_t points) {
  try {
    problems.throw_if_all(points, [](std::size_t i) { return "n=" + std::to_string(i); });
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("sweep: points without a result change nothing of what is said of the others") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20; ++round) {
    std::vector<study::SweepInput> fine, all;
    for (int i = 0; i < 4; ++i) {
      while (random() % 3 == 0) all.push_back({{{"n", "x"}}, job("null", "4 ms")});
      const std::string step = std::to_string(1 + random() % 6) + " ms";
      fine.push_back({{{"n", std::to_string(i)}},
                      job("\"" + std::to_string(1 + random() % 4) + " USD/h\"", step)});
      all.push_back(fine.back());
    }
    Sweep expected = swept(fine);
    Sweep whole = swept(all);
    Constraints constraints;
    constraints.deadline = expected.points[random() % fine.size()].result.times.total;
    study::hold_against(expected, constraints);
    study::hold_against(whole, constraints);
    REQUIRE(whole.points.size() == all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      REQUIRE(whole.points[i].answered() == all[i].scenario.cluster.price.has_value());
    }
    const Sweep rest = study::answered(whole);
    REQUIRE(rest.points.size() == fine.size());
    for (std::size_t i = 0; i < fine.size(); ++i) REQUIRE(rest.points[i].set == fine[i].set);
    CHECK(rest.pareto == expected.pareto);
    CHECK(rest.fastest == expected.fastest);
    CHECK(rest.cheapest == expected.cheapest);
    CHECK(rest.constraints.deadline == constraints.deadline);
    CHECK(rest.meeting >= 1);
    CHECK(rest.meeting == expected.meeting);
    CHECK(rest.cheapest_meeting == expected.cheapest_meeting);
    REQUIRE(rest.decision);
    CHECK(rest.decision->best == expected.decision->best);
    CHECK(rest.decision->choice == expected.decision->choice);
    CHECK(rest.decision->compared == expected.decision->compared);
    CHECK(rest.decision->likely == expected.decision->likely);
    // What is remembered of a streamed sweep says the same.
    std::vector<study::Placed> placed;
    for (const SweepPoint& point : whole.points) {
      placed.push_back({point.result.times.total, point.result.bill.total, point.answered()});
    }
    const study::StandingOut standing = study::standing_out(placed);
    CHECK(standing.pareto == whole.pareto);
    CHECK(standing.fastest == whole.fastest);
    CHECK(standing.cheapest == whole.cheapest);
  }
}

TEST_CASE("sweep: each reason is told once, whatever order the points come in") {
  std::mt19937_64 random(5);
  std::vector<std::size_t> order(200);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (const std::size_t reasons : {1U, 3U, 8U, 9U, 50U}) {
    std::string first;
    for (int round = 0; round < 20; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      study::PointProblems problems;
      for (const std::size_t i : order) {
        CHECK(refusal(problems, order.size()).empty());
        problems.add(i, InputError({{"", 0, "/x", "reason " + std::to_string(i % reasons)}}));
      }
      CHECK(problems.count() == order.size());
      const std::string told = refusal(problems, order.size());
      if (first.empty()) first = told;
      REQUIRE(told == first);
    }
    const auto lines = static_cast<std::size_t>(std::count(first.begin(), first.end(), '\n')) + 1;
    INFO(first);
    CHECK(lines == (reasons <= 8 ? reasons : 9));
    CHECK((first.find("(at every point)") != std::string::npos) == (reasons == 1));
    CHECK((first.find("reason 7 (at n=7)") != std::string::npos) == (reasons >= 8));
    CHECK((first.find("other points have other problems") != std::string::npos) == (reasons > 8));
  }
}
