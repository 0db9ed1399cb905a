// Laws of random amounts: a list is drawn as often as it says, and one process that takes the
// largest of many draws is as late as many processes at a barrier.
#include "catch.hpp"
#include "engine/simulate.hpp"

using namespace feedrate::engine;

namespace {

constexpr Ticks step{1'000'000};

Model with_lists() {
  Model model;
  model.lists.push_back({{0.5, 1.0, 3.0}, {0.3, 0.9, 1.0}});
  return model;
}

double milliseconds_a_round(const Model& model, double rounds) {
  Options options;
  options.seed = 3;
  options.exact = true;
  return static_cast<double>(simulate(model, options).now.ns) * 1e-6 / rounds;
}

/// `parties` processes of `each` steps, then a barrier, again and again.
double by_barrier(Spread spread, std::uint32_t parties, std::int64_t each, std::int64_t rounds) {
  Model model = with_lists();
  const BarrierId barrier = model.add(Barrier{"all", parties});
  const ProgramId program = model.add(ProgramBuilder()
                                          .repeat(rounds)
                                          .repeat(each)
                                          .delay(step, 0, spread)
                                          .next()
                                          .join(barrier, 0)
                                          .next()
                                          .build());
  for (std::uint32_t p = 0; p < parties; ++p) {
    model.add(Process{"p" + std::to_string(p), program, false, -1});
  }
  return milliseconds_a_round(model, static_cast<double>(rounds));
}

double by_one(Spread spread, std::uint32_t parties, std::int64_t each, std::int64_t rounds) {
  Model model = with_lists();
  spread.largest_of = parties;
  spread.mean_of = static_cast<std::uint32_t>(each);
  const ProgramId program =
      model.add(ProgramBuilder().repeat(rounds).delay({step.ns * each}, 0, spread).next().build());
  model.add(Process{"all", program, false, -1});
  return milliseconds_a_round(model, static_cast<double>(rounds));
}

}  // namespace

TEST_CASE("law: a list is drawn by its chances") {
  const Spread listed{Law::listed, 0.0, 0};
  CHECK(by_one(listed, 1, 1, 200'000) == Approx(0.3 * 0.5 + 0.6 * 1.0 + 0.1 * 3.0).epsilon(0.01));
}

TEST_CASE("law: the largest of many draws is as late as many processes at a barrier") {
  const Spread spreads[] = {
      {Law::listed, 0.0, 0}, {Law::lognormal, 0.2, 0}, {Law::exponential, 1.0, 0}};
  for (const Spread& spread : spreads) {
    for (const std::uint32_t parties : {1u, 2u, 30u}) {
      for (const std::int64_t each : {1, 4}) {
        INFO(static_cast<int>(spread.law) << " " << parties << " " << each);
        const double many = by_barrier(spread, parties, each, 20'000);
        CHECK(by_one(spread, parties, each, 20'000) == Approx(many).epsilon(0.02));
      }
    }
  }
}

TEST_CASE("law: a list that cannot be drawn from is refused") {
  const auto refused = [](const FactorList& list, Spread spread) {
    Model model;
    model.lists.push_back(list);
    model.add(Process{"p", model.add(ProgramBuilder().delay(step, 0, spread).build()), false, -1});
    CHECK_THROWS_AS(simulate(model), BuildError);
  };
  refused({{}, {}}, {Law::listed, 0.0, 0});
  refused({{1.0, 2.0}, {1.0}}, {Law::listed, 0.0, 0});
  refused({{1.0, -2.0}, {0.5, 1.0}}, {Law::listed, 0.0, 0});
  refused({{1.0, 2.0}, {0.7, 0.5}}, {Law::listed, 0.0, 0});
  refused({{1.0}, {1.0}}, {Law::listed, 0.0, 1});
  Spread none{Law::lognormal, 0.1, 0};
  none.largest_of = 0;
  refused({{1.0}, {1.0}}, none);
}
