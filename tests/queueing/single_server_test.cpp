#include "queueing/single_server.hpp"

#include <cmath>
#include <vector>

#include "catch.hpp"
#include "engine/simulate.hpp"

using namespace feedrate::queueing;
namespace engine = feedrate::engine;

namespace {

/// Customers that pass a server of `seconds`, one at a time, and cores with these rates, simulated.
double simulated(int customers, double seconds, const std::vector<double>& cores, double cv) {
  engine::Model model;
  engine::Resource disk{"disk", {1.0 / seconds}};
  disk.discipline = engine::Discipline::one_at_a_time;
  const engine::ResourceId at_disk = model.add(disk);
  const engine::ResourceId at_cores = model.add(engine::Resource{"cores", cores});
  const engine::Spread spread{engine::Law::lognormal, cv};
  constexpr int rounds = 40000;
  for (int c = 0; c < customers; ++c) {
    engine::ProgramBuilder program;
    program.repeat_long(rounds / customers);
    program.use(at_disk, {1.0}, 0, cv > 0.0 ? spread : engine::no_spread);
    program.use(at_cores, {1.0}, 1, cv > 0.0 ? spread : engine::no_spread);
    program.next();
    model.add(engine::Process{"c" + std::to_string(c), model.add(program.build()), false, -1});
  }
  engine::Options options;
  options.exact = true;
  const engine::Outcome outcome = engine::simulate(model, options);
  return (rounds / customers) * customers / (static_cast<double>(outcome.now.ns) * 1e-9);
}

}  // namespace

TEST_CASE(
    "single server: one customer takes its times one after the other, many the server's rate") {
  ClosedNetwork rest(64);
  rest.add_delay(0.006);
  const auto x = with_single_server(rest, {0.004, 0.3}, 0.3, 64);
  CHECK(x[0] == Approx(100.0));
  CHECK(x[63] == Approx(250.0).epsilon(1e-6));
}

TEST_CASE("single server: near simulation where it is worst, with disk and cores in balance") {
  const std::vector<std::vector<double>> cores = {
      {155.0, 300.0, 350.0, 350.0}, {100.0, 200.0, 300.0, 400.0}, {250.0}};
  for (const auto& rates : cores) {
    for (const double cv : {0.3, 0.6}) {
      for (const int n : {1, 2, 3, 4, 6, 8, 16, 64}) {
        ClosedNetwork rest(n);
        rest.set_last(rates);
        INFO("cores up to " << rates.back() << "/s, cv " << cv << ", " << n << " customers");
        CHECK(with_single_server(rest, {0.00406, cv}, cv, n).back() ==
              Approx(simulated(n, 0.00406, rates, cv)).epsilon(rates.size() > 1 ? 0.05 : 0.1));
      }
    }
  }
}

TEST_CASE("single server: never falls with customers or a faster server") {
  for (const double cv : {0.0, 0.3, 1.0}) {
    ClosedNetwork rest(40);
    rest.add_delay(0.003);
    rest.set_last({200.0, 380.0, 500.0});
    double before = 0.0;
    const auto slow = with_single_server(rest, {0.005, cv}, cv, 40);
    const auto fast = with_single_server(rest, {0.004, cv}, cv, 40);
    for (std::size_t n = 0; n < slow.size(); ++n) {
      CHECK(slow[n] >= before);
      CHECK(fast[n] >= slow[n] * (1.0 - 1e-12));
      before = slow[n];
    }
  }
}
