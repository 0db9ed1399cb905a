#include "model/showback.hpp"

#include <array>

namespace feedrate {
namespace {

using C = const ChargedJobs&;
using Value = std::optional<double>;
using enum ChargeTable;

template <class Q>
Value base(const std::optional<Q>& quantity) {
  return quantity ? Value(quantity->base()) : std::nullopt;
}

constexpr auto number = FigureUnit::count;
constexpr auto dollar = FigureUnit::dollars;

std::array<ChargeColumn, 12> columns() {
  using F = FigureId;
  return {{
      {"jobs", "jobs", "how many", month, number, [](C c) -> Value { return c.jobs; }},
      {"runs_per_month", "runs", "accounting.runs_per_month, else 1", both, number,
       [](C c) -> Value { return c.runs_per_month; }},
      {name_of(F::total_time), "time", "of one run", job, FigureUnit::seconds,
       [](C c) { return base(c.run_time); }},
      {name_of(F::money), "a run", "the bill of one run", job, dollar,
       [](C c) { return base(c.run); }},
      {name_of(F::cost_per_epoch), "an epoch", "the run's bill over its epochs", unit, dollar,
       [](C c) { return base(c.per_epoch); }},
      {name_of(F::cost_per_million_samples), "a million samples",
       "the run's bill over the samples of all epochs", unit, dollar,
       [](C c) { return base(c.per_million_samples); }},
      {"billion_tokens_usd", "a billion tokens", "with job.step.tokens_per_sample", unit, dollar,
       [](C c) { return base(c.per_billion_tokens); }},
      {"prepared_usd", "prepared", "once: accounting.preparation", unit, dollar,
       [](C c) -> Value { return c.prepared.base(); }},
      {"month_in_all_usd", "a month", "all runs, and their part of prepared_usd", both, dollar,
       [](C c) -> Value { return c.month.base(); }},
      {"idle_usd", "GPUs idle",
       "part of month_in_all_usd: for GPUs that wait, are booked and not used, or kept warm", both,
       dollar, [](C c) -> Value { return c.waiting.base(); }, true},
      {"least_kg_co2e", "kg CO2e from", "of a month's GPUs, at least", month, number,
       [](C c) { return c.least_kg; }},
      {"most_kg_co2e", "to", "at most, the rest of the machine included", month, number,
       [](C c) { return c.most_kg; }},
  }};
}

}  // namespace

std::span<const ChargeColumn> charge_columns() {
  static const std::array<ChargeColumn, 12> all = columns();
  return all;
}

}  // namespace feedrate
