// What must hold of the best of a grid, whatever the scenario, the grid and the constraints: over
// generated scenarios of every kind, each point against a run of its own.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "catch.hpp"
#include "cli/inputs.hpp"
#include "laws/generated_grids.hpp"
#include "scenarios/shipped.hpp"
#include "schema/documents/host.hpp"
#include "seed.hpp"
#include "study/optimize.hpp"
#include "study/run.hpp"

using namespace feedrate;
using feedrate::pipeline::Generator;
using testing_laws::axes_of;
using testing_laws::for_generated;
using testing_laws::GridCase;
using testing_laws::Values;
using testing_resolve::catalog;

namespace {

constexpr double tiny = 1e-11;  // relative: what counts as equal agrees to twelve digits

double value_of(const Result& result, Minimized minimized) {
  return Outlay{result.times.total, result.bill.money, result.bill.total}.of(minimized);
}

std::optional<double> least(const std::vector<std::optional<Result>>& results, Minimized minimized,
                            const Constraints& constraints) {
  std::optional<double> best;
  for (const auto& result : results) {
    if (!result || !constraints.met(result->times.total, result->bill.money)) continue;
    const double value = value_of(*result, minimized);
    if (!best || value < *best) best = value;
  }
  return best;
}

std::optional<double> value_of(const Optimum& optimum) {
  return optimum.winner ? std::optional(optimum.winner->point.outlay.of(optimum.minimized))
                        : std::nullopt;
}

bool same(double a, double b) {
  return std::abs(a - b) <= tiny * std::max(std::abs(a), std::abs(b));
}

/// Whether `one` is no better than `other`; nothing is worse than none.
bool no_better(const std::optional<double>& one, const std::optional<double>& other) {
  return !one || (other && *one >= *other * (1.0 - tiny));
}

}  // namespace

TEST_CASE("law: the best point is that of simulating each point by itself") {
  int with_winner = 0;
  int without = 0;
  for_generated(1, 60, [&](const GridCase& one, const study::Axes& axes, Generator&) {
    const Optimum optimum = study::optimize(axes, catalog(), nullptr, one.options);
    const auto expected = least(one.results, one.options.minimized, one.options.constraints);
    REQUIRE(optimum.winner.has_value() == expected.has_value());
    const auto unanswered = std::count(one.results.begin(), one.results.end(), std::nullopt);
    CHECK(optimum.unanswered == static_cast<std::size_t>(unanswered));
    if (!expected) {
      ++without;
      REQUIRE(optimum.nearest);
      CHECK((optimum.nearest->late || optimum.nearest->over));
      return;
    }
    ++with_winner;
    const Winner& winner = *optimum.winner;
    CHECK(value_of(winner.result, one.options.minimized) <= *expected * (1.0 + tiny));
    // What is printed of it is what a run of it says, to the last digit.
    const Result& run = *one.results[winner.point.point];
    CHECK(winner.point.outlay.time == run.times.total);
    CHECK(winner.point.outlay.money == run.bill.money);
    CHECK(winner.point.outlay.total == run.bill.total);
    CHECK(winner.result.times.total == run.times.total);
    CHECK(winner.result.bill.total == run.bill.total);
    // No constraint is violated, by the winner or on the front.
    for (const Candidate& point : winner.front) {
      CHECK(one.options.constraints.met(point.outlay.time, point.outlay.money));
    }
    CHECK(one.options.constraints.met(run.times.total, run.bill.money));
    // Whoever misses a constraint in a draw is not the best in it; nor are two the best.
    if (!winner.chances) return;
    const Chances& chances = *winner.chances;
    CHECK(chances.best <= std::min(chances.in_time, chances.in_budget) + tiny);
    CHECK(chances.best + chances.rival_best <= 1.0 + tiny);
  });
  CHECK_DRAWN(with_winner > 20);
  CHECK_DRAWN(without > 2);
}

TEST_CASE("law: the winner is on the Pareto front, and the front is one") {
  for_generated(2, 40, [](const GridCase& one, const study::Axes& axes, Generator&) {
    const Optimum optimum = study::optimize(axes, catalog(), nullptr, one.options);
    if (!optimum.winner) return;
    const Winner& winner = *optimum.winner;
    const bool bill = one.options.minimized == Minimized::money;
    const auto cost = [&](const Outlay& outlay) {
      return bill ? outlay.money.base() : outlay.total.base();
    };
    CHECK(std::any_of(winner.front.begin(), winner.front.end(),
                      [&](const Candidate& c) { return c.point == winner.point.point; }));
    for (std::size_t i = 1; i < winner.front.size(); ++i) {
      CHECK(winner.front[i - 1].outlay.time < winner.front[i].outlay.time);
      CHECK(cost(winner.front[i - 1].outlay) > cost(winner.front[i].outlay));
    }
    for (const auto& result : one.results) {
      if (!result) continue;
      const Outlay outlay{result->times.total, result->bill.money, result->bill.total};
      if (!one.options.constraints.met(outlay.time, outlay.money)) continue;
      for (const Candidate& point : winner.front) {
        const bool dominated = outlay.time.base() < point.outlay.time.base() * (1.0 - tiny) &&
                               cost(outlay) < cost(point.outlay) * (1.0 - tiny);
        CHECK_FALSE(dominated);
      }
    }
  });
}

TEST_CASE("law: a tighter constraint never gives a better optimum, a dropped one never a worse") {
  for_generated(3, 40, [](const GridCase& one, const study::Axes& axes, Generator& random) {
    const Optimum optimum = study::optimize(axes, catalog(), nullptr, one.options);
    study::OptimizeOptions tighter = one.options;
    auto& [deadline, budget] = tighter.constraints;
    if (deadline) *deadline *= random.uniform(0.3, 1.0);
    if (budget) *budget *= random.uniform(0.3, 1.0);
    const Optimum less = study::optimize(axes, catalog(), nullptr, tighter);
    CHECK(no_better(value_of(less), value_of(optimum)));
    CHECK(less.feasible <= optimum.feasible);
    if (!optimum.winner) return;
    for (const Relaxed& relaxed : optimum.winner->relaxed) {
      CHECK(relaxed.best.outlay.of(one.options.minimized) <= *value_of(optimum) * (1.0 + tiny));
      study::OptimizeOptions without = one.options;
      if (relaxed.without_deadline) without.constraints.deadline.reset();
      if (relaxed.without_budget) without.constraints.budget.reset();
      const Optimum again = study::optimize(axes, catalog(), nullptr, without);
      REQUIRE(again.winner);
      CHECK(same(*value_of(again), relaxed.best.outlay.of(one.options.minimized)));
    }
  });
}

TEST_CASE("law: more points never make the best one worse, and their order does not matter") {
  for_generated(4, 40, [](const GridCase& one, const study::Axes& axes, Generator& random) {
    const Optimum optimum = study::optimize(axes, catalog(), nullptr, one.options);
    std::vector<Values> fewer = one.values;
    for (Values& axis : fewer) {
      if (axis.values.size() > 1 && random.chance(0.5)) axis.values.pop_back();
    }
    try {
      const Optimum part =
          study::optimize(axes_of(one.settings, fewer), catalog(), nullptr, one.options);
      CHECK(no_better(value_of(part), value_of(optimum)));
    } catch (const InputError&) {
      // None of the fewer points has a result.
    }
    std::vector<Values> turned(one.values.rbegin(), one.values.rend());
    for (Values& axis : turned) std::reverse(axis.values.begin(), axis.values.end());
    const Optimum other =
        study::optimize(axes_of(one.settings, turned), catalog(), nullptr, one.options);
    REQUIRE(other.winner.has_value() == optimum.winner.has_value());
    CHECK(other.feasible == optimum.feasible);
    CHECK(other.unanswered == optimum.unanswered);
    if (!optimum.winner) return;
    CHECK(same(*value_of(other), *value_of(optimum)));
    CHECK(other.winner->equal == optimum.winner->equal);
    CHECK(other.winner->near == optimum.winner->near);
    CHECK(other.winner->front_size == optimum.winner->front_size);
    if (optimum.winner->equal > 1) return;
    const std::map<std::string, std::string> set(optimum.winner->point.set.begin(),
                                                 optimum.winner->point.set.end());
    CHECK((std::map<std::string, std::string>(other.winner->point.set.begin(),
                                              other.winner->point.set.end()) == set));
  });
}

TEST_CASE("law: the nearest miss is the one that misses least, and keeps what it says it keeps") {
  for_generated(5, 40, [](const GridCase& one, const study::Axes& axes, Generator& random) {
    double fastest = 1e300;
    double cheapest = 1e300;
    for (const auto& result : one.results) {
      if (!result) continue;
      fastest = std::min(fastest, result->times.total.base());
      cheapest = std::min(cheapest, result->bill.money.base());
    }
    study::OptimizeOptions options = one.options;
    options.constraints.deadline = seconds(random.uniform(0.2, 0.99) * fastest);
    options.constraints.budget = usd(random.uniform(0.5, 1.5) * cheapest);
    const Optimum optimum = study::optimize(axes, catalog(), nullptr, options);
    CHECK_FALSE(optimum.winner);
    CHECK(optimum.feasible == 0);
    REQUIRE(optimum.nearest);
    const double deadline = options.constraints.deadline->base();
    const double budget = options.constraints.budget->base();
    const auto miss = [&](Duration time, Money money) {
      return std::max({0.0, time.base() / deadline - 1.0, money.base() / budget - 1.0});
    };
    const Outlay& at = optimum.nearest->point.outlay;
    CHECK(optimum.nearest->late == at.time - *options.constraints.deadline);
    CHECK(optimum.nearest->over.has_value() == (at.money > *options.constraints.budget));
    for (const auto& result : one.results) {
      if (!result) continue;
      CHECK(miss(at.time, at.money) <= miss(result->times.total, result->bill.money) + tiny);
    }
    // A point's bill is summed in another order than a run's.
    CHECK(same(optimum.fastest->outlay.time.base(), fastest));
    CHECK(same(optimum.cheapest->outlay.money.base(), cheapest));
  });
}

TEST_CASE("law: what a point comes to is what a run of it says, for every shipped scenario") {
  const Catalog all = cli::whole_catalog();
  const HostProfile profile =
      schema::read_host_profile(FEEDRATE_SOURCE_DIR "/scenarios/hosts/epyc_vm_2_cores.json");
  for (const std::string& name : testing_scenarios::shipped()) {
    INFO(name);
    const Scenario scenario =
        cli::scenario_of(schema::load_document(FEEDRATE_SOURCE_DIR "/scenarios/" + name));
    study::Axes axes{study::Grid({}), {}, {}};  // one point, the scenario itself
    axes.scenario = [&](std::size_t) { return scenario; };
    axes.make = [&](const study::Setting&) { return scenario; };
    for (const HostProfile* host : {static_cast<const HostProfile*>(nullptr), &profile}) {
      const Optimum optimum = study::optimize(axes, all, host, {});
      REQUIRE(optimum.winner);
      const Outlay& outlay = optimum.winner->point.outlay;
      const Result result = study::run(scenario, all, host, {});
      CHECK(outlay.time == result.times.total);
      CHECK(outlay.money == result.bill.money);
      CHECK(outlay.total == result.bill.total);
    }
  }
}
