// Grids whose best point can be worked out by hand.
#include "study/optimize.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "resolve/generated_scenario.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/advise.hpp"
#include "study/scale.hpp"
#include "study/sweep.hpp"
#include "tests/study/billed.hpp"

using namespace feedrate;

namespace {

/// One GPU whose steps of 10 ms decide: `epochs` times 10 s, at 3.6 USD an hour.
schema::Document document(const std::string& job = "") {
  return schema::parse_document(
      R"({"name": "t", "dataset": {"samples": 10000, "bytes_per_sample": "1 KB", "size_cv": 0},
          "source": {"service": "local"}, "disk": {"page_cache": "1 TB", "bandwidth": "100 GB/s",
          "latency": "0 s", "discipline": "shared"},
          "loader": {"kind": "pytorch", "num_workers": 4, "batch_size": 10, "oversubscription": 0,
          "worker_startup": "0 s", "contention": 0, "make_cv": 0, "read_cv": 0, "handover": "0 s"},
          "cluster": {"gpus_per_instance": 1, "vcpus": 8, "cores": 8, "price": "3.6 USD/h"},
          "preprocess": [{"operation": "decode", "cpu": "1 us"}],
          "job": {"epochs": 10, "step": {"fixed": "10 ms"})" +
          job + "}}",
      "t.json");
}

study::Axes grid(const std::vector<std::pair<std::string, std::vector<std::string>>>& all,
                 const std::string& job = "") {
  std::vector<study::Vary> varied;
  for (const auto& [key, values] : all) varied.push_back({key, values});
  study::Axes axes{study::Grid(varied), {}, {}};
  axes.make = [job](const study::Setting& set) {
    schema::Document changed = document(job);
    for (const auto& [key, value] : set) schema::set_value(changed, key, value);
    return schema::read_scenario(changed);
  };
  axes.scenario = [axes](std::size_t point) { return axes.make(axes.at(point)); };
  return axes;
}

Optimum best(const study::Axes& axes, const study::OptimizeOptions& options = {}) {
  return study::optimize(axes, Catalog{}, nullptr, options);
}

std::string value(const Candidate& candidate, const std::string& key) {
  for (const auto& [name, text] : candidate.set) {
    if (name == key) return text;
  }
  return "";
}

}  // namespace

TEST_CASE("optimize: of equal points the one that changes least wins, then the first") {
  // What the GPU's step hides does not matter: 2 to 8 workers are all the same but for rounding.
  const Optimum optimum =
      best(grid({{"/preprocess/0/cpu", {"0.4 us", "1 us", "2 us"}}, {"epochs", {"12", "10"}}}));
  REQUIRE(optimum.winner);
  const Winner& winner = *optimum.winner;
  CHECK(value(winner.point, "epochs") == "10");
  REQUIRE(winner.runner_up);
  CHECK(value(*winner.runner_up, "epochs") == "12");
  CHECK(winner.near == 3);
  const Candidate& simplest = winner.simplest ? *winner.simplest : winner.point;
  CHECK(value(simplest, "/preprocess/0/cpu") == "1 us");
  CHECK((winner.simplest || winner.changes == 0));
  // Where names differ and nothing else does, all points are equal.
  const Optimum same = best(grid({{"/job/value_of_hour", {"1 USD/h", "0 USD/h"}}}));
  CHECK(value(same.winner->point, "/job/value_of_hour") == "0 USD/h");
  const Optimum names = best(grid({{"region", {"us-east-1", "null", "eu-west-1"}}}));
  CHECK(names.winner->equal == 3);
  CHECK(value(names.winner->point, "region") == "null");
  CHECK(names.winner->changes == 0);
  CHECK_FALSE(names.winner->runner_up);
}

TEST_CASE("optimize: each constraint is said with what it costs") {
  // The faster step and the lower price do not exclude each other, so the deadline costs nothing.
  const auto axes =
      grid({{"/job/step/fixed", {"20 ms", "10 ms"}}, {"price", {"1 USD/h", "9 USD/h"}}});
  study::OptimizeOptions options;
  options.minimized = Minimized::time;
  const Optimum free = best(axes, options);
  CHECK(value(free.winner->point, "/job/step/fixed") == "10 ms");
  CHECK(value(free.winner->point, "price") == "1 USD/h");
  CHECK(free.winner->relaxed.empty());
  options.minimized = Minimized::money;
  options.constraints.deadline = free.winner->point.outlay.time * 0.5;
  const Optimum none = best(axes, options);
  REQUIRE_FALSE(none.winner);
  CHECK(none.nearest->late == free.winner->point.outlay.time * 0.5);
  CHECK_FALSE(none.nearest->over);
  CHECK(none.in_time == 0);
  CHECK(none.in_budget == 4);
  CHECK(value(none.cheapest.value(), "price") == "1 USD/h");
}

TEST_CASE("optimize: what is uncertain decides how often the best point stays the best") {
  // Nothing that matters is uncertain where a step is 5 % slower.
  study::Axes axes = grid({{"/job/step", {R"({"fixed": "10 ms"})", R"({"fixed": "10.5 ms"})"}}});
  const Optimum sure = best(axes);
  REQUIRE(sure.winner->chances);
  CHECK(sure.winner->chances->draws == 100);
  CHECK(sure.winner->chances->compared == 2);
  CHECK(sure.winner->chances->best == 1.0);
  CHECK_FALSE(sure.winner->chances->rival);
  // A deadline at the mean is met about as often as not where the hand-over is only assumed.
  axes = grid({{"handover", {"null"}}, {"/job/step/fixed", {"10 us"}}});
  const Duration mean = best(axes).winner->point.outlay.time;
  study::OptimizeOptions options;
  options.draws = 400;
  options.constraints.deadline = mean * (1.0 + 1e-9);
  const Optimum even = best(axes, options);
  REQUIRE(even.winner);
  REQUIRE(even.winner->chances);
  CHECK(even.winner->chances->in_time > 0.3);
  CHECK(even.winner->chances->in_time < 0.7);
  CHECK(even.winner->chances->in_budget == 1.0);
  // Who comes too late is not the best, even alone.
  CHECK(even.winner->chances->best == even.winner->chances->in_time);
  options.constraints.deadline = mean * 100.0;
  CHECK(best(axes, options).winner->chances->in_time == 1.0);
}

TEST_CASE("optimize: points without a result are counted by reason; none at all is an error") {
  const auto axes = grid({{"price", {"null", "1 USD/h"}}, {"epochs", {"1", "2", "3"}}});
  const Optimum optimum = best(axes);
  CHECK(optimum.points == 6);
  CHECK(optimum.unanswered == 3);
  REQUIRE(optimum.no_result.size() == 1);
  CHECK(optimum.no_result.front().points == 3);
  CHECK(value(Candidate{0, optimum.no_result.front().set, {}}, "epochs") == "1");
  CHECK_THROWS_AS(best(grid({{"price", {"null"}}, {"epochs", {"1", "2"}}})), InputError);
}

namespace {

/// 70e9 parameters, which one GPU of 80 GB does not hold in 16 bits.
Scenario large_model(const study::Setting& set) {
  schema::Document job = schema::parse_document(
      R"({"name": "t", "dataset": {"samples": 100000, "bytes_per_sample": "16 KB"},
          "source": {"service": "fsx-lustre"}, "loader": {"num_workers": 2, "batch_size": 32},
          "cluster": {"instance": "p5.48xlarge", "instances": 16, "region": "us-east-1"},
          "job": {"parallelism": "zero1", "step": {"model_parameters": 70e9,
          "tokens_per_sample": 8192, "utilization": 0.5}, "allreduce": {"parameters": 70e9},
          "parallel": {"layers": 80, "hidden_size": 8192}}})",
      "t.json");
  for (const auto& [key, value] : set) schema::set_value(job, key, value);
  return schema::read_scenario(job);
}

}  // namespace

TEST_CASE("optimize: what no GPU holds is left out with the reason, in scale as well") {
  const auto make = large_model;
  study::Axes axes{study::Grid({{"tensor", {"1", "2", "4", "8"}}}), {}, make};
  axes.scenario = [axes](std::size_t point) { return axes.make(axes.at(point)); };
  const Catalog& catalog = testing_resolve::catalog();
  const Optimum optimum = study::optimize(axes, catalog, nullptr, {});
  REQUIRE(optimum.winner);
  CHECK(value(optimum.winner->point, "tensor") != "1");
  CHECK(optimum.unanswered == 1);
  REQUIRE(optimum.no_result.size() == 1);
  CHECK(optimum.no_result.front().problems.front().message.starts_with("the weights alone are"));
  study::ScaleOptions options;
  options.to = 4;
  const auto scaled = [&](const char* tensor) {
    return study::scale_curve({{"tensor", tensor}}, make, catalog, nullptr, options);
  };
  CHECK_THROWS_AS(scaled("1"), InputError);
  CHECK_NOTHROW(scaled("8"));
}

TEST_CASE("advise: of weights that no GPU holds it says so, and names first what holds them") {
  study::AdviseOptions options;
  options.draws = 10;
  const Advice advice = study::advise(
      [](study::Setting set) {
        set.insert(set.begin(), {"/job/parallel", "null"});
        return large_model(set);
      },
      testing_resolve::catalog(), nullptr, options);
  CHECK_FALSE(advice.before.held);
  CHECK(std::any_of(advice.caveats.begin(), advice.caveats.end(), [](const std::string& caveat) {
    return caveat.starts_with("The weights alone are 140 GB a GPU");
  }));
  const auto sharded = std::find_if(advice.remedies.begin(), advice.remedies.end(),
                                    [](auto& row) { return row.what.name == "sharded_weights"; });
  REQUIRE(sharded != advice.remedies.end());
  CHECK(sharded->standing == RemedyStanding::advised);
  // What leaves the weights where they are helps nobody.
  for (const Remedied& row : advice.remedies) {
    INFO(row.change << ": " << row.reason);
    const bool holds = row.set.size() > 0 && row.after.has_value();
    if (!holds) continue;
    study::Setting set = row.set;
    set.insert(set.begin(), {"/job/parallel", "null"});
    CHECK_FALSE(resolve::resolve(large_model(set), testing_resolve::catalog()).unheld);
  }
}

TEST_CASE("optimize: that a replica keeps its batch is told where replicas have several sizes") {
  const auto told = [](const std::vector<study::Vary>& varied) {
    return !study::batch_follows(study::Grid(varied)).empty();
  };
  CHECK(told({{"tensor", {"2", "4"}}}));
  CHECK(told({{"/job/parallel/pipeline", {"1", "2"}}, {"num_workers", {"2", "3"}}}));
  CHECK(told({{"num_workers", {"2", "3"}, {{"parallel.context", {"1", "2"}}}}}));
  CHECK_FALSE(told({{"tensor", {"2"}}, {"pipeline", {"4"}}}));
  CHECK_FALSE(told({{"num_workers", {"2", "3"}}}));
  // Whoever varies the batch as well knows.
  CHECK_FALSE(told({{"tensor", {"2", "4"}, {{"batch_size", {"16", "32"}}}}}));
  CHECK_FALSE(told({{"tensor", {"2", "4"}}, {"/job/gradient_accumulation", {"1", "2"}}}));
}

TEST_CASE("optimize: a volume is not recommended because it has no price") {
  Catalog prices = test::catalog();
  std::erase_if(prices.ebs_prices, [](const EbsPrice& price) { return price.type == "io2"; });
  const auto with = [&](const std::vector<std::string>& types,
                        const study::OptimizeOptions& options) {
    study::Axes axes{study::Grid({{"/disk/volume_type", types}}), {}, {}};
    axes.make = [](study::Setting set) {
      set.insert(set.begin(), {{"source.service", "ebs"},
                               {"disk.bandwidth", "null"},
                               {"preprocess", "[]"},
                               {"epochs", "1"}});
      return test::job(set);
    };
    axes.scenario = [axes](std::size_t point) { return axes.make(axes.at(point)); };
    return study::optimize(axes, prices, nullptr, options);
  };
  const auto optimum = [&](const std::vector<std::string>& types, Minimized minimized,
                           std::optional<Money> budget) {
    study::OptimizeOptions options;
    options.minimized = minimized;
    options.constraints.budget = budget;
    return with(types, options);
  };
  const auto winner = [&](const std::vector<std::string>& types, Minimized minimized) {
    return optimum(types, minimized, std::nullopt).winner.value();
  };
  const auto says = [](const Winner& one, const std::string& part) {
    const auto& all = one.result.caveats;
    return std::any_of(all.begin(), all.end(), [&](const std::string& caveat) {
      return caveat.find(part) != std::string::npos;
    });
  };
  // io2 reads at 1,000 MiB/s where gp3 has 125, so it is the cheapest without its own bill.
  const auto money = winner({"io2", "gp3"}, Minimized::total);
  CHECK(value(money.point, "/disk/volume_type") == "gp3");
  CHECK(says(money, "/disk/volume_type=io2 looks cheaper"));
  const auto time = winner({"io2", "gp3"}, Minimized::time);
  CHECK(value(time.point, "/disk/volume_type") == "io2");
  CHECK(says(time, "The EBS volume is not on the bill"));
  const auto alone = winner({"io2"}, Minimized::total);
  CHECK(says(alone, "The EBS volume is not on the bill"));
  CHECK_FALSE(says(alone, "looks cheaper"));
  // Nor does it keep a budget by that, nor come nearest to one.
  const Money between = 0.5 * (money.point.outlay.money + time.point.outlay.money);
  const auto within = optimum({"io2", "gp3"}, Minimized::time, 1.01 * money.point.outlay.money);
  CHECK(value(within.winner.value().point, "/disk/volume_type") == "gp3");
  const auto none = optimum({"io2", "gp3"}, Minimized::time, 0.01 * between);
  CHECK_FALSE(none.winner);
  CHECK(value(none.nearest.value().point, "/disk/volume_type") == "gp3");
  CHECK(value(none.fastest.value(), "/disk/volume_type") == "io2");
  // A deadline alone is missed by the least time.
  study::OptimizeOptions late;
  late.constraints.deadline = 0.5 * time.point.outlay.time;
  CHECK(value(with({"io2", "gp3"}, late).nearest.value().point, "/disk/volume_type") == "io2");
}

TEST_CASE("optimize: nothing depends on the number of threads") {
  const auto axes = grid({{"num_workers", {"1", "2", "3", "4", "5", "6"}},
                          {"epochs", {"1", "2", "3", "4", "5", "6", "7", "8"}},
                          {"batch_size", {"5", "10", "20"}},
                          {"price", {"1 USD/h", "null"}}},
                         R"(, "value_of_hour": "5 USD/h")");
  study::OptimizeOptions options;
  options.constraints.deadline = seconds(60.0);
  options.jobs = 1;
  const Optimum one = best(axes, options);
  options.jobs = 7;
  const Optimum seven = best(axes, options);
  REQUIRE(one.winner);
  REQUIRE(seven.winner);
  CHECK(one.winner->point.point == seven.winner->point.point);
  CHECK(one.winner->chances->best == seven.winner->chances->best);
  CHECK(one.winner->chances->in_time == seven.winner->chances->in_time);
  CHECK(one.no_result.front().set == seven.no_result.front().set);
}

TEST_CASE("optimum: each of few points comes to what a run by its events says of it") {
  // Batches of one sample whose sizes vary much: the closed form is a third too long.
  study::Axes axes = grid({{"/loader/num_workers", {"1", "2", "3", "4", "5", "6"}}},
                          R"(, "value_of_hour": "1 USD/h")");
  const auto scenario = axes.make;
  axes.make = [scenario](const study::Setting& set) {
    Scenario one = scenario(set);
    one.dataset.samples = 3000.0;
    one.dataset.size_cv = 2.0;
    one.loader.batch_size = 1.0;
    one.preprocess.front().cpu = DurationPerSample::of(10e-3);
    one.job.step->fixed = milliseconds(4.0);
    one.job.epochs = 1.0;
    return one;
  };
  axes.scenario = [axes](std::size_t point) { return axes.make(axes.at(point)); };
  study::OptimizeOptions options;
  options.run.events = true;
  options.minimized = Minimized::time;
  study::RunOptions by_events;
  by_events.events = true;
  Duration least;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Duration time = study::run(axes.scenario(i), Catalog{}, nullptr, by_events).times.total;
    if (i == 0 || time < least) least = time;
  }
  // The closed form keeps no such deadline.
  const Duration by_mean = study::run(axes.scenario(5), Catalog{}, nullptr).times.total;
  REQUIRE(by_mean > 1.05 * least);
  options.constraints.deadline = 1.02 * least;
  const Optimum optimum = best(axes, options);
  REQUIRE(optimum.winner);
  CHECK(optimum.winner->point.outlay.time == least);
  CHECK(optimum.winner->result.times.total <= *options.constraints.deadline);
}
