// How sure the choice of the best point of a grid is: its chances are those of simulating each
// point that it is compared with in each draw.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "laws/generated_grids.hpp"
#include "seed.hpp"
#include "study/drawn_job.hpp"

using namespace feedrate;

namespace {

using study::Rank;
using testing_laws::catalog;
using testing_laws::for_generated;
using testing_laws::Generator;
using testing_laws::GridCase;
using testing_laws::Looked;

/// The points that are compared draw by draw: the best, those that come nearest, the best of each
/// value of an axis, and those that are better and nearly keep the constraints.
std::vector<std::size_t> contenders(const Looked& all) {
  std::vector<std::size_t> list{all.optimum.winner->point.point};
  const auto add = [&](std::size_t i) {
    if (std::find(list.begin(), list.end(), i) == list.end()) list.push_back(i);
  };
  const auto feasible = [&](std::size_t i) { return all.feasible(i); };
  std::optional<std::size_t> last = list.front();
  for (int n = 0; n < 12 && last; ++n) {
    const double end = all.rank(*last)[0] + alike_share * std::abs(all.rank(*last)[0]);
    last = all.least([&](std::size_t i) { return feasible(i) && all.rank(i)[0] > end; });
    if (last) add(*last);
  }
  std::vector<std::pair<Rank, std::size_t>> others;
  for (std::size_t k = 0; k < all.axes.varied().size(); ++k) {
    for (std::size_t v = 0; v < all.axes.varied()[k].values.size(); ++v) {
      const auto best =
          all.least([&](std::size_t i) { return feasible(i) && all.axes.values_at(i)[k] == v; });
      if (best) others.emplace_back(all.rank(*best), *best);
    }
  }
  std::sort(others.begin(), others.end());
  for (std::size_t i = 0; i < std::min<std::size_t>(12, others.size()); ++i) add(others[i].second);
  std::vector<std::pair<double, std::size_t>> missing;
  for (std::size_t i = 0; i < all.outlays.size() && all.constraints().any(); ++i) {
    if (!all.outlays[i] || feasible(i) || all.rank(i) >= all.rank(list.front())) continue;
    const auto over = [](double value, double bound) {
      return bound > 0.0 ? std::max(0.0, value / bound - 1.0)
                         : std::numeric_limits<double>::infinity();
    };
    double excess = 0.0;
    if (const auto& deadline = all.constraints().deadline) {
      excess = over(all.outlays[i]->time.base(), deadline->base());
    }
    if (const auto& budget = all.constraints().budget) {
      excess = std::max(excess, over(all.outlays[i]->money.base(), budget->base()));
    }
    missing.emplace_back(excess, i);
  }
  std::sort(missing.begin(), missing.end());
  for (std::size_t i = 0; i < std::min<std::size_t>(4, missing.size()); ++i) {
    add(missing[i].second);
  }
  return list;
}

TEST_CASE("chances: they are those of simulating each contender in each draw") {
  constexpr int draws = 8;
  int rivals = 0, late = 0, over = 0, checked = 0;
  for_generated(23, 25, [&](const GridCase& one, const study::Axes& axes, Generator&) {
    study::OptimizeOptions options = one.options;
    options.draws = draws;
    options.run.seed = 77;
    const Looked all(one, axes, options);
    if (!all.optimum.winner) return;
    const std::vector<std::size_t> points = contenders(all);
    REQUIRE(all.optimum.winner->chances.has_value() ==
            (points.size() > 1 || all.constraints().any()));
    if (!all.optimum.winner->chances) return;
    ++checked;
    const Chances& chances = *all.optimum.winner->chances;
    CHECK(chances.draws == draws);
    CHECK(chances.compared == points.size());
    std::vector<double> bests(points.size());
    double in_time = 0.0, in_budget = 0.0;
    for (std::uint64_t d = 1; d <= draws; ++d) {
      const resolve::Draw draw = [&](std::string_view key) { return uniform_of(77, d, key); };
      std::optional<std::size_t> best;
      std::vector<std::optional<double>> values(points.size());
      for (std::size_t i = 0; i < points.size(); ++i) {
        const bool of_best = i == 0;
        try {
          const study::DrawnJob job = study::drawn_job(axes.scenario(points[i]), catalog(), nullptr,
                                                       draw, study::Own::of(77, d).among_others());
          const Outlay outlay{job.outcome.total.wall, job.bill.money, job.bill.total};
          const bool timely = all.constraints().in_time(outlay.time);
          const bool affordable = all.constraints().in_budget(outlay.money);
          if (of_best) in_time += timely ? 1.0 : 0.0;
          if (of_best) in_budget += affordable ? 1.0 : 0.0;
          if (timely && affordable) values[i] = outlay.of(all.optimum.minimized);
        } catch (const InputError&) {
          if (of_best) in_time += all.constraints().deadline ? 0.0 : 1.0;
          if (of_best) in_budget += all.constraints().budget ? 0.0 : 1.0;
        }
        if (values[i] && (!best || *values[i] < *values[*best])) best = i;
      }
      if (!best) continue;
      const bool as_good =
          values[0] && *values[0] <= *values[*best] + alike_share * std::abs(*values[*best]);
      bests[as_good ? 0 : *best] += 1.0;
    }
    CHECK(chances.best == Approx(bests[0] / draws));
    CHECK(chances.in_time == Approx(in_time / draws));
    CHECK(chances.in_budget == Approx(in_budget / draws));
    const double rival =
        points.size() > 1 ? *std::max_element(bests.begin() + 1, bests.end()) : 0.0;
    REQUIRE(chances.rival.has_value() == (rival > 0.0));
    CHECK(chances.rival_best == Approx(rival / draws));
    if (chances.rival) {
      const auto at = std::find(points.begin(), points.end(), chances.rival->point);
      REQUIRE(at != points.end());
      CHECK(bests[static_cast<std::size_t>(at - points.begin())] == rival);
    }
    rivals += chances.rival ? 1 : 0;
    late += chances.in_time < 1.0 ? 1 : 0;
    over += chances.in_budget < 1.0 ? 1 : 0;
  });
  CHECK_DRAWN(checked > 10);
  CHECK_DRAWN(rivals > 3);
  CHECK(late + over > 3);
}

}  // namespace
