// All that is said beside the best point of a grid is what going through all points by hand says:
// counts, neighbours and the front.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/errors.hpp"
#include "laws/generated_grids.hpp"
#include "seed.hpp"
#include "study/optimize_parts.hpp"

using namespace feedrate;

namespace {

using testing_laws::catalog;
using testing_laws::for_each_looked;
using testing_laws::Looked;

TEST_CASE("optimum parts: points are counted by what they keep") {
  int hours = 0;
  for_each_looked(21, 30, [&](const Looked& all) {
    const Optimum& o = all.optimum;
    CHECK(o.points == all.outlays.size());
    CHECK(o.unanswered == o.points - all.count([](std::size_t) { return true; }));
    CHECK(o.in_time == all.count([&](std::size_t i) {
      return !o.constraints.deadline || all.outlays[i]->time <= *o.constraints.deadline;
    }));
    CHECK(o.in_budget == all.count([&](std::size_t i) {
      return !o.constraints.budget || all.outlays[i]->money <= *o.constraints.budget;
    }));
    CHECK(o.feasible == all.count([&](std::size_t i) { return all.feasible(i); }));
    const bool counts =
        all.count([&](std::size_t i) { return all.outlays[i]->total > all.outlays[i]->money; }) > 0;
    CHECK(o.hours_count == counts);
    hours += counts ? 1 : 0;
    std::size_t reasons = o.other_reasons;
    for (std::size_t i = 0; i < o.no_result.size(); ++i) {
      reasons += o.no_result[i].points;
      CHECK_FALSE(o.no_result[i].problems.empty());
      if (i > 0) CHECK(o.no_result[i].points <= o.no_result[i - 1].points);
    }
    if (o.other_reasons == 0) CHECK(reasons == o.unanswered);
    try {
      const Result written = study::run(all.axes.make({}), catalog(), nullptr);
      REQUIRE(o.as_written);
      CHECK(o.as_written->time == written.times.total);
      CHECK(o.as_written->total == written.bill.total);
    } catch (const InputError&) {
      CHECK_FALSE(o.as_written);
    }
    CHECK_FALSE(o.no_price);
  });
  CHECK_DRAWN(hours > 5);
}

TEST_CASE("optimum parts: equals, neighbours, the runner-up and the front") {
  int near = 0, runners = 0, simpler = 0;
  for_each_looked(22, 40, [&](const Looked& all) {
    if (!all.optimum.winner) return;
    const Winner& w = *all.optimum.winner;
    const std::size_t best = w.point.point;
    const auto feasible = [&](std::size_t i) { return all.feasible(i); };
    const double value = all.rank(best)[0];
    const auto alike = [&](std::size_t i) {
      return feasible(i) && all.rank(i)[0] <= value + alike_share * std::abs(value);
    };
    CHECK(all.rank(best) == all.rank(*all.least(feasible)));
    CHECK(w.equal ==
          all.count([&](std::size_t i) { return feasible(i) && all.rank(i) == all.rank(best); }));
    CHECK(w.near == all.count(alike));
    near += w.near > 1 ? 1 : 0;

    // How many axes' values are not the scenario's own.
    const auto changes = [&](std::size_t point) {
      std::size_t changed = 0;
      const auto bare = [&](const study::Setting& set) {
        Scenario scenario = all.axes.make(set);
        scenario.description.clear();
        return scenario;
      };
      const std::vector<std::size_t> at = all.axes.values_at(point);
      for (std::size_t k = 0; k < at.size(); ++k) {
        changed += bare(all.axes.setting(k, at[k])) != bare({}) ? 1 : 0;
      }
      return changed;
    };
    CHECK(w.changes == changes(best));
    for (std::size_t i = 0; i < all.outlays.size(); ++i) {
      if (!alike(i)) continue;
      if (all.rank(i) == all.rank(best)) CHECK(changes(i) >= w.changes);
      const std::size_t fewest = w.simplest ? changes(w.simplest->point) : w.changes;
      CHECK(changes(i) >= fewest);
      if (w.simplest && changes(i) == fewest) CHECK(all.rank(w.simplest->point) <= all.rank(i));
    }
    if (w.simplest) {
      ++simpler;
      CHECK(alike(w.simplest->point));
      CHECK(changes(w.simplest->point) < w.changes);
    }

    const auto next = all.least([&](std::size_t i) { return feasible(i) && !alike(i); });
    REQUIRE(w.runner_up.has_value() == next.has_value());
    if (next) {
      ++runners;
      CHECK(all.rank(w.runner_up->point) == all.rank(*next));
      // Of equal ones none has more values in common with the winner.
      const auto apart = [&](std::size_t i) {
        const auto a = all.axes.values_at(i), b = all.axes.values_at(best);
        std::size_t differ = 0;
        for (std::size_t k = 0; k < a.size(); ++k) differ += a[k] != b[k] ? 1 : 0;
        return differ;
      };
      for (std::size_t i = 0; i < all.outlays.size(); ++i) {
        if (!feasible(i) || all.rank(i) != all.rank(*next)) continue;
        CHECK(apart(i) >= apart(w.runner_up->point));
      }
    }

    const auto corner = [&](std::size_t i) {
      const Outlay& o = *all.outlays[i];
      const Money cost = all.optimum.minimized == Minimized::money ? o.money : o.total;
      return std::pair(study::without_last_bits(o.time.base()),
                       study::without_last_bits(cost.base()));
    };
    std::set<std::pair<double, double>> front;
    for (std::size_t i = 0; i < all.outlays.size(); ++i) {
      if (!feasible(i)) continue;
      const bool beaten = all.count([&](std::size_t k) {
        return feasible(k) && corner(k) != corner(i) && corner(k).first <= corner(i).first &&
               corner(k).second <= corner(i).second;
      }) > 0;
      if (!beaten) front.insert(corner(i));
    }
    CHECK(w.front_size == front.size());
    CHECK(w.front.size() <= front.size());
    if (front.size() <= 20) REQUIRE(w.front.size() == front.size());
    for (const Candidate& point : w.front) CHECK(front.contains(corner(point.point)));

    const Constraints& c = all.constraints();
    CHECK(w.relaxed.size() == (c.deadline && c.budget ? 3U : c.any() ? 1U : 0U));
  });
  CHECK_DRAWN(near > 3);
  CHECK_DRAWN(runners > 10);
  CHECK_DRAWN(simpler > 0);
}

}  // namespace
