// What is recommended is simulated by its events first: as a run of it states it, to the digit, and
// never where another one that was simulated is better by more than its error.
#include <algorithm>
#include <cmath>
#include <functional>

#include "api/scenario_maker.hpp"
#include "api/sweep.hpp"
#include "laws/generated_grids.hpp"
#include "report/choice_words.hpp"
#include "seed.hpp"
#include "study/advise.hpp"
#include "study/by_events.hpp"
#include "study/choice.hpp"
#include "study/drawn_jobs.hpp"
#include "study/scale.hpp"

using namespace feedrate;

namespace {

using testing_laws::Generator;
using testing_laws::GridCase;
using testing_resolve::catalog;
using testing_resolve::Settings;

constexpr std::uint64_t seed = 3;

/// A contender that no job stands behind.
Confirmed drawn_contender(Generator& random) {
  Confirmed one;
  one.outlay = {seconds(random.uniform(90.0, 110.0)), usd(random.uniform(0.9, 1.1)),
                usd(random.uniform(0.9, 1.1))};
  // Within a percent of the closed form, which then is stated; or beyond, and they are.
  one.by_events.stated = random.chance(0.5);
  one.by_events.difference = random.uniform(-0.01, 0.01);
  one.by_events.error = random.chance(0.5) ? 0.0 : random.uniform(0.0, 0.05);
  return one;
}

/// By its events: the outlay is theirs, or in closed form so much less.
double played(const Confirmed& one, Minimized of) {
  return one.outlay.of(of) * (one.by_events.stated ? 1.0 : 1.0 + one.by_events.difference);
}

/// As the definition says it, of values alone.
bool beats(const Confirmed& a, const Confirmed& b, Minimized of) {
  if (a.meets != b.meets) return a.meets;
  const double apart = 1.0 - played(a, of) / played(b, of);
  return apart > 0.01 && apart > 2.0 * std::hypot(a.by_events.error, b.by_events.error);
}

void check_choice(const Choice& choice, Minimized of) {
  REQUIRE_FALSE(choice.contenders.empty());
  REQUIRE(choice.chosen < choice.contenders.size());
  bool clear = true;
  for (const Confirmed& one : choice.contenders) {
    CHECK_FALSE(beats(one, choice.best(), of));
    clear =
        clear && (one.meets != choice.best().meets || played(one, of) >= played(choice.best(), of));
  }
  CHECK(choice.clear == clear);
  if (choice.chosen > 0) CHECK(beats(choice.best(), choice.contenders.front(), of));
}

/// The outlay, the bottleneck and the events of the contender are those of a run of it.
void check_as_run(const Confirmed& one, const Scenario& scenario) {
  study::RunOptions options;
  options.events = true;
  options.seed = seed;
  const Result ran = study::run(scenario, catalog(), nullptr, options);
  REQUIRE(ran.by_events);
  CHECK(one.outlay.time == ran.times.total);
  CHECK(one.outlay.money == ran.bill.money);
  CHECK(one.outlay.total == ran.bill.total);
  CHECK(one.bottleneck == ran.bottleneck.stage);
  CHECK(one.by_events.total == ran.by_events->total);
  CHECK(one.by_events.error == ran.by_events->error);
  CHECK(one.by_events.stated == ran.by_events->stated);
  CHECK(played(one, Minimized::time) == Approx(ran.by_events->total.base()));
}

bool no_choice(const SweepChoices& choices) {
  return !choices.fastest && !choices.cheapest && !choices.cheapest_meeting;
}

Depth depth_of(bool exact, bool mean) {
  Depth depth;
  depth.seed = seed;
  depth.exact = exact;
  depth.mean = mean;
  return depth;
}

TEST_CASE("choice: it is the best by the mean unless the events tell of a better one") {
  Generator random(8201);
  int changed = 0, kept = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::optional<Confirmed>> list;
    const double count = random.whole(1.0, 3.0);
    for (double k = 0.0; k < count; k += 1.0) {
      list.emplace_back();
      if (random.chance(0.9)) list.back() = drawn_contender(random);
    }
    Constraints within;
    if (random.chance(0.5)) within.deadline = seconds(random.uniform(85.0, 115.0));
    const Minimized of = random.chance(0.5) ? Minimized::total : Minimized::time;
    const auto choice = study::choose(list, of, within);
    INFO("case " << i);
    REQUIRE(choice.has_value() == list.front().has_value());
    if (!choice) continue;
    check_choice(*choice, of);
    for (const Confirmed& one : choice->contenders) {
      CHECK(one.meets == within.met(one.outlay.time, one.outlay.money));
    }
    CHECK(choice->contenders.size() ==
          static_cast<std::size_t>(std::count_if(list.begin(), list.end(),
                                                 [](const auto& one) { return one.has_value(); })));
    ++(choice->chosen > 0 ? changed : kept);
  }
  CHECK_DRAWN(changed > 300);
  CHECK_DRAWN(kept > 300);
}

TEST_CASE("choice: what the events have as the fastest is the cheapest too where it costs less") {
  // By the mean 1 is the fastest and 3 the cheapest; by the events 2 is, of both.
  const auto placed = [](double time, double cost) {
    return study::Placed{seconds(time), usd(cost), true, usd(cost)};
  };
  std::vector<study::Placed> points = {placed(110.0, 1.30), placed(100.0, 1.20),
                                       placed(102.0, 1.19), placed(120.0, 1.0),
                                       placed(121.0, 1.01), placed(122.0, 1.02)};
  const double by_events[] = {130.0, 140.0, 90.0, 150.0, 150.0, 150.0};
  const auto simulated = [&](std::span<const std::size_t> asked) {
    std::vector<std::optional<Confirmed>> list;
    for (const std::size_t i : asked) {
      Confirmed one;
      one.point = i;
      const Money cost = points[i].cost * (by_events[i] / points[i].time.base());
      one.outlay = {seconds(by_events[i]), cost, cost};
      one.by_events.stated = true;
      list.emplace_back(one);
    }
    return list;
  };
  SweepChoices choices = study::sweep_choices(points, {}, simulated);
  CHECK(choices.fastest.value().best().point == 2);
  CHECK(choices.cheapest.value().best().point == 2);
  // Unless its bill lacks a price.
  points[2].unpriced = true;
  choices = study::sweep_choices(points, {}, [&](std::span<const std::size_t> asked) {
    auto list = simulated(asked);
    for (auto& one : list) one->outlay.unpriced = points[one->point].unpriced;
    return list;
  });
  CHECK(choices.fastest.value().best().point == 2);
  CHECK(choices.cheapest.value().best().point == 3);
}

TEST_CASE("choice: a bill that lacks a price is the cheapest among its like alone") {
  Generator random(8203);
  for (int i = 0; i < 300; ++i) {
    std::vector<study::Placed> points, priced;
    const double count = random.whole(2.0, 12.0);
    for (double k = 0.0; k < count; k += 1.0) {
      const Money cost = usd(random.whole(1.0, 9.0));
      points.push_back({seconds(random.whole(1.0, 9.0)), cost, true, cost, random.chance(0.5)});
      if (!points.back().unpriced) priced.push_back(points.back());
    }
    const auto of_all = study::standing_out(points);
    const auto meeting = study::meeting(points, {});
    CHECK(points[of_all.cheapest].unpriced == priced.empty());
    CHECK(points[meeting.cheapest.value()].unpriced == priced.empty());
    if (priced.empty()) continue;
    const auto of_priced = study::standing_out(priced);
    // A sweep in memory has the same.
    std::vector<SweepPoint> answers;
    for (const study::Placed& one : points) {
      SweepPoint& answer = answers.emplace_back();
      answer.result.times.total = one.time;
      answer.result.bill.total = answer.result.bill.money = one.cost;
      answer.result.bill.unpriced = one.unpriced;
    }
    Constraints constraints;
    constraints.deadline = seconds(5.0);
    Sweep sweep = study::swept(answers);
    study::hold_against(sweep, constraints);
    const auto within = study::meeting(points, constraints);
    CHECK(sweep.cheapest == of_all.cheapest);
    CHECK(sweep.fastest == of_all.fastest);
    CHECK(sweep.pareto == of_all.pareto);
    CHECK(sweep.meeting == within.points);
    CHECK(sweep.cheapest_meeting == within.cheapest);
    CHECK(points[of_all.cheapest].cost == priced[of_priced.cheapest].cost);
    CHECK(points[*meeting.cheapest].cost == priced[of_priced.cheapest].cost);
    // One without may still be the fastest.
    for (const study::Placed& one : points) CHECK(points[of_all.fastest].time <= one.time);
  }
}

TEST_CASE("choice: a price is told of the time that it is the price of") {
  Choice choice;
  choice.chosen = 1;
  for (const bool stated : {true, false}) {
    Confirmed one;
    one.set = {{"num_workers", stated ? "30" : "55"}};
    one.outlay = {seconds(2400.0), usd(19.42), usd(19.42)};
    one.by_events.total = stated ? seconds(2400.0) : seconds(2419.2);
    one.by_events.difference = stated ? 0.022 : 0.008;
    one.by_events.stated = stated;
    choice.contenders.push_back(one);
  }
  const std::string words = report::choice_words(choice, "the best");
  INFO(words);
  CHECK(words.find("40 min, 2.2 % more than in closed form ($19.42)") != std::string::npos);
  CHECK(words.find("40 min 19 s, 0.8 % more than in closed form, where it costs $19.42") !=
        std::string::npos);
}

TEST_CASE("choice: contenders are the best, none as good as another") {
  Generator random(8202);
  for (int i = 0; i < 300; ++i) {
    std::vector<std::optional<double>> values;
    const double count = random.whole(1.0, 30.0);
    for (double k = 0.0; k < count; k += 1.0) {
      values.emplace_back();
      if (random.chance(0.8)) values.back() = 100.0 + 0.05 * random.whole(0.0, 40.0);
    }
    std::vector<double> sorted;
    for (const auto& value : values) {
      if (value) sorted.push_back(*value);
    }
    if (sorted.empty()) continue;
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> expected;
    for (const double value : sorted) {
      if (expected.size() == 3) break;
      if (expected.empty() || value > expected.back() * 1.001) expected.push_back(value);
    }
    const auto first = static_cast<std::size_t>(
        std::find(values.begin(), values.end(), sorted.front()) - values.begin());
    const auto found =
        study::contenders(first, values.size(), [&](std::size_t k) { return values[k]; });
    REQUIRE(found.size() == expected.size());
    CHECK(found.front() == first);
    for (std::size_t k = 0; k < found.size(); ++k) CHECK(values[found[k]] == expected[k]);
  }
}

TEST_CASE("choice: a sweep's are runs of its best, in one piece and in rows alike") {
  int simulated = 0;
  testing_laws::for_generated(
      8203, 4, [&](const GridCase& one, const study::Axes& axes, Generator&) {
        std::vector<study::SweepInput> inputs;
        for (std::size_t i = 0; i < axes.size(); ++i)
          inputs.push_back({axes.at(i), axes.scenario(i)});
        const Sweep by_mean = study::sweep(inputs, catalog(), nullptr, {}, 1);
        const Constraints& constraints = one.options.constraints;
        for (const Depth& depth : {depth_of(true, false), depth_of(false, true)}) {
          Sweep alone = by_mean;
          api::conclude(alone, inputs, catalog(), nullptr, depth, constraints);
          CHECK(no_choice(alone.confirmed));
          CHECK(alone.fastest == by_mean.fastest);
          CHECK(alone.cheapest == by_mean.cheapest);
        }
        Sweep sweep = by_mean;
        api::conclude(sweep, inputs, catalog(), nullptr, depth_of(false, false), constraints);
        CHECK(sweep.pareto == by_mean.pareto);
        Sweep held = by_mean;
        study::hold_against(held, constraints);
        CHECK(sweep.meeting == held.meeting);
        const auto check = [&](const std::optional<Choice>& choice, std::size_t recommended,
                               std::size_t first, Minimized of) {
          if (!choice) {
            CHECK(recommended == first);
            return;
          }
          ++simulated;
          check_choice(*choice, of);
          CHECK(choice->contenders.front().point == first);
          CHECK(choice->best().point == recommended);
          for (const Confirmed& each : choice->contenders) {
            CHECK(each.set == inputs[each.point].set);
            check_as_run(each, inputs[each.point].scenario);
          }
        };
        check(sweep.confirmed.fastest, sweep.fastest, by_mean.fastest, Minimized::time);
        check(sweep.confirmed.cheapest, sweep.cheapest, by_mean.cheapest, Minimized::total);
        CHECK(sweep.cheapest_meeting.has_value() == held.cheapest_meeting.has_value());
        if (sweep.cheapest_meeting) {
          check(sweep.confirmed.cheapest_meeting, *sweep.cheapest_meeting, *held.cheapest_meeting,
                Minimized::total);
        }
        std::vector<study::Placed> rows;
        for (const SweepPoint& point : by_mean.points) rows.push_back(study::placed(point));
        const SweepChoices of_rows =
            study::sweep_choices(rows, constraints, [&](std::span<const std::size_t> chosen) {
              return study::confirm(
                  chosen, [&](std::size_t i) { return inputs[i]; }, catalog(), nullptr, seed, 3);
            });
        const auto same = [](const std::optional<Choice>& a, const std::optional<Choice>& b) {
          REQUIRE(a.has_value() == b.has_value());
          if (!a) return;
          CHECK(a->chosen == b->chosen);
          CHECK(a->best().outlay.time == b->best().outlay.time);
        };
        same(of_rows.fastest, sweep.confirmed.fastest);
        same(of_rows.cheapest, sweep.confirmed.cheapest);
        same(of_rows.cheapest_meeting, sweep.confirmed.cheapest_meeting);
      });
  CHECK_DRAWN(simulated > 4);
}

TEST_CASE("choice: the winner of a search is what its events choose, and its result theirs") {
  int simulated = 0;
  testing_laws::for_generated(
      8204, 8, [&](const GridCase& one, const study::Axes& axes, Generator&) {
        study::OptimizeOptions options = one.options;
        options.run.seed = seed;
        const Optimum by_mean = study::optimize(axes, catalog(), nullptr, options);
        options.run.events = true;
        const Optimum optimum = study::optimize(axes, catalog(), nullptr, options);
        REQUIRE(optimum.winner.has_value() == by_mean.winner.has_value());
        if (!optimum.winner) return;
        CHECK_FALSE(by_mean.winner->confirmed);
        const auto& confirmed = optimum.winner->confirmed;
        if (!confirmed) {
          CHECK(optimum.winner->point.point == by_mean.winner->point.point);
          return;
        }
        ++simulated;
        check_choice(*confirmed, optimum.minimized);
        CHECK(confirmed->contenders.front().point == by_mean.winner->point.point);
        CHECK(confirmed->best().point == optimum.winner->point.point);
        CHECK(confirmed->best().outlay.time == optimum.winner->result.times.total);
        CHECK(confirmed->best().outlay.total == optimum.winner->result.bill.total);
        for (const Confirmed& each : confirmed->contenders) {
          check_as_run(each, axes.scenario(each.point));
        }
      });
  CHECK_DRAWN(simulated > 3);
}

TEST_CASE("choice: the number of instances that scale recommends is a run of it") {
  const auto draw = [](Generator& random) {
    Settings settings = testing_resolve::generated_settings(random);
    if (random.chance(0.7)) settings.emplace_back("/job/value_of_hour", "40 USD/h");
    const api::ScenarioMaker make(testing_resolve::document_with(settings));
    study::ScaleOptions options;
    options.to = 12;
    options.jobs = 1;
    options.seed = seed;
    if (random.chance(0.5)) {
      options.deadline =
          random.uniform(0.3, 1.2) * study::run(make({}), catalog(), nullptr).times.total;
    }
    std::vector<ScaleCurve> curves;
    for (const char* const workers : {"2", "4"}) {
      if (make({}).loader.num_workers.value_or(0.0) == 0.0 && workers[0] == '4') continue;
      const study::Setting set = {{"/loader/num_workers", workers}};
      curves.push_back(study::scale_curve(set, std::cref(make), catalog(), nullptr, options));
    }
    Scaling scaling = study::scaling_of(curves, make({}), options);
    const Scaling by_mean = scaling;
    study::confirm(scaling, std::cref(make), catalog(), nullptr, options);
    return std::tuple(make, options, by_mean, scaling);
  };
  int simulated = 0;
  testing_study::for_possible(8205, 8, 10, draw, [&](const auto& drawn, Generator&) {
    const auto& [make, options, by_mean, scaling] = drawn;
    CHECK_FALSE(by_mean.confirmed);
    const ScaleCurve& best = by_mean.curves[by_mean.best];
    CHECK(by_mean.recommended.instances == best.least_in_time.value_or(best.least).instances);
    CHECK(scaling.in_time() == by_mean.in_time());
    if (!scaling.in_time()) CHECK_FALSE(scaling.confirmed);
    if (!scaling.confirmed) {
      CHECK(scaling.recommended.instances == by_mean.recommended.instances);
      return;
    }
    ++simulated;
    check_choice(*scaling.confirmed, Minimized::total);
    for (const Confirmed& each : scaling.confirmed->contenders) {
      check_as_run(each, make(each.set));
      if (options.deadline) CHECK(each.meets == (each.outlay.time <= *options.deadline));
    }
    CHECK(scaling.recommended.outlay.time == scaling.confirmed->best().outlay.time);
    CHECK(make(scaling.confirmed->best().set).cluster.instances == scaling.recommended.instances);
    CHECK(make(scaling.confirmed->contenders.front().set).cluster.instances ==
          by_mean.recommended.instances);
  });
  CHECK_DRAWN(simulated > 3);
}

TEST_CASE("choice: what is advised first saves by its events too") {
  const auto draw = [](Generator& random) {
    Settings settings = testing_study::drawn_job(random);
    const api::ScenarioMaker make(testing_resolve::document_with(settings));
    study::AdviseOptions options;
    options.draws = 0;
    options.seed = seed;
    if (random.chance(0.4)) {
      options.constraints.deadline =
          random.uniform(0.4, 1.1) * study::run(make({}), catalog(), nullptr).times.total;
    }
    const Advice by_mean = study::advise(std::cref(make), catalog(), nullptr, options);
    options.events = true;
    return std::tuple(make, options, by_mean,
                      study::advise(std::cref(make), catalog(), nullptr, options));
  };
  int simulated = 0;
  testing_study::for_possible(8206, 6, 10, draw, [&](const auto& drawn, Generator&) {
    const api::ScenarioMaker& make = std::get<0>(drawn);
    const study::AdviseOptions& options = std::get<1>(drawn);
    const Advice& by_mean = std::get<2>(drawn);
    const Advice& advice = std::get<3>(drawn);
    CHECK_FALSE(by_mean.confirmed);
    for (const Remedied& row : by_mean.remedies) CHECK_FALSE(row.confirmed);
    CHECK(advice.remedies.size() == by_mean.remedies.size());
    if (!advice.confirmed) {
      CHECK(advice.before.time == by_mean.before.time);
      return;
    }
    check_as_run(*advice.confirmed, make({}));
    CHECK(advice.before.time == advice.confirmed->outlay.time);
    const auto cost = [&](const JobFigures& job, Money one_off) {
      return advice.priced ? options.jobs * job.total.base() + one_off.base() : job.time.base();
    };
    const auto meets = [&](const JobFigures& job) {
      return options.constraints.met(job.time, job.money);
    };
    const double now = cost(advice.before, Money{});
    std::size_t place = 0;
    for (const Remedied& row : advice.remedies) {
      INFO(row.what.name);
      if (row.confirmed) {
        check_as_run(*row.confirmed, make(row.set));
        CHECK(row.after->time == row.confirmed->outlay.time);
        CHECK(row.after->total == row.confirmed->outlay.total);
      }
      if (advice.confirmed->by_events.stated && row.after) CHECK(row.confirmed);
      if (row.standing != RemedyStanding::advised) continue;
      if (place++ == 0 && row.confirmed) ++simulated;
      if (!meets(advice.before) && meets(*row.after)) continue;
      CHECK(cost(*row.after, row.one_off) <= now * (1.0 - 0.999 * least_saving));
    }
    if (advice.together && advice.together->confirmed) {
      check_as_run(*advice.together->confirmed, make(advice.together->set));
    }
  });
  CHECK_DRAWN(simulated > 2);
}

}  // namespace
