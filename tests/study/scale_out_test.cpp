// More instances, on what was simulated of each number of them: laws over generated jobs, then the
// wrong answer that made them.
#include "study/scale_out.hpp"

#include "base/errors.hpp"
#include "catch.hpp"
#include "resolve/generated_scenario.hpp"
#include "study/run.hpp"

using namespace feedrate;
using namespace testing_resolve;

namespace {

Result run_of(const Settings& settings) {
  study::RunOptions options;
  options.replications = 0;
  options.weigh = false;
  return study::run(scenario_with(settings), catalog(), nullptr, options);
}

SweepPoint point(Settings settings, const std::string& instances) {
  settings.emplace_back("/cluster/instances", instances);
  return {{{"instances", instances}}, run_of(settings)};
}

}  // namespace

TEST_CASE(
    "scale out: the cost by efficiency is what was simulated, falls with it, and breaks even") {
  pipeline::Generator random(21);
  int checked = 0, never = 0, some = 0;
  for (int i = 0; i < 120; ++i) {
    Settings settings = generated_settings(random);
    settings.emplace_back("/job/value_of_hour", random.chance(0.5) ? "0 USD/h" : "20 USD/h");
    std::vector<SweepPoint> points;
    try {
      points = {point(settings, "1"), point(settings, "4")};
    } catch (const InputError&) {
      continue;  // impossible plans have no price
    }
    const Result& few = points[0].result;
    const Result& many = points[1].result;
    const study::CostByEfficiency cost(many);
    CHECK(cost.total(*many.efficiency) / many.bill.total == Approx(1.0).epsilon(1e-9));
    CHECK(cost.total(0.5) >= cost.total(0.6));
    const auto both = study::scale_out(points);
    CHECK(!both[0]);
    REQUIRE(both[1]);
    CHECK(both[1]->instances == 1.0);
    CHECK(both[1]->time == Approx(many.times.total / few.times.total - 1.0));
    CHECK(*both[1]->money == Approx(many.bill.money / few.bill.money - 1.0));
    CHECK(*both[1]->total == Approx(many.bill.total / few.bill.total - 1.0));
    REQUIRE(both[1]->total_at.size() == ladder_efficiencies.size());
    for (std::size_t k = 0; k < ladder_efficiencies.size(); ++k) {
      CHECK(both[1]->total_at[k] == Approx(cost.total(ladder_efficiencies[k]) / few.bill.total));
    }
    CHECK(both[1]->break_even.has_value() == (cost.total(1.0) <= few.bill.total));
    if (both[1]->break_even) {
      CHECK(cost.total(*both[1]->break_even) / few.bill.total == Approx(1.0).epsilon(1e-9));
      ++some;
    } else {
      ++never;
    }
    ++checked;
  }
  CHECK(checked > 60);
  CHECK(never > 5);
  CHECK(some > 5);
}

TEST_CASE("scale out: with nothing but epochs, the notebook's closed form") {
  // T/S P + T/(N S) w, against T (P + w): S* = (P + w/N)/(P + w).
  const Settings settings = {{"/cluster/price", "4 USD/h"}, {"/job/value_of_hour", "20 USD/h"},
                             {"/job/efficiency", "0.9"},    {"/disk/kind", "nvme"},
                             {"/disk/bandwidth", "9 GB/s"}, {"/disk/size", "1 TB"}};
  const std::vector<SweepPoint> points = {point(settings, "1"), point(settings, "8")};
  const auto both = study::scale_out(points);
  REQUIRE(both[1]);
  REQUIRE(both[1]->break_even);
  CHECK(*both[1]->break_even == Approx((4.0 + 20.0 / 8.0) / 24.0).epsilon(1e-3));
}

TEST_CASE("scale out: every group of other settings has a fewest of its own") {
  std::vector<SweepPoint> points;
  for (const char* workers : {"2", "6"}) {
    for (const char* instances : {"2", "4"}) {
      points.push_back(point({{"/loader/num_workers", workers}}, instances));
      points.back().set.emplace_back("num_workers", workers);
    }
  }
  const auto all = study::scale_out(points);
  CHECK(!all[0]);
  CHECK(!all[2]);
  REQUIRE((all[1] && all[3]));
  CHECK(all[3]->time == Approx(points[3].result.times.total / points[2].result.times.total - 1.0));
}

TEST_CASE("scale out: however its keys are spelled, and only instances of the cluster are many") {
  const auto with = [](const char* key) {
    std::vector<SweepPoint> points;
    for (const char* instances : {"1", "4"}) {
      points.push_back(point({}, instances));
      points.back().set = {{key, instances}};
    }
    return study::scale_out(points);
  };
  for (const char* key : {"instances", "cluster.instances", "/cluster/instances"}) {
    INFO(key);
    const auto all = with(key);
    CHECK(!all[0]);
    REQUIRE(all[1]);
    CHECK(all[1]->instances == 1.0);
  }
  for (const char* key : {"/loader/remote/instances", "remote.instances", "/cluster/instance",
                          "loader.num_workers", "as_many_instances"}) {
    INFO(key);
    const auto all = with(key);
    CHECK((!all[0] && !all[1]));
  }
}

TEST_CASE("scale out: what a run of several says of one alone is what one alone costs") {
  pipeline::Generator random(23);
  int checked = 0;
  for (int i = 0; i < 100; ++i) {
    Settings settings = generated_settings(random);
    settings.emplace_back("/job/value_of_hour", random.chance(0.5) ? "0 USD/h" : "20 USD/h");
    settings.emplace_back("/source", R"({"service": "local"})");
    settings.emplace_back("/disk", R"({"kind": "other", "bandwidth": "9 GB/s"})");
    try {
      const SweepPoint one = point(settings, "1"), four = point(settings, "4");
      CHECK_FALSE(study::cost_alone(one.result));
      const auto alone = study::cost_alone(four.result);
      REQUIRE(alone);
      // No less than a minute is billed, and each instance's own volumes are not the cluster's.
      if (four.result.times.total < minutes(2.0) || four.result.bill.storage > Money{}) continue;
      // But for whole seconds, and the least that is billed.
      CHECK(alone->base() == Approx(one.result.bill.total.base()).epsilon(0.01));
      ++checked;
    } catch (const InputError&) {
      continue;
    }
  }
  CHECK(checked > 20);
}
