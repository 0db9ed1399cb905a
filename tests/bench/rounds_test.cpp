// Rounds in simulated time: who has a turn when, what is counted, and what becomes of bad rounds.
#include "bench/rounds.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

#include "base/errors.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;

namespace {

/// Time passes where somebody says so. Probes are plain functions, so that this is global.
struct World {
  Duration time;
  double foreign = 0.0;  ///< that each round finds
  std::vector<std::string> turns;
  std::size_t series = 3;
  Duration sample = milliseconds(10.0);
  std::function<void(Recorder&)> before_turn;
  int open = 0;  ///< resources that probes hold
};
World world;

std::string available(const Settings&) {
  return "";
}

/// Holds a resource, and measures as many series as the world says.
std::function<void()> open_series(const char* name, Recorder& recorder) {
  ++world.open;
  const std::shared_ptr<void> resource(nullptr, [](void*) { --world.open; });
  const auto parts = std::make_shared<std::vector<Part>>();
  for (std::size_t i = 0; i < world.series; ++i) {
    parts->push_back({[i, &recorder] {
      Measurement what;
      what.quantity = "series";
      what.unit = "runs";
      what.at = {{"number", static_cast<double>(i)}};
      recorder.repeat(what, [] {
        world.time += world.sample;
        return world.sample;
      });
    }});
  }
  return [=, &recorder] {
    static_cast<void>(resource);
    world.turns.emplace_back(name);
    if (world.before_turn) world.before_turn(recorder);
    recorder.take_turns(*parts);
  };
}

const Probe first = {"first", "", available,
                     [](const Settings&, Recorder& r) { return open_series("first", r); }};
const Probe second = {"second", "", available,
                      [](const Settings&, Recorder& r) { return open_series("second", r); }};

struct Run {
  Settings settings;
  MeasurementSet set;
  std::atomic<bool> stop{false};
  Listener listener;
  int rounds_told = 0;
  Run() {
    world = World{};
    settings.time_limit = seconds(8.0);
    listener.after_round = [this] { ++rounds_told; };
  }

  void go(const std::vector<const Probe*>& chosen = {&first, &second}, bool alike = false) {
    Surroundings around;
    around.canary = false;
    around.clock = [] { return world.time; };
    around.date = [] { return std::string("2026-05-01T12:00:00Z"); };
    around.core_clock = [] { return std::optional<Frequency>(); };
    around.counters = [] {
      // Of a machine that is so large that what we do does not show.
      static int calls = 0;
      static double busy = 0.0;
      ++calls;
      busy += world.foreign * 1e6;
      Counters now;
      now.at = seconds(calls);
      now.cpu = CpuTimes{seconds(calls * 1e6), seconds(busy), Duration()};
      return now;
    };
    run_probes(chosen, settings, set, stop, listener, around, alike);
  }
};

/// Every sample is in a round that was, and every series in its own.
void check_counts(const MeasurementSet& set) {
  for (const Measurement& what : set.measurements) {
    CHECK(what.rounds.size() <= set.rounds.size());
    CHECK(std::accumulate(what.rounds.begin(), what.rounds.end(), std::size_t{0}) ==
          what.times.size());
  }
  for (std::size_t i = 0; i < set.measurements.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Measurement& a = set.measurements[i];
      const Measurement& b = set.measurements[j];
      CHECK_FALSE((a.probe == b.probe && a.at == b.at));
    }
  }
}

}  // namespace

TEST_CASE("rounds: every series is sampled in each of eight, and the time is that of the limit") {
  Run run;
  run.go();
  REQUIRE(run.set.rounds.size() == 8);
  CHECK(run.rounds_told == 8);
  REQUIRE(run.set.measurements.size() == 6);
  check_counts(run.set);
  for (const Measurement& what : run.set.measurements) {
    REQUIRE(what.rounds.size() == 8);
    CHECK(*std::min_element(what.rounds.begin(), what.rounds.end()) >= 7);  // steady: 1 % is met
  }
  CHECK(world.time <= seconds(16.0));
  CHECK(world.open == 0);
  REQUIRE(run.set.probes.size() == 2);
  CHECK((run.set.probes[0].probe == "first" && run.set.probes[0].measured));
  CHECK(run.set.probes[0].took + run.set.probes[1].took == world.time);
  const Duration of_rounds =
      std::accumulate(run.set.rounds.begin(), run.set.rounds.end(), Duration(),
                      [](Duration sum, const Round& round) { return sum + round.took; });
  CHECK(of_rounds.base() == Approx(world.time.base()));
}

TEST_CASE("rounds: probes take turns in another order from round to round, the same each time") {
  Run run;
  run.go();
  const std::vector<std::string> turns = world.turns;
  REQUIRE(turns.size() == 16);
  std::set<std::string> beginners;
  for (std::size_t i = 0; i < turns.size(); i += 2) {
    CHECK(turns[i] != turns[i + 1]);
    beginners.insert(turns[i]);
  }
  CHECK(beginners.size() == 2);
  Run again;
  again.go();
  CHECK(world.turns == turns);
  CHECK(again.set == run.set);
}

TEST_CASE("rounds: where time is short every series has its turns, none many more than another") {
  for (const std::size_t series : {5U, 12U, 40U, 96U}) {
    INFO(series);
    Run run;
    world.series = series;
    world.sample = milliseconds(100.0);  // 80 samples in all the time
    run.go({&first});
    check_counts(run.set);
    REQUIRE(run.set.measurements.size() == series);
    std::size_t most = 0;
    std::size_t least = 100;
    for (const Measurement& what : run.set.measurements) {
      const auto in = static_cast<std::size_t>(std::count_if(
          what.rounds.begin(), what.rounds.end(), [](std::size_t count) { return count > 0; }));
      most = std::max(most, in);
      least = std::min(least, in);
    }
    CHECK(least >= 1);
    CHECK(most - least <= 1);
    // A series that was never measured costs its warm-up and one sample, whatever the limit.
    CHECK(world.time <= seconds(8.0) + world.sample * (2.0 * static_cast<double>(series)));
    if (series == 96) {
      REQUIRE(run.set.probes[0].remarks.size() == 1);
      CHECK(run.set.probes[0].remarks[0].find("96 of 96 were left out of at least one") !=
            std::string::npos);
    }
  }
}

TEST_CASE("rounds: what one round or preparing took too long is missing in the later ones") {
  Run run;
  world.before_turn = [](Recorder& recorder) {
    if (recorder.round() == 0) world.time += seconds(4.0);
  };
  run.go({&first});
  CHECK(run.set.rounds.size() == 8);
  CHECK(world.time <= seconds(8.0) + milliseconds(500.0));
}

TEST_CASE("rounds: a probe that fails in one keeps what it had and is not tried again") {
  Run run;
  world.before_turn = [](Recorder& recorder) {
    if (world.turns.back() == "first" && recorder.round() == 2) throw HostError("the disk is gone");
  };
  std::vector<std::string> ended;
  run.listener.ended = [&](const ProbeOutcome& outcome) { ended.push_back(outcome.probe); };
  run.go();
  CHECK(ended == std::vector<std::string>{"first", "second"});
  CHECK((run.set.probes[0].measured && run.set.probes[0].reason == "the disk is gone"));
  CHECK(run.set.probes[1].reason.empty());
  CHECK(std::count(world.turns.begin(), world.turns.end(), "first") == 3);
  CHECK(std::count(world.turns.begin(), world.turns.end(), "second") == 8);
  check_counts(run.set);
  for (const Measurement& what : run.set.measurements) {
    CHECK(what.rounds.size() == (what.probe == "first" ? 2 : 8));
  }
  CHECK(world.open == 0);
}

TEST_CASE("rounds: Ctrl-C in the middle of one keeps the samples, and the round they are in") {
  Run run;
  world.before_turn = [&](Recorder& recorder) {
    if (recorder.round() == 1 && world.turns.size() == 4) run.stop = true;
  };
  run.go();
  CHECK(run.set.rounds.size() == 2);
  CHECK(run.rounds_told == 2);
  check_counts(run.set);
  for (const ProbeOutcome& outcome : run.set.probes) CHECK(outcome.reason == "interrupted");
  for (const Measurement& what : run.set.measurements) {
    CHECK(what.rounds.size() == (what.probe == world.turns.back() ? 1 : 2));
  }
  CHECK(world.open == 0);
}

TEST_CASE("rounds: nothing is measured where no probe can be opened") {
  const Probe broken = {"broken", "", available,
                        [](const Settings&, Recorder&) -> std::function<void()> {
                          throw InputError("no such directory");
                        }};
  Run run;
  run.go({&broken});
  CHECK(run.set.rounds.empty());
  CHECK(run.rounds_told == 0);
  CHECK(run.set.probes.at(0).reason == "no such directory");
}

TEST_CASE(
    "rounds: for a bad one another is run, two at most, and none where it would be too long") {
  {
    Run run;
    world.foreign = 0.4;
    world.sample = milliseconds(1.0);
    run.go();
    CHECK(run.set.rounds.size() == 10);
    CHECK(run.set.rounds[9].disturbed == "other processes used 40 % of the CPUs");
    check_counts(run.set);
  }
  {
    Run run;
    world.foreign = 0.4;
    world.before_turn = [](Recorder&) { world.time += seconds(1.2); };
    run.go();
    CHECK(run.set.rounds.size() == 8);
  }
  {
    Run run;
    world.foreign = 0.4;
    run.settings.quick = true;
    run.go();
    CHECK(run.set.rounds.size() == 3);
  }
  {
    Run run;  // processes of a group do not see the same weather
    world.foreign = 0.4;
    run.go({&first}, true);
    CHECK(run.set.rounds.size() == 8);
  }
}

TEST_CASE("rounds: a group does the same in every process, however slow") {
  const auto order_of = [](Duration sample) {
    Settings settings;
    MeasurementSet set;
    Duration time;
    const std::atomic<bool> never{false};
    Recorder recorder(settings, set, never, nullptr, [&] { return time; });
    std::vector<int> order;
    std::vector<Part> parts;
    for (int i = 0; i < 20; ++i) {
      parts.push_back({[&, i] {
        order.push_back(i);
        time += sample;
      }});
    }
    for (std::size_t round = 0; round < 8; ++round) {
      recorder.begin("allreduce", {round, seconds(1.0), round == 7});
      recorder.take_turns(parts, true);
    }
    return order;
  };
  CHECK(order_of(seconds(3.0)) == order_of(milliseconds(1.0)));
  CHECK(order_of(seconds(3.0)).size() == 160);
}

TEST_CASE("rounds: who opens first does so whatever its place, and time left out is no series'") {
  static std::vector<std::string> opened;
  opened.clear();
  const auto of = [](const char* name, bool early) {
    Probe probe = {"", "", available, nullptr};
    probe.name = name;
    probe.opens_first = early;
    return probe;
  };
  Probe late = of("late", false);
  late.open = [](const Settings&, Recorder& r) {
    opened.emplace_back("late");
    return open_series("late", r);
  };
  Probe early = of("early", true);
  early.open = [](const Settings& settings, Recorder& r) {
    opened.emplace_back("early");
    // Longer than all of the probe's time, under a limit of its own.
    world.time += settings.time_limit * 2.0;
    r.leave_out(settings.time_limit * 2.0);
    return open_series("early", r);
  };
  Run run;
  run.go({&late, &early});
  CHECK(opened == std::vector<std::string>{"early", "late"});
  for (const ProbeOutcome& outcome : run.set.probes) {
    const double apart = outcome.probe == "early" ? 2.0 : 0.0;
    CHECK(outcome.took >= run.settings.time_limit * apart);
    CHECK(outcome.took <= run.settings.time_limit * (apart + 1.1));
  }
  std::size_t of_early = 0;
  std::size_t of_late = 0;
  for (const Measurement& what : run.set.measurements) {
    (what.probe == "early" ? of_early : of_late) += what.times.size();
  }
  CHECK(of_early == of_late);
}
