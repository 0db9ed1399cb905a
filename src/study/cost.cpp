#include "study/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "catalog/lookup.hpp"

namespace feedrate::study {
namespace {

void require(bool fine, std::string_view what, std::string_view problem) {
  if (!fine) throw InputError(fmt::format("the bill of {}: {}", what, problem));
}

/// The amount of money when it is a number, and not less than nothing.
Money checked(Money amount, std::string_view what) {
  require(std::isfinite(amount.base()) && amount.base() >= 0.0, what,
          "expected a finite amount of money, 0 or more");
  return amount;
}

/// "1234.5 h", so that a line can be checked by hand.
std::string hours_text(Duration time) {
  return fmt::format("{:.6g} h", time / hours(1));
}

/// As it was given, "50 GB"; of a simulated amount six digits.
std::string bytes_text(Bytes amount) {
  constexpr std::size_t most_given = 12;
  const std::string text = format_quantity(amount);
  return text.size() <= most_given ? text : fmt::format("{:.6g} GB", amount / gigabytes(1.0));
}

/// As the services' pages spell it: "0.005 USD/IOPS-month".
std::string monthly(double per_second, std::string_view unit) {
  return fmt::format("{:.6g} USD/{}-month", per_second * months(1).base(), unit);
}

/// In the unit of the page that it comes from, where it says so in few digits: "140
/// USD/TiB-month".
std::string storage_price_text(StoragePrice price) {
  constexpr std::size_t most_given = 20;
  const std::string text = format_quantity(price);
  return text.size() <= most_given ? text : monthly(price.base() * 1e9, "GB");
}

/// A line of that amount; what it says of itself where anyone reads it.
template <class Words>
BillLine line_of(BillPart part, Money amount, bool texts, Words&& words) {
  BillLine line;
  line.part = part;
  line.amount = amount;
  if (texts) words(line);
  return line;
}

BillLine machine_line(BillPart part, const MachineUse& use, bool texts) {
  const Duration billed = billed_time(use.rule, use.startup, use.busy);
  require(use.instances > 0.0, use.what, "expected more than 0 instances");
  require(use.price.value >= HourlyPrice{}, use.what, "expected a price of 0 or more");
  const Money amount = checked(use.instances * (use.price.value * billed), use.what);
  return line_of(part, amount, texts, [&](BillLine& line) {
    line.what = fmt::format("{:g} x {}", use.instances, use.what);
    line.quantity = fmt::format("{} each", hours_text(billed));
    line.price = format_quantity(use.price.value);
    line.from = use.price.from;
  });
}

BillLine unused_line(const MachineUse& use, Duration unused, bool texts) {
  const Duration time = std::max(Duration{}, unused);
  const Money amount = checked(use.instances * (use.price.value * time), use.what);
  return line_of(BillPart::compute, amount, texts, [&](BillLine& line) {
    line.what = fmt::format("{:g} x {}, booked and not used", use.instances, use.what);
    line.quantity = fmt::format("{} each", hours_text(time));
    line.price = format_quantity(use.price.value);
    line.from = use.price.from;
  });
}

BillLine storage_line(const StorageUse& use, bool texts) {
  const Bytes size = billed_capacity(use.amount, use.steps);
  const Money amount = checked(size * use.price.value * use.held, use.what);
  return line_of(BillPart::storage, amount, texts, [&](BillLine& line) {
    line.what = use.what;
    line.quantity = fmt::format("{} for {}", format_quantity(size), hours_text(use.held));
    line.price = storage_price_text(use.price.value);
    line.from = use.price.from;
  });
}

BillLine iops_line(const IopsUse& use, bool texts) {
  const Frequency extra = std::max(use.amount - use.free, Frequency{});
  // Operations per second are a rate; times one second they are the number that is priced.
  const double units = extra * seconds(1);
  const double free = use.free * seconds(1);
  const Money amount = checked(units * (use.price.value * use.held), use.what);
  return line_of(BillPart::storage, amount, texts, [&](BillLine& line) {
    line.what = use.what;
    line.quantity =
        fmt::format("{:g}{} for {}", units, free > 0.0 ? fmt::format(" above {:g}", free) : "",
                    hours_text(use.held));
    line.price = monthly(use.price.value.base(), "IOPS");
    line.from = use.price.from;
  });
}

BillLine bandwidth_line(const BandwidthUse& use, bool texts) {
  const Bandwidth extra = std::max(use.amount - use.free, Bandwidth{});
  const Money amount = checked(extra * use.price.value * use.held, use.what);
  return line_of(BillPart::storage, amount, texts, [&](BillLine& line) {
    line.what = use.what;
    line.quantity = fmt::format("{} above {} for {}", format_quantity(extra),
                                format_quantity(use.free), hours_text(use.held));
    line.price = monthly(use.price.value.base() * 1e6, "(MB/s)");
    line.from = use.price.from;
  });
}

BillLine request_line(const RequestUse& use, bool texts) {
  require(use.requests >= 0.0, use.what, "expected 0 requests or more");
  const Money amount = checked(std::ceil(use.requests) * use.price.value, use.what);
  return line_of(BillPart::requests, amount, texts, [&](BillLine& line) {
    line.what = use.what;
    line.quantity = fmt::format("{:.0f} requests", std::ceil(use.requests));
    line.price = fmt::format("{:.6g} USD per 1,000 requests", 1000.0 * use.price.value.base());
    line.from = use.price.from;
  });
}

BillLine transfer_line(const TransferUse& use, bool texts) {
  const Money amount = checked(transfer_cost(use), use.what);
  return line_of(BillPart::transfer, amount, texts, [&](BillLine& line) {
    const Value<TransferPrice>& first = use.tiers.front().price;
    line.what = use.what;
    line.quantity = bytes_text(use.amount);
    line.price = (use.tiers.size() > 1 ? "from " : "") + format_quantity(first.value);
    line.from = first.from;
  });
}

/// What of the GPUs' waiting is paid for. The job's start-up is not where the rule leaves it off
/// the bill; and all of it together is never more than `billed`, which rounding can make less than
/// the waiting by a hair.
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
  require(startup >= Duration{} && busy >= Duration{}, rule.service, "expected times of 0 or more");
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
  require(!use.tiers.empty(), use.what, "expected a price");
  require(use.amount >= Bytes{}, use.what, "expected 0 bytes or more");
  Money cost;
  Bytes begin;
  for (const TransferTier& tier : use.tiers) {
    const Bytes end = tier.up_to ? std::min(*tier.up_to, use.amount) : use.amount;
    if (end > begin) cost += (end - begin) * tier.price.value;
    begin = std::max(begin, end);
    if (begin >= use.amount) return cost;
  }
  require(false, use.what,
          fmt::format("no price is known above {}, and {} are moved", format_quantity(begin),
                      format_quantity(use.amount)));
  return cost;
}

Bill bill_of(const BillInput& input, bool texts) {
  Bill bill;
  const Duration used = billed_time(input.compute.rule, input.compute.startup, input.compute.busy);
  bill.billed_time = used;
  Duration held = used;
  HourlyPrice cluster = input.compute.instances * input.compute.price.value;
  bill.lines.push_back(machine_line(BillPart::compute, input.compute, texts));
  if (input.booked > Duration{}) {
    bill.billed_time = std::max(used, input.blocks * input.booked);
    bill.lines.push_back(unused_line(input.compute, bill.billed_time - used, texts));
    bill.unused = bill.lines.back().amount;
  }
  if (const auto& use = input.fallback; use && use->startup + use->busy > Duration{}) {
    const Duration more = billed_time(use->rule, use->startup, use->busy);
    bill.billed_time += more;
    bill.lines.push_back(machine_line(BillPart::compute, *use, texts));
    // What waits on which of the leases is not told apart: each hour of both at what it costs in
    // the mean.
    const Money both = cluster * held + bill.lines.back().amount;
    held += more;
    if (held > Duration{}) cluster = both / held;
  }
  for (const MachineUse& use : input.auxiliary) {
    bill.lines.push_back(machine_line(BillPart::auxiliary, use, texts));
  }
  for (const StorageUse& use : input.storage) bill.lines.push_back(storage_line(use, texts));
  for (const IopsUse& use : input.iops) bill.lines.push_back(iops_line(use, texts));
  for (const BandwidthUse& use : input.bandwidth) bill.lines.push_back(bandwidth_line(use, texts));
  for (const RequestUse& use : input.requests) bill.lines.push_back(request_line(use, texts));
  for (const TransferUse& use : input.transfer) bill.lines.push_back(transfer_line(use, texts));

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
  return bill;
}

}  // namespace feedrate::study
