#include "catch.hpp"
#include "engine/simulate.hpp"
#include "tests/engine/support/statistics.hpp"

// Single stations with Poisson arrivals: mean waits and mean numbers against the textbook formulas.
using namespace feedrate::engine;
using feedrate::tests::agrees;
using feedrate::tests::Estimate;
using feedrate::tests::replicate;

namespace {

constexpr std::int64_t customers = 20'000;
constexpr double one_second = 1e9;

Ticks seconds(double s) {
  return {static_cast<std::int64_t>(s * one_second)};
}

// Mean wait in line, in seconds, of customers that come every 1/rate seconds to c servers.
Estimate mean_wait(double rate, double service, Spread law, std::uint32_t servers) {
  Model model;
  const QueueId line = model.add(Queue{.name = "line"});
  const ProgramId arrivals = model.add(ProgramBuilder()
                                           .repeat(customers)
                                           .delay(seconds(1 / rate), 0, exponential_spread)
                                           .put(line, 0)
                                           .next()
                                           .build());
  const ProgramId server = model.add(ProgramBuilder()
                                         .repeat_forever()
                                         .take(line, 1)
                                         .delay(seconds(service), 1, law)
                                         .next()
                                         .build());
  model.add(Process{.name = "arrivals", .program = arrivals});
  for (std::uint32_t s = 0; s < servers; ++s) {
    model.add(Process{.name = "server", .program = server, .daemon = true});
  }
  return replicate([&](std::uint64_t seed) {
    const Outcome out = simulate(model, {.seed = seed});
    return static_cast<double>(out.queues[0].level_time) / static_cast<double>(customers) /
           one_second;
  });
}

double erlang_c(double load, int servers) {
  double term = 1;
  double sum = 0;
  for (int k = 0; k < servers; ++k) {
    sum += term;
    term *= load / (k + 1);
  }
  const double waiting = term / (1 - load / servers);
  return waiting / (sum + waiting);
}

}  // namespace

TEST_CASE("engine law: M/M/1 waits rho / (mu - lambda)") {
  const double rate = 0.6;
  const Estimate wait = mean_wait(rate, 1.0, exponential_spread, 1);
  CAPTURE(wait.mean, wait.error);
  CHECK(agrees(wait, rate / (1.0 - rate)));
  CHECK(wait.error < 0.05);
}

TEST_CASE("engine law: M/M/c waits as Erlang's C formula says") {
  for (const int servers : {2, 5}) {
    const double load = 0.8 * servers;
    const Estimate wait =
        mean_wait(load, 1.0, exponential_spread, static_cast<std::uint32_t>(servers));
    CAPTURE(servers, wait.mean, wait.error);
    CHECK(agrees(wait, erlang_c(load, servers) / (servers - load)));
  }
}

TEST_CASE("engine law: M/D/1 and M/G/1 wait as Pollaczek and Khinchine say") {
  const double rate = 0.6;
  for (const double cv : {0.0, 0.5, 1.5}) {
    const Spread law = cv == 0.0 ? no_spread : Spread{Law::lognormal, cv};
    const Estimate wait = mean_wait(rate, 1.0, law, 1);
    CAPTURE(cv, wait.mean, wait.error);
    CHECK(agrees(wait, rate * (1 + cv * cv) / (2 * (1 - rate))));
  }
}

TEST_CASE(
    "engine law: a shared capacity holds rho / (1 - rho) users whatever the law of the work") {
  // M/G/1 processor sharing is insensitive. 80 takers stand for any number: P(more) = 0.6^80.
  const double rate = 0.6;
  for (const Spread law : {no_spread, exponential_spread, Spread{Law::lognormal, 2.0}}) {
    Model model;
    const QueueId line = model.add(Queue{.name = "line"});
    const ResourceId shared = model.add(Resource{"shared", {1.0}});
    const ProgramId arrivals = model.add(ProgramBuilder()
                                             .repeat(customers)
                                             .delay(seconds(1 / rate), 0, exponential_spread)
                                             .put(line, 0)
                                             .next()
                                             .build());
    const ProgramId job = model.add(
        ProgramBuilder().repeat_forever().take(line, 1).use(shared, {1.0}, 1, law).next().build());
    model.add(Process{.name = "arrivals", .program = arrivals});
    for (int j = 0; j < 80; ++j) model.add(Process{.name = "job", .program = job, .daemon = true});
    const Estimate users = replicate([&](std::uint64_t seed) {
      const Outcome out = simulate(model, {.seed = seed});
      return static_cast<double>(out.resources[0].user_time) / static_cast<double>(out.now.ns);
    });
    CAPTURE(static_cast<int>(law.law), users.mean, users.error);
    CHECK(agrees(users, rate / (1 - rate)));
  }
}

TEST_CASE("engine law: two exponential stations with room for B items between pass mu2 (1 - pi0)") {
  // The first is never idle. Items that left its service and not the second station: birth and
  // death on 0 .. B + 2 (one blocked in the first, B between, one in the second), so pi0 = (1 - r)
  // / (1 - r^(B + 3)), r = mu1 / mu2.
  const double mean1 = 1.0;
  const double mean2 = 0.8;
  for (const int room : {1, 4}) {
    Model model;
    const QueueId between = model.add(Queue{.name = "between", .capacity = room});
    const ProgramId first = model.add(ProgramBuilder()
                                          .repeat_forever()
                                          .delay(seconds(mean1), 0, exponential_spread)
                                          .put(between, 0)
                                          .next()
                                          .build());
    const ProgramId second = model.add(ProgramBuilder()
                                           .repeat(40'000)
                                           .take(between, 1)
                                           .delay(seconds(mean2), 1, exponential_spread)
                                           .next()
                                           .build());
    model.add(Process{.name = "first", .program = first, .daemon = true});
    model.add(Process{.name = "second", .program = second});
    const Estimate rate = replicate([&](std::uint64_t seed) {
      return 40'000 * one_second / static_cast<double>(simulate(model, {.seed = seed}).now.ns);
    });
    const double r = mean2 / mean1;
    const double idle = (1 - r) / (1 - std::pow(r, room + 3));
    CAPTURE(room, rate.mean, rate.error);
    CHECK(agrees(rate, (1 - idle) / mean2));
  }
}

TEST_CASE("engine law: a closed network passes what mean value analysis says") {
  // Jobs go round: a shared capacity, one server that is first come first served, and a delay.
  const double demand_shared = 1.0;
  const double demand_server = 0.7;
  const double think = 3.0;
  for (const int jobs : {1, 3, 8}) {
    double in_shared = 0;
    double in_server = 0;
    double expected = 0;
    for (int n = 1; n <= jobs; ++n) {
      const double r_shared = demand_shared * (1 + in_shared);
      const double r_server = demand_server * (1 + in_server);
      expected = n / (think + r_shared + r_server);
      in_shared = expected * r_shared;
      in_server = expected * r_server;
    }
    Model model;
    const ResourceId shared = model.add(Resource{"shared", {2.0}});
    const QueueId server = model.add(Queue{.name = "server", .initial = 1});
    const auto round = [&](ProgramBuilder builder) {
      return model.add(builder.delay(seconds(think), 0, exponential_spread)
                           .use(shared, {2.0 * demand_shared}, 1, exponential_spread)
                           .take(server, 2)
                           .delay(seconds(demand_server), 2, exponential_spread)
                           .put(server, 2)
                           .next()
                           .build());
    };
    const std::int64_t rounds = 20'000 / jobs;
    model.add(Process{.name = "counted", .program = round(ProgramBuilder().repeat(rounds))});
    const ProgramId endless = round(ProgramBuilder().repeat_forever());
    for (int j = 1; j < jobs; ++j)
      model.add(Process{.name = "job", .program = endless, .daemon = true});
    const Estimate rate = replicate([&](std::uint64_t seed) {
      const Outcome out = simulate(model, {.seed = seed});
      return static_cast<double>(out.resources[0].operations) * one_second /
             static_cast<double>(out.now.ns);
    });
    CAPTURE(jobs, rate.mean, rate.error, expected);
    CHECK(agrees(rate, expected));
  }
}
