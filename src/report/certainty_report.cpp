#include "report/certainty_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "report/numbers.hpp"
#include "study/bottleneck.hpp"
#include "words/reference.hpp"

namespace feedrate::report {
namespace {

/// "published 2019": how old a number is decides what it is worth.
std::string origin_and_year(const Provenance& from) {
  constexpr std::size_t year = 4;
  const std::string origin(name_of(from.origin));
  return from.date.size() < year ? origin : origin + " " + from.date.substr(0, year);
}

constexpr std::size_t most_rows = 8;
/// Of the variance: a probe that would tell less is not worth its minutes.
constexpr double worth_measuring = 0.1;

bool once(const std::vector<const InputUsed*>& list, const InputUsed& input) {
  return std::none_of(list.begin(), list.end(),
                      [&](const InputUsed* other) { return other->key == input.key; });
}

/// Whether the bill moves by more than the hours do.
bool changes_bill(const Effect& effect) {
  const auto moved = [](auto low, auto high) {
    const auto [least, most] = std::minmax(low, high);
    return least.base() > 0.0 ? most / least - 1.0 : 0.0;
  };
  return moved(effect.money_at_low, effect.money_at_high) >
         moved(effect.time_at_low, effect.time_at_high) + study::least_gain;
}

std::string range_of(const std::string& from, const std::string& to) {
  return from == to ? from : from + " … " + to;
}

Table uncertain_table(const std::vector<const InputUsed*>& inputs,
                      const std::vector<ModelDoubt>& model) {
  Table table;
  const bool bills = std::any_of(inputs.begin(), inputs.end(), [](const InputUsed* input) {
    return changes_bill(*input->effect);
  });
  table.title = model.empty() ? "Uncertain inputs that matter" : "What the range comes from";
  table.columns = {
      {"input"}, {"value", Align::right}, {"between", Align::left, true}, {"whole job takes"}};
  if (bills) table.columns.push_back({"bill is"});
  table.columns.insert(table.columns.end(), {{"variance", Align::right}, {""}});
  for (const ModelDoubt& doubt : model) {
    Row row;
    row.cells = {"the model: " + std::string(words::class_words(doubt.error_class)), "",
                 fmt::format("× {:.2f} … × {:.2f}", 1.0 / doubt.factor, doubt.factor),
                 job_range(doubt.effect)};
    if (bills) {
      row.cells.emplace_back(
          range_of(money(doubt.effect.money_at_low), money(doubt.effect.money_at_high)));
    }
    row.cells.emplace_back(percent(doubt.effect.variance_share));
    row.cells.emplace_back("learned", Tone::faint);
    table.rows.push_back(std::move(row));
  }
  const std::size_t before = table.rows.size();
  for (const InputUsed* input : inputs) {
    if (table.rows.size() == before + most_rows) break;
    const Effect& effect = *input->effect;
    Row row;
    row.cells = {input->key, input->text, input->low + " … " + input->high, job_range(effect)};
    if (bills) {
      row.cells.emplace_back(range_of(money(std::min(effect.money_at_low, effect.money_at_high)),
                                      money(std::max(effect.money_at_low, effect.money_at_high))));
    }
    row.cells.emplace_back(percent(effect.variance_share));
    row.cells.emplace_back(origin_and_year(input->from),
                           input->from.origin == Origin::assumed ? Tone::caution : Tone::faint);
    table.rows.push_back(std::move(row));
  }
  if (inputs.size() > most_rows) {
    table.note = fmt::format("{} more change the job by 1 % or more.", inputs.size() - most_rows);
  }
  return table;
}

/// Where the values of the table are from.
List sources(const std::vector<const InputUsed*>& inputs) {
  List list;
  list.title = "Sources of these ranges";
  for (const InputUsed* input : inputs) {
    if (list.items.size() == most_rows) break;
    if (!input->from.source.empty()) {
      list.items.push_back(fmt::format("{}: {}", input->key, input->from.source));
    }
  }
  return list;
}

/// The job with all assumptions at the ends of their ranges, as far as what they do adds up.
std::pair<Duration, Duration> all_at_their_ends(const Result& r) {
  const Duration stated = r.certainty ? r.certainty->stated : Duration{};
  std::pair<Duration, Duration> ends{stated, stated};
  std::vector<const InputUsed*> seen;
  for (const InputUsed& input : r.inputs) {
    if (input.from.origin != Origin::assumed || !input.effect || !once(seen, input)) continue;
    seen.push_back(&input);
    const auto [least, most] = std::minmax(input.effect->time_at_low, input.effect->time_at_high);
    ends.first += std::min(Duration{}, least - stated);
    ends.second += std::max(Duration{}, most - stated);
  }
  return ends;
}

/// What is left once no single assumption matters: said only of what was simulated.
Paragraph nothing_assumed(const Result& r) {
  const auto [shortest, longest] = all_at_their_ends(r);
  const Duration stated = r.certainty ? r.certainty->stated : Duration{};
  const Duration off = std::max(longest - stated, stated - shortest);
  if (off <= study::least_gain * stated && model_doubts(r).empty()) {
    return {"Nothing that matters here is only assumed.", Tone::plain};
  }
  if (off <= study::least_gain * stated) {
    return {"No input that matters here is only assumed: the range is the model's own error.",
            Tone::plain};
  }
  return {fmt::format("No single assumption changes the job by 1 %; with all of them at the ends "
                      "of their ranges, it would take about {}.",
                      duration_range(shortest, longest)),
          Tone::plain};
}

}  // namespace

std::string job_range(const Effect& effect) {
  const auto [least, most] = std::minmax(effect.time_at_low, effect.time_at_high);
  return duration_range(least, most, " … ");
}

std::vector<const InputUsed*> uncertain_inputs(const Result& r) {
  std::vector<const InputUsed*> list;
  for (const InputUsed& input : r.inputs) {
    if (input.matters && input.effect && once(list, input)) list.push_back(&input);
  }
  std::stable_sort(list.begin(), list.end(), [](const InputUsed* a, const InputUsed* b) {
    return a->effect->variance_share > b->effect->variance_share;
  });
  return list;
}

std::vector<const InputUsed*> assumed_settings(const Result& r) {
  std::vector<const InputUsed*> list;
  for (const InputUsed& input : r.inputs) {
    const bool assumed = input.from.origin == Origin::assumed;
    if (assumed && input.matters && !input.effect && once(list, input)) list.push_back(&input);
  }
  return list;
}

std::string calibrate_words(const std::string& probe) {
  return probe == "loader" ? "`feedrate calibrate loader --loader MODULE:NAME` (about 2 min)"
                           : fmt::format("`feedrate calibrate {}` (about 30 s)", probe);
}

std::vector<ModelDoubt> model_doubts(const Result& r) {
  std::vector<ModelDoubt> doubts = r.certainty ? r.certainty->model : std::vector<ModelDoubt>{};
  std::erase_if(doubts, [](const ModelDoubt& doubt) { return !doubt.matters; });
  std::stable_sort(doubts.begin(), doubts.end(), [](const ModelDoubt& a, const ModelDoubt& b) {
    return a.effect.variance_share > b.effect.variance_share;
  });
  return doubts;
}

std::string reference_words(const Result& r) {
  if (!r.reference) return "";
  std::string text = words::reference_class(*r.reference);
  const std::string by = words::narrowed_by(*r.reference);
  if (!by.empty()) text += fmt::format(" {} narrows it.", by);
  return text;
}

std::string measure_words(const Result& r) {
  std::map<std::string, double> told;
  std::vector<const InputUsed*> seen;
  for (const InputUsed& input : r.inputs) {
    if (!input.effect || !once(seen, input)) continue;
    seen.push_back(&input);
    const bool measurable = input.from.origin == Origin::assumed && !input.probe.empty();
    if (measurable) told[input.probe] += input.effect->variance_share;
  }
  const auto best = std::max_element(
      told.begin(), told.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (best == told.end() || best->second < worth_measuring || uncertain_inputs(r).empty())
    return "";
  return fmt::format("{} on the machine settles {} of the uncertainty in the job's time",
                     calibrate_words(best->first),
                     best->second > 0.99 ? "nearly all" : percent(best->second));
}

std::string measure_first(const Result& r) {
  const std::string probe = measure_words(r);
  return probe.empty() ? "" : fmt::format("Measure first: {}.", probe);
}

std::string narrowing_words(const Result& r) {
  if (std::string probe = measure_words(r); !probe.empty()) return probe;
  if (const std::string by = r.reference ? words::narrowed_by(*r.reference) : ""; !by.empty()) {
    return by;
  }
  const std::vector<const InputUsed*> uncertain = uncertain_inputs(r);
  if (uncertain.empty() || uncertain.front()->effect->variance_share < worth_measuring) return "";
  const InputUsed& input = *uncertain.front();
  return fmt::format("{}: between {} and {}, it makes {} of the uncertainty in the job's time",
                     input.key, input.low, input.high, percent(input.effect->variance_share));
}

void add_certainty(Report& report, const Result& r) {
  const std::vector<const InputUsed*> uncertain = uncertain_inputs(r);
  report.add(reference_words(r));
  report.add(uncertain_table(uncertain, model_doubts(r)));
  report.add(sources(uncertain));
  report.add(measure_first(r));
  List settings;
  settings.title = "Missing from the scenario, for stages that matter";
  for (const InputUsed* input : assumed_settings(r)) {
    if (settings.items.size() == most_rows) break;
    settings.items.push_back(fmt::format("{} = {} ({}): {}", input->key, input->text,
                                         name_of(input->stage), input->from.source));
  }
  if (const std::size_t more = assumed_settings(r).size(); more > most_rows) {
    settings.items.push_back(fmt::format("and {} more", more - most_rows));
  }
  const bool any = !settings.items.empty();
  report.add(std::move(settings));
  const bool assumed = std::any_of(uncertain.begin(), uncertain.end(), [](const InputUsed* input) {
    return input->from.origin == Origin::assumed;
  });
  if (!any && !assumed) report.add(nothing_assumed(r));
}

}  // namespace feedrate::report
