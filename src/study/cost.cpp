#include "study/cost.hpp"

#include <algorithm>
#include <cmath>
#include <string>
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

BillLine storage_line(const StorageUse& use, bool named) {
  const Bytes size = billed_capacity(use.amount, use.steps);
  const Money amount = checked(size * use.price.value * use.held, use.what);
  return line_of(BillPart::storage, amount, ChargedStorage{size, use.held, use.price.value},
                 use.what, use.price, named);
}

BillLine objects_line(const ObjectsUse& use, bool named) {
  expect_of_bill(use.objects >= 0.0, use.what, words::some_objects);
  const Money amount = checked(use.objects * (use.price.value * use.held), use.what);
  return line_of(BillPart::storage, amount, ChargedObjects{use.objects, use.held, use.price.value},
                 use.what, use.price, named);
}

BillLine iops_line(const IopsUse& use, bool named) {
  const Frequency extra = std::max(use.amount - use.free, Frequency{});
  // Operations per second are a rate; times one second they are the number that is priced.
  const double units = extra * seconds(1);
  const double free = use.free * seconds(1);
  const Money amount = checked(units * (use.price.value * use.held), use.what);
  return line_of(BillPart::storage, amount, ChargedIops{units, free, use.held, use.price.value},
                 use.what, use.price, named);
}

BillLine bandwidth_line(const BandwidthUse& use, bool named) {
  const Bandwidth extra = std::max(use.amount - use.free, Bandwidth{});
  const Money amount = checked(extra * use.price.value * use.held, use.what);
  return line_of(BillPart::storage, amount,
                 ChargedBandwidth{extra, use.free, use.held, use.price.value}, use.what, use.price,
                 named);
}

BillLine request_line(const RequestUse& use, bool named) {
  expect_of_bill(use.requests >= 0.0, use.what, words::some_requests);
  const double requests = std::ceil(use.requests);
  const Money amount = checked(requests * use.price.value, use.what);
  return line_of(BillPart::requests, amount, ChargedRequests{requests, use.price.value}, use.what,
                 use.price, named);
}

BillLine transfer_line(const TransferUse& use, bool named) {
  const Money amount = checked(transfer_cost(use), use.what);
  Value<TransferPrice> first = use.tiers.front().price;
  // As sure as the last tier, which may stand in for one without a price.
  if (use.tiers.back().price.from.origin == Origin::assumed) first.from.origin = Origin::assumed;
  return line_of(BillPart::transfer, amount,
                 ChargedTransfer{use.amount, first.value, use.tiers.size() > 1}, use.what, first,
                 named);
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
  // Rounding noise of a sum of durations must not buy another second.
  constexpr double noise = 1e-9;
  const double units = least / rule.granularity;
  const double nearest = std::round(units);
  if (std::abs(units - nearest) <= noise * std::max(1.0, nearest)) {
    return nearest * rule.granularity;
  }
  return std::ceil(units) * rule.granularity;
}

Money transfer_cost(const TransferUse& use) {
  expect_of_bill(!use.tiers.empty(), use.what, words::a_price);
  expect_of_bill(use.amount >= Bytes{}, use.what, words::some_bytes);
  Money cost;
  Bytes begin;
  for (const TransferTier& tier : use.tiers) {
    const Bytes end = tier.up_to ? std::min(*tier.up_to, use.amount) : use.amount;
    if (end > begin) cost += (end - begin) * tier.price.value;
    begin = std::max(begin, end);
    if (begin >= use.amount) return cost;
  }
  words::refuse_unpriced(use.what, begin, use.amount);
}

Bill bill_of(const BillInput& input, bool named) {
  Bill bill;
  const Duration used = billed_time(input.compute.rule, input.compute.startup, input.compute.busy);
  bill.billed_time = used;
  bill.paid_in_waits = input.paid_in_waits;
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
    bill.lines.push_back(instances_line(BillPart::compute, input.compute, input.kept_warm,
                                        HeldFor::next_job, named));
  }
  if (const auto& use = input.beside) {
    bill.lines.push_back(machine_line(BillPart::compute, *use, named));
    cluster += use->instances * use->price.value;
  }
  for (const MachineUse& use : input.auxiliary) {
    bill.lines.push_back(machine_line(BillPart::auxiliary, use, named));
  }
  for (const StorageUse& use : input.storage) bill.lines.push_back(storage_line(use, named));
  for (const ObjectsUse& use : input.objects) bill.lines.push_back(objects_line(use, named));
  for (const IopsUse& use : input.iops) bill.lines.push_back(iops_line(use, named));
  for (const BandwidthUse& use : input.bandwidth) bill.lines.push_back(bandwidth_line(use, named));
  for (const RequestUse& use : input.requests) bill.lines.push_back(request_line(use, named));
  for (const TransferUse& use : input.transfer) bill.lines.push_back(transfer_line(use, named));

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
