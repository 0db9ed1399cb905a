// The bill of any use: each line is what its price says, the parts are their lines, and what idle
// GPUs cost is the cluster's price for as long as they wait, start-ups that nobody bills left out.
#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "catch.hpp"
#include "pipeline/generated.hpp"
#include "seed.hpp"
#include "study/cost.hpp"

using namespace feedrate;

namespace {

using pipeline::Generator;

template <class Price>
Value<Price> at(Price price) {
  return Value<Price>::published(price, "test, 2026");
}

BillingRule rule(Generator& random) {
  return {"ec2",
          seconds(random.chance(0.3) ? 0.0 : random.whole(1.0, 3600.0)),
          seconds(random.chance(0.5) ? 0.0 : random.whole(1.0, 7200.0)),
          random.chance(0.5),
          {}};
}

MachineUse machine(Generator& random) {
  return {"machine",
          random.whole(1.0, 9.0),
          seconds(random.chance(0.3) ? 0.0 : random.uniform(1.0, 2000.0)),
          seconds(random.uniform(0.0, 20000.0)),
          at(usd(random.uniform(0.0, 40.0)) / hours(1.0)),
          rule(random)};
}

BillInput drawn(Generator& random) {
  BillInput input;
  input.compute = machine(random);
  if (random.chance(0.4)) input.fallback = machine(random);
  if (!input.fallback && random.chance(0.4)) {
    input.booked = hours(random.uniform(0.1, 9.0));
    input.blocks = random.uniform(1.0, 3.0);
  } else if (random.chance(0.5)) {
    input.kept_warm = seconds(random.log_uniform(1.0, 20000.0));
  }
  for (double k = random.whole(0.0, 2.0); k > 0.0; k -= 1.0)
    input.auxiliary.push_back(machine(random));
  for (double k = random.whole(0.0, 2.0); k > 0.0; k -= 1.0) {
    const CapacitySteps steps{tebibytes(1.2), tebibytes(2.4), tebibytes(2.4)};
    input.storage.push_back({"disk",
                             tebibytes(random.uniform(0.1, 9.0)),
                             {{{}, at(usd(100.0) / tebibytes(1.0) / months(1.0))}},
                             hours(random.uniform(0.0, 900.0)),
                             {},
                             random.chance(0.5) ? steps : CapacitySteps{}});
    input.objects.push_back({"objects",
                             random.uniform(0.0, 1e7),
                             {{{}, at(usd(2.5e-6) / months(1.0))}},
                             hours(random.uniform(0.0, 900.0))});
    input.iops.push_back({"IOPS",
                          per_second(random.whole(0.0, 9000.0)),
                          {{{}, at(usd(0.005) / months(1.0))}},
                          hours(random.uniform(0.0, 900.0)),
                          per_second(3000.0)});
    input.bandwidth.push_back({"rate",
                               bytes_per_second(random.uniform(0.0, 3e8)),
                               {{{}, at(usd(0.04) / bytes_per_second(1e6) / months(1.0))}},
                               hours(random.uniform(0.0, 900.0)),
                               bytes_per_second(1.25e8)});
    input.requests.push_back({"GET", random.uniform(0.0, 1e6), {{{}, at(usd(4e-7))}}});
    const auto price = [](double dollars) { return at(usd(dollars) / gigabytes(1.0)); };
    input.transfer.push_back({"out",
                              gigabytes(random.log_uniform(1.0, 1e5)),
                              {{gigabytes(1e4), price(0.09)}, {std::nullopt, price(0.05)}}});
  }
  Duration waits;
  for (const Stage stage : all_stages()) {
    if (!random.chance(0.5)) continue;
    input.stall[stage] = seconds(random.uniform(0.0, 4000.0));
    waits += input.stall[stage];
  }
  input.job = input.compute.startup + input.compute.busy;
  if (random.chance(0.5)) input.value_of_hour = usd(random.uniform(1.0, 50.0)) / hours(1.0);
  return input;
}

Duration billed(const MachineUse& use) {
  const double used = use.busy.base() + (use.rule.startup_billed ? use.startup.base() : 0.0);
  const double least = std::max(used, use.rule.minimum.base());
  const double step = use.rule.granularity.base();
  return seconds(step > 0.0 ? std::ceil(least / step - 1e-9) * step : least);
}

Money cost(const MachineUse& use) {
  return use.instances * (use.price.value * billed(use));
}

TEST_CASE("billed: lines are amounts times prices, and parts and totals are sums of them") {
  Generator random(151);
  int booked = 0, in_vain = 0, taken_over = 0, within_least = 0;
  for (int i = 0; i < 1000; ++i) {
    const BillInput input = drawn(random);
    const Bill bill = study::bill_of(input, random.chance(0.5));
    const Duration used = billed(input.compute);
    CHECK(
        study::billed_time(input.compute.rule, input.compute.startup, input.compute.busy).base() ==
        Approx(used.base()));
    Money compute = cost(input.compute);
    Duration held = used;
    if (input.booked > Duration{}) {
      ++booked;
      held = std::max(used, input.blocks * input.booked);
      const Money unused = input.compute.instances * (input.compute.price.value * (held - used));
      CHECK(bill.unused.base() == Approx(unused.base()).margin(1e-9));
      in_vain += unused > Money{} ? 1 : 0;
      compute += unused;
    } else {
      CHECK(bill.unused == Money{});
    }
    if (const auto& other = input.fallback; other && other->startup + other->busy > Duration{}) {
      ++taken_over;
      held += billed(*other);
      compute += cost(*other);
    }
    if (input.kept_warm > Duration{}) {
      // As one that is busy for longer: the least that is billed is billed once.
      MachineUse longer = input.compute;
      longer.busy += input.kept_warm;
      compute += cost(longer) - cost(input.compute);
      within_least += cost(longer) == cost(input.compute) ? 1 : 0;
    }
    CHECK(bill.billed_time.base() == Approx(held.base()));
    CHECK(bill.compute.base() == Approx(compute.base()).margin(1e-9));
    Money auxiliary, storage, requests, transfer;
    for (const MachineUse& use : input.auxiliary) auxiliary += cost(use);
    const auto in_months = [](Duration time) { return time / months(1.0); };
    for (const StorageUse& use : input.storage) {
      double size = use.amount / tebibytes(1.0);
      if (use.steps.step > Bytes{}) size = size <= 1.2 ? 1.2 : std::ceil(size / 2.4 - 1e-9) * 2.4;
      storage += usd(100.0 * size * in_months(use.held));
    }
    for (const ObjectsUse& use : input.objects) {
      storage += usd(2.5e-6 * use.amount * in_months(use.held));
    }
    for (const IopsUse& use : input.iops) {
      storage += usd(0.005 * std::max(0.0, use.amount.base() - 3000.0) * in_months(use.held));
    }
    for (const BandwidthUse& use : input.bandwidth) {
      storage += usd(0.04 * std::max(0.0, use.amount.base() / 1e6 - 125.0) * in_months(use.held));
    }
    for (const RequestUse& use : input.requests) requests += usd(4e-7 * std::ceil(use.amount));
    for (const TransferUse& use : input.transfer) {
      const double gb = use.amount / gigabytes(1.0);
      transfer += usd(0.09 * std::min(gb, 1e4) + 0.05 * std::max(0.0, gb - 1e4));
    }
    CHECK(bill.auxiliary.base() == Approx(auxiliary.base()).margin(1e-9));
    CHECK(bill.storage.base() == Approx(storage.base()).margin(1e-9));
    CHECK(bill.requests.base() == Approx(requests.base()).margin(1e-12));
    CHECK(bill.transfer.base() == Approx(transfer.base()).margin(1e-9));
    CHECK(bill.money.base() ==
          Approx((compute + auxiliary + storage + requests + transfer).base()).margin(1e-9));
    CHECK(bill.hour_value.base() == Approx((input.job * input.value_of_hour).base()).margin(1e-12));
    CHECK(bill.total.base() == Approx((bill.money + bill.hour_value).base()));
    Money lines;
    for (const BillLine& line : bill.lines) lines += line.amount;
    CHECK(lines.base() == Approx(bill.money.base()).margin(1e-9));
  }
  CHECK_DRAWN(booked > 100);
  CHECK_DRAWN(in_vain > 50);
  CHECK_DRAWN(taken_over > 100);
  CHECK_DRAWN(within_least > 10);
}

TEST_CASE("billed: waiting costs the cluster's price, and never more than what is held") {
  Generator random(152);
  int all_of_it = 0, free_starts = 0;
  for (int i = 0; i < 1000; ++i) {
    const BillInput input = drawn(random);
    const Bill bill = study::bill_of(input);
    // What is held, but for booked time that nobody uses; each hour of two leases at their mean.
    double held = billed(input.compute).base();
    Money paid = cost(input.compute);
    if (input.fallback) {
      held += billed(*input.fallback).base();
      paid += cost(*input.fallback);
    }
    PerStage<Duration> waits = input.stall;
    if (!input.compute.rule.startup_billed) {
      Duration starts = input.compute.startup;
      if (input.fallback) starts += input.fallback->startup;
      waits[Stage::startup] = std::max(Duration{}, waits[Stage::startup] - starts);
      ++free_starts;
    }
    double sum = 0.0;
    for (const Stage stage : all_stages()) sum += waits[stage].base();
    const double part = sum > held ? held / sum : 1.0;
    all_of_it += sum > held ? 1 : 0;
    const double second = held > 0.0 ? paid.base() / held : 0.0;
    Money idle;
    for (const Stage stage : all_stages()) {
      CHECK(bill.idle_gpu_by_stage[stage].base() ==
            Approx(waits[stage].base() * part * second).margin(1e-9));
      idle += bill.idle_gpu_by_stage[stage];
    }
    CHECK(bill.idle_gpu.base() == Approx(idle.base()).margin(1e-9));
    CHECK(bill.idle_gpu.base() <= bill.compute.base() * (1.0 + 1e-9));
  }
  CHECK_DRAWN(all_of_it > 50);
  CHECK_DRAWN(free_starts > 100);
}

}  // namespace
