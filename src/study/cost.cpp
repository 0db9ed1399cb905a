#include "study/cost.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include "catalog/lookup.hpp"
#include "words/bill.hpp"

namespace feedrate::study {
namespace {

using words::expect_of_bill;

/// The amount. InputError where it is not a number or is below 0.
Money checked(Money amount, std::string_view what) {
  expect_of_bill(std::isfinite(amount.base()) && amount.base() >= 0.0, what, words::finite_money);
  return amount;
}

/// A line of that amount, with what it is of and its price's origin where anyone reads them.
template <class Q>
BillLine line_of(BillPart part, Money amount, Charge charge, const std::string& of,
                 const Value<Q>& price, bool named) {
  BillLine line;
  line.part = part;
  line.amount = amount;
  line.charge = std::move(charge);
  if (!named) return line;
  line.of = of;
  line.from = price.from;
  return line;
}

enum class HeldFor { job, nobody, next_job };

/// Instances for a time, at their price.
BillLine instances_line(BillPart part, const MachineUse& use, Duration each, HeldFor whom,
                        bool named) {
  const ChargedInstances charge{use.instances, each, use.price.value, whom == HeldFor::nobody,
                                whom == HeldFor::next_job};
  const Money amount = checked(use.instances * (use.price.value * each), use.what);
  return line_of(part, amount, charge, use.what, use.price, named);
}

BillLine machine_line(BillPart part, const MachineUse& use, bool named) {
  const Duration billed = billed_time(use.rule, use.startup, use.busy);
  expect_of_bill(use.instances > 0.0, use.what, words::some_instances);
  expect_of_bill(use.price.value >= HourlyPrice{}, use.what, words::some_price);
  return instances_line(part, use, billed, HeldFor::job, named);
}

/// The next whole number; rounding noise of a sum must not buy another unit.
double whole_units(double units) {
  constexpr double noise = 1e-9;
  const double nearest = std::round(units);
  return std::abs(units - nearest) <= noise * std::max(1.0, nearest) ? nearest : std::ceil(units);
}

/// As it is sold: storage in its steps, requests whole.
template <class Amount, class Price>
Amount as_sold(const Use<Amount, Price>& use) {
  if constexpr (std::is_same_v<Use<Amount, Price>, StorageUse>) {
    return billed_capacity(use.amount, use.steps);
  } else if constexpr (std::is_same_v<Use<Amount, Price>, RequestUse>) {
    return whole_units(use.amount);
  } else {
    return use.amount;
  }
}

template <class Amount, class Price>
CostByTiers<Amount, Price> cost_of(const Use<Amount, Price>& use, Amount sold) {
  expect_of_bill(use.amount >= Amount{}, use.what, words::some_amount);
  const auto cost = through_tiers(use.tiers, sold, use.free);
  if constexpr (std::is_same_v<Amount, Bytes>) {
    if (!cost && !use.tiers.empty()) {
      words::refuse_unpriced(use.what, *use.tiers.back().up_to, sold);
    }
  }
  expect_of_bill(cost.has_value(), use.what, words::a_price);
  return *cost;
}

Money for_time(Money all, Duration) {
  return all;
}
Money for_time(HourlyPrice price, Duration held) {
  return price * held;
}
/// Operations per second are a rate; times one second they are the number that is priced.
Money for_time(decltype(Frequency{} * HourlyPrice{}) price, Duration held) {
  return price * seconds(1) * held;
}

/// Of a price through whose tiers `sold` goes: their sources, each once, as old as the oldest of
/// them, and as sure as the least sure, which may stand in for one without a price.
template <class Amount, class Price>
Provenance origin_of(const Tiers<Amount, Price>& tiers, Amount sold, bool assumed) {
  Provenance from = tiers.front().price.from;
  if (assumed) from.origin = Origin::assumed;
  for (std::size_t i = 1; i < tiers.size() && *tiers[i - 1].up_to < sold; ++i) {
    const Provenance& next = tiers[i].price.from;
    if (from.source.find(next.source) == std::string::npos) from.source += "; " + next.source;
    if (!next.date.empty() && next.date < from.date) from.date = next.date;
  }
  return from;
}

template <class Amount, class Price>
BillLine line_of(BillPart part, const Use<Amount, Price>& use, bool named) {
  const Amount sold = as_sold(use);
  const auto cost = cost_of(use, sold);
  const Charged<Amount, Price> charge{std::max(sold - use.free, Amount{}), cost.price, use.held,
                                      use.free, cost.several};
  BillLine line = line_of(part, checked(for_time(cost.cost, use.held), use.what), charge, use.what,
                          use.tiers.front().price, named);
  if (named && use.tiers.size() > 1) line.from = origin_of(use.tiers, sold, cost.assumed);
  return line;
}

/// The part of the GPUs' waiting that is billed: without the job's start-up where the rule leaves
/// it off the bill, and at most `billed`, which rounding can make slightly less than the waiting.
PerStage<Duration> paid_waiting(const BillInput& input, Duration billed) {
  PerStage<Duration> paid = input.stall;
  if (!input.compute.rule.startup_billed) {
    Duration& startup = paid[Stage::startup];
    const Duration of_others = input.fallback ? input.fallback->startup : Duration{};
    startup -= std::min(startup, input.compute.startup + of_others);
  }
  Duration sum;
  for (const Stage stage : all_stages()) sum += paid[stage];
  if (sum > billed) {
    for (const Stage stage : all_stages()) paid[stage] *= billed / sum;
  }
  return paid;
}

Money sum_of(const Bill& bill, BillPart part) {
  Money sum;
  for (const BillLine& line : bill.lines) {
    if (line.part == part) sum += line.amount;
  }
  return sum;
}

}  // namespace

Duration billed_time(const BillingRule& rule, Duration startup, Duration busy) {
  expect_of_bill(startup >= Duration{} && busy >= Duration{}, rule.service, words::some_time);
  const Duration used = rule.startup_billed ? startup + busy : busy;
  const Duration least = std::max(used, rule.minimum);
  if (rule.granularity <= Duration{}) return least;
  return whole_units(least / rule.granularity) * rule.granularity;
}

Money transfer_cost(const TransferUse& use) {
  return cost_of(use, use.amount).cost;
}

Bill bill_of(const BillInput& input, bool named) {
  Bill bill;
  const Duration used = billed_time(input.compute.rule, input.compute.startup, input.compute.busy);
  bill.billed_time = used;
  bill.paid_in_waits = input.paid_in_waits;
  bill.unpriced = input.unpriced;
  Duration held = used;
  HourlyPrice cluster = input.compute.instances * input.compute.price.value;
  bill.lines.push_back(machine_line(BillPart::compute, input.compute, named));
  if (input.booked > Duration{}) {
    bill.billed_time = std::max(used, input.blocks * input.booked);
    const Duration unused = std::max(Duration{}, bill.billed_time - used);
    bill.lines.push_back(
        instances_line(BillPart::compute, input.compute, unused, HeldFor::nobody, named));
    bill.unused = bill.lines.back().amount;
  }
  if (const auto& use = input.fallback; use && use->startup + use->busy > Duration{}) {
    const Duration more = billed_time(use->rule, use->startup, use->busy);
    bill.billed_time += more;
    bill.lines.push_back(machine_line(BillPart::compute, *use, named));
    // The simulation does not tell on which lease the GPUs waited: an hour costs the mean of both.
    const Money both = cluster * held + bill.lines.back().amount;
    held += more;
    if (held > Duration{}) cluster = both / held;
  }
  if (input.kept_warm > Duration{}) {
    // What the job's own hours leave of the least that is billed, and of their last unit, is paid.
    const Duration both = billed_time(input.compute.rule, input.compute.startup,
                                      input.compute.busy + input.kept_warm);
    bill.lines.push_back(
        instances_line(BillPart::compute, input.compute, both - used, HeldFor::next_job, named));
  }
  if (const auto& use = input.beside) {
    bill.lines.push_back(machine_line(BillPart::compute, *use, named));
    cluster += use->instances * use->price.value;
  }
  for (const MachineUse& use : input.auxiliary) {
    bill.lines.push_back(machine_line(BillPart::auxiliary, use, named));
  }
  const auto add = [&](BillPart part, const auto& uses) {
    for (const auto& use : uses) bill.lines.push_back(line_of(part, use, named));
  };
  add(BillPart::storage, input.storage);
  add(BillPart::storage, input.objects);
  add(BillPart::storage, input.iops);
  add(BillPart::storage, input.bandwidth);
  add(BillPart::requests, input.requests);
  add(BillPart::transfer, input.transfer);

  bill.compute = sum_of(bill, BillPart::compute);
  bill.auxiliary = sum_of(bill, BillPart::auxiliary);
  bill.storage = sum_of(bill, BillPart::storage);
  bill.requests = sum_of(bill, BillPart::requests);
  bill.transfer = sum_of(bill, BillPart::transfer);
  bill.money = bill.compute + bill.auxiliary + bill.storage + bill.requests + bill.transfer;
  bill.hour_value = checked(input.job * input.value_of_hour, "the job's hours");
  bill.total = bill.money + bill.hour_value;

  // All GPUs of the cluster wait together, and a waiting instance costs what a busy one does.
  const PerStage<Duration> waiting = paid_waiting(input, held);
  for (const Stage stage : all_stages()) {
    bill.idle_gpu_by_stage[stage] = cluster * waiting[stage];
    bill.idle_gpu += bill.idle_gpu_by_stage[stage];
  }
  if (const auto& use = input.beside) {
    // Their wait for spot instances, as far as those are not paid in it.
    const Duration of_others = input.fallback ? input.fallback->busy : Duration{};
    const Duration waits = std::max(Duration{}, use->busy - input.compute.busy - of_others);
    const Money paid = use->instances * (use->price.value * waits);
    bill.idle_gpu_by_stage[Stage::interruption] += paid;
    bill.idle_gpu += paid;
  }
  return bill;
}

}  // namespace feedrate::study
