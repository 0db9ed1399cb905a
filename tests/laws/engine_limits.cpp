#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "catch.hpp"
#include "engine/simulate.hpp"
#include "tests/engine/support/statistics.hpp"
#include "tests/seed.hpp"

// Rate limits and resources that serve one at a time, against formulas and recurrences that know no
// events.
using namespace feedrate::engine;
using feedrate::Random;
using feedrate::tests::agrees;
using feedrate::tests::Estimate;
using feedrate::tests::replicate;

namespace {

constexpr double one_second = 1e9;

Ticks seconds(double s) {
  return {static_cast<std::int64_t>(s * one_second)};
}

// Workers that read a sample and decode it, over and over: samples per second.
enum class Store : std::uint8_t { one_at_a_time, shared, limited };
double samples_per_second(Store store, int workers, double cv, std::uint64_t seed) {
  constexpr double read = 4.06e-3;
  Model model;
  const ResourceId disk = model.add(Resource{
      .name = "disk",
      .curve = {1 / read},
      .discipline = store == Store::shared ? Discipline::shared : Discipline::one_at_a_time});
  const BucketId limit = model.add(Bucket{.name = "limit", .rate = 1 / read, .burst = 10});
  const ResourceId cores = model.add(Resource{"cores", {155, 300, 350, 350}});
  constexpr std::int64_t samples = 20'000;
  const QueueId done = model.add(Queue{.name = "done", .capacity = 1});
  ProgramBuilder worker;
  worker.repeat_forever();
  store == Store::limited ? worker.pass(limit, 1, 0) : worker.use(disk, {1}, 0);
  worker.use(cores, {1}, 1, {Law::lognormal, cv}).put(done, 2).next();
  const ProgramId program = model.add(worker.build());
  for (int w = 0; w < workers; ++w)
    model.add(Process{.name = "worker", .program = program, .daemon = true});
  model.add(Process{
      .name = "taker",
      .program = model.add(ProgramBuilder().repeat_long(samples).take(done, 3).next().build())});
  return samples * one_second / static_cast<double>(simulate(model, {.seed = seed}).now.ns);
}

}  // namespace

TEST_CASE("engine law: a server that takes one at a time holds what Pollaczek and Khinchine say") {
  // 80 takers stand for any number: P(more) = 0.6^80.
  const double rate = 0.6;
  for (const double cv : {0.0, 0.5, 1.0}) {
    Model model;
    const QueueId line = model.add(Queue{.name = "line"});
    const ResourceId server = model.add(
        Resource{.name = "server", .curve = {2.0}, .discipline = Discipline::one_at_a_time});
    const ProgramId arrivals = model.add(ProgramBuilder()
                                             .repeat(20'000)
                                             .delay(seconds(1 / rate), 0, exponential_spread)
                                             .put(line, 0)
                                             .next()
                                             .build());
    const Spread law = cv == 1.0 ? exponential_spread : Spread{Law::lognormal, cv};
    const ProgramId job = model.add(
        ProgramBuilder().repeat_forever().take(line, 1).use(server, {2.0}, 1, law).next().build());
    model.add(Process{.name = "arrivals", .program = arrivals});
    for (int j = 0; j < 80; ++j) model.add(Process{.name = "job", .program = job, .daemon = true});
    const auto estimate = [&](auto&& of) {
      return replicate([&](std::uint64_t seed) {
        const Outcome out = simulate(model, {.seed = seed});
        return of(out.resources[0]) / static_cast<double>(out.now.ns);
      });
    };
    const Estimate users =
        estimate([](const ResourceStats& r) { return static_cast<double>(r.user_time); });
    const Estimate busy =
        estimate([](const ResourceStats& r) { return static_cast<double>(r.busy.ns); });
    CAPTURE(cv, users.mean, users.error, busy.mean, busy.error);
    CHECK(agrees(users, rate + rate * rate * (1 + cv * cv) / (2 * (1 - rate))));
    CHECK(users.error < 0.05);
    CHECK(agrees(busy, rate));
  }
}

TEST_CASE("engine law: passes leave when the level of the bucket says") {
  // Level by level: what comes in while time passes, at most the burst; what goes out with a pass.
  Random random(feedrate::test::seeded(8), 0);
  for (int i = 0; i < 200; ++i) {
    const double rate = std::pow(10.0, 1 + 5 * random.uniform());
    const double tokens = 0.5 + 4 * random.uniform();
    const double burst = random.uniform() < 0.3 ? 0.0 : 12 * random.uniform();
    const double pause = tokens / rate * (0.5 + random.uniform()) * one_second;
    constexpr std::size_t passes = 400;
    Model model;
    const BucketId limit = model.add(Bucket{.name = "limit", .rate = rate, .burst = burst});
    model.add(Process{.name = "p",
                      .program = model.add(ProgramBuilder()
                                               .repeat(passes)
                                               .delay({std::llround(pause)}, 0, exponential_spread)
                                               .mark(0)
                                               .pass(limit, tokens, 1)
                                               .mark(1)
                                               .next()
                                               .build())});
    const Outcome out =
        simulate(model, {.seed = static_cast<std::uint64_t>(i), .marks_kept = passes});
    double level = burst;
    std::int64_t before = 0;
    bool all = true;
    for (std::size_t k = 0; k < passes; ++k) {
      const std::int64_t come = out.marks[0].first[k].ns;
      level = std::min(burst, level + static_cast<double>(come - before) * rate / one_second);
      level -= tokens;
      before = come;
      // A wait ends on a whole ns, a bucket keeps what comes in within one, and the rate is exact
      // to 1e-10.
      const double error = 1.5 + 1e-10 * static_cast<double>(k + 1) * tokens / rate * one_second;
      const double left = static_cast<double>(come) + std::max(0.0, -level) / rate * one_second;
      all = all && std::abs(static_cast<double>(out.marks[1].first[k].ns) - left) <= error;
    }
    CAPTURE(i, rate, tokens, burst);
    REQUIRE(all);
  }
}

TEST_CASE("engine law: no stretch of time sees more than the burst and what came in meanwhile") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Model model;
    const double rate = 1234.5;
    const double burst = 6.5;
    const BucketId limit = model.add(Bucket{.name = "limit", .rate = rate, .burst = burst});
    const ProgramId program = model.add(ProgramBuilder()
                                            .repeat(200)
                                            .delay({4'000'000}, 0, {Law::lognormal, 2.0})
                                            .pass(limit, 1, 1)
                                            .mark(0)
                                            .next()
                                            .build());
    for (int p = 0; p < 5; ++p) model.add(Process{.name = "p", .program = program});
    const Outcome out = simulate(model, {.seed = seed, .marks_kept = 1000});
    double tightest = burst;
    for (std::size_t a = 0; a < 1000; ++a) {
      for (std::size_t b = a; b < 1000; ++b) {
        const auto length =
            static_cast<double>(out.marks[0].first[b].ns - out.marks[0].first[a].ns);
        const double room =
            burst + rate * (length + 1) / one_second - static_cast<double>(b - a + 1);
        tightest = std::min(tightest, room);
      }
    }
    CAPTURE(seed, tightest);
    CHECK(tightest > -1e-9);
    CHECK(tightest < 1);  // the limit was felt
  }
}

TEST_CASE("engine law: workers behind a disk that serves one at a time wait for it in turn") {
  // What two stations give at most is 1 / 4.06 ms. With as many workers the smoother the decoding
  // the nearer they come: expected values from an independent simulation of the two stations.
  struct Row {
    int workers;
    std::vector<double> rates;  // by coefficient of variation
  };
  const std::vector<double> cvs{0.0, 0.1, 0.3, 0.6};
  for (const Row& row :
       {Row{1, {95, 95, 95, 95}}, Row{2, {189, 187, 179, 176}}, Row{3, {246, 246, 233, 224}},
        Row{4, {246, 246, 246, 240}}, Row{6, {246, 246, 246, 246}}}) {
    for (std::size_t i = 0; i < cvs.size(); ++i) {
      CAPTURE(row.workers, cvs[i]);
      CHECK(samples_per_second(Store::one_at_a_time, row.workers, cvs[i], 1) ==
            Approx(row.rates[i]).epsilon(0.01));
    }
  }
}

TEST_CASE("engine law: workers on a shared disk pass what two shared stations do") {
  const std::vector<std::pair<int, double>> rows{{1, 95}, {2, 164}, {3, 199}, {4, 217}, {6, 234}};
  for (const auto& [workers, expected] : rows) {
    for (const double cv : {0.1, 0.3, 0.6}) {
      CAPTURE(workers, cv);
      CHECK(samples_per_second(Store::shared, workers, cv, 1) == Approx(expected).epsilon(0.015));
    }
  }
}

TEST_CASE("engine law: a rate limit costs a worker nothing until the limit is reached") {
  for (const double cv : {0.0, 0.6}) {
    CHECK(samples_per_second(Store::limited, 1, cv, 1) == Approx(155).epsilon(0.01));
    for (const int workers : {2, 3, 4, 6}) {
      CAPTURE(workers, cv);
      CHECK(samples_per_second(Store::limited, workers, cv, 1) == Approx(246.3).epsilon(0.005));
    }
  }
}
