#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/figure_text.hpp"
#include "report/numbers.hpp"
#include "report/reports.hpp"

namespace feedrate::report {
namespace {

// In this order; what is zero or missing everywhere is left out.
constexpr std::array rows_shown = {FigureId::startup,
                                   FigureId::staging,
                                   FigureId::first_epoch,
                                   FigureId::epoch,
                                   FigureId::total_time,
                                   FigureId::throughput,
                                   FigureId::gpu_busy_of_total,
                                   FigureId::efficiency,
                                   FigureId::job_efficiency,
                                   FigureId::compute,
                                   FigureId::auxiliary,
                                   FigureId::storage,
                                   FigureId::requests,
                                   FigureId::transfer,
                                   FigureId::money,
                                   FigureId::total_cost,
                                   FigureId::idle_gpu};

std::string with_difference(double value, double reference, FigureUnit unit) {
  if (reference == 0.0) return figure_text(unit, value);
  return fmt::format("{} ({})", figure_text(unit, value), difference_text(unit, value, reference));
}

Tone tone_of(double value, double reference, Better better) {
  const double change = reference == 0.0 ? 0.0 : value / reference - 1.0;
  if (change > -0.005 && change < 0.005) return Tone::plain;
  return (change < 0.0) == (better == Better::less) ? Tone::good : Tone::bad;
}

/// What each is called: where several have one name, by their files, or by their places where not
/// each has a file of its own (standard input has none).
std::vector<std::string> labels_of(std::span<const NamedResult> results) {
  std::map<std::string, int> names, files;
  for (const NamedResult& named : results) {
    ++names[named.name];
    ++files[named.file];
  }
  std::set<std::string> by_place;
  for (const NamedResult& named : results) {
    const bool own_file = !named.file.empty() && named.file != "-" && files[named.file] == 1;
    if (!own_file) by_place.insert(named.name);
  }
  std::vector<std::string> labels;
  for (const NamedResult& named : results) {
    labels.push_back(names[named.name] == 1 ? named.name
                     : by_place.contains(named.name)
                         ? fmt::format("{} ({})", named.name, labels.size() + 1)
                         : named.file);
  }
  return labels;
}

class ComparisonTable {
 public:
  ComparisonTable(std::span<const NamedResult> results, std::span<const std::string> labels)
      : results_(results) {
    table_.columns.push_back({""});
    for (const std::string& label : labels) table_.columns.push_back({label, Align::right});
    table_.note = "Differences are relative to the first.";
  }

  void words(const char* name, const std::function<std::string(const Result&)>& text) {
    Row row{{name}, false};
    for (const NamedResult& named : results_) row.cells.emplace_back(text(named.result));
    table_.rows.push_back(std::move(row));
  }

  void numbers(const Figure& figure) {
    const std::optional<double> reference = figure.of(results_.front().result);
    Row row{{std::string(figure.title)}, false};
    bool worth_showing = false;
    for (const NamedResult& named : results_) {
      const std::optional<double> value = figure.of(named.result);
      worth_showing = worth_showing || value.value_or(0.0) != 0.0;
      if (!value) {
        row.cells.emplace_back("-", Tone::faint);
      } else if (&named == results_.data() || !reference) {
        row.cells.emplace_back(figure_text(figure.unit, *value));
      } else {
        row.cells.emplace_back(with_difference(*value, *reference, figure.unit),
                               tone_of(*value, *reference, figure.better));
      }
    }
    if (worth_showing) table_.rows.push_back(std::move(row));
  }

  [[nodiscard]] const Table& table() const { return table_; }

 private:
  std::span<const NamedResult> results_;
  Table table_;
};

template <class Of>
bool all_alike(std::span<const NamedResult> results, const Of& of) {
  const double first = of(results.front().result);
  return std::all_of(results.begin(), results.end(), [&](const NamedResult& named) {
    return std::abs(of(named.result) - first) <= 1e-9 * std::abs(first);
  });
}

/// Whether an hour is worth the same in all of them: totals of others say nothing of each other.
bool hours_are_alike(std::span<const NamedResult> results) {
  return all_alike(results, [](const Result& r) {
    return r.times.total > Duration{} ? r.bill.hour_value.base() / r.times.total.base() : 0.0;
  });
}

/// Whether several take the same time: none of them is the fastest.
bool same_time(std::span<const NamedResult> results) {
  return results.size() > 1 &&
         all_alike(results, [](const Result& r) { return r.times.total.base(); });
}

/// Whether all take the same time and cost the same: none of them wins.
bool all_level(std::span<const NamedResult> results) {
  return same_time(results) &&
         all_alike(results, [](const Result& r) { return r.bill.total.base(); }) &&
         all_alike(results, [](const Result& r) { return r.bill.money.base(); }) &&
         all_alike(results, [](const Result& r) { return r.bill.unpriced ? 1.0 : 0.0; });
}

Paragraph headline(std::span<const NamedResult> results, std::span<const std::string> labels) {
  const Money Bill::*const compared = hours_are_alike(results) ? &Bill::total : &Bill::money;
  const auto cost = [&](const NamedResult& named) { return named.result.bill.*compared; };
  // What lacks a price only looks cheap.
  const auto costs_less = [&](const NamedResult& a, const NamedResult& b) {
    return std::pair(a.result.bill.unpriced, cost(a)) < std::pair(b.result.bill.unpriced, cost(b));
  };
  const NamedResult* fastest = results.data();
  const NamedResult* cheapest = results.data();
  for (const NamedResult& named : results) {
    const auto time = [](const NamedResult& one) { return one.result.times.total; };
    const bool as_fast = time(named) == time(*fastest) && costs_less(named, *fastest);
    if (time(named) < time(*fastest) || as_fast) fastest = &named;
    if (costs_less(named, *cheapest)) cheapest = &named;
  }
  const auto outcome = [&](const NamedResult& named) {
    return fmt::format("{}, {}", duration(named.result.times.total), money(cost(named)));
  };
  const auto label = [&](const NamedResult* of) {
    return labels[static_cast<std::size_t>(of - results.data())];
  };
  if (all_level(results)) {
    return {fmt::format("All take the same time and cost the same: {}.", outcome(*fastest)),
            Tone::plain};
  }
  if (same_time(results)) {
    return {fmt::format("All take the same time. Cheapest: {} ({}).", label(cheapest),
                        outcome(*cheapest)),
            Tone::plain};
  }
  if (fastest == cheapest) {
    return {fmt::format("{} is both the fastest and the cheapest: {}.", label(fastest),
                        outcome(*fastest)),
            Tone::good};
  }
  return {fmt::format("Fastest: {} ({}). Cheapest: {} ({}).", label(fastest), outcome(*fastest),
                      label(cheapest), outcome(*cheapest)),
          Tone::plain};
}

/// In how many draws, common to all, the best stays the best.
std::string sureness(std::span<const std::string> labels, const Decision& decision) {
  const std::string& best = labels[decision.best];
  const std::string compared =
      decision.compared == labels.size()
          ? ""
          : fmt::format(", compared with the {} that come nearest", decision.compared - 1);
  std::string text = fmt::format(
      "{} is the {} in {} of {} draws of what is uncertain, the model's own error included{}.",
      best, decision.in_money ? "cheapest" : "fastest", percent(decision.likely), decision.draws,
      compared);
  if (decision.choice != decision.best) {
    text += fmt::format(" On average it is {}.", labels[decision.choice]);
  }
  return text;
}

}  // namespace

Report compare_report(std::span<const NamedResult> results,
                      const std::optional<Decision>& decision) {
  const std::vector<std::string> labels = labels_of(results);
  ComparisonTable rows(results, labels);
  rows.words("cluster", [](const Result& r) {
    return fmt::format("{} × {}", count(r.instances), r.instance.empty() ? "instance" : r.instance);
  });
  rows.words("bottleneck", [](const Result& r) {
    return r.bottleneck.stage ? std::string(name_of(*r.bottleneck.stage)) : std::string("none");
  });
  for (const FigureId id : rows_shown) rows.numbers(figure(id));

  Report report;
  report.title = fmt::format("Comparison of {} scenarios", results.size());
  report.headline = headline(results, labels);
  report.add(rows.table());
  // Draws compare totals.
  if (decision && hours_are_alike(results) && !all_level(results)) {
    report.add(sureness(labels, *decision));
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Result& of = results[i].result;
    // What stands in the headline of a run comes first.
    std::vector<std::string> remarks = of.caveats;
    remarks.insert(remarks.end(), of.remarks.begin(), of.remarks.end());
    if (remarks.empty()) continue;
    report.add(List{"Remarks on " + labels[i], std::move(remarks)});
  }
  return report;
}

}  // namespace feedrate::report
