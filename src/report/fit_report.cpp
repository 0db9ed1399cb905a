#include "report/reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/unknowns_fit.hpp"
#include "report/case_words.hpp"
#include "report/numbers.hpp"
#include "report/shell_text.hpp"

namespace feedrate::report {
namespace {

/// "a", "a and b", "a, b and c"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

bool in_tangle(const UnknownsFit& fit, std::size_t k) {
  return std::any_of(fit.tangles.begin(), fit.tangles.end(), [&](const FitTangle& tangle) {
    return std::find(tangle.unknowns.begin(), tangle.unknowns.end(), k) != tangle.unknowns.end();
  });
}

bool beyond_range(const FittedUnknown& unknown) {
  return unknown.wants_lower || unknown.wants_higher;
}

Cell interval(const UnknownsFit& fit, std::size_t k) {
  const FittedUnknown& unknown = fit.unknowns[k];
  if (!unknown.used) return {"no case depends on it", Tone::bad};
  if (in_tangle(fit, k)) return {"not determined alone", Tone::bad};
  if (unknown.low && unknown.high) {
    return {fmt::format("{} … {}", unknown.low->text, unknown.high->text)};
  }
  const Tone tone = unknown.determined ? Tone::plain : Tone::caution;
  if (unknown.high) return {"at most " + unknown.high->text, tone};
  if (unknown.low) return {"at least " + unknown.low->text, tone};
  if (beyond_range(unknown)) return {"beyond its range", Tone::bad};
  if (unknown.fits_anywhere) return {"its whole range", Tone::bad};
  if (!fit.reproduced) return {"none", Tone::bad};
  return {"no error bar", Tone::caution};
}

Cell before(const FittedUnknown& unknown) {
  if (!unknown.before) return {"unknown", Tone::caution};
  if (unknown.before_is_default) return {unknown.before->text + " (not given)", Tone::faint};
  return {unknown.before->text};
}

Cell place_in_range(const FittedUnknown& unknown) {
  if (unknown.at_lowest) return {"at the low end of its range", Tone::caution};
  if (unknown.at_highest) return {"at the high end of its range", Tone::caution};
  return {};
}

/// Whether several figures that were fitted on are of one job, so that their errors may be one.
bool figures_of_one_job(const UnknownsFit& fit) {
  for (std::size_t a = 0; a < fit.cases.size(); ++a) {
    for (std::size_t b = a + 1; b < fit.cases.size(); ++b) {
      const Case& one = fit.cases[a].what;
      const Case& other = fit.cases[b].what;
      if (!fit.cases[a].unused.empty() || !fit.cases[b].unused.empty()) continue;
      if (one.set == other.set && one.relative_to == other.relative_to) return true;
    }
  }
  return false;
}

Table unknowns_table(const UnknownsFit& fit) {
  Table table;
  table.title = "Unknowns";
  table.columns = {{"key"},           {"fitted", Align::right},
                   {"90 % interval"}, {"before", Align::right},
                   {"looked for in"}, {""}};
  for (std::size_t k = 0; k < fit.unknowns.size(); ++k) {
    const FittedUnknown& unknown = fit.unknowns[k];
    Row row;
    row.cells = {unknown.key,
                 unknown.used ? unknown.value.text : std::string("-"),
                 interval(fit, k),
                 before(unknown),
                 fmt::format("{} … {}", unknown.lowest.text, unknown.highest.text),
                 place_in_range(unknown)};
    row.marked = !unknown.determined;
    table.rows.push_back(std::move(row));
  }
  const bool tails = std::all_of(table.rows.begin(), table.rows.end(),
                                 [](const Row& row) { return row.cells.back().text.empty(); });
  if (tails) {
    table.columns.pop_back();
    for (Row& row : table.rows) row.cells.pop_back();
  }
  const char* const apart =
      figures_of_one_job(fit) ? "; figures of one job count as if measured independently" : "";
  if (!fit.reproduced) {
    table.note =
        "No intervals: even with the best values the cases are missed by far more than their "
        "errors, so something else about the scenario is wrong, and an interval would take it to "
        "be right.";
    return table;
  }
  switch (fit.errors) {
    case UnknownsFit::Errors::scatter:
      table.note = fmt::format("Intervals: from the residuals of the fit, with {} of freedom{}.",
                               counted(fit.degrees, "degree"), apart);
      break;
    case UnknownsFit::Errors::stated:
      table.note = fmt::format("Intervals: from the tolerances and repeats of the cases{}.", apart);
      break;
    case UnknownsFit::Errors::none:
      table.note =
          "No error bars: there are as many unknowns as measurements, and not all of these state a "
          "tolerance or repeats.";
      break;
  }
  return table;
}

std::string tangle_sentence(const UnknownsFit& fit, const FitTangle& tangle) {
  std::vector<std::string> names;
  for (const std::size_t k : tangle.unknowns) names.push_back(fit.unknowns[k].key);
  std::string fixed;
  switch (tangle.fixed) {
    case FitTangle::Fixed::sum:
      fixed = fmt::format("only their sum is determined ({})", tangle.total->text);
      break;
    case FitTangle::Fixed::product: fixed = "only their product is determined"; break;
    case FitTangle::Fixed::ratio: fixed = "only their ratio is determined"; break;
    case FitTangle::Fixed::combination: fixed = "they compensate for each other"; break;
  }
  return fmt::format("These measurements cannot tell {}: {}.",
                     names.size() == 2 ? names[0] + " from " + names[1] : listed(names) + " apart",
                     fixed);
}

/// What the measurements leave open.
List open_questions(const UnknownsFit& fit) {
  List list;
  list.title = "Not determined";
  for (const FitTangle& tangle : fit.tangles) list.items.push_back(tangle_sentence(fit, tangle));
  for (std::size_t k = 0; k < fit.unknowns.size(); ++k) {
    const FittedUnknown& unknown = fit.unknowns[k];
    if (!unknown.used) {
      list.items.push_back(
          fmt::format("No measurement depends on {}, so it was not fitted.", unknown.key));
    } else if (beyond_range(unknown)) {
      const bool higher = unknown.wants_higher;
      list.items.push_back(fmt::format(
          "The measurements want a {} value of {} than its range allows: within it they fit best "
          "at its {} end, {}, and worse the {} it is.",
          higher ? "larger" : "smaller", unknown.key, higher ? "upper" : "lower",
          unknown.value.text, higher ? "smaller" : "larger"));
    } else if (!unknown.determined && !in_tangle(fit, k)) {
      if (!unknown.high && !unknown.low && !unknown.fits_anywhere) continue;
      const std::string side = unknown.high  ? "Any value up to " + unknown.high->text
                               : unknown.low ? "Any value from " + unknown.low->text + " on"
                                             : "Any value of its range";
      list.items.push_back(fmt::format("{} of {} fits equally well.", side, unknown.key));
    }
  }
  for (const std::vector<Amount>& values : fit.alternatives) {
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < values.size(); ++k) {
      texts.push_back(fmt::format("{} = {}", fit.unknowns[k].key, values[k].text));
    }
    list.items.push_back(fmt::format("{} fits equally well.", listed(texts)));
  }
  return list;
}

std::string error_of_prediction(const Case& what, const std::optional<double>& predicted) {
  if (!predicted) return "-";
  CaseResult result;
  result.what = what;
  result.predicted = *predicted;
  result.error = error_of(what, *predicted);
  return error_text(result);
}

Table case_table(const UnknownsFit& fit) {
  Table table;
  table.title = "Cases";
  table.columns = {{"case"},
                   {"metric"},
                   {"measured", Align::right},
                   {"fitted", Align::right},
                   {"error before", Align::right},
                   {"error", Align::right},
                   {"left out", Align::right}};
  std::size_t needed = 0;
  for (const FittedCase& one : fit.cases) {
    if (!one.unused.empty()) continue;
    const bool alone = fit.leave_one_out && !one.left_out;
    needed += alone ? 1 : 0;
    table.rows.push_back(
        {{one.what.name, one.what.metric, number(one.what.measured), number(*one.after),
          error_of_prediction(one.what, one.before), error_of_prediction(one.what, one.after),
          alone ? "needed" : error_of_prediction(one.what, one.left_out)},
         false});
  }
  if (fit.leave_one_out) {
    table.note = "left out: the error of a fit without the case";
    if (needed > 0)
      table.note += "; needed: without the case the others do not determine an unknown";
    table.note += ".";
  }
  return table;
}

List unused_cases(const UnknownsFit& fit) {
  List list;
  list.title = "Not fitted on";
  for (const FittedCase& one : fit.cases) {
    if (!one.unused.empty()) {
      list.items.push_back(fmt::format("{} ({}): {}", one.what.name, one.what.metric, one.unused));
    }
  }
  return list;
}

double worst_error(const UnknownsFit& fit, std::optional<double> FittedCase::*predicted) {
  double worst = 0.0;
  for (const FittedCase& one : fit.cases) {
    if (!one.unused.empty() || error_kind(one.what) == ErrorKind::absolute) continue;
    if (!(one.*predicted)) return -1.0;
    worst = std::max(worst, std::abs(error_of(one.what, *(one.*predicted))));
  }
  return worst;
}

std::string size(double error) {
  const std::string text = signed_percent(error);
  return text.starts_with('+') ? text.substr(1) : text;
}

/// How many unknowns the measurements leave open.
std::string open_words(const UnknownsFit& fit) {
  const auto count = [&](auto what) {
    return static_cast<std::size_t>(std::count_if(fit.unknowns.begin(), fit.unknowns.end(), what));
  };
  const std::size_t all = fit.unknowns.size();
  const std::size_t open = count([](const FittedUnknown& one) { return !one.determined; });
  if (open == 0) return "";
  if (all == 1 && beyond_range(fit.unknowns.front())) {
    return fmt::format("they want a {} value than its range allows",
                       fit.unknowns.front().wants_higher ? "larger" : "smaller");
  }
  if (all == 1) return "it is not determined by them";
  if (open == all) return all == 2 ? "neither is determined by them" : "none is determined by them";
  return fmt::format("{} of the {} {} not determined by them", open, all, open == 1 ? "is" : "are");
}

Paragraph headline(const UnknownsFit& fit) {
  const double before = worst_error(fit, &FittedCase::before);
  const std::string from = before < 0.0 ? "" : fmt::format(", {} before", size(before));
  std::string text = fmt::format(
      "{} fitted to {}: the worst error is {}{}", counted(fit.unknowns.size(), "unknown"),
      counted(fit.used, "measurement"), size(worst_error(fit, &FittedCase::after)), from);
  if (const std::string open = open_words(fit); !open.empty()) {
    text += "; " + open;
  } else if (!fit.alternatives.empty()) {
    text += "; other values fit equally well";
  }
  if (!fit.reproduced) text += "; the scenario does not reproduce its cases with any value";
  return {text + ".", fit.determined() ? Tone::good : Tone::caution};
}

Paragraph leave_one_out(const UnknownsFit& fit) {
  if (!fit.leave_one_out) {
    return {"Leave-one-out: impossible without more measurements than unknowns."};
  }
  const LeaveOneOut& sum = *fit.leave_one_out;
  if (sum.cases == 0) {
    return {"Leave-one-out: every measurement is needed, so none can test the fit."};
  }
  const std::string others =
      sum.needed == 0
          ? ""
          : fmt::format("; {} needed by the fit",
                        sum.needed == 1 ? "1 more is" : fmt::format("{} more are", sum.needed));
  if (sum.cases == 1) {
    return {fmt::format("Leave-one-out: a fit without \"{}\" misses it by {}{}.", sum.worst_case,
                        size(sum.worst), others)};
  }
  return {
      fmt::format("Leave-one-out: {} measurements, each predicted by a fit without it, are missed "
                  "by {} in the median and by {} at worst (\"{}\"){}.",
                  sum.cases, size(sum.median), size(sum.worst), sum.worst_case, others)};
}

Paragraph next_measurement(const UnknownsFit& fit) {
  const NextMeasurement& next = *fit.next;
  // Without error bars there is nothing that it would take them from.
  const bool bars = fit.errors != UnknownsFit::Errors::none;
  std::vector<std::string> gains;
  for (const NextMeasurement::Doubt& doubt : next.doubts) {
    const std::string before = !bars          ? ""
                               : doubt.before ? " from ±" + percent(*doubt.before)
                                              : " from unknown";
    gains.push_back(
        fmt::format("{}{} to ±{}", fit.unknowns[doubt.unknown].key, before, percent(doubt.after)));
  }
  std::string settings;
  for (const auto& [key, value] : next.set) settings += " " + set_flag(key, value);
  std::string run;
  if (!settings.empty()) {
    run = " of feedrate run " + shell_file(fit.file);
    for (const std::string& flag : fit.flags) run += " " + shell_word(flag);
  }
  return {fmt::format("Measure next: {} ({}{}{}). It would {} {}.", next.words, next.metric, run,
                      settings, bars ? "take" : "determine", listed(gains))};
}

}  // namespace

Report fit_report(const UnknownsFit& fit, const std::string& written) {
  Report report;
  report.title = fit.name;
  report.headline = headline(fit);
  report.add(unknowns_table(fit));
  report.add(open_questions(fit));
  report.add(case_table(fit));
  report.add(leave_one_out(fit));
  report.add(unused_cases(fit));
  if (!fit.reproduced) {
    report.add(
        "Check the rest of the scenario before these values, beginning with the case "
        "that is missed "
        "most: what sets it apart from the others is not as the scenario says.");
  } else if (fit.next) {
    report.add(next_measurement(fit));
  } else if (!fit.tangles.empty()) {
    report.add(
        "No measurement that changes workers, batch, GPUs, where the data is stored or what is "
        "done ahead would tell them apart: measure one of them alone.");
  }
  if (!written.empty()) {
    report.add("Written to " + written + ", its cases marked as fitted on.");
    return report;
  }
  List settings;
  settings.title = "The fitted values as flags of other commands";
  for (const FittedUnknown& unknown : fit.unknowns) {
    if (!unknown.used) continue;
    settings.items.push_back(set_flag(unknown.key, unknown.value.text));
  }
  report.add(std::move(settings));
  return report;
}

}  // namespace feedrate::report
