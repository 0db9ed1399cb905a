#include "model/showback.hpp"

#include <array>

namespace feedrate {
namespace {

using C = const ChargedJobs&;
using Value = std::optional<double>;

template <class Q>
Value base(const std::optional<Q>& quantity) {
  return quantity ? Value(quantity->base()) : std::nullopt;
}

constexpr auto number = FigureUnit::count;
constexpr auto dollar = FigureUnit::dollars;

constexpr std::array columns = {
    ChargeColumn{"jobs", "jobs", "how many", number, [](C c) -> Value { return c.jobs; }},
    ChargeColumn{"runs_per_month", "runs", "accounting.runs_per_month, else 1", number,
                 [](C c) -> Value { return c.runs_per_month; }},
    ChargeColumn{"total_s", "time", "of one run", FigureUnit::seconds,
                 [](C c) { return base(c.run_time); }},
    ChargeColumn{"cost_usd", "a run", "the bill of one run", dollar,
                 [](C c) { return base(c.run); }},
    ChargeColumn{"usd_per_epoch", "an epoch", "cost_usd over the epochs", dollar,
                 [](C c) { return base(c.per_epoch); }},
    ChargeColumn{"usd_per_million_samples", "a million samples",
                 "cost_usd over the samples of all epochs", dollar,
                 [](C c) { return base(c.per_million_samples); }},
    ChargeColumn{"usd_per_billion_tokens", "a billion tokens", "with job.step.tokens_per_sample",
                 dollar, [](C c) { return base(c.per_billion_tokens); }},
    ChargeColumn{"prepared_usd", "prepared", "once: accounting.preparation", dollar,
                 [](C c) -> Value { return c.prepared.base(); }},
    ChargeColumn{"month_usd", "a month", "all runs, and their part of prepared_usd", dollar,
                 [](C c) -> Value { return c.month.base(); }},
    ChargeColumn{"waiting_usd", "GPUs wait", "part of month_usd that pays for GPUs that wait",
                 dollar, [](C c) -> Value { return c.waiting.base(); }},
    ChargeColumn{"least_kg_co2e", "kg CO2e from", "of a month's GPUs, at least", number,
                 [](C c) { return c.least_kg; }},
    ChargeColumn{"most_kg_co2e", "to", "at most, the rest of the machine included", number,
                 [](C c) { return c.most_kg; }},
};

}  // namespace

std::span<const ChargeColumn> charge_columns() {
  return columns;
}

}  // namespace feedrate
