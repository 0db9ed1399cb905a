#include "bench/watched.hpp"

#include <thread>

#include "base/errors.hpp"
#include "bench/clock.hpp"
#include "bench/probe.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;

namespace {

const std::atomic<bool> never{false};
const std::atomic<bool> pressed{true};

/// Says when it goes away.
struct Owned {
  explicit Owned(std::atomic<bool>& mark) : gone(mark) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { gone = true; }
  std::atomic<bool>& gone;
};

void nap() {
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

TEST_CASE("watched: work is done in one thread, and what it throws is thrown") {
  Watched watched;
  std::thread::id first;
  std::thread::id second;
  watched.run([&](const auto&) { first = std::this_thread::get_id(); }, seconds(20.0), never, "");
  watched.run([&](const auto&) { second = std::this_thread::get_id(); }, seconds(20.0), never, "");
  CHECK(first == second);
  CHECK(first != std::this_thread::get_id());
  CHECK_THROWS_WITH(
      watched.run([](const auto&) { throw HostError("broken"); }, seconds(20.0), never, "late"),
      "broken");
  bool again = false;
  watched.run([&](const auto&) { again = true; }, seconds(20.0), never, "");
  CHECK(again);
}

TEST_CASE("watched: what takes too long is asked to give up, and the thread works on") {
  Watched watched;
  watched.grace = seconds(20.0);
  const auto until_asked = [](const std::atomic<bool>& give_up) {
    while (!give_up) nap();
    throw HostError("gave up");
  };
  CHECK_THROWS_WITH(watched.run(until_asked, seconds(0.05), never, "too long"), "too long");
  CHECK_THROWS_AS(watched.run(until_asked, seconds(20.0), pressed, "too long"), Interrupted);
  bool again = false;
  watched.run([&](const auto& give_up) { again = !give_up; }, seconds(20.0), never, "");
  CHECK(again);
}

TEST_CASE("watched: what never returns is left to itself, with all that it owns") {
  // Both outlive the test, should it fail.
  static std::atomic<bool> gone{false};
  static std::atomic<bool> release{false};
  {
    Watched watched;
    watched.grace = seconds(0.05);
    auto owned = std::make_shared<Owned>(gone);
    const Duration start = now();
    CHECK_THROWS_WITH(watched.run(
                          [owned](const auto&) {
                            while (!release) nap();
                          },
                          seconds(0.05), never, "NCCL did not answer"),
                      "NCCL did not answer");
    owned.reset();
    CHECK(now() - start < seconds(10.0));
    CHECK_THROWS_WITH(watched.run([](const auto&) {}, seconds(20.0), never, "late"), "late");
  }
  CHECK_FALSE(gone);
  release = true;
  for (int i = 0; i < 10'000 && !gone; ++i) nap();
  CHECK(gone);
}
