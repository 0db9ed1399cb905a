// What is said of an interrupted job is what the bills of its courses say, each made by itself:
// over generated jobs on spot instances, with and without on-demand ones that take over, on
// machines that fail, and in booked blocks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "pipeline/simulate.hpp"
#include "reliability/interval.hpp"
#include "resolve/generated_scenario.hpp"
#include "resolve/resolve.hpp"
#include "study/billing.hpp"
#include "study/cost.hpp"
#include "study/run.hpp"
#include "tests/catch.hpp"
#include "tests/seed.hpp"

using namespace feedrate;

namespace {

using pipeline::Generator;
using reliability::Course;
using reliability::InterruptedJob;

enum class Kind { spot, fallback, failing, booked };

/// A job of some hours that meets a few interruptions.
Scenario generated(Generator& random, Kind kind) {
  schema::Document job = schema::parse_document(
      R"({"name": "t",
          "cluster": {"instance": "p3.2xlarge", "region": "us-east-1"},
          "job": {"checkpoint": {"size": "1 GB", "bandwidth": "1 GB/s"}}})",
      "t.json");
  const auto set = [&](const std::string& key, const std::string& value) {
    schema::set_value(job, key, value);
  };
  const double work = random.log_uniform(5.0, 200.0);
  if (random.chance(0.3)) set("/cluster/instance", "ml.p3.2xlarge");
  set("/cluster/price", "10 USD/h");
  if (random.chance(0.5)) {
    set("/job/duration_on_one_instance", fmt::format("{:.4g} h", work));
  } else {
    // Each restart copies it again, and pays for the requests.
    set("/dataset", R"({"samples": 5000000, "bytes_per_sample": "10 kB"})");
    set("/source", R"({"service": "s3", "input_mode": "File"})");
    set("/loader", R"({"num_workers": 4, "batch_size": 1600})");
    set("/preprocess", R"([{"operation": "decode", "cpu": "20 us"}])");
    set("/disk", R"({"kind": "ebs", "volume_type": "gp3", "size": "2 TB"})");
    set("/job/step", "1.152 s");  // 3125 of them are an hour
    set("/job/epochs", fmt::format("{:.0f}", work));
  }
  if (random.chance(0.5)) set("/job/startup", fmt::format("{:.3g} min", random.log_uniform(1, 30)));
  if (random.chance(0.5)) set("/job/checkpoint/interval", fmt::format("{:.3g} h", work / 20.0));
  set("/job/checkpoint/restart", random.chance(0.3) ? "0 s" : "9 min");
  if (random.chance(0.3)) set("/job/value_of_hour", "7 USD/h");
  const double each = random.log_uniform(0.3, 10.0);
  if (kind == Kind::spot || kind == Kind::fallback) {
    set("/cluster/purchase", "spot");
    set("/cluster/spot", R"({"on_demand_price": "30 USD/h"})");
    set("/cluster/spot/rate", fmt::format("{:.4g} /h", each / work));
    set("/cluster/spot/wait_for_capacity", random.chance(0.5) ? "0 s" : "25 min");
    if (random.chance(0.3)) set("/cluster/spot/notice", "2 min");
    if (kind == Kind::fallback) set("/cluster/spot/fallback/after_interruptions", "2");
  } else {
    set("/cluster/failures/mttf", fmt::format("{:.4g} h", work / each));
  }
  if (kind == Kind::booked) {
    set("/cluster/purchase", "capacity_block");
    set("/cluster/booked", fmt::format("{:.4g} h", work * random.uniform(0.6, 2.5)));
  }
  return schema::read_scenario(job);
}

/// The job, as its bill is made.
struct Job {
  Scenario scenario;
  resolve::Resolved resolved;
  pipeline::Outcome outcome;

  explicit Job(const Scenario& of)
      : scenario(of),
        resolved(resolve::resolve(of, testing_resolve::catalog(), nullptr)),
        outcome(pipeline::simulate(resolved.inputs)) {}

  /// Of one course, as if it were the only one.
  [[nodiscard]] Bill bill(const Course& course) const {
    pipeline::Outcome one = outcome;
    one.interrupted.counted = course;
    one.total.wall = course.wall;
    std::vector<std::string> remarks;
    return study::bill_of(study::bill_input(resolved.terms, resolved.inputs, one, remarks), false);
  }
  [[nodiscard]] const InterruptedJob& job() const { return outcome.interrupted.job; }
  [[nodiscard]] const Course& mean() const { return outcome.interrupted.mean; }
};

template <class T>
std::array<T, 2> ends(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  const double last = static_cast<double>(values.size()) - 1.0;
  return {values[static_cast<std::size_t>(0.05 * last)],
          values[static_cast<std::size_t>(0.95 * last)]};
}

void check_intervals(const Interruptions& said, const InterruptedJob& job) {
  REQUIRE(said.interval.has_value() == (job.interval > Duration{}));
  REQUIRE(said.best.has_value() == said.interval.has_value());
  const bool loses = said.interval && job.sudden > Frequency{};
  REQUIRE(said.young.has_value() == loses);
  REQUIRE(said.daly.has_value() == loses);
  if (said.interval) CHECK(*said.interval == job.interval);
  if (said.best) {
    InterruptedJob at_best = job;
    at_best.interval = *said.best;
    if (job.booked <= Duration{} && !job.fallback) {
      // The longest is taken that is as good, which writes in the background make 1 %.
      const double as_good = job.writing.background ? reliability::as_good_in_background : 1.0005;
      CHECK(reliability::expected(at_best).wall <= as_good * reliability::expected(job).wall);
    }
  }
  if (!loses) return;
  const double young = std::sqrt(2.0 * job.writing.time.base() / job.sudden.base());
  CHECK(said.young->base() == Approx(young));
  CHECK(said.daly->base() == Approx(std::max(0.0, young - job.writing.time.base())));
}

TEST_CASE("interrupted plays: bands, chances and means are those of bills made one by one") {
  Generator random(11);
  int more = 0, losing = 0, checked = 0;
  for (int i = 0; i < 36; ++i) {
    const auto kind = static_cast<Kind>(i % 4);
    const Job one(generated(random, kind));
    INFO("job " << i << ", " << one.job().work.base() / 3600.0 << " h");
    Result result;
    try {
      result = study::run(one.scenario, testing_resolve::catalog(), nullptr);
    } catch (const InputError&) {
      CHECK(kind == Kind::booked);  // no block is long enough
      continue;
    }
    // Of very many blocks the mean time and the mean number of them are too few courses' means.
    if (one.mean().blocks > 10.0) continue;
    ++checked;
    REQUIRE(result.interruptions);
    const Interruptions& said = *result.interruptions;
    const Course& mean = one.mean();
    CHECK(said.expected == mean.interruptions);
    CHECK(said.rework == mean.rework);
    CHECK(said.waits == mean.waits);
    CHECK(said.restarts == mean.restarts);
    CHECK(said.lost.base() ==
          Approx((mean.rework + mean.waits + mean.restarts).base()).margin(1e-6));
    CHECK(said.effective == Approx(one.job().work / result.times.total));
    CHECK(said.between->base() == Approx(1.0 / one.job().rate().base()));
    check_intervals(said, one.job());

    const std::vector<Course> courses = reliability::draw_courses(
        one.job(), 1, std::max(200, reliability::plays_for(mean.interruptions)));
    CHECK(said.draws == static_cast<int>(courses.size()));
    std::vector<Duration> times;
    std::vector<Money> amounts;
    for (const Course& course : courses) {
      times.push_back(course.wall);
      amounts.push_back(one.bill(course).money);
    }
    CHECK(said.time == ends(times));
    const std::array<Money, 2> money = ends(amounts);
    // But for whole seconds.
    CHECK(said.money[0].base() == Approx(money[0].base()).epsilon(1e-3).margin(0.05));
    CHECK(said.money[1].base() == Approx(money[1].base()).epsilon(1e-3).margin(0.05));

    const auto share = [&](auto&& holds) {
      double count = 0.0;
      for (std::size_t k = 0; k < courses.size(); ++k) count += holds(k) ? 1.0 : 0.0;
      return count / static_cast<double>(courses.size());
    };
    REQUIRE(said.blocks.has_value() == (kind == Kind::booked));
    REQUIRE(said.more_blocks.has_value() == said.blocks.has_value());
    if (said.blocks) {
      CHECK(*said.blocks == mean.blocks);
      // What nothing interrupts takes the fewest blocks.
      InterruptedJob quiet = one.job();
      quiet.sudden = quiet.announced = Frequency{};
      const double fewest = reliability::expected(quiet).blocks;
      CHECK(*said.more_blocks ==
            Approx(share([&](std::size_t k) { return courses[k].blocks > fewest; })));
      more += *said.more_blocks > 0.0 ? 1 : 0;
    }
    const bool spot = kind == Kind::spot || kind == Kind::fallback;
    REQUIRE(said.on_demand.has_value() == spot);
    if (!spot) continue;
    Scenario on_demand = one.scenario;
    on_demand.cluster.purchase = Purchase::on_demand;
    on_demand.cluster.price = one.scenario.cluster.spot->on_demand_price;
    const Money instead = study::run(on_demand, testing_resolve::catalog(), nullptr).bill.money;
    CHECK(said.on_demand->money.base() == Approx(instead.base()));
    CHECK(said.on_demand->saving == Approx(1.0 - result.bill.money / instead));
    CHECK(said.on_demand->loses == Approx(share([&](std::size_t k) {
                                     return amounts[k] > (1.0 + 1e-9) * instead;
                                   })).margin(0.011));
    losing += said.on_demand->loses > 0.0 ? 1 : 0;
  }
  CHECK_DRAWN(checked > 24);
  CHECK_DRAWN(more > 1);
  CHECK_DRAWN(losing > 1);
}

TEST_CASE("interrupted plays: so many interruptions that parts are played scatter like all") {
  const auto of = [](const char* instance, double hours) {
    schema::Document job = schema::parse_document(
        R"({"name": "t",
            "cluster": {"region": "us-east-1", "purchase": "spot",
                        "spot": {"rate": "20 /h", "wait_for_capacity": "30 s"}},
            "job": {"startup": "20 s",
                    "checkpoint": {"size": "1 GB", "bandwidth": "1 GB/s", "restart": "10 s"}}})",
        "t.json");
    schema::set_value(job, "/cluster/instance", instance);
    schema::set_value(job, "/cluster/price", "10 USD/h");
    schema::set_value(job, "/job/duration_on_one_instance", fmt::format("{} h", hours));
    schema::set_value(job, "/job/checkpoint/interval", "2 min");
    return study::run(schema::read_scenario(job), testing_resolve::catalog(), nullptr);
  };
  // Start-ups are billed by one service and free at the other.
  for (const char* instance : {"p3.2xlarge", "ml.p3.2xlarge"}) {
    INFO(instance);
    const Result few = of(instance, 200.0);
    const Result many = of(instance, 1800.0);
    REQUIRE(few.interruptions->expected < 1e4);
    REQUIRE(many.interruptions->expected > 1e4);
    const auto width = [](const auto& band) { return band[1] - band[0]; };
    const auto middle = [](const auto& band) { return 0.5 * (band[0] + band[1]); };
    const Interruptions& a = *few.interruptions;
    const Interruptions& b = *many.interruptions;
    // Nine times as many parts, each independent of the others.
    CHECK(width(b.time) / width(a.time) == Approx(3.0).epsilon(0.25));
    CHECK(width(b.money) / width(a.money) == Approx(3.0).epsilon(0.25));
    CHECK(middle(b.time) / many.times.total == Approx(1.0).epsilon(0.01));
    CHECK(middle(b.money) / many.bill.money == Approx(1.0).epsilon(0.01));
  }
}

TEST_CASE("interrupted plays: attempts that hardly any gets through are exponential in all parts") {
  schema::Document job = schema::parse_document(
      R"({"name": "t",
          "cluster": {"instance": "p3.2xlarge", "region": "us-east-1", "purchase": "spot",
                      "price": "10 USD/h", "spot": {"rate": "0.5 /h", "wait_for_capacity": "1 h"}},
          "job": {"startup": "6 min",
                  "checkpoint": {"size": "1 GB", "bandwidth": "1 GB/s"}}})",
      "t.json");
  schema::Document copies = job;
  schema::set_value(job, "/job/duration_on_one_instance", "20 h");
  // Each attempt copies the data again, and pays for a million requests.
  schema::set_value(copies, "/dataset", R"({"samples": 1000000, "bytes_per_sample": "1 kB"})");
  schema::set_value(copies, "/source", R"({"service": "s3", "connections": 1000})");
  schema::set_value(copies, "/loader", R"({"num_workers": 4, "batch_size": 320})");
  schema::set_value(copies, "/job/epochs", "20");
  schema::set_value(copies, "/job/step", "1.152 s");
  // Of one stretch, and of four, whose sum is Erlang's.
  for (schema::Document* const one : {&job, &copies}) {
    for (const bool four : {false, true}) {
      if (one == &job) {
        schema::set_value(*one, "/job/duration_on_one_instance", four ? "72 h" : "20 h");
      } else {
        schema::set_value(*one, "/job/epochs", four ? "71" : "20");
      }
      schema::set_value(*one, "/job/checkpoint/interval", four ? "18 h" : "1000 h");
      const Result result =
          study::run(schema::read_scenario(*one), testing_resolve::catalog(), nullptr);
      REQUIRE(result.interruptions->expected > 1e4);
      CHECK((result.bill.requests.base() > 0.01 * result.bill.money.base()) == (one == &copies));
      const double low = four ? 1.3663 / 4.0 : 0.0513;  // quantiles of Erlang's over its mean
      const double high = four ? 7.7537 / 4.0 : 2.9957;
      const Interruptions& said = *result.interruptions;
      CHECK(said.draws == 1000);
      CHECK(said.time[0] / result.times.total == Approx(low).epsilon(0.2));
      CHECK(said.time[1] / result.times.total == Approx(high).epsilon(0.1));
      // The same on every machine: the attempts of each stretch are drawn by their numbers.
      std::vector<Duration> times;
      for (std::uint64_t job_drawn = 1; job_drawn <= 1000; ++job_drawn) {
        double sum = 0.0;
        const std::uint64_t stretches = four ? 4 : 1;
        for (std::uint64_t k = 0; k < stretches; ++k) {
          sum -= std::log1p(-uniform_of(job_drawn, k, "attempts"));
        }
        times.push_back(sum / static_cast<double>(stretches) * result.times.total);
      }
      CHECK(said.time[0].base() == Approx(ends(times)[0].base()));
      CHECK(said.time[1].base() == Approx(ends(times)[1].base()));
      // Waits and requests are as many times as much as the rest, so what is paid scatters alike.
      for (const std::size_t end : {0U, 1U}) {
        CHECK(said.money[end] / result.bill.money ==
              Approx(said.time[end] / result.times.total).epsilon(1e-3));
      }
    }
  }
}

TEST_CASE("interrupted plays: failures are worth a word exactly where they take a hundredth") {
  Generator random(13);
  int said = 0;
  for (int i = 0; i < 60; ++i) {
    schema::Document job = schema::parse_document(
        R"({"name": "t", "cluster": {"instance": "p3.2xlarge", "region": "us-east-1"},
            "job": {"efficiency": 1}})",
        "t.json");
    schema::set_value(job, "/job/duration_on_one_instance",
                      fmt::format("{:.4g} h", random.log_uniform(100.0, 3e4)));
    schema::set_value(job, "/cluster/instances", fmt::format("{:g}", random.whole(2.0, 64.0)));
    if (random.chance(0.4)) {
      schema::set_value(job, "/job/checkpoint",
                        R"({"interval": "9 h", "size": "50 GB", "bandwidth": "1 GB/s"})");
    }
    const Scenario quiet = schema::read_scenario(job);
    schema::set_value(job, "/cluster/failures", "{}");
    const Result without = study::run(quiet, testing_resolve::catalog(), nullptr);
    const Result with = study::run(schema::read_scenario(job), testing_resolve::catalog(), nullptr);
    const double lost =
        (with.interruptions->rework + with.interruptions->restarts) / with.times.total;
    INFO("job " << i << " loses " << lost);
    if (std::abs(lost / 0.01 - 1.0) < 1e-3) continue;
    const bool told =
        std::any_of(without.remarks.begin(), without.remarks.end(),
                    [](const std::string& remark) { return remark.starts_with("machines fail"); });
    CHECK(told == (lost > 0.01));
    const bool no_checkpoints =
        std::any_of(with.remarks.begin(), with.remarks.end(), [](const std::string& remark) {
          return remark.find("checkpoint") != std::string::npos &&
                 remark.find("interruption") != std::string::npos;
        });
    if (with.interruptions->interval) CHECK_FALSE(no_checkpoints);
    said += told ? 1 : 0;
  }
  CHECK_DRAWN(said > 10);
  CHECK_DRAWN(said < 50);
}

}  // namespace
