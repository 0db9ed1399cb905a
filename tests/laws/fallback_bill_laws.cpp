// Laws of the bill of spot jobs that on-demand instances take over, over generated ones: with and
// without start-ups, failures, waits and checkpoints, where start-ups are billed and where not.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

#include "base/errors.hpp"
#include "catalog/lookup.hpp"
#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "pipeline/simulate.hpp"
#include "resolve/resolve.hpp"
#include "schema/catalog/catalog_parts.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/scenario/scenario.hpp"
#include "seed.hpp"
#include "study/billing.hpp"
#include "study/cost.hpp"
#include "study/run.hpp"

using namespace feedrate;

namespace {

constexpr double spot_price = 10.0;
constexpr double on_demand_price = 30.0;

const Catalog& catalog() {
  static const Catalog whole = schema::read_whole_catalog(FEEDRATE_SOURCE_DIR "/pricing");
  return whole;
}

/// A job of some hours that meets a few interruptions, and falls back after some of them.
schema::Document generated(pipeline::Generator& random, bool sagemaker) {
  schema::Document job = schema::parse_document(
      R"({"name": "t",
          "cluster": {"instance": "p3.2xlarge", "region": "us-east-1", "purchase": "spot",
                      "spot": {"on_demand_price": "30 USD/h", "wait_for_capacity": "0 s"}},
          "job": {"checkpoint": {"size": "1 GB", "bandwidth": "1 GB/s"}}})",
      "t.json");
  const auto set = [&](const std::string& key, const std::string& value) {
    schema::set_value(job, key, value);
  };
  const double work = random.log_uniform(2.0, 200.0);
  if (sagemaker) set("/cluster/instance", "ml.p3.2xlarge");
  set("/cluster/price", "10 USD/h");
  set("/job/duration_on_one_instance", fmt::format("{:.4g} h", work));
  set("/cluster/spot/rate", fmt::format("{:.4g} /h", random.log_uniform(0.3, 20.0) / work));
  set("/job/checkpoint/interval", fmt::format("{:.4g} h", work / random.log_uniform(2.0, 50.0)));
  set("/job/checkpoint/restart", random.chance(0.5) ? "0 s" : "5 min");
  if (random.chance(0.5)) set("/cluster/spot/wait_for_capacity", "30 min");
  if (random.chance(0.5)) {
    set("/cluster/failures/mttf", fmt::format("{:.4g} h", work / random.uniform(0.2, 5.0)));
  }
  const bool after_wait = random.chance(0.3);
  set("/cluster/spot/fallback/after_" + std::string(after_wait ? "wait" : "interruptions"),
      after_wait ? "20 min" : fmt::format("{:g}", random.whole(1.0, 4.0)));
  return job;
}

Scenario with_startup(const schema::Document& job, Duration startup) {
  Scenario scenario = schema::read_scenario(job);
  if (startup > Duration{}) scenario.job.startup = startup;
  return scenario;
}

Money sum_of_lines(const Bill& bill) {
  Money sum;
  for (const BillLine& line : bill.lines) sum += line.amount;
  return sum;
}

Duration drawn_startup(pipeline::Generator& random) {
  return minutes(random.log_uniform(0.05, 20.0));
}

}  // namespace

TEST_CASE("fallback bill: any start-up can be billed, lines add up, and none makes a job cheaper") {
  pipeline::Generator random(1501);
  int billed = 0;
  for (int i = 0; i < 40; ++i) {
    const bool sagemaker = random.chance(0.5);
    const schema::Document job = generated(random, sagemaker);
    const Duration startup = drawn_startup(random);
    double time = 0.0;
    double error = 0.0;
    double money = 0.0;
    double money_error = 0.0;
    for (const double times : {0.0, 1.0, 4.0}) {
      INFO("job " << i << ", start-up " << (times * startup).base() << " s");
      std::optional<Result> ran;
      try {
        ran = study::run(with_startup(job, times * startup), catalog(), nullptr,
                         {.list_inputs = false});
      } catch (const InputError& refused) {
        INFO(refused.what());
        REQUIRE(std::string(refused.what()).find("would in effect never end") != std::string::npos);
        break;
      }
      const Result& result = *ran;
      const Bill& bill = result.bill;
      CHECK(sum_of_lines(bill).base() == Approx(bill.money.base()).epsilon(1e-9));
      REQUIRE(result.interruptions);
      CHECK(result.interruptions->money[0] <= result.interruptions->money[1]);
      CHECK(result.interruptions->money[0] >= Money{});
      // Both are means of played courses: of other ones where start-ups take other times. Few are
      // played of a job that is interrupted thousands of times, and they lie far apart.
      const auto error_of = [&](const auto& middle) {
        constexpr double between_ends = 3.29;  // deviations of a normal's middle 90 %
        return (middle[1] - middle[0]).base() / between_ends /
               std::sqrt(std::max(1, result.interruptions->draws));
      };
      const double now = error_of(result.interruptions->time);
      CHECK(result.times.total.base() >= 0.97 * time - 3.0 * std::hypot(error, now));
      time = result.times.total.base();
      error = now;
      // Where start-ups are free, one that is interrupted spares the work that would be.
      if (sagemaker) continue;
      const double astray = error_of(result.interruptions->money);
      CHECK(bill.money.base() >= 0.95 * money - 3.0 * std::hypot(money_error, astray));
      money = bill.money.base();
      money_error = astray;
      ++billed;
    }
  }
  CHECK_DRAWN(billed > 40);
}

TEST_CASE("fallback bill: each lease is paid for what it is held, less start-ups that are free") {
  pipeline::Generator random(1502);
  int taken_over = 0;
  int free_there = 0;
  for (int i = 0; i < 100; ++i) {
    const bool sagemaker = random.chance(0.5);
    const schema::Document job = generated(random, sagemaker);
    const Duration startup = random.chance(0.2) ? Duration{} : drawn_startup(random);
    const resolve::Resolved resolved = resolve::resolve(with_startup(job, startup), catalog());
    for (std::uint64_t course = 0; course < 10; ++course) {
      INFO("job " << i << ", course " << course);
      pipeline::SimulationOptions options;
      options.course = course;
      const pipeline::Outcome outcome = pipeline::simulate(resolved.inputs, options);
      std::vector<std::string> remarks;
      const BillInput input = study::bill_input(resolved.terms, resolved.inputs, outcome, remarks);
      const Bill bill = study::bill_of(input);
      const reliability::Course& of = outcome.interrupted.counted;
      CHECK(of.startups_on_demand <= of.startups);
      CHECK(of.startups_on_demand <= of.on_demand);
      CHECK((startup > Duration{} || of.startups == Duration{}));
      const double on_demand =
          (of.on_demand - (sagemaker ? of.startups_on_demand : Duration{})) / hours(1.0);
      const double paid =
          (of.wall - of.waits - (sagemaker ? of.startups : Duration{})) / hours(1.0);
      // To the second that either is rounded to, and the minute that a lease costs at least.
      const double margin = 61.0 / 3600.0 * (spot_price + on_demand_price);
      CHECK(bill.compute.base() ==
            Approx(on_demand_price * on_demand + spot_price * (paid - on_demand)).margin(margin));
      CHECK(bill.billed_time / hours(1.0) == Approx(paid).margin(122.0 / 3600.0));
      taken_over += of.on_demand > Duration{} ? 1 : 0;
      free_there += sagemaker && of.startups_on_demand > Duration{} ? 1 : 0;

      // GPUs that wait half of the time that is paid waste half of the money, on whichever lease.
      double waiting = 0.0;
      for (const Stage stage : all_stages()) waiting += input.stall[stage] / hours(1.0);
      if (sagemaker) waiting -= of.startups / hours(1.0);
      CHECK(bill.idle_gpu.base() <= bill.compute.base() * (1.0 + 1e-12));
      CHECK(bill.idle_gpu.base() ==
            Approx(bill.compute.base() * waiting / paid).epsilon(0.001).margin(margin));
    }
  }
  CHECK_DRAWN(taken_over > 300);
  CHECK_DRAWN(free_there > 50);
}
