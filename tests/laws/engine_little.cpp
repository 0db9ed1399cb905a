#include <numeric>
#include <vector>

#include "catch.hpp"
#include "engine/simulate.hpp"
#include "tests/engine/support/models.hpp"
#include "tests/engine/support/same_result.hpp"

// What must balance in every run, whatever the model: on two hundred drawn at random.
using namespace feedrate::engine;
using feedrate::tests::Kind;
using feedrate::tests::kinds;
using feedrate::tests::random_model;

namespace {

std::int64_t sum(const TimeByTag& times) {
  return std::accumulate(times.begin(), times.end(), std::int64_t{0});
}

}  // namespace

TEST_CASE(
    "engine law: a process's time is active or blocked, nothing else, in the books and in the "
    "trace") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (int kind = 0; kind < kinds; ++kind) {
      const Model model = random_model(static_cast<Kind>(kind), 1000 + seed);
      CAPTURE(kind, seed);
      std::vector<std::int64_t> reached(model.processes.size());
      bool gap = false;
      Options options{.exact = true};
      options.trace = [&](const Span& span) {
        auto& end = reached[static_cast<std::size_t>(span.process)];
        gap = gap || span.begin.ns != end;
        end = span.end.ns;
      };
      const Outcome exact = simulate(model, options);
      CHECK_FALSE(gap);
      REQUIRE(same_result(exact, simulate(model)));
      for (std::size_t p = 0; p < exact.processes.size(); ++p) {
        const ProcessStats& process = exact.processes[p];
        REQUIRE(sum(process.active) + sum(process.blocked) == process.wall.ns);
        REQUIRE(process.wall == (process.finished ? Ticks{reached[p]} : exact.now));
      }
      for (const ResourceStats& resource : exact.resources) {
        REQUIRE(resource.busy <= exact.now);
        REQUIRE(resource.full <= resource.busy);
      }
    }
  }
}

TEST_CASE("engine law: users of a capacity over time = time in use over users (Little)") {
  // The capacity counts its users, the processes their time: the same number, measured apart.
  Model model;
  const ResourceId shared = model.add(Resource{"shared", {1.0, 1.7, 2.1, 2.0}});
  for (int p = 0; p < 9; ++p) {
    const auto program = model.add(ProgramBuilder()
                                       .repeat(500)
                                       .delay({20'000'000}, 0, exponential_spread)
                                       .use(shared, {0.005 + 0.001 * p}, 1, {Law::lognormal, 0.7})
                                       .next()
                                       .build());
    model.add(Process{.name = "p", .program = program});
  }
  const Outcome out = simulate(model);
  std::int64_t used = 0;
  for (const ProcessStats& process : out.processes) used += process.active[1];
  CHECK(out.resources[0].user_time == static_cast<Wide>(used));
  CHECK(out.resources[0].operations == 9 * 500);
}

TEST_CASE("engine law: mean level of a queue = rate x mean time in it (Little)") {
  // Tokens are first in, first out, so the k-th in is the k-th out: times of puts and takes are
  // marked.
  Model model;
  const QueueId line = model.add(Queue{.name = "line", .capacity = 7});
  const std::int64_t tokens = 3000;
  model.add(Process{.name = "in",
                    .program = model.add(ProgramBuilder()
                                             .repeat(tokens)
                                             .delay({1'000'000}, 0, exponential_spread)
                                             .put(line, 0)
                                             .mark(0)
                                             .next()
                                             .build())});
  model.add(Process{.name = "out",
                    .program = model.add(ProgramBuilder()
                                             .repeat(tokens)
                                             .delay({1'000'000}, 1, exponential_spread)
                                             .take(line, 1)
                                             .mark(1)
                                             .next()
                                             .build())});
  const Outcome out = simulate(model, {.marks_kept = static_cast<int>(tokens)});
  std::int64_t in_queue = 0;
  for (std::size_t k = 0; k < tokens; ++k)
    in_queue += out.marks[1].first[k].ns - out.marks[0].first[k].ns;
  CHECK(out.queues[0].level_time == static_cast<Wide>(in_queue));
  CHECK(out.queues[0].taken == tokens);
}
