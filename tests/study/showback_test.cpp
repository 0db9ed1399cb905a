// What jobs cost in a month, against sums by hand.
#include "study/showback.hpp"

#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::study;

namespace {

Result result_of(double hours_of_run, double busy, double dollars, double idle) {
  Result r;
  r.instance = "p3.2xlarge";
  r.instances = 2.0;
  r.gpus = 2.0;
  r.times.total = hours(hours_of_run);
  r.bill.money = usd(dollars);
  r.bill.idle_gpu = usd(idle);
  r.bill.billed_time = hours(hours_of_run);
  r.gpu_busy_time = hours(hours_of_run) * busy;
  r.steps = 1000.0;
  r.steps_per_epoch = 100.0;
  r.samples = 64000.0;
  return r;
}

Scenario job_of(const char* name, const char* team, std::optional<double> runs = {}) {
  Scenario s;
  s.name = name;
  if (*team != '\0') s.accounting.tags["team"] = team;
  s.accounting.runs_per_month = runs;
  s.cluster.region = "us-east-1";
  return s;
}

Catalog with_power() {
  Catalog catalog;
  Machine machine;
  machine.name = "p3.2xlarge";
  machine.cloud = "aws";
  machine.gpu_model = "V100-SXM2-16GB";
  catalog.machines.push_back(machine);
  Gpu gpu;
  gpu.name = machine.gpu_model;
  gpu.power = Value<double>::published(300.0, "");
  catalog.gpus.push_back(gpu);
  catalog.grids.push_back({"us-east-1", Value<double>::published(400.0, "")});
  return catalog;
}

}  // namespace

TEST_CASE("showback: a month is its runs, and their part of what was prepared") {
  Scenario a = job_of("a", "vision", 20.0);
  a.accounting.runs = 100.0;
  a.accounting.preparation = {{"upload", usd(30.0)},
                              {"resizing", {}, hours(2.0), usd_per_hour(10.0)}};
  Scenario b = job_of("b", "speech");
  Scenario c = job_of("c", "vision", 2.0);
  const Result ra = result_of(4.0, 0.5, 12.0, 3.0);
  const Result rb = result_of(1.0, 1.0, 100.0, 0.0);
  const Result rc = result_of(1.0, 0.9, 5.0, 0.5);
  const std::vector<RunOf> runs = {{&a, &ra, "a.json"}, {&b, &rb, "b.json"}, {&c, &rc, "c.json"}};
  const Showback made = showback(runs, with_power(), "team");

  REQUIRE(made.jobs.size() == 3);
  CHECK(made.jobs[0].prepared == usd(50.0));
  CHECK(made.jobs[0].month.base() == Approx(20.0 * (12.0 + 50.0 / 100.0)));
  CHECK(made.jobs[0].waiting.base() == Approx(60.0));
  CHECK(made.jobs[0].per_epoch->base() == Approx(1.2));
  CHECK(made.jobs[0].per_million_samples->base() == Approx(12.0 / 0.064));
  CHECK(!made.jobs[0].per_billion_tokens);
  CHECK(made.jobs[1].month.base() == Approx(100.0));

  // The dearest first, and together all.
  REQUIRE(made.groups.size() == 2);
  CHECK(made.groups[0].name == "vision");
  CHECK(made.groups[0].jobs == 2.0);
  CHECK(made.groups[0].runs_per_month == 22.0);
  CHECK(made.groups[0].month.base() == Approx(250.0 + 10.0));
  CHECK(made.groups[1].name == "speech");
  CHECK(made.all.month.base() == Approx(made.groups[0].month.base() + made.groups[1].month.base()));
  CHECK(made.all.waiting.base() == Approx(61.0));
  CHECK(made.all.prepared == usd(50.0));
  REQUIRE(made.remarks.size() == 1);
  // A month that has more runs than there are.
  a.accounting.runs = 10.0;
  CHECK(showback(runs, with_power(), "team")
            .remarks[0]
            .find("the month has 20 runs (/accounting/runs_per_month), and there are 10 in all") !=
        std::string::npos);
  CHECK(made.remarks[0] ==
        "/accounting/runs_per_month is not given in 1 of 3 jobs: each counts one run a month");
}

TEST_CASE("showback: tokens are those of the sequence") {
  Scenario s = job_of("llm", "language", 1.0);
  s.job.step.emplace();
  s.job.step->tokens_per_sample = 2000.0;
  const Result r = result_of(1.0, 1.0, 10.0, 0.0);
  const std::vector<RunOf> runs = {{&s, &r, ""}};
  const Showback made = showback(runs, {}, "team");
  // 64,000 samples of 2,000 tokens are 0.128 billion.
  CHECK(made.jobs[0].per_billion_tokens->base() == Approx(10.0 / 0.128));
  // Packed, a sample is a document: 64,000 of 500 tokens are 0.032 billion, four to a sequence.
  s.dataset.tokens_per_document = 500.0;
  CHECK(showback(runs, {}, "team").jobs[0].per_billion_tokens->base() == Approx(10.0 / 0.128));
  s.loader.packing = true;
  CHECK(showback(runs, {}, "team").jobs[0].per_billion_tokens->base() == Approx(10.0 / 0.032));
}

TEST_CASE("showback: jobs without the tag stand together, and what is unknown stays unknown") {
  Scenario a = job_of("a", "", 1.0);
  Scenario b = job_of("b", "vision", 1.0);
  b.cluster.region = "mars-1";
  a.accounting.preparation = {{"upload", usd(30.0)}};
  const Result ra = result_of(1.0, 0.5, 1.0, 0.1);
  const Result rb = result_of(1.0, 0.5, 1.0, 0.1);
  const std::vector<RunOf> runs = {{&a, &ra, ""}, {&b, &rb, ""}};
  const Showback made = showback(runs, with_power(), "team");
  REQUIRE(made.groups.size() == 2);
  CHECK(made.groups[0].name.empty());
  CHECK(made.groups[0].most_kg);
  CHECK(!made.groups[1].most_kg);
  CHECK(!made.all.most_kg);  // a sum with an unknown part
  CHECK(made.jobs[0].month == usd(1.0));
  REQUIRE(made.remarks.size() == 3);
  CHECK(made.remarks[0] ==
        "a: what was prepared is in no month: /accounting/runs says how many runs share it");
  CHECK(made.remarks[1] == "/accounting/tags has no \"team\" in 1 of 2 jobs");
}

TEST_CASE("showback: electricity is between what waiting and computing GPUs take") {
  const Scenario s = job_of("a", "vision", 1.0);
  const auto at = [&](double busy) {
    return *footprint_of(s, result_of(10.0, busy, 1.0, 0.0), with_power());
  };
  // Two GPUs of 300 W for ten hours are 6 kWh at their limit.
  const Footprint busy = at(1.0);
  CHECK(busy.most_kwh == Approx(6.0 * 1.8 * 1.3));
  CHECK(busy.least_kwh == Approx(6.0 * 0.6 * 1.1));
  CHECK(busy.grams_per_kwh == 400.0);
  CHECK(busy.grid == "us-east-1");
  const Footprint waits = at(0.0);
  CHECK(waits.most_kwh == Approx(0.3 * busy.most_kwh));
  CHECK(at(0.5).least_kwh == Approx(0.5 * (busy.least_kwh + waits.least_kwh)));
  // Kept warm for ten hours more, they wait for those.
  Result kept = result_of(10.0, 1.0, 1.0, 0.0);
  BillLine warm;
  warm.charge = ChargedInstances{2.0, hours(10.0), {}, false, true};
  kept.bill.lines.push_back(warm);
  const Footprint longer = *footprint_of(s, kept, with_power());
  CHECK(longer.most_kwh == Approx(busy.most_kwh + waits.most_kwh));
  CHECK(longer.least_kwh == Approx(busy.least_kwh + waits.least_kwh));
  // Of ten hours six are work, of which GPUs compute in half, and two are work done again.
  Result again = result_of(10.0, 0.3, 1.0, 0.0);
  again.interruptions.emplace();
  again.interruptions->effective = 0.6;
  again.interruptions->rework = hours(2.0);
  CHECK(footprint_of(s, again, with_power())->most_kwh ==
        Approx(0.4 * busy.most_kwh + 0.6 * waits.most_kwh));
  Catalog dark = with_power();
  dark.gpus[0].power.reset();
  CHECK(!footprint_of(s, result_of(1.0, 1.0, 1.0, 0.0), dark));
}

TEST_CASE("showback: a savings plan is paid hour by hour, used or not") {
  // 20 runs of 4 h at 2.50 USD/h by the plan, 5 USD/h on demand.
  Scenario a = job_of("a", "vision", 20.0);
  a.cluster.purchase = Purchase::savings_plan;
  a.cluster.savings = 0.5;
  Scenario b = job_of("b", "speech", 5.0);
  Result ra = result_of(4.0, 0.5, 12.0, 3.0);
  Result rb = ra;
  ra.bill.compute = rb.bill.compute = usd(10.0);
  ra.bill.billed_time = rb.bill.billed_time = hours(4.0);
  std::vector<RunOf> runs = {{&a, &ra, "a.json"}, {&b, &rb, "b.json"}};
  const Commitment plan = commitment_of(runs, usd(500.0), usd_per_hour(1.0));
  CHECK(plan.month.base() == Approx(730.0));
  CHECK(plan.wanted.base() == Approx(200.0));  // b is bought on demand
  CHECK(plan.used.base() == Approx(80.0));
  CHECK(plan.unused().base() == Approx(650.0));
  CHECK(plan.beyond().base() == Approx(120.0));
  CHECK(plan.on_demand.base() == Approx(240.0));
  CHECK(plan.all().base() == Approx(500.0 - 200.0 + 730.0 + 240.0));
  // One that pays for all of a job's hour pays for the job, and for the hours without it.
  const Commitment large = commitment_of(runs, usd(500.0), usd_per_hour(3.0));
  CHECK(large.used.base() == Approx(200.0));
  CHECK(large.unused().base() == Approx(3.0 * 730.0 - 200.0));
  CHECK(large.on_demand == Money{});
  // Runs that have more hours than the month cannot use more than all of it.
  a.accounting.runs_per_month = 365.0;
  const Commitment small = commitment_of(runs, usd(5000.0), usd_per_hour(0.1));
  CHECK(small.used.base() == Approx(73.0));
  CHECK(small.unused().base() == Approx(0.0).margin(1e-9));
  CHECK(small.on_demand.base() == Approx(2.0 * (3650.0 - 73.0)));
  // 365 runs of 4 h are 1,460 hours of a month of 730.
  CHECK(small.hours == hours(1460.0));
  CHECK(small.crowded());
  CHECK_FALSE(large.crowded());
  // Instances that are kept warm are covered, too.
  a.accounting.runs_per_month = 20.0;
  BillLine warm;
  warm.charge = ChargedInstances{1.0, hours(1.0), {}, false, true};
  ra.bill.lines.push_back(warm);
  CHECK(commitment_of(runs, usd(500.0), usd_per_hour(1.0)).used.base() == Approx(100.0));
}
