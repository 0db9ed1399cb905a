// A sweep that is streamed writes what one thread writes, whatever stops it, and what stands out of
// it is what comparing all points with all others says.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "base/errors.hpp"
#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "study/sweep_stream.hpp"

using namespace feedrate;

namespace {

using pipeline::Generator;
using study::Placed;
using study::SweepStream;

/// Points whose results are functions of their numbers; every `missing`-th has none.
struct Streamed {
  SweepStream stream;
  std::string written;
  std::vector<std::size_t> lengths;  ///< rows, of each call of `write`
  std::atomic<std::size_t> begun = 0;

  Streamed(std::size_t points, std::size_t missing) {
    stream.points = points;
    stream.point = [this](std::size_t i) {
      ++begun;
      return study::SweepInput{{{"i", std::to_string(i)}}, Scenario{}};
    };
    stream.run = [missing](const study::SweepInput& input) {
      const std::size_t i = std::stoul(input.set.front().second);
      if (missing > 0 && i % missing == missing - 1) {
        throw InputError({{"", 0, "/i", "no such point"}});
      }
      Result result;
      result.times.total = seconds(static_cast<double>(i * 7919 % 101));
      result.bill.total = usd(static_cast<double>(i * 104729 % 97));
      result.bill.money = usd(static_cast<double>(i));
      return result;
    };
    stream.add_row = [](std::string& rows, std::size_t i, const SweepPoint& point) {
      rows += fmt::format("{}{}\n", i, point.answered() ? "" : " none");
    };
    stream.write = [this](std::string_view rows) {
      written += rows;
      lengths.push_back(static_cast<std::size_t>(std::count(rows.begin(), rows.end(), '\n')));
    };
  }
  [[nodiscard]] static std::string row(std::size_t i, std::size_t missing) {
    return fmt::format("{}{}\n", i, missing > 0 && i % missing == missing - 1 ? " none" : "");
  }
};

TEST_CASE(
    "streamed sweep: rows come in order, whole, and few at a time, from any number of threads") {
  for (const std::size_t points : {1U, 2U, 63U, 64U, 65U, 1000U}) {
    for (const std::size_t missing : {0U, 3U, 7U}) {
      for (const int jobs : {1, 2, 5}) {
        INFO(points << " points, " << jobs << " jobs, " << missing);
        Streamed one(points, missing);
        one.stream.most_together = 16;
        std::vector<std::size_t> progress;
        const study::StreamedSweep swept =
            study::stream_sweep(one.stream, jobs, [&](std::size_t done, std::size_t all) {
              progress.push_back(all == points ? done : 0);
            });
        std::string expected;
        REQUIRE(swept.points.size() == points);
        REQUIRE(swept.bytes.size() == points);
        for (std::size_t i = 0; i < points; ++i) {
          const std::string row = Streamed::row(i, missing);
          expected += row;
          CHECK(swept.bytes[i] == row.size());
          const bool answered = missing == 0 || i % missing != missing - 1;
          CHECK(swept.points[i].answered == answered);
          if (answered) CHECK(swept.points[i].money == usd(static_cast<double>(i)));
          if (answered) CHECK(swept.points[i].time.base() == static_cast<double>(i * 7919 % 101));
          if (answered) CHECK(swept.points[i].cost.base() == static_cast<double>(i * 104729 % 97));
        }
        CHECK(one.written == expected);
        CHECK(swept.unanswered == (missing > 0 ? points / missing : 0U));
        CHECK(*std::max_element(one.lengths.begin(), one.lengths.end()) <= 16);
        CHECK(std::is_sorted(progress.begin(), progress.end()));
        CHECK(progress.back() == points);
        CHECK(one.begun == points);
      }
    }
  }
}

TEST_CASE("streamed sweep: the first point that cannot be made is told, after all rows before it") {
  for (const std::size_t fails : {0U, 1U, 40U, 199U}) {
    for (const int jobs : {1, 4}) {
      Streamed one(200, 0);
      one.stream.most_together = 1;
      one.stream.point = [fails](std::size_t i) -> study::SweepInput {
        if (i >= fails && i % 2 == fails % 2)
          throw std::runtime_error("point " + std::to_string(i));
        return {{{"i", std::to_string(i)}}, Scenario{}};
      };
      CHECK_THROWS_WITH(study::stream_sweep(one.stream, jobs), "point " + std::to_string(fails));
      std::string before;
      for (std::size_t i = 0; i < fails; ++i) before += Streamed::row(i, 0);
      CHECK(one.written.size() <= before.size());
      CHECK(before.starts_with(one.written));
      if (jobs == 1) CHECK(one.written == before);
    }
  }
}

TEST_CASE("streamed sweep: what cannot be written ends it, and what is to stop begins no more") {
  for (const int jobs : {1, 3}) {
    Streamed full(300, 0);
    full.stream.most_together = 1;
    full.stream.write = [&](std::string_view) { throw std::runtime_error("no space"); };
    CHECK_THROWS_WITH(study::stream_sweep(full.stream, jobs), "no space");
    CHECK(full.begun < 100);

    Streamed stopped(300, 0);
    stopped.stream.most_together = 1;
    stopped.stream.stop = [&] { return stopped.begun >= 20; };
    study::stream_sweep(stopped.stream, jobs);
    CHECK(stopped.begun >= 20);
    CHECK(stopped.begun < 20 + 2 * static_cast<std::size_t>(jobs));
    const auto rows =
        static_cast<std::size_t>(std::count(stopped.written.begin(), stopped.written.end(), '\n'));
    CHECK(rows == stopped.begun);
  }
}

TEST_CASE("streamed sweep: no point with a result is an error, but of a part of a sweep") {
  Streamed none(12, 1);
  CHECK_THROWS_AS(study::stream_sweep(none.stream, 2), InputError);
  none.stream.part = true;
  CHECK(study::stream_sweep(none.stream, 2).unanswered == 12);
}

TEST_CASE("streamed sweep: the points that stand out are those that no other beats") {
  Generator random(61);
  for (int round = 0; round < 300; ++round) {
    std::vector<Placed> points(static_cast<std::size_t>(random.whole(1.0, 14.0)));
    for (Placed& point : points) {
      // Few values, so that many are equal.
      point.time = seconds(random.whole(1.0, 6.0));
      point.cost = usd(random.whole(1.0, 6.0));
      point.money = usd(random.whole(1.0, 6.0));
      point.answered = random.chance(0.8);
    }
    const auto answered = [&](std::size_t i) { return points[i].answered; };
    const auto in_time = [&](std::size_t i) { return std::pair(points[i].time, points[i].cost); };
    const auto in_cost = [&](std::size_t i) { return std::pair(points[i].cost, points[i].time); };
    std::optional<std::size_t> fastest, cheapest, meeting;
    std::vector<std::size_t> front;
    Constraints constraints;
    if (random.chance(0.7)) constraints.deadline = seconds(random.whole(1.0, 6.0));
    if (random.chance(0.7)) constraints.budget = usd(random.whole(1.0, 6.0));
    std::size_t met = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!answered(i)) continue;
      if (!fastest || in_time(i) < in_time(*fastest)) fastest = i;
      if (!cheapest || in_cost(i) < in_cost(*cheapest)) cheapest = i;
      bool beaten = false;
      for (std::size_t k = 0; k < points.size(); ++k) {
        const bool better = points[k].time <= points[i].time && points[k].cost <= points[i].cost;
        beaten = beaten || (answered(k) && better && (in_time(k) != in_time(i) || k < i));
      }
      if (!beaten) front.push_back(i);
      if (constraints.deadline && points[i].time > *constraints.deadline) continue;
      if (constraints.budget && points[i].money > *constraints.budget) continue;
      ++met;
      if (!meeting || in_cost(i) < in_cost(*meeting)) meeting = i;
    }
    std::sort(front.begin(), front.end(),
              [&](std::size_t a, std::size_t b) { return points[a].time < points[b].time; });
    const study::StandingOut standing = study::standing_out(points);
    CHECK(standing.pareto == front);
    if (fastest) {
      CHECK(standing.fastest == *fastest);
      CHECK(standing.cheapest == *cheapest);
    }
    const study::Meeting of = study::meeting(points, constraints);
    CHECK(of.points == met);
    CHECK(of.cheapest == meeting);

    // The same of a whole sweep.
    if (!fastest) continue;
    std::vector<SweepPoint> all;
    for (const Placed& point : points) {
      SweepPoint& one = all.emplace_back();
      one.result.times.total = point.time;
      one.result.bill.total = point.cost;
      if (!point.answered) one.problems = {{"", 0, "", "none"}};
    }
    const Sweep sweep = study::swept(all);
    CHECK(sweep.pareto == front);
    CHECK(sweep.fastest == *fastest);
    CHECK(sweep.cheapest == *cheapest);
  }
}

}  // namespace
