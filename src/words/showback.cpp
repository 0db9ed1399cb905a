#include "words/showback.hpp"

#include <fmt/format.h>

#include <array>

#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "words/interruptions.hpp"

namespace feedrate::words {
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

std::string remark_of(std::string_view job, std::string_view remark) {
  return fmt::format("{}: {}", job, remark);
}

std::string storage_paid_again(double runs, Duration held, double months) {
  return fmt::format(
      "/source/storage_held: {} runs a month, of which each pays for {} h, pay for {} months of "
      "storage in a month: what is the same for all of them is {}; /job/jobs says how many runs "
      "share it",
      three_digits(runs), three_digits(held / hours(1.0)), three_digits(months), paid_again);
}

std::string held_too_short(Duration held, Duration read, double jobs) {
  return fmt::format(
      "/source/storage_held: the {} the data for {}, and its storage is paid for {}: the bill "
      "lacks the rest",
      jobs > 1.0 ? fmt::format("{:g} jobs, one after the other, read", jobs) : "job reads",
      span_words(read), span_words(held));
}

std::string unshared_preparation(std::string_view job) {
  return remark_of(
      job, "what was prepared is in no month: /accounting/runs says how many runs share it");
}

std::string more_runs_than_all(std::string_view job, double a_month, double all) {
  return remark_of(job,
                   fmt::format("the month has {} runs (/accounting/runs_per_month), and there are "
                               "{} in all (/accounting/runs)",
                               three_digits(a_month), three_digits(all)));
}

std::string crowded_month(Duration jobs) {
  return fmt::format(
      "the jobs that the savings plan pays for have {} hours, and a month has {}: some run at the "
      "same time, and what they use of the plan is at most what is shown, the month's sum at least",
      three_digits(jobs / hours(1.0)), three_digits(months(1) / hours(1.0)));
}

std::string without_runs(std::size_t jobs, std::size_t of) {
  return fmt::format(
      "/accounting/runs_per_month is not given in {} of {} jobs: each counts one run a month", jobs,
      of);
}

std::string without_tag(std::string_view tag, std::size_t jobs, std::size_t of) {
  return fmt::format("/accounting/tags has no {} in {} of {} jobs", in_quotes(tag), jobs, of);
}

std::string unknown_emissions(std::size_t jobs, std::size_t of) {
  return fmt::format(
      "the emissions of {} of {} jobs are not known: the catalogue lacks the power of the GPU or "
      "the grid of the region",
      jobs, of);
}

}  // namespace feedrate::words
