#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "catch.hpp"
#include "draw.hpp"
#include "engine/simulate.hpp"
#include "engine/token_bucket.hpp"
#include "seed.hpp"
#include "tests/engine/support/same_result.hpp"

using namespace feedrate::engine;
using Catch::Matchers::Contains;

namespace {

constexpr double one_second = 1e9;

std::int64_t sum(const TimeByTag& times) {
  return std::accumulate(times.begin(), times.end(), std::int64_t{0});
}

// One process that passes `times` times, each pass marked.
Model single(Bucket bucket, double tokens, std::int64_t times) {
  Model model;
  const BucketId limit = model.add(std::move(bucket));
  const ProgramId program =
      model.add(ProgramBuilder().repeat_long(times).pass(limit, tokens, 3).mark(0).next().build());
  model.add(Process{.name = "p", .program = program});
  return model;
}

}  // namespace

TEST_CASE("engine: passes go at once while the burst lasts, then at the rate") {
  struct Case {
    double rate, burst, tokens;
  };
  for (const Case c :
       {Case{10, 4, 1}, Case{246.3, 0, 1}, Case{246.3, 17.5, 1}, Case{3, 100, 7.7},
        Case{1.5e9, 4e6, 110'592}, Case{1e9 / 7, 0, 1}, Case{3e9, 30, 1}, Case{1.0 / 3.0, 2, 5}}) {
    constexpr std::int64_t times = 1000;
    const Model model =
        single({.name = "limit", .rate = c.rate, .burst = c.burst}, c.tokens, times);
    const Outcome out = simulate(model, {.marks_kept = times});
    CAPTURE(c.rate, c.burst, c.tokens);
    REQUIRE(out.marks[0].count == times);
    for (std::size_t k = 0; k < times; ++k) {
      const double asked = static_cast<double>(k + 1) * c.tokens;
      const double when = std::max(0.0, asked - c.burst) / c.rate * one_second;
      const double off = static_cast<double>(out.marks[0].first[k].ns) - when;
      REQUIRE(std::abs(off) <= 1.01 + 1e-10 * asked / c.rate * one_second);
    }
    CHECK(out.processes[0].active[3] == out.now.ns);
    CHECK(out.buckets[0].waited == static_cast<Wide>(out.now.ns));
    CHECK(out.buckets[0].operations == times);
    CHECK(out.buckets[0].tokens() == Approx(times * c.tokens).epsilon(1e-9));
  }
}

TEST_CASE("engine: over a long run a rate limit is exact to 1e-9, and the run is skipped") {
  for (const double rate : {246.3, 246.31234567, 1000.0 / 3, 99.9, 12'345.678, 1e6 / 7}) {
    for (const double tokens : {1.0, 3.3}) {
      constexpr std::int64_t times = 10'000'000'000;
      const Outcome out =
          simulate(single({.name = "limit", .rate = rate, .burst = 20}, tokens, times));
      CAPTURE(rate, tokens, out.effort.events);
      CHECK(static_cast<double>(out.now.ns) ==
            Approx((times * tokens - 20) / rate * one_second).epsilon(1e-9));
      CHECK(out.effort.events < 100'000);
      CHECK(out.buckets[0].operations == times);
    }
  }
}

TEST_CASE("engine: a pause saves up tokens, at most the burst") {
  // 2 tokens/s, burst 4. The first 4 go at once, the fifth after 0.5 s. After 1 s more 2 are there,
  // after 100 s 4.
  for (const std::int64_t pause : {1, 100}) {
    Model model;
    const BucketId limit = model.add(Bucket{.name = "limit", .rate = 2, .burst = 4});
    const ProgramId program = model.add(ProgramBuilder()
                                            .repeat(5)
                                            .pass(limit, 1, 0)
                                            .next()
                                            .delay({pause * 1'000'000'000}, 1)
                                            .repeat(7)
                                            .pass(limit, 1, 0)
                                            .next()
                                            .build());
    model.add(Process{.name = "p", .program = program});
    const std::int64_t saved = pause == 1 ? 2 : 4;
    CHECK(simulate(model).now.ns == 500'000'000 * (1 + 2 * pause + 7 - saved));
  }
}

TEST_CASE("engine: a bucket starts with what it is given") {
  for (const double initial : {0.0, 1.0, 2.5, 4.0}) {
    const Bucket bucket{.name = "limit", .rate = 2, .burst = 4, .initial = initial};
    CHECK(static_cast<double>(simulate(single(bucket, 1, 10)).now.ns) ==
          Approx((10 - initial) / 2 * one_second).margin(1.01));
  }
}

TEST_CASE("engine: a pass for more than the burst goes into debt, which who comes next sees") {
  Model model;
  const BucketId limit = model.add(Bucket{.name = "limit", .rate = 2, .burst = 4});
  const auto once = [&](std::int64_t at, double tokens) {
    model.add(Process{
        .name = "p",
        .program = model.add(ProgramBuilder().delay({at}, 0).pass(limit, tokens, 1).build())});
  };
  once(0, 10);              // 6 short: 3 s
  once(1'000'000'000, 1);   // behind it: 3.5 s
  once(60'000'000'000, 4);  // full again
  once(60'000'000'000, 1);  // 0.5 s
  const Outcome out = simulate(model);
  CHECK(out.processes[0].wall.ns == 3'000'000'000);
  CHECK(out.processes[1].wall.ns == 3'500'000'000);
  CHECK(out.processes[2].wall.ns == 60'000'000'000);
  CHECK(out.processes[3].wall.ns == 60'500'000'000);
  CHECK(out.processes[1].active[1] == 2'500'000'000);
  CHECK(out.buckets[0].waited == 3'000'000'000 + 2'500'000'000 + 500'000'000);
}

TEST_CASE("engine: a small pass does not overtake a large one, whatever is left in the bucket") {
  Model model;
  const BucketId limit = model.add(Bucket{.name = "limit", .rate = 1, .burst = 10, .initial = 5});
  const double tokens[] = {8, 1, 3, 1};
  for (std::int64_t i = 0; i < 4; ++i) {
    model.add(Process{
        .name = "p",
        .program = model.add(ProgramBuilder().delay({i}, 0).pass(limit, tokens[i], 1).build())});
  }
  const Outcome out = simulate(model);
  const std::int64_t at[] = {3, 4, 7, 8};
  for (std::size_t i = 0; i < 4; ++i) CHECK(out.processes[i].wall.ns == at[i] * 1'000'000'000);
}

TEST_CASE("engine: a pass of no tokens goes at once, unless others wait") {
  CHECK(simulate(single({.name = "limit", .rate = 1}, 0, 1000)).now.ns == 0);
  Model model;
  const BucketId limit = model.add(Bucket{.name = "limit", .rate = 1});
  model.add(Process{.name = "a", .program = model.add(ProgramBuilder().pass(limit, 2, 0).build())});
  model.add(Process{.name = "b", .program = model.add(ProgramBuilder().pass(limit, 0, 0).build())});
  CHECK(simulate(model).processes[1].wall.ns == 2'000'000'000);
}

TEST_CASE("engine: a rate limit that cannot be is refused by name") {
  const auto refuses = [](const Bucket& bucket, double tokens, const std::string& text) {
    CAPTURE(text);
    CHECK_THROWS_WITH(simulate(single(bucket, tokens, 1)), Contains(text));
    CHECK_THROWS_AS(simulate(single(bucket, tokens, 1)), BuildError);
  };
  const double nan = std::nan("");
  const double inf = std::numeric_limits<double>::infinity();
  refuses({.name = "a", .rate = 0}, 1, "bucket 'a': the rate must be positive and finite, got 0");
  refuses({.name = "a", .rate = -1}, 1, "got -1");
  refuses({.name = "a", .rate = inf}, 1, "got inf");
  refuses({.name = "a", .rate = nan}, 1, "got nan");
  refuses({.name = "a", .rate = 1, .burst = -1}, 1, "the burst must be finite and not negative");
  refuses({.name = "a", .rate = 1, .burst = inf}, 1, "got inf");
  refuses({.name = "a", .rate = 1, .burst = 2, .initial = 3}, 1, "3 tokens at the start, burst 2");
  refuses({.name = "a", .rate = 1, .burst = 2, .initial = -1}, 1, "-1 tokens at the start");
  refuses({.name = "a", .rate = 1}, -1, "instruction 1: tokens must be finite and not negative");
  refuses({.name = "a", .rate = 1}, nan, "got nan");
  refuses({.name = "a", .rate = 1e-9}, 10, "bucket 'a': 10 tokens takes more than 2^63 ns");
  Model model;
  model.add(
      Process{.name = "p", .program = model.add(ProgramBuilder().pass(BucketId{2}, 1, 0).build())});
  CHECK_THROWS_WITH(simulate(model), Contains("bucket 2 of 0"));
}

TEST_CASE("engine: extreme rates, bursts and debts end as the clock does, or not at all") {
  CHECK(simulate(single({.name = "a", .rate = 1e60, .burst = 1e-60}, 1, 1000)).now.ns == 0);
  CHECK(simulate(single({.name = "a", .rate = 1e-9, .burst = 1e9}, 4, 1000)).now.ns == 0);
  CHECK_THROWS_WITH(simulate(single({.name = "a", .rate = 1e-9, .burst = 1e30}, 4, 1000)),
                    Contains("bucket 'a': a burst of 1e+30 tokens is too large for the rate"));
  CHECK(simulate(single({.name = "a", .rate = 1e-9}, 4, 2)).now.ns == 8'000'000'000'000'000'000);
  CHECK_THROWS_AS(simulate(single({.name = "a", .rate = 1e-9}, 4, 3)), ClockError);
  CHECK_THROWS_AS(simulate(single({.name = "a", .rate = 1e-9}, 9, 2)), ClockError);
}

TEST_CASE("engine: a run that is cut off counts what had gone through, and waits up to then") {
  Model model;
  const BucketId limit = model.add(Bucket{.name = "limit", .rate = 1, .burst = 2});
  const ResourceId disk =
      model.add(Resource{.name = "disk", .curve = {1.0}, .discipline = Discipline::one_at_a_time});
  const ProgramId passes = model.add(ProgramBuilder().pass(limit, 8, 1).build());
  const ProgramId uses = model.add(ProgramBuilder().use(disk, {4}, 2).build());
  for (int i = 0; i < 2; ++i) {
    model.add(Process{.name = "pass", .program = passes, .daemon = true});
    model.add(Process{.name = "use", .program = uses, .daemon = true});
  }
  model.add(Process{.name = "end",
                    .program = model.add(ProgramBuilder().delay({7'000'000'000}, 0).build())});
  const Outcome out = simulate(model);
  // The passes end at 6 and 14 s, the uses at 4 and 8 s.
  CHECK(out.buckets[0].operations == 1);
  CHECK(out.buckets[0].tokens() == Approx(9));
  CHECK(out.buckets[0].waited == 13'000'000'000);
  CHECK(out.resources[0].operations == 1);
  CHECK(out.resources[0].busy.ns == 7'000'000'000);
  CHECK(out.resources[0].work() == Approx(7));
  CHECK(out.resources[0].user_time == 11'000'000'000);
  CHECK(out.resources[0].full.ns == 7'000'000'000);
}

TEST_CASE("engine: a resource that serves one at a time serves in order of arrival") {
  Model model;
  const ResourceId disk = model.add(
      Resource{.name = "disk", .curve = {2.0, 100.0}, .discipline = Discipline::one_at_a_time});
  const auto once = [&](std::int64_t at, double work) {
    model.add(Process{
        .name = "p",
        .program = model.add(ProgramBuilder().delay({at}, 0).use(disk, {work}, 1).build())});
  };
  once(0, 10);              // 0 to 5 s
  once(2'000'000'000, 1);   // 5 to 5.5 s
  once(1'000'000'000, 4);   // ahead of it: 5 to 7 s
  once(20'000'000'000, 0);  // nobody is there
  const Outcome out = simulate(model);
  CHECK(out.processes[0].wall.ns == 5'000'000'000);
  CHECK(out.processes[2].wall.ns == 7'000'000'000);
  CHECK(out.processes[1].wall.ns == 7'500'000'000);
  CHECK(out.processes[1].active[1] == 5'500'000'000);
  CHECK(out.processes[3].wall.ns == 20'000'000'000);
  CHECK(out.resources[0].operations == 4);
  CHECK(out.resources[0].busy.ns == 7'500'000'000);
  CHECK(out.resources[0].work() == Approx(15));
}

TEST_CASE("engine: one user alone cannot tell one at a time from shared") {
  const auto run = [](Discipline discipline) {
    Model model;
    const ResourceId disk =
        model.add(Resource{.name = "disk", .curve = {0.7}, .discipline = discipline});
    ProgramBuilder program;
    program.repeat(300);
    for (const double work : {1e-9, 1.0 / 3, 0.0, 0.123456789}) program.use(disk, {work}, 1);
    model.add(Process{.name = "p", .program = model.add(program.delay({5}, 2).next().build())});
    return simulate(model);
  };
  const Outcome one = run(Discipline::one_at_a_time);
  const Outcome shared = run(Discipline::shared);
  CHECK(one.processes == shared.processes);
  CHECK(one.events == shared.events);
  CHECK(one.resources[0].operations == shared.resources[0].operations);
  CHECK(one.resources[0].busy == shared.resources[0].busy);
  CHECK(one.resources[0].user_time == shared.resources[0].user_time);
  CHECK(one.resources[0].work() == Approx(shared.resources[0].work()).epsilon(1e-12));
}

TEST_CASE("engine: a trace shows passes as active time, and who uses a resource one at a time") {
  Model model;
  const BucketId limit = model.add(Bucket{.name = "limit", .rate = 1e7, .burst = 3});
  model.add(Resource{"cpu", {1.0}});
  const ResourceId disk =
      model.add(Resource{.name = "disk", .curve = {1.0}, .discipline = Discipline::one_at_a_time});
  const ProgramId program = model.add(ProgramBuilder()
                                          .repeat(50)
                                          .pass(limit, 1, 1)
                                          .use(disk, {70e-9}, 2)
                                          .delay({11}, 3)
                                          .next()
                                          .build());
  for (int p = 0; p < 3; ++p) model.add(Process{.name = "p", .program = program});
  std::vector<std::int64_t> reached(3);
  std::vector<TimeByTag> seen(3);
  Wide user_time = 0;
  std::int64_t users = 0;
  std::int64_t most = 0;
  std::int64_t since = 0;
  Options options{.exact = true};
  options.trace = [&](const Span& span) {
    const auto p = static_cast<std::size_t>(span.process);
    CHECK(span.begin.ns == reached[p]);
    CHECK(span.kind == SpanKind::active);
    reached[p] = span.end.ns;
    seen[p][span.tag] += span.end.ns - span.begin.ns;
  };
  options.trace_levels = [&](const Level& l) {
    CHECK(l.kind == LevelKind::users);
    CHECK(l.of == static_cast<std::uint32_t>(disk));
    user_time += static_cast<Wide>(users * (l.at.ns - since));
    since = l.at.ns;
    users += l.change;
    most = std::max(most, users);
    CHECK(l.level == users);
  };
  const Outcome out = simulate(model, options);
  for (std::size_t p = 0; p < 3; ++p) {
    CHECK(reached[p] == out.processes[p].wall.ns);
    CHECK(seen[p] == out.processes[p].active);
    CHECK(sum(out.processes[p].active) == out.processes[p].wall.ns);
  }
  CHECK(users == 0);
  CHECK(most == 3);
  CHECK(user_time == out.resources[1].user_time);
  CHECK(same_result(out, simulate(model)));
}

TEST_CASE("engine: the seed decides random passes, and their mean is the rate") {
  Model model;
  const BucketId limit = model.add(Bucket{.name = "limit", .rate = 1000, .burst = 5});
  const ResourceId disk = model.add(
      Resource{.name = "disk", .curve = {1500.0}, .discipline = Discipline::one_at_a_time});
  const ProgramId program = model.add(ProgramBuilder()
                                          .repeat_long(20'000)
                                          .pass(limit, 1, 1, {Law::lognormal, 0.5})
                                          .use(disk, {1}, 2, exponential_spread)
                                          .next()
                                          .build());
  for (int p = 0; p < 4; ++p) model.add(Process{.name = "p", .program = program});
  const Outcome out = simulate(model, {.seed = 1});
  CHECK(same_result(out, simulate(model, {.exact = true, .seed = 1})));
  CHECK_FALSE(same_result(out, simulate(model, {.seed = 2})));
  CHECK(static_cast<double>(out.now.ns) == Approx(80e9).epsilon(0.02));
  CHECK(out.buckets[0].tokens() == Approx(80'000).epsilon(4 * 0.5 / std::sqrt(80'000)));
}

TEST_CASE("engine: results that differ in a bucket alone differ") {
  Outcome a = simulate(single({.name = "limit", .rate = 10}, 1, 10));
  Outcome b = a;
  CHECK(same_result(a, b));
  ++b.buckets[0].waited;
  CHECK_FALSE(same_result(a, b));
}

// By trying one after the other.
TEST_CASE(
    "engine: a bucket counts in the fewest parts of a ns in which each of its requests is whole") {
  constexpr std::uint64_t most = 1 << 16;
  feedrate::test::Draw draw(feedrate::test::seeded(4711));
  int found = 0, none = 0;
  for (int i = 0; i < 500; ++i) {
    Requests requests;
    for (double n = draw.whole(1.0, 3.0); n > 0.0; --n) {
      double ns = draw.real(1e-3, 1e11);
      switch (static_cast<int>(draw.whole(1.0, 5.0))) {
        case 1: ns = std::ceil(ns); break;
        case 2: ns = std::ceil(8.0 * ns) / 8.0; break;
        case 3: ns = draw.whole(1.0, 1000.0) / draw.whole(1.0, 1e5); break;
        case 4: ns = 1e9 / draw.whole(1.0, 1e4) * draw.whole(1.0, 64.0); break;
        default: break;
      }
      requests.ns.push_back(ns);
    }
    std::uint64_t parts = 1;
    const auto whole = [&](double ns) {
      const double cost = ns * static_cast<double>(parts);
      return std::abs(std::round(cost) - cost) <= 1e-10 * cost;
    };
    while (parts <= most && !std::all_of(requests.ns.begin(), requests.ns.end(), whole)) ++parts;
    INFO("job " << i << ": " << requests.ns.front() << " ns and " << requests.ns.size() - 1
                << " more");
    CHECK(parts_of_ns(requests) == (parts <= most ? parts : std::uint64_t{1} << 40));
    (parts <= most ? found : none) += 1;
  }
  CHECK(found > 100);
  CHECK(none > 20);
}
