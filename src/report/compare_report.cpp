#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>

#include "report/numbers.hpp"
#include "report/reports.hpp"

namespace feedrate::report {
namespace {

using Metric = std::function<std::optional<double>(const Result&)>;
using Shown = std::function<std::string(double)>;

// Lower is better for times and money, higher for rates and shares.
enum class Better { lower, higher };

std::string with_difference(double value, double reference, const Shown& shown) {
  if (reference == 0.0) return shown(value);
  return fmt::format("{} ({})", shown(value), signed_percent(value / reference - 1.0));
}

Tone tone_of(double value, double reference, Better better) {
  const double change = reference == 0.0 ? 0.0 : value / reference - 1.0;
  if (change > -0.005 && change < 0.005) return Tone::plain;
  return (change < 0.0) == (better == Better::lower) ? Tone::good : Tone::bad;
}

class ComparisonTable {
 public:
  explicit ComparisonTable(std::span<const NamedResult> results) : results_(results) {
    table_.columns.push_back({""});
    for (const NamedResult& named : results) table_.columns.push_back({named.name, Align::right});
    table_.note = "Differences are against the first.";
  }

  void words(const char* name, const std::function<std::string(const Result&)>& text) {
    Row row{{name}, false};
    for (const NamedResult& named : results_) row.cells.emplace_back(text(named.result));
    table_.rows.push_back(std::move(row));
  }

  // A metric that is zero or missing everywhere is left out.
  void numbers(const char* name, Better better, const Metric& metric, const Shown& shown) {
    const std::optional<double> reference = metric(results_.front().result);
    Row row{{name}, false};
    bool worth_showing = false;
    for (const NamedResult& named : results_) {
      const std::optional<double> value = metric(named.result);
      worth_showing = worth_showing || value.value_or(0.0) != 0.0;
      if (!value) {
        row.cells.emplace_back("-", Tone::faint);
      } else if (&named == results_.data() || !reference) {
        row.cells.emplace_back(shown(*value));
      } else {
        row.cells.emplace_back(with_difference(*value, *reference, shown),
                               tone_of(*value, *reference, better));
      }
    }
    if (worth_showing) table_.rows.push_back(std::move(row));
  }

  [[nodiscard]] const Table& table() const { return table_; }

 private:
  std::span<const NamedResult> results_;
  Table table_;
};

std::string duration_text(double s) {
  return duration(seconds(s));
}
std::string money_text(double dollars) {
  return money(usd(dollars));
}
std::string rate_text(double r) {
  return rate(Throughput::of(r)) + "/s";
}

Paragraph headline(std::span<const NamedResult> results) {
  const NamedResult* fastest = results.data();
  const NamedResult* cheapest = results.data();
  for (const NamedResult& named : results) {
    if (named.result.times.total < fastest->result.times.total) fastest = &named;
    if (named.result.bill.total < cheapest->result.bill.total) cheapest = &named;
  }
  const auto outcome = [](const NamedResult& named) {
    return fmt::format("{}, {}", duration(named.result.times.total),
                       money(named.result.bill.total));
  };
  if (fastest == cheapest) {
    return {fmt::format("{} is both the fastest and the cheapest: {}.", fastest->name,
                        outcome(*fastest)),
            Tone::good};
  }
  return {fmt::format("Fastest: {} ({}). Cheapest: {} ({}).", fastest->name, outcome(*fastest),
                      cheapest->name, outcome(*cheapest)),
          Tone::plain};
}

}  // namespace

Report compare_report(std::span<const NamedResult> results) {
  ComparisonTable rows(results);
  rows.words("cluster", [](const Result& r) {
    return fmt::format("{} × {}", count(r.instances), r.instance.empty() ? "instance" : r.instance);
  });
  rows.words("bottleneck", [](const Result& r) {
    return r.bottleneck.stage ? std::string(name_of(*r.bottleneck.stage)) : std::string("none");
  });
  const auto lower = Better::lower;
  const auto higher = Better::higher;
  rows.numbers(
      "start-up", lower, [](const Result& r) { return r.times.startup.base(); }, duration_text);
  rows.numbers(
      "staging", lower, [](const Result& r) { return r.times.staging.base(); }, duration_text);
  rows.numbers(
      "first epoch", lower, [](const Result& r) { return r.times.first_epoch.base(); },
      duration_text);
  rows.numbers(
      "later epochs", lower, [](const Result& r) { return r.times.epoch.base(); }, duration_text);
  rows.numbers(
      "whole job", lower, [](const Result& r) { return r.times.total.base(); }, duration_text);
  rows.numbers(
      "throughput", higher, [](const Result& r) { return r.throughput.base(); }, rate_text);
  rows.numbers(
      "GPUs busy", higher, [](const Result& r) { return r.gpu_busy; }, percent);
  rows.numbers(
      "efficiency", higher, [](const Result& r) { return r.efficiency; }, percent);
  rows.numbers(
      "compute", lower, [](const Result& r) { return r.bill.compute.base(); }, money_text);
  rows.numbers(
      "auxiliary", lower, [](const Result& r) { return r.bill.auxiliary.base(); }, money_text);
  rows.numbers(
      "storage", lower, [](const Result& r) { return r.bill.storage.base(); }, money_text);
  rows.numbers(
      "requests", lower, [](const Result& r) { return r.bill.requests.base(); }, money_text);
  rows.numbers(
      "transfer", lower, [](const Result& r) { return r.bill.transfer.base(); }, money_text);
  rows.numbers(
      "money", lower, [](const Result& r) { return r.bill.money.base(); }, money_text);
  rows.numbers(
      "total cost", lower, [](const Result& r) { return r.bill.total.base(); }, money_text);
  rows.numbers(
      "idle GPU", lower, [](const Result& r) { return r.bill.idle_gpu.base(); }, money_text);

  Report report;
  report.title = fmt::format("Comparison of {} scenarios", results.size());
  report.headline = headline(results);
  report.blocks.emplace_back(rows.table());
  for (const NamedResult& named : results) {
    if (named.result.remarks.empty()) continue;
    report.blocks.emplace_back(List{"Remarks on " + named.name, named.result.remarks});
  }
  return report;
}

}  // namespace feedrate::report
