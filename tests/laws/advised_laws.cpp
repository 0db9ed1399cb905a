// What is advised, and in what order, is what trying every change of every remedy says: with and
// without a deadline and a budget, over one job and over many.
#include <algorithm>
#include <cmath>
#include <set>

#include "api/scenario_maker.hpp"
#include "base/random.hpp"
#include "laws/remediable_jobs.hpp"
#include "report/advise_words.hpp"
#include "seed.hpp"
#include "study/advise.hpp"
#include "study/drawn_job.hpp"
#include "study/drawn_jobs.hpp"
#include "study/ladder.hpp"

using namespace feedrate;

namespace {

using study::Change;
using study::Remedy;
using study::Setting;
using study::Situation;
using testing_laws::Generator;
using testing_resolve::catalog;

/// Advice on a generated job, and how it is made again.
struct Advised {
  api::ScenarioMaker make;
  study::AdviseOptions options;
  Advice advice;

  [[nodiscard]] bool meets(const JobFigures& job) const {
    return options.constraints.met(job.time, job.money);
  }
  [[nodiscard]] double cost(const JobFigures& job, Money one_off) const {
    return options.jobs * (advice.priced ? job.total.base() : job.time.base()) +
           (advice.priced ? one_off.base() : 0.0);
  }
  [[nodiscard]] double cost_before() const { return cost(advice.before, Money{}); }
  [[nodiscard]] double saving(const Remedied& row) const {
    return cost_before() - cost(*row.after, row.one_off);
  }
  [[nodiscard]] bool rescues(const Remedied& row) const {
    return row.after && !meets(advice.before) && meets(*row.after);
  }
};

/// Calls `check` with advice on so many generated jobs.
template <class Check>
void for_advised(unsigned seed, int count, int draws, Check check) {
  const auto draw = [draws](Generator& random) {
    testing_resolve::Settings settings = testing_resolve::generated_settings(random);
    if (random.chance(0.3)) settings.emplace_back("/job/value_of_hour", "30 USD/h");
    if (random.chance(0.15)) settings.emplace_back("/cluster/price", "0 USD/h");
    if (random.chance(0.5)) {
      settings.emplace_back("/preprocess", R"([{"operation": "decode", "cpu": "9 ms",
                              "gpu": "50 us", "output_bytes": "150 kB"}])");
    }
    const api::ScenarioMaker make(testing_resolve::document_with(settings));
    study::AdviseOptions options;
    options.draws = draws;
    options.seed = 5;
    options.target = random.uniform(0.3, 1.0);
    if (random.chance(0.5)) options.jobs = random.whole(2.0, 50.0);
    const Result now = study::run(make({}), catalog(), nullptr);
    if (random.chance(0.4)) {
      options.constraints.deadline = random.log_uniform(0.3, 1.5) * now.times.total;
    }
    if (random.chance(0.3)) {
      options.constraints.budget = random.log_uniform(0.5, 1.5) * now.bill.money;
    }
    return Advised{make, options, study::advise(std::cref(make), catalog(), nullptr, options)};
  };
  testing_study::for_possible(seed, count, 10, draw,
                              [&](const Advised& of, Generator&) { check(of); });
}

TEST_CASE("advised: rungs are runs of simpler jobs, and the first below the target is worked on") {
  std::set<Rung> worked_on;
  for_advised(51, 8, 0, [&](const Advised& of) {
    const Advice& advice = of.advice;
    const Scenario scenario = of.make({});
    CHECK(advice.target == of.options.target);
    CHECK(advice.jobs == of.options.jobs);
    REQUIRE(advice.ladder.size() == 4);
    std::optional<Rung> first;
    for (const RungResult& rung : advice.ladder) {
      INFO(name_of(rung.rung));
      CHECK(rung.figures.has_value() == rung.why_not.empty());
      if (rung.rung == Rung::cluster) {
        CHECK(rung.set.empty());
        CHECK(rung.figures.has_value() == (scenario.cluster.instances > 1.0));
      }
      if (!rung.figures) continue;
      const Result ran = study::run(of.make(rung.set), catalog(), nullptr);
      CHECK(rung.figures->time == ran.times.total);
      CHECK(rung.figures->total == ran.bill.total);
      const double busy = ran.gpu_busy_time / (ran.times.total - ran.times.startup);
      CHECK(rung.figures->gpu_busy == Approx(busy));
      CHECK(rung.share == Approx(busy));
      CHECK(rung.met == (rung.share >= of.options.target));
      if (!rung.met && !first) first = rung.rung;
      if (rung.rung == Rung::one_gpu || rung.rung == Rung::one_gpu_in_memory)
        CHECK(ran.gpus == 1.0);
      if (rung.rung != Rung::cluster) CHECK(ran.instances == 1.0);
      CHECK(rung.efficiency.has_value() == (rung.rung == Rung::cluster));
      if (rung.rung != Rung::cluster) continue;
      CHECK(rung.efficiency == ran.efficiency);
      if (rung.break_even) {
        CHECK(*rung.break_even > 0.0);
        CHECK(*rung.break_even <= 1.0);
        CHECK(ran.bill.hour_value > Money{});
      }
    }
    CHECK(advice.starts_on == first.value_or(Rung::fed));
    CHECK(advice.works_on >= advice.starts_on);
    worked_on.insert(advice.works_on);
  });
  CHECK_DRAWN(worked_on.size() >= 3);
}

TEST_CASE("advised: where GPUs have next to no work each rung is held against the one before") {
  Generator random(56);
  int checked = 0, first = 0, later = 0;
  for (int i = 0; i < 200 && checked < 12; ++i) {
    testing_resolve::Settings settings = testing_resolve::generated_settings(random);
    settings.emplace_back("/job/step", "1 us");
    const api::ScenarioMaker make(testing_resolve::document_with(settings));
    const double target = random.uniform(0.05, 1.0);
    try {
      const auto ladder = study::ladder(std::cref(make), catalog(), nullptr, target);
      if (ladder.front().figures && ladder.front().figures->gpu_busy >= 0.01) continue;
      ++checked;
      std::optional<Throughput> before;
      std::vector<bool> met;
      for (const RungResult& rung : ladder) {
        INFO(name_of(rung.rung));
        if (!rung.figures) continue;
        const double share = before ? std::min(1.0, *rung.figures->throughput / *before) : 1.0;
        before = rung.figures->throughput;
        CHECK(rung.share == Approx(share));
        met.push_back(share >= target);
      }
      // As fast as each other: what is left to make faster is the first.
      const bool all = std::find(met.begin(), met.end(), false) == met.end();
      const auto worked = std::find_if(ladder.begin(), ladder.end(), [](const RungResult& rung) {
        return rung.figures && !rung.met;
      });
      REQUIRE(worked != ladder.end());
      CHECK(study::rung_to_start_on(ladder) == worked->rung);
      CHECK((worked == ladder.begin()) == all);
      (all ? first : later) += 1;
    } catch (const InputError&) {
      continue;
    }
  }
  CHECK(checked == 12);
  CHECK_DRAWN(first > 0);
  CHECK_DRAWN(later > 0);
}

TEST_CASE("advised: of a remedy's changes the least that is nearly as good as the best is taken") {
  int lesser = 0, rescued = 0, worse = 0, slower = 0;
  for_advised(52, 7, 0, [&](const Advised& of) {
    const Scenario scenario = of.make({});
    const Result base = study::run(scenario, catalog(), nullptr);
    const auto resolved = resolve::resolve(scenario, catalog(), nullptr);
    OfferQuery query;
    query.instance = "c5.4xlarge";
    query.service = "ec2";
    // Work that is done once is done on CPU instances.
    const HourlyPrice thread = find_offer(catalog(), query)->price.value / 16.0;
    const Situation situation{
        scenario,       catalog(),        nullptr,
        base,           resolved,         service_of(catalog(), *scenario.cluster.instance),
        thread,         of.advice.priced, !of.meets(of.advice.before),
        of.options.jobs};
    CHECK(of.advice.billed == (base.bill.compute > Money{} || base.bill.hour_value > Money{}));
    // What each start is billed for at least is a minute: shorter jobs are ranked by time.
    const bool brief = base.times.total < minutes(2.0) && base.bill.hour_value <= Money{};
    CHECK((of.advice.priced == of.advice.billed || brief));
    for (const Remedy* remedy : study::all_remedies()) {
      INFO(remedy->words.name);
      const auto row =
          std::find_if(of.advice.remedies.begin(), of.advice.remedies.end(),
                       [&](const Remedied& one) { return one.what.name == remedy->words.name; });
      if (!remedy->applies(situation)) {
        CHECK(row == of.advice.remedies.end());
        continue;
      }
      const std::string lacks = remedy->lacks != nullptr ? remedy->lacks(situation) : "";
      if (!lacks.empty()) {
        REQUIRE(row != of.advice.remedies.end());
        CHECK(row->standing == RemedyStanding::not_simulated);
        CHECK(row->reason == lacks);
        continue;
      }
      // Of these, some are left to the remedy that has the better name: advice_laws.
      const auto may_be_left = [](const Change& change) { return !change.without.empty(); };
      const std::vector<Change> named = remedy->changes(situation);
      if (std::any_of(named.begin(), named.end(), may_be_left)) continue;
      struct Tried {
        Change change;
        JobFigures after;
      };
      const std::vector<Change>& changes = named;
      std::vector<Tried> tried, late;
      bool any_meets = false;
      for (const Change& change : changes) {
        try {
          tried.push_back(
              {change, study::figures_of_job(study::run(of.make(change.set), catalog(), nullptr))});
          any_meets = any_meets || of.meets(tried.back().after);
        } catch (const InputError&) {
        }
      }
      if (any_meets) {
        std::erase_if(tried, [&](const Tried& one) { return !of.meets(one.after); });
      }
      // Less money for more time is no remedy where nobody said what time is worth: a deadline says
      // it, and a budget that is exceeded asks for the soonest that keeps within it.
      std::optional<Duration> soonest;
      for (const Tried& one : tried) {
        if (of.meets(one.after))
          soonest = std::min(soonest.value_or(one.after.time), one.after.time);
      }
      std::vector<Tried> in_time;
      for (const Tried& one : tried) {
        const auto& deadline = of.options.constraints.deadline;
        const bool allowed = deadline ? one.after.time <= *deadline
                                      : situation.limits_missed && soonest == one.after.time;
        const bool misses = deadline && of.advice.before.time <= *deadline && !allowed;
        const bool fast = !misses && one.after.time <= one.change.longest * of.advice.before.time;
        (fast || allowed ? in_time : late).push_back(one);
      }
      const auto cost = [&](const Tried& one) { return of.cost(one.after, one.change.one_off); };
      const double enough = of.cost_before() * (1.0 - least_saving);
      const auto cheap = [&](const Tried& one) { return cost(one) <= enough; };
      const auto meeting = [&](const Tried& one) {
        return situation.limits_missed && of.meets(one.after);
      };
      const bool on_time = std::any_of(in_time.begin(), in_time.end(), cheap) ||
                           std::any_of(in_time.begin(), in_time.end(), meeting) ||
                           (!in_time.empty() && std::none_of(late.begin(), late.end(), cheap)) ||
                           late.empty();
      tried = on_time ? in_time : late;
      const auto listed = [&](const Change& change) {
        return std::count_if(of.advice.remedies.begin(), of.advice.remedies.end(),
                             [&](const Remedied& one) {
                               return one.set == change.set && one.one_off == change.one_off;
                             });
      };
      const bool is_listed = row != of.advice.remedies.end();
      if (changes.empty()) CHECK_FALSE(is_listed);
      if (changes.empty()) continue;
      if (tried.empty()) {
        if (!is_listed) CHECK(listed(changes.front()) == 1);
        if (!is_listed) continue;
        CHECK(row->standing == RemedyStanding::impossible);
        CHECK_FALSE(row->reason.empty());
        continue;
      }
      const auto best =
          std::min_element(tried.begin(), tried.end(),
                           [&](const auto& a, const auto& b) { return cost(a) < cost(b); });
      auto expected = best;
      if (cost(*best) <= enough) {
        expected = std::find_if(tried.begin(), tried.end(), [&](const Tried& one) {
          return cost(one) <= enough && cost(one) <= 1.01 * cost(*best);
        });
        lesser += expected != best ? 1 : 0;
      }
      // Under the name of another that makes the same.
      CHECK(listed(expected->change) == 1);
      if (!is_listed) continue;
      CHECK(row->set == expected->change.set);
      CHECK(row->one_off == expected->change.one_off);
      CHECK(row->after->time == expected->after.time);
      CHECK(row->sooner == of.advice.before.time - expected->after.time);
      CHECK(row->saved.base() ==
            Approx((of.options.jobs * (of.advice.before.total - expected->after.total) -
                    expected->change.one_off)
                       .base())
                .margin(1e-9));
      const double share = of.saving(*row) / of.cost_before();
      const bool rescues = of.rescues(*row);
      rescued += rescues ? 1 : 0;
      worse += share < -least_saving ? 1 : 0;
      slower += !on_time && share >= least_saving ? 1 : 0;
      const RemedyStanding standing =
          !on_time && share >= least_saving ? RemedyStanding::takes_longer
          : share >= least_saving || rescues
              ? (rescues || row->what.from <= of.advice.works_on ? RemedyStanding::advised
                                                                 : RemedyStanding::later)
          : share > -least_saving ? RemedyStanding::no_help
                                  : RemedyStanding::costs_more;
      CHECK(row->standing == standing);
      // What makes the bill alone smaller waits for nothing.
      if (row->what.of_bill_alone) CHECK(row->standing != RemedyStanding::later);
    }
  });
  CHECK_DRAWN(lesser > 0);
  CHECK_DRAWN(rescued > 0);
  CHECK_DRAWN(worse > 3);
  CHECK_DRAWN(slower > 0);
}

TEST_CASE("advised: nothing that comes later saves a tenth of the job beyond what is advised") {
  for_advised(54, 40, 0, [&](const Advised& of) {
    const auto most = [&](const auto& counts) {
      double saved = 0.0;
      for (const Remedied& row : of.advice.remedies) {
        if (row.number > 0 && !row.what.of_bill_alone && counts(row)) {
          saved = std::max(saved, of.saving(row));
        }
      }
      return saved;
    };
    const double advised =
        most([](const Remedied& row) { return row.standing == RemedyStanding::advised; });
    // What belongs to rungs that reach the target comes later whatever it saves.
    const double later = most([&](const Remedied& row) {
      return std::any_of(of.advice.ladder.begin(), of.advice.ladder.end(),
                         [&](const RungResult& rung) {
                           return rung.figures && !rung.met && rung.rung >= row.what.from;
                         });
    });
    CHECK(later <= advised + 0.1 * of.cost_before() * (1.0 + 1e-9));
  });
}

TEST_CASE(
    "advised: no rung is worked on that is barely missed, or has nothing, where another saves") {
  int barely = 0, passed = 0;
  const auto draw = [](Generator& random) {
    testing_resolve::Settings settings = testing_resolve::generated_settings(random);
    const api::ScenarioMaker make(testing_resolve::document_with(settings));
    study::AdviseOptions options;
    options.draws = 0;
    // Half a point above the share of the first rung that there is.
    const auto ladder = study::ladder(std::cref(make), catalog(), nullptr, 1.0);
    const auto first = std::find_if(ladder.begin(), ladder.end(),
                                    [](const RungResult& rung) { return rung.figures; });
    options.target = first == ladder.end() ? 0.9 : std::min(1.0, first->share + 0.005);
    return Advised{make, options, study::advise(std::cref(make), catalog(), nullptr, options)};
  };
  testing_study::for_possible(57, 40, 10, draw, [&](const Advised& of, Generator&) {
    const Advice& advice = of.advice;
    const auto missed = [](const RungResult& rung) { return rung.figures && !rung.met; };
    const auto is_barely = [&](const RungResult& rung) {
      return of.options.target - rung.share < 0.01;
    };
    const auto most = [&](Rung up_to) {
      double saved = 0.0;
      for (const Remedied& row : advice.remedies) {
        if (row.number > 0 && !row.what.of_bill_alone && row.what.from <= up_to) {
          saved = std::max(saved, of.saving(row));
        }
      }
      return saved;
    };
    std::optional<Rung> last;
    bool all_barely = true;
    for (const RungResult& rung : advice.ladder) {
      if (!missed(rung)) continue;
      last = rung.rung;
      all_barely = all_barely && is_barely(rung);
    }
    if (!last) return;
    if (all_barely) last = Rung::fed;
    const double all = most(*last);
    const double here = most(advice.works_on);
    const double point = 0.01 * of.cost_before();
    CHECK((here >= point || all < point));
    const auto rung = std::find_if(advice.ladder.begin(), advice.ladder.end(),
                                   [&](const auto& one) { return one.rung == advice.works_on; });
    if (rung != advice.ladder.end() && is_barely(*rung)) {
      ++barely;
      CHECK(here >= all - point * (1.0 + 1e-9));
    }
    passed += advice.works_on > advice.starts_on ? 1 : 0;
  });
  CHECK_DRAWN(barely > 0);
  CHECK_DRAWN(passed > 3);
}

TEST_CASE("advised: a rung on which nothing helps is no dead end") {
  // Few connections copy small files to GPUs that a smaller step would keep waiting anyhow.
  const auto advice = [](const char* connections, const char* value_of_hour) {
    const api::ScenarioMaker make(testing_resolve::document_with(
        {{"/source", std::string(R"({"service": "s3", "input_mode": "File", "connections": )") +
                         connections + R"(, "bandwidth_per_connection": "35 MB/s"})"},
         {"/source/distribution", "ShardedByS3Key"},
         {"/dataset/samples", "45000"},
         {"/dataset/bytes_per_sample", "1.2 MB"},
         {"/disk", R"({"kind": "other", "bandwidth": "2 GB/s"})"},
         {"/loader/num_workers", "8"},
         {"/preprocess", R"([{"operation": "decode", "cpu": "0.3 ms"}])"},
         {"/job/epochs", "1"},
         {"/job/value_of_hour", value_of_hour},
         {"/job/step", R"({"fixed": "1.4 ms", "per_sample": "0.08 ms"})"}}));
    study::AdviseOptions options;
    options.draws = 0;
    options.target = 0.999;
    return study::advise(std::cref(make), catalog(), nullptr, options);
  };
  const Advice one = advice("1", "0 USD/h");
  CHECK(one.starts_on == Rung::one_gpu_in_memory);
  CHECK(one.works_on == Rung::one_gpu);
  REQUIRE_FALSE(one.remedies.empty());
  CHECK(one.remedies.front().standing == RemedyStanding::advised);
  CHECK(one.remedies.front().after->time < 0.2 * one.before.time);

  // Nor where hours are dear, and more instances, which come after all rungs, save far more still.
  const Advice dear = advice("16", "300 USD/h");
  CHECK(dear.starts_on == Rung::one_gpu_in_memory);
  CHECK(dear.works_on == Rung::one_gpu);
  const auto named = [&](std::string_view name) {
    const auto found = std::find_if(dear.remedies.begin(), dear.remedies.end(),
                                    [&](const Remedied& row) { return row.what.name == name; });
    REQUIRE(found != dear.remedies.end());
    return *found;
  };
  CHECK(named("connections").standing == RemedyStanding::advised);
  CHECK(named("more_instances").standing == RemedyStanding::later);
  CHECK(named("more_instances").saved > named("connections").saved + 0.1 * dear.before.total);
}

TEST_CASE("advised: what saves most for its effort stands first, of whichever kind it is") {
  int turns = 0;
  for_advised(53, 6, 0, [&](const Advised& of) {
    const std::vector<Remedied>& rows = of.advice.remedies;
    std::size_t number = 0;
    for (const RemedyStanding standing : {RemedyStanding::advised, RemedyStanding::later}) {
      for (const Remedied& row : rows) {
        if (row.standing == standing) CHECK(row.number == ++number);
      }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].number == 0 && rows[i].standing <= RemedyStanding::later) FAIL("no number");
      for (std::size_t k = i + 1; k < rows.size(); ++k) {
        if (rows[i].standing != rows[k].standing) {
          CHECK(rows[i].standing < rows[k].standing);
          continue;
        }
        // What meets limits that the job misses comes before all others.
        if (of.rescues(rows[i]) != of.rescues(rows[k])) {
          CHECK(of.rescues(rows[i]));
          continue;
        }
        if (!rows[i].after || !rows[k].after) continue;
        INFO(rows[i].what.name << " before " << rows[k].what.name);
        const double first = of.saving(rows[i]), second = of.saving(rows[k]);
        if (second <= 0.0) {
          CHECK(first >= second);
          continue;
        }
        CHECK(first / rows[i].what.effort_hours >=
              second / rows[k].what.effort_hours - 1e-12 * second);
        turns += rows[i].what.effort_hours != rows[k].what.effort_hours ? 1 : 0;
      }
    }
    std::set<std::string> before(of.advice.caveats.begin(), of.advice.caveats.end());
    for (const Remedied& row : rows) {
      for (const std::string& caveat : row.caveats) CHECK_FALSE(before.contains(caveat));
    }
  });
  CHECK_DRAWN(turns > 15);
}

TEST_CASE("advised: a remedy pays in as many draws as it costs less in, each drawn for both") {
  constexpr int draws = 6;
  int between = 0, numbered = 0, together = 0;
  for_advised(54, 5, draws, [&](const Advised& of) {
    const auto costs = [&](const Setting& set, Money one_off) {
      std::vector<std::optional<double>> all;
      const Scenario scenario = of.make(set);
      for (std::uint64_t d = 1; d <= draws; ++d) {
        all.emplace_back();
        try {
          const study::DrawnJob job = study::drawn_job(
              scenario, catalog(), nullptr,
              [&](std::string_view key) { return uniform_of(5, d, key); },
              study::Own{}.among_others());
          JobFigures figures;
          figures.time = job.outcome.total.wall;
          figures.total = job.bill.total;
          all.back() = of.cost(figures, one_off);
        } catch (const InputError&) {
        }
      }
      return all;
    };
    const auto before = costs({}, Money{});
    const auto share = [&](const Setting& set, Money one_off) {
      const auto after = costs(set, one_off);
      double pays = 0.0;
      for (std::size_t d = 0; d < draws; ++d) {
        pays += after[d] && before[d] && *after[d] < *before[d] ? 1.0 : 0.0;
      }
      return pays / draws;
    };
    for (const Remedied& row : of.advice.remedies) {
      INFO(row.change);
      // What had a number and pays in no draw is no help.
      const bool dropped = row.standing == RemedyStanding::no_help && row.pays;
      if (dropped) CHECK(*row.pays == 0.0);
      CHECK(row.pays.has_value() == (dropped || (row.number > 0 && row.number <= 12)));
      if (!row.pays) continue;
      ++numbered;
      CHECK(*row.pays == Approx(share(row.set, row.one_off)));
      between += *row.pays > 0.0 && *row.pays < 1.0 ? 1 : 0;
    }
    if (const auto& all = of.advice.together) {
      ++together;
      CHECK(*all->pays == Approx(share(all->set, all->one_off)));
      CHECK(all->sooner == of.advice.before.time - all->after.time);
      CHECK(
          all->saved.base() ==
          Approx(
              (of.options.jobs * (of.advice.before.total - all->after.total) - all->one_off).base())
              .margin(1e-9));
      Money once;
      for (const Remedied& row : of.advice.remedies) {
        if (std::find(all->numbers.begin(), all->numbers.end(), row.number) != all->numbers.end()) {
          once += row.one_off;
        }
      }
      CHECK(all->one_off.base() == Approx(once.base()));
    }
  });
  CHECK_DRAWN(numbered > 8);
  CHECK_DRAWN(between > 0);
  CHECK_DRAWN(together > 0);
}

TEST_CASE("advised: what takes the first two together, and what comes too early, is the best") {
  int pairs = 0, early = 0, hidden = 0;
  for_advised(55, 5, 0, [&](const Advised& of) {
    const Advice& advice = of.advice;
    std::vector<const Remedied*> rows;
    for (const Remedied& row : advice.remedies) {
      if (row.standing == RemedyStanding::advised) rows.push_back(&row);
    }
    const auto worth_more = [&](const JobFigures& a, double of_a, const JobFigures& b,
                                double of_b) {
      return of.meets(a) != of.meets(b) ? of.meets(a) : of_a < of_b;
    };
    if (advice.together) {
      CHECK(advice.together->numbers.size() <= 5);
      // None of the advised ones alone is better by more than is let pass.
      const double all = of.cost(advice.together->after, advice.together->one_off);
      for (const Remedied* row : rows) {
        const double alone = of.cost(*row->after, row->one_off);
        CHECK_FALSE(worth_more(*row->after, 1.0101 * alone, advice.together->after, all));
      }
      ++pairs;
    }
    const auto more =
        std::find_if(advice.remedies.begin(), advice.remedies.end(),
                     [](const Remedied& row) { return row.what.name == "more_instances"; });
    const bool fed = advice.works_on == Rung::fed;
    const auto first = std::find_if(rows.begin(), rows.end(), [&](const Remedied* row) {
      return report::mostly_saves(advice, *row);
    });
    if (advice.too_early) {
      ++early;
      CHECK_FALSE(fed);
      CHECK(advice.priced);
      REQUIRE(first != rows.end());
      CHECK(advice.too_early->after.total > (*first)->after->total);
      if (more != advice.remedies.end() && more->set == advice.too_early->set) {
        CHECK(more->after->total == advice.too_early->after.total);
        CHECK(more->after->time == advice.too_early->after.time);
      }
      // The fewest of them.
      const Scenario twice = of.make(advice.too_early->set);
      CHECK(twice.cluster.instances == 2.0 * of.make({}).cluster.instances);
    } else if (!fed && advice.priced && first != rows.end() && more != advice.remedies.end() &&
               more->after &&
               more->set.front().second ==
                   fmt::format("{:g}", 2.0 * of.make({}).cluster.instances)) {
      CHECK(more->after->total <= (*first)->after->total);
    }

    const Scenario scenario = of.make({});
    const Result now = study::run(scenario, catalog(), nullptr);
    const auto resolved = resolve::resolve(scenario, catalog(), nullptr);
    const double room = resolved.inputs.caches.room;
    const bool disk =
        now.stages[Stage::disk].capacity || now.stages[Stage::disk].stall > Duration{};
    const bool batch = room * resolved.inputs.samples >= resolved.inputs.batch;
    CHECK(advice.hides_disk.has_value() == (disk && batch && room < 1.0));
    if (advice.hides_disk) {
      ++hidden;
      const Bytes data = *scenario.dataset.bytes_per_sample * samples(*scenario.dataset.samples);
      CHECK(advice.hides_disk->base() == Approx((room * data).base()));
    }
  });
  CHECK_DRAWN(pairs > 0);
  CHECK_DRAWN(early > 0);
  CHECK_DRAWN(hidden > 0);
}

}  // namespace
