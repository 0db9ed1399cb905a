#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "catch.hpp"
#include "engine/simulate.hpp"

// Lines of stations with blocking after service, against recurrences that know no events: every
// departure, to the ns.
using namespace feedrate::engine;
using feedrate::Random;

namespace {

struct Station {
  std::uint32_t servers = 1;
  std::int64_t room = 1;  // behind it
  std::int64_t service = 0;
};

struct Line {
  std::vector<Station> stations;
  std::int64_t items = 0;
  Spread law;
};

Line random_line(Random& random, Spread law, bool single) {
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    return low +
           static_cast<std::int64_t>(random.bits() % static_cast<std::uint64_t>(high - low + 1));
  };
  Line line{.stations = std::vector<Station>(static_cast<std::size_t>(pick(1, 6))),
            .items = pick(1, 150),
            .law = law};
  for (Station& station : line.stations) {
    station.servers = single ? 1 : static_cast<std::uint32_t>(pick(1, 12));
    station.room = pick(1, 9);
    // Few distinct values make ties, many make none.
    station.service = pick(0, 1) == 0 ? pick(0, 5) * 100 : pick(1, 1'000'000);
  }
  return line;
}

Model model_of(const Line& line) {
  Model model;
  QueueId from = model.add(Queue{.name = "source", .initial = line.items});
  for (std::size_t i = 0; i < line.stations.size(); ++i) {
    const Station& station = line.stations[i];
    const auto tag = static_cast<Tag>(i);
    const QueueId to = model.add(Queue{.name = "room", .capacity = station.room});
    const ProgramId program = model.add(ProgramBuilder()
                                            .repeat_forever()
                                            .take(from, tag)
                                            .delay({station.service}, tag, line.law)
                                            .put(to, tag)
                                            .next()
                                            .build());
    for (std::uint32_t s = 0; s < station.servers; ++s) {
      model.add(
          Process{.name = "server", .program = program, .daemon = true, .stream = std::int64_t(i)});
    }
    from = to;
  }
  const ProgramId sink =
      model.add(ProgramBuilder().repeat_long(line.items).take(from, 15).mark(0).next().build());
  model.add(Process{.name = "sink", .program = sink});
  return model;
}

// Service times of station i in the order of their starts.
std::vector<std::int64_t> draws(const Line& line, std::size_t station, std::uint64_t seed) {
  Random random(seed, 2 * station + 1);
  std::vector<std::int64_t> times;
  const auto mean = static_cast<double>(line.stations[station].service);
  const double cv = line.law.coefficient_of_variation;
  for (std::int64_t t = 0; t < line.items; ++t) {
    double factor = 1;
    if (line.law.law == Law::exponential) factor = random.exponential();
    if (line.law.law == Law::lognormal) factor = random.lognormal(std::sqrt(std::log1p(cv * cv)));
    times.push_back(static_cast<std::int64_t>(mean * factor + 0.5));
  }
  return times;
}

// The k-th to start at a station starts once k have left the station before it and k - c have left
// this one. The k-th to leave is the k-th smallest finish among those that have started by then,
// once k - B have started behind. The sink starts what it gets at once.
std::vector<std::int64_t> departures(const Line& line, std::uint64_t seed) {
  const std::size_t n = line.stations.size();
  const auto items = static_cast<std::size_t>(line.items);
  std::vector<std::vector<std::int64_t>> start(n), leave(n), finish(n), service(n);
  for (std::size_t i = 0; i < n; ++i) service[i] = draws(line, i, seed);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t c = line.stations[i].servers;
      const auto room = static_cast<std::size_t>(line.stations[i].room);
      for (;;) {
        const std::size_t k = start[i].size();
        if (k < items && (i == 0 || leave[i - 1].size() > k) &&
            (k < c || leave[i].size() > k - c)) {
          const std::int64_t come = i == 0 ? 0 : leave[i - 1][k];
          const std::int64_t free = k < c ? 0 : leave[i][k - c];
          start[i].push_back(std::max(come, free));
          const std::int64_t x = start[i].back() + service[i][k];
          finish[i].insert(std::upper_bound(finish[i].begin(), finish[i].end(), x), x);
          moved = true;
          continue;
        }
        const std::size_t j = leave[i].size();
        const bool all_started = start[i].size() == std::min(items, j + c);
        const bool known = i + 1 == n || j < room || start[i + 1].size() > j - room;
        if (j < items && all_started && known) {
          const std::int64_t opens = i + 1 == n || j < room ? 0 : start[i + 1][j - room];
          leave[i].push_back(std::max(finish[i].front(), opens));
          finish[i].erase(finish[i].begin());
          moved = true;
          continue;
        }
        break;
      }
    }
  }
  return leave.back();
}

// Max-plus algebra, single servers: x_i(k) = max(d_(i-1)(k), d_i(k-1)), d_i(k) = max(x_i(k) + s_i,
// x_(i+1)(k - B)).
std::vector<std::int64_t> max_plus(const Line& line) {
  const std::size_t n = line.stations.size();
  const auto items = static_cast<std::size_t>(line.items);
  std::vector<std::vector<std::int64_t>> start(n, std::vector<std::int64_t>(items));
  std::vector<std::vector<std::int64_t>> leave(n + 1, std::vector<std::int64_t>(items));
  for (std::size_t k = 0; k < items; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      start[i][k] = std::max(i == 0 ? 0 : leave[i - 1][k], k == 0 ? 0 : leave[i][k - 1]);
      const auto room = static_cast<std::size_t>(line.stations[i].room);
      const std::int64_t opens = i + 1 < n && k >= room ? start[i + 1][k - room] : 0;
      leave[i][k] = std::max(start[i][k] + line.stations[i].service, opens);
    }
  }
  return leave[n - 1];
}

std::vector<std::int64_t> simulated(const Line& line, std::uint64_t seed, bool exact) {
  const Outcome out = simulate(
      model_of(line), {.exact = exact, .seed = seed, .marks_kept = static_cast<int>(line.items)});
  std::vector<std::int64_t> times;
  for (const Ticks t : out.marks[0].first) times.push_back(t.ns);
  return times;
}

}  // namespace

TEST_CASE("engine law: deterministic lines of single servers follow the max-plus recurrence") {
  Random random(1, 0);
  for (int i = 0; i < 300; ++i) {
    const Line line = random_line(random, no_spread, true);
    CAPTURE(i);
    REQUIRE(simulated(line, 1, true) == max_plus(line));
    REQUIRE(simulated(line, 1, false) == max_plus(line));
  }
}

TEST_CASE(
    "engine law: lines of any servers and laws leave as the recurrence over sorted finishes says") {
  Random random(2, 0);
  const Spread laws[] = {
      no_spread, exponential_spread, {Law::lognormal, 0.3}, {Law::lognormal, 2.0}};
  for (int i = 0; i < 400; ++i) {
    const Line line = random_line(random, laws[i % 4], false);
    const auto seed = static_cast<std::uint64_t>(i);
    CAPTURE(i);
    REQUIRE(simulated(line, seed, false) == departures(line, seed));
  }
}
