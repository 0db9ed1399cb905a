#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "catch.hpp"
#include "engine/simulate.hpp"

using namespace feedrate::engine;
using Catch::Matchers::Contains;

namespace {

Model one(const ProgramBuilder& builder) {
  Model model;
  model.add(Resource{"cpu", {1.0}});
  model.add(Queue{.name = "room", .capacity = 4});
  model.add(Barrier{"all", 2});
  model.add(Process{.name = "p", .program = model.add(builder.build())});
  return model;
}

constexpr ResourceId cpu_tag{0};
constexpr QueueId places{0};
constexpr BarrierId everything{0};

}  // namespace

TEST_CASE("engine: delays and loops add up") {
  const Model model = one(ProgramBuilder()
                              .delay({5}, 0)
                              .repeat(3)
                              .repeat(4)
                              .repeat(2)
                              .repeat(5)
                              .delay({7}, 1)
                              .next()
                              .next()
                              .delay({11}, 2)
                              .next()
                              .next()
                              .repeat(0)
                              .delay({1'000'000}, 3)
                              .next());
  const Outcome out = simulate(model);
  CHECK(out.now.ns == 5 + 3 * 4 * (2 * 5 * 7 + 11));
  CHECK(out.events == 1 + 3 * 4 * (2 * 5 + 1));
  CHECK(out.processes[0].active[1] == 3 * 4 * 2 * 5 * 7);
  CHECK(out.processes[0].active[3] == 0);
  CHECK(out.processes[0].finished);
}

TEST_CASE("engine: an empty program and a program of empty loops finish at once") {
  CHECK(simulate(one(ProgramBuilder())).now.ns == 0);
  CHECK(simulate(one(ProgramBuilder().repeat(1000).next())).now.ns == 0);
}

TEST_CASE("engine: a model that cannot be run is refused with its place") {
  const auto refuses = [](const ProgramBuilder& program, const std::string& text) {
    CAPTURE(text);
    CHECK_THROWS_WITH(simulate(one(program)), Contains(text));
    CHECK_THROWS_AS(simulate(one(program)), BuildError);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  refuses(ProgramBuilder().repeat(3).delay({1}, 0),
          "program 0, instruction 0: repeat without its next");
  refuses(ProgramBuilder().delay({1}, 0).next(), "instruction 1: next without its repeat");
  refuses(ProgramBuilder().repeat(-1).next(), "repeat -1 times");
  refuses(ProgramBuilder().delay({-1}, 0), "negative delay of -1 ns");
  refuses(ProgramBuilder().delay({1}, 16), "tag 16 is not below 16");
  refuses(ProgramBuilder().use(cpu_tag, {-1.0}, 0), "got -1");
  refuses(ProgramBuilder().use(cpu_tag, {nan}, 0), "got nan");
  refuses(ProgramBuilder().use(cpu_tag, {inf}, 0), "got inf");
  refuses(ProgramBuilder().use(cpu_tag, {1e30}, 0), "takes more than 2^63 ns");
  refuses(ProgramBuilder().use(ResourceId{1}, {1.0}, 0), "resource 1 of 1");
  refuses(ProgramBuilder().take(QueueId{7}, 0), "queue 7 of 1");
  refuses(ProgramBuilder().put(places, 0, 5), "5 tokens never fit queue 'room' of 4");
  refuses(ProgramBuilder().put(places, 0, 0), "0 tokens");
  refuses(ProgramBuilder().take(Ring{.first = places, .count = 2}, 0),
          "ring of queues 0 to 1 of 1");
  refuses(ProgramBuilder().take(Ring{.first = places, .count = 0}, 0), "a ring of no queues");
  refuses(ProgramBuilder().take(Ring{.first = places, .cursor = 4}, 0), "cursor 4");
  refuses(ProgramBuilder().join(BarrierId{1}, 0), "barrier 1 of 1");
  refuses(ProgramBuilder().mark(64), "mark 64");
  refuses(ProgramBuilder().delay({1}, 0, {Law::lognormal, -0.5}), "coefficient of variation");
  refuses(ProgramBuilder().delay({1}, 0, {Law::lognormal, nan}), "coefficient of variation");
  ProgramBuilder deep;
  for (int i = 0; i < most_loops + 1; ++i) deep.repeat(1);
  for (int i = 0; i < most_loops + 1; ++i) deep.next();
  refuses(deep, "more than 8 nested loops");
}

TEST_CASE(
    "engine: resources, queues, barriers and processes that make no sense are refused by name") {
  const auto refuses = [](auto&& spoil, const std::string& text) {
    Model model = one(ProgramBuilder().delay({1}, 0));
    spoil(model);
    CHECK_THROWS_WITH(simulate(model), Contains(text));
  };
  refuses([](Model& m) { m.resources[0].curve.clear(); }, "resource 'cpu' has no curve");
  refuses(
      [](Model& m) {
        m.resources[0].curve = {1.0, 0.0};
      },
      "resource 'cpu': a rate must be positive");
  refuses([](Model& m) { m.resources[0].curve = {std::nan("")}; }, "got nan");
  refuses([](Model& m) { m.queues[0].capacity = 0; }, "queue 'room': capacity 0");
  refuses([](Model& m) { m.queues[0].initial = 5; }, "5 tokens at the start, capacity 4");
  refuses([](Model& m) { m.queues[0].initial = -1; }, "-1 tokens at the start");
  refuses([](Model& m) { m.queues[0].producer = ProcessId{1}; }, "producer 1 of 1");
  refuses([](Model& m) { m.queues[0].kind = QueueKind::ordered; }, "needs numbered_by");
  refuses([](Model& m) { m.queues[0].numbered_by = places; }, "numbered_by is for ordered queues");
  refuses([](Model& m) { m.barriers[0].parties = 0; }, "barrier 'all' of nobody");
  refuses([](Model& m) { m.processes[0].program = ProgramId{1}; }, "process 'p': program 1 of 1");
  refuses([](Model& m) { m.processes[0].daemon = true; }, "no process whose end ends the run");
  refuses([](Model& m) { m.processes.clear(); }, "no process whose end ends the run");
  refuses([](Model& m) { m.reference = ProcessId{1}; }, "the reference process does not exist");
}

TEST_CASE("engine: what is just within a limit runs, and what is just beyond it is refused") {
  const auto runs = [](const ProgramBuilder& program) { CHECK_NOTHROW(simulate(one(program))); };
  const auto refuses = [](const ProgramBuilder& program) {
    CHECK_THROWS_AS(simulate(one(program)), BuildError);
  };
  runs(ProgramBuilder().delay({0}, tag_count - 1));
  runs(ProgramBuilder().use(cpu_tag, {0.0}, 0));
  runs(ProgramBuilder().mark(63));
  runs(ProgramBuilder().put(places, 0, 4).take(places, 0, 4));
  const Ring only{.first = places, .cursor = most_cursors - 1};
  runs(ProgramBuilder().put(only, 0).take(only, 0));
  ProgramBuilder deep;
  for (int i = 0; i < most_loops; ++i) deep.repeat(1);
  for (int i = 0; i < most_loops; ++i) deep.next();
  runs(deep);
  runs(ProgramBuilder().delay({0}, 0, {Law::lognormal, 0.0}));
  runs(ProgramBuilder().delay({0}, 0, {Law::lognormal, 1e6}));
  refuses(ProgramBuilder().delay({0}, 0, {Law::lognormal, 1.01e6}));
  refuses(ProgramBuilder().delay({0}, 0, {.largest_of = 0}));
  refuses(ProgramBuilder().delay({0}, 0, {.mean_of = 0}));

  const auto with = [](auto&& change) {
    Model model = one(ProgramBuilder().delay({1}, 0));
    change(model);
    return model;
  };
  for (const double rate : {1e-60, 1e60}) {
    const double beyond = rate < 1.0 ? 0.99 * rate : 1.01 * rate;
    CHECK_NOTHROW(simulate(with([&](Model& m) { m.resources[0].curve = {rate}; })));
    CHECK_THROWS_AS(simulate(with([&](Model& m) { m.resources[0].curve = {beyond}; })), BuildError);
    CHECK_NOTHROW(simulate(with([&](Model& m) { m.add(Bucket{.name = "b", .rate = rate}); })));
    CHECK_THROWS_AS(simulate(with([&](Model& m) { m.add(Bucket{.name = "b", .rate = beyond}); })),
                    BuildError);
  }
  CHECK_NOTHROW(simulate(with([](Model& m) {
    m.add(Bucket{.name = "full", .rate = 1.0, .burst = 2.0, .initial = 2.0});
    m.add(Bucket{.name = "empty", .rate = 1.0, .burst = 2.0, .initial = 0.0});
    m.queues[0].initial = 4;
    m.queues[0].producer = ProcessId{0};
    m.add(Queue{.name = "single", .capacity = 1});
    m.barriers[0].parties = 1;
    m.reference = ProcessId{0};
    m.lists.push_back({{0.0, 1.0, 1.0}, {0.0, 1.0, 1.0}});
    m.add(Process{
        .name = "q",
        .program = m.add(ProgramBuilder().delay({1}, 0, {.law = Law::listed, .list = 0}).build())});
    // A daemon may never end, and so may what a loop of no rounds holds.
    m.add(Process{.name = "d",
                  .program = m.add(ProgramBuilder().repeat_forever().delay({1}, 0).next().build()),
                  .daemon = true});
    m.add(Process{.name = "e",
                  .program = m.add(ProgramBuilder()
                                       .repeat(0)
                                       .repeat(2)
                                       .next()
                                       .repeat_forever()
                                       .delay({1}, 0)
                                       .next()
                                       .next()
                                       .build())});
  })));
  const auto ring_of_three = [](std::uint32_t first, std::uint32_t count) {
    Model model;
    for (int i = 0; i < 3; ++i) model.add(Queue{.name = "q"});
    const Ring ring{.first = QueueId{first}, .count = count};
    model.add(Process{.name = "p",
                      .program = model.add(ProgramBuilder().put(ring, 0).take(ring, 0).build())});
    return model;
  };
  CHECK_NOTHROW(simulate(ring_of_three(2, 1)));
  CHECK_THROWS_AS(simulate(ring_of_three(2, 2)), BuildError);
  CHECK_THROWS_AS(simulate(ring_of_three(3, 1)), BuildError);
}

TEST_CASE("engine: processes without end, and queues of one numbering, are refused") {
  const auto refuses = [](auto&& spoil, const std::string& text) {
    Model model = one(ProgramBuilder().delay({1}, 0));
    spoil(model);
    CHECK_THROWS_WITH(simulate(model), Contains(text));
  };
  const auto endless = [](ProgramBuilder& before) {
    return before.repeat_forever().delay({1}, 0).next().build();
  };
  refuses(
      [&](Model& m) {
        ProgramBuilder none;
        m.add(Process{.name = "q", .program = m.add(endless(none))});
      },
      "process 'q' never ends");
  refuses(
      [&](Model& m) {
        ProgramBuilder skipped;
        skipped.repeat(0).repeat(2).next().next();
        m.add(Process{.name = "q", .program = m.add(endless(skipped))});
      },
      "process 'q' never ends");
  const auto numbered = [](Model& m, QueueId by) {
    m.add(Queue{.name = "ordered", .kind = QueueKind::ordered, .numbered_by = by});
  };
  refuses(
      [&](Model& m) {
        const QueueId by = m.add(Queue{.name = "tickets", .kind = QueueKind::numbering});
        numbered(m, by);
        numbered(m, by);
      },
      "already numbers another");
  refuses([&](Model& m) { numbered(m, QueueId{2}); }, "needs numbered_by");
  refuses([&](Model& m) { numbered(m, places); }, "needs numbered_by");
  refuses(
      [](Model& m) {
        const QueueId by = m.add(Queue{.name = "tickets", .kind = QueueKind::numbering});
        m.add(Queue{.name = "o", .initial = 1, .kind = QueueKind::ordered, .numbered_by = by});
      },
      "an ordered queue starts empty");
  const auto ordered = [](std::int64_t tokens, bool in_ring) {
    Model model;
    const QueueId by =
        model.add(Queue{.name = "tickets", .initial = 9, .kind = QueueKind::numbering});
    const QueueId items =
        model.add(Queue{.name = "o", .kind = QueueKind::ordered, .numbered_by = by});
    ProgramBuilder program;
    program.take(by, 0);
    in_ring ? program.put(Ring{.first = items}, 0, tokens) : program.put(items, 0, tokens);
    model.add(Process{.name = "p", .program = model.add(program.build())});
    return model;
  };
  CHECK_NOTHROW(simulate(ordered(1, false)));
  CHECK_THROWS_WITH(simulate(ordered(2, false)), Contains("takes one token at a time"));
  CHECK_THROWS_WITH(simulate(ordered(1, true)), Contains("takes one token at a time"));
  // Two rings by one cursor.
  Model two;
  for (int i = 0; i < 3; ++i) two.add(Queue{.name = "q"});
  const auto of = [](std::uint32_t count) { return Ring{.first = QueueId{0}, .count = count}; };
  two.add(Process{.name = "p",
                  .program = two.add(ProgramBuilder().put(of(3), 0).put(of(2), 0).build())});
  CHECK_THROWS_WITH(simulate(two), Contains("one cursor for rings of different size"));
}

TEST_CASE("engine: a deadlock names everyone and what they wait for") {
  Model model = one(ProgramBuilder().delay({3}, 0).take(places, 0, 2));
  model.add(
      Process{.name = "q", .program = model.add(ProgramBuilder().join(everything, 0).build())});
  model.add(
      Process{.name = "r",
              .program = model.add(ProgramBuilder().repeat(5).put(QueueId{1}, 0).next().build()),
              .daemon = true});
  model.add(Queue{.name = "full", .capacity = 2, .initial = 1});
  CHECK_THROWS_AS(simulate(model), DeadlockError);
  CHECK_THROWS_WITH(
      simulate(model),
      Contains("deadlock at 3 ns") &&
          Contains("process 'p' waits to take 2 tokens from queue 'room', which holds 0 of 4") &&
          Contains("process 'q' waits to join barrier 'all', where 1 of 2 have arrived") &&
          Contains("daemon 'r' waits to put 1 token into queue 'full', which holds 2 of 2"));
}

TEST_CASE("engine: endless motion that ends nothing is an error, not a hang") {
  Model model = one(ProgramBuilder().take(places, 0));
  const auto daemon = [&](const ProgramBuilder& program) {
    model.add(Process{.name = "d", .program = model.add(program.build()), .daemon = true});
  };
  SECTION("a loop that takes no time") {
    daemon(ProgramBuilder().repeat_forever().mark(0).next());
    CHECK_THROWS_WITH(simulate(model), Contains("time stands still at 0 ns"));
  }
  SECTION("time passes, but no loop with an end goes forward") {
    daemon(ProgramBuilder().delay({3}, 0).repeat_forever().delay({5}, 0).delay({6}, 1).next());
    CHECK_THROWS_WITH(simulate(model), Contains("no loop with an end goes forward"));
  }
  SECTION("a process that must end, and cannot") {
    CHECK_THROWS_WITH(simulate(one(ProgramBuilder().repeat_forever().delay({1}, 0).next())),
                      Contains("process 'p' never ends, and is no daemon"));
    CHECK(simulate(one(ProgramBuilder().repeat(0).repeat_forever().next().next())).now.ns == 0);
    // Behind a loop of no rounds, in which another one is.
    ProgramBuilder behind;
    behind.repeat(0).repeat(2).delay({1}, 0).next().next();
    behind.repeat_forever().delay({1}, 0).next();
    CHECK_THROWS_WITH(simulate(one(behind)), Contains("process 'p' never ends, and is no daemon"));
  }
}

TEST_CASE("engine: a limit on events stops the run, says so, and the books still balance") {
  const Model model = one(ProgramBuilder().repeat(5000).delay({10}, 2).next());
  const Outcome out = simulate(model, {.exact = true, .max_events = 1000});
  CHECK(out.event_limit);
  CHECK(out.now.ns == 10'000);
  CHECK(out.processes[0].active[2] == 10'000);
  CHECK_FALSE(out.processes[0].finished);
  CHECK_FALSE(simulate(model, {.max_events = 5001}).event_limit);
}

TEST_CASE("engine: the clock's end is an error, not a wrap") {
  constexpr std::int64_t century = 3'155'760'000'000'000'000;
  CHECK(simulate(one(ProgramBuilder().repeat(2).delay({century}, 0).next())).now.ns == 2 * century);
  CHECK_THROWS_AS(simulate(one(ProgramBuilder().repeat(3).delay({century}, 0).next())), ClockError);
  CHECK_THROWS_AS(
      simulate(one(ProgramBuilder().repeat_long(std::int64_t{1} << 60).delay({1000}, 0).next())),
      ClockError);
}

TEST_CASE("engine: marks note the first times, the last and how many") {
  const Model model = one(ProgramBuilder().repeat_long(1'000'000).delay({10}, 0).mark(3).next());
  for (const bool exact : {true, false}) {
    const Outcome out = simulate(model, {.exact = exact, .marks_kept = 40});
    REQUIRE(out.marks.size() == 4);
    CHECK(out.marks[3].count == 1'000'000);
    CHECK(out.marks[3].last.ns == 10'000'000);
    REQUIRE(out.marks[3].first.size() == 40);
    for (std::size_t i = 0; i < 40; ++i)
      CHECK(out.marks[3].first[i].ns == static_cast<std::int64_t>(10 * (i + 1)));
    CHECK(out.marks[0].count == 0);
  }
}

TEST_CASE("engine: a trace shows every stretch of every process, end to end") {
  Model model = one(ProgramBuilder().repeat(20).take(places, 1).delay({30}, 2).next());
  const ProgramId maker =
      model.add(ProgramBuilder().repeat(20).use(cpu_tag, {40e-9}, 3).put(places, 4).next().build());
  model.add(Process{.name = "maker", .program = maker});
  std::vector<std::int64_t> reached(2);
  std::vector<TimeByTag> seen(2);
  Options options{.exact = true};
  options.trace = [&](const Span& span) {
    const auto p = static_cast<std::size_t>(span.process);
    CHECK(span.begin.ns == reached[p]);
    CHECK(span.end > span.begin);
    reached[p] = span.end.ns;
    if (span.kind == SpanKind::active) seen[p][span.tag] += span.end.ns - span.begin.ns;
  };
  const Outcome out = simulate(model, options);
  for (std::size_t p = 0; p < 2; ++p) {
    CHECK(reached[p] == out.processes[p].wall.ns);
    CHECK(seen[p] == out.processes[p].active);
  }
  CHECK(out.now.ns == 20 * 40 + 30);
}

TEST_CASE("engine: a run stopped after so many marks is the beginning of the whole run") {
  Model model =
      one(ProgramBuilder().repeat_long(1000).take(places, 1).delay({30}, 2).mark(0).next());
  const ProgramId maker = model.add(
      ProgramBuilder().repeat_long(1000).use(cpu_tag, {40e-9}, 3).put(places, 4).next().build());
  model.add(Process{.name = "maker", .program = maker});
  const Outcome whole = simulate(model, {.marks_kept = 1000});
  for (const std::int64_t marks : {1, 7, 999}) {
    const Outcome part = simulate(model, {.most_marks = marks, .marks_kept = 1000});
    CHECK(part.event_limit);
    CHECK(part.effort.steps_skipped == 0);
    CHECK(part.now.ns == 40 * marks + 30);
    REQUIRE(part.marks[0].first.size() == static_cast<std::size_t>(marks));
    CHECK(std::equal(part.marks[0].first.begin(), part.marks[0].first.end(),
                     whole.marks[0].first.begin()));
  }
  CHECK_FALSE(simulate(model, {.most_marks = 1001}).event_limit);
}

TEST_CASE("engine: a trace tells what is unfinished, what a wait was for, and waiting for room") {
  // The maker's queue holds 4: it is full from 50 on and the fifth put waits for the taker.
  Model model =
      one(ProgramBuilder().delay({100}, 5).repeat(9).take(places, 1).delay({30}, 2).next());
  const ProgramId maker =
      model.add(ProgramBuilder().repeat_forever().delay({10}, 3).put(places, 4).next().build());
  model.add(Process{.name = "maker", .program = maker, .daemon = true});
  struct Seen {
    SpanKind kind;
    int tag;
    std::int64_t begin, end;
    bool operator==(const Seen&) const = default;
  };
  std::vector<std::vector<Seen>> spans(2);
  Options options{.exact = true, .max_events = 8};
  options.trace = [&](const Span& s) {
    spans[static_cast<std::size_t>(s.process)].push_back({s.kind, s.tag, s.begin.ns, s.end.ns});
  };
  const Outcome out = simulate(model, options);
  CHECK(out.now.ns == 130);
  CHECK(spans[0] ==
        std::vector<Seen>{{SpanKind::active, 5, 0, 100}, {SpanKind::active, 2, 100, 130}});
  REQUIRE(spans[1].size() == 8);
  CHECK(spans[1][4] == Seen{SpanKind::active, 3, 40, 50});
  CHECK(spans[1][5] == Seen{SpanKind::putting, 4, 50, 100});
  CHECK(spans[1][6] == Seen{SpanKind::active, 3, 100, 110});
  CHECK(spans[1][7] == Seen{SpanKind::putting, 4, 110, 130});

  // The other way round: a taker whose maker delays under tag 3 waits for tag 3.
  Model starved = one(ProgramBuilder().repeat(2).take(places, 1).next());
  const ProgramId slow =
      starved.add(ProgramBuilder().repeat(2).delay({50}, 3).put(places, 4).next().build());
  starved.add(Process{.name = "slow", .program = slow});
  spans.assign(2, {});
  options.max_events = 100;
  simulate(starved, options);
  CHECK(spans[0] ==
        std::vector<Seen>{{SpanKind::waiting, 3, 0, 50}, {SpanKind::waiting, 3, 50, 100}});
}

TEST_CASE("engine: levels that a trace is told of add up to those of the queue and its integral") {
  for (const QueueKind kind : {QueueKind::plain, QueueKind::ordered}) {
    Model model;
    model.add(Resource{"cpu", {1.0, 1.5}});
    const QueueId tickets =
        model.add(Queue{.name = "tickets", .initial = 40, .kind = QueueKind::numbering});
    const QueueId done =
        model.add(Queue{.name = "done",
                        .capacity = 3,
                        .kind = kind,
                        .numbered_by = kind == QueueKind::ordered ? tickets : no_queue});
    const ProgramId worker = model.add(ProgramBuilder()
                                           .repeat(20)
                                           .take(tickets, 1)
                                           .use(cpu_tag, {13e-9}, 2)
                                           .put(done, 3)
                                           .next()
                                           .build());
    for (int i = 0; i < 2; ++i) model.add(Process{.name = "worker", .program = worker});
    model.add(Process{
        .name = "taker",
        .program =
            model.add(ProgramBuilder().repeat(40).take(done, 1).delay({11}, 4).next().build())});
    std::vector<std::int64_t> level{40, 0};
    std::vector<std::int64_t> since{0, 0};
    std::vector<std::int64_t> integral{0, 0};
    std::int64_t users = 0;
    Options options{.exact = true};
    options.trace_levels = [&](const Level& l) {
      if (l.kind == LevelKind::users) {
        users += l.change;
        CHECK(l.level == users);
        return;
      }
      integral[l.of] += level[l.of] * (l.at.ns - since[l.of]);
      since[l.of] = l.at.ns;
      level[l.of] += l.change;
      CHECK(l.level == level[l.of]);
    };
    const Outcome out = simulate(model, options);
    CHECK(users == 0);
    for (std::size_t q = 0; q < 2; ++q) {
      CHECK(level[q] == out.queues[q].level);
      CHECK(static_cast<Wide>(integral[q]) == out.queues[q].level_time);
    }
  }
}
