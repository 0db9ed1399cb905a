#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "engine/simulate.hpp"

using namespace feedrate::engine;

TEST_CASE("engine: n users of a capacity share its measured total rate X(n)") {
  const std::vector<double> curve{100.0, 180.0, 240.0, 230.0};
  for (std::uint32_t n = 1; n <= 6; ++n) {
    Model model;
    const ResourceId disk = model.add(Resource{"disk", curve});
    const auto program = model.add(ProgramBuilder().repeat(10).use(disk, {5.0}, 1).next().build());
    for (std::uint32_t i = 0; i < n; ++i) model.add(Process{.name = "p", .program = program});
    const Outcome out = simulate(model);
    const double rate = curve[std::min<std::size_t>(n, curve.size()) - 1];
    CAPTURE(n);
    CHECK(std::abs(static_cast<double>(out.now.ns) - 50.0 * n / rate * 1e9) <= 10);
    CHECK(out.resources[0].operations == 10 * n);
    CHECK(out.resources[0].work() == Approx(50.0 * n).epsilon(1e-8));
    CHECK(out.resources[0].busy == out.now);
    CHECK(out.resources[0].user_time == Wide{n} * static_cast<std::uint64_t>(out.now.ns));
    const double best = n < 3 ? rate : 240.0;
    CHECK(static_cast<double>(out.resources[0].full.ns) ==
          Approx(static_cast<double>(out.now.ns) * rate / best));
  }
}

TEST_CASE("engine: the unit in which work is counted changes no time, on curves of any steepness") {
  for (const double last : {1.3, 40.0, 1e6, 1e9}) {  // of one user's rate: three users' together
    const std::vector<double> curve{1.0, 1.2, last};
    for (double unit = 1e-15; unit < 1e16; unit *= 1e3) {
      for (std::uint32_t n = 1; n <= 4; ++n) {
        Model model;
        const ResourceId disk =
            model.add(Resource{"disk", {curve[0] * unit, curve[1] * unit, curve[2] * unit}});
        const auto program = model.add(ProgramBuilder().use(disk, {5e3 * unit}, 1).build());
        for (std::uint32_t i = 0; i < n; ++i) model.add(Process{.name = "p", .program = program});
        const double rate = curve[std::min<std::size_t>(n, curve.size()) - 1];
        CAPTURE(unit, last, n);
        // A share of the rate is kept to twelve digits; on curves that span more than 2^22, to ten.
        CHECK(static_cast<double>(simulate(model).now.ns) ==
              Approx(5e3 * n / rate * 1e9).epsilon(last > 1e6 ? 1e-10 : 2e-12).margin(1.0));
      }
    }
  }
}

TEST_CASE("engine: a second user slows the first from the moment it comes") {
  // Alone 1 unit/s, together 1.5. A wants 10 from 0 on, B 3 from 4 s on: B is done at 8 s, when A
  // has 4 + 3.
  Model model;
  const ResourceId cpu = model.add(Resource{"cpu", {1.0, 1.5}});
  model.add(
      Process{.name = "A", .program = model.add(ProgramBuilder().use(cpu, {10.0}, 0).build())});
  model.add(Process{
      .name = "B",
      .program = model.add(ProgramBuilder().delay({4'000'000'000}, 1).use(cpu, {3.0}, 0).build())});
  const Outcome out = simulate(model);
  CHECK(out.processes[1].wall.ns == 8'000'000'000);
  CHECK(out.processes[0].wall.ns == 11'000'000'000);
}

TEST_CASE("engine: a completion is within half a nanosecond of the exact time") {
  for (const double work : {1e-9, 3.3e-9, 1.0 / 3.0, 0.123456789123, 1e4}) {
    for (const double rate : {1.0, 3.0, 0.7e9}) {
      Model model;
      const ResourceId cpu = model.add(Resource{"cpu", {rate}});
      model.add(Process{.name = "p",
                        .program = model.add(ProgramBuilder().use(cpu, {work * rate}, 0).build())});
      CAPTURE(work, rate);
      CHECK(static_cast<double>(simulate(model).now.ns) ==
            Approx(work * 1e9).margin(0.501).epsilon(1e-12));
    }
  }
}

TEST_CASE("engine: a thousand users of a flat curve each get a thousandth") {
  Model model;
  const ResourceId nic = model.add(Resource{"nic", {1e9}});
  const auto program = model.add(ProgramBuilder().use(nic, {1e6}, 0).build());
  for (int i = 0; i < 1000; ++i) model.add(Process{.name = "p", .program = program});
  CHECK(simulate(model).now.ns == 1'000'000'000);
}

TEST_CASE("engine: a billion seconds of work keep their nanoseconds") {
  Model model;
  const ResourceId cpu = model.add(Resource{"cpu", {1.0}});
  model.add(
      Process{.name = "p", .program = model.add(ProgramBuilder().use(cpu, {1e9}, 0).build())});
  CHECK(simulate(model).now.ns == 1'000'000'000'000'000'000);
}

TEST_CASE("engine: doubling every speed halves every time") {
  const auto build = [](double speed) {
    Model model;
    const ResourceId cpu = model.add(Resource{"cpu", {1.0 * speed, 1.9 * speed, 1.8 * speed}});
    const ResourceId disk = model.add(Resource{"disk", {3.0 * speed}});
    const QueueId room = model.add(Queue{.name = "room", .capacity = 3});
    const auto pause = [&](double ns) { return Ticks{std::llround(ns / speed)}; };
    const auto worker = model.add(ProgramBuilder()
                                      .repeat_forever()
                                      .delay(pause(3'000'000), 0)
                                      .use(disk, {0.017}, 0)
                                      .use(cpu, {0.0123}, 1)
                                      .put(room, 1)
                                      .next()
                                      .build());
    const auto rank = model.add(
        ProgramBuilder().repeat_long(2000).take(room, 2).delay(pause(6'400'000), 3).next().build());
    model.add(Process{.name = "rank", .program = rank});
    for (int w = 0; w < 4; ++w)
      model.add(Process{.name = "worker", .program = worker, .daemon = true});
    return simulate(model);
  };
  const Outcome slow = build(1.0);
  const Outcome fast = build(2.0);
  CHECK(static_cast<double>(slow.now.ns) ==
        Approx(2.0 * static_cast<double>(fast.now.ns)).epsilon(1e-6));
}

TEST_CASE("engine: operations that need no work take no time") {
  Model model;
  const ResourceId cpu = model.add(Resource{"cpu", {1.0}});
  model.add(Process{
      .name = "p",
      .program = model.add(ProgramBuilder().repeat(1000).use(cpu, {0.0}, 0).next().build())});
  const Outcome out = simulate(model);
  CHECK(out.now.ns == 0);
  CHECK(out.resources[0].operations == 1000);
}
