#include "report/sweep_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "report/numbers.hpp"

namespace feedrate::report {
namespace {

bool in_pareto(const Sweep& sweep, std::size_t i) {
  return std::find(sweep.pareto.begin(), sweep.pareto.end(), i) != sweep.pareto.end();
}

/// Answered points that are within alike_share of `best` in `value`, in the order in which they
/// were asked; of costs those alone that have all prices, where the best does.
template <class Figure>
std::vector<std::size_t> ties(const Sweep& sweep, std::size_t best, Figure value, bool of_costs) {
  std::vector<std::size_t> list;
  const double least = value(sweep.points[best].result);
  if (!(least > 0.0)) return list;  // nothing has a price
  const auto unpriced = [&](std::size_t i) { return sweep.points[i].result.bill.unpriced; };
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    if (i == best || !sweep.points[i].answered()) continue;
    if (of_costs && unpriced(i) && !unpriced(best)) continue;
    if (value(sweep.points[i].result) <= least + alike_share * std::abs(least)) list.push_back(i);
  }
  return list;
}

std::string tied_words(const Sweep& sweep, const std::vector<std::size_t>& list,
                       std::string_view as, std::size_t best) {
  constexpr std::size_t most = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(most, list.size()); ++i) {
    names += (i == 0 ? "" : "; ") + setting_text(sweep.points[list[i]]);
  }
  if (list.size() > most) names += fmt::format("; and {} more", list.size() - most);
  const bool one = list.size() == 1;
  return fmt::format("{} {} {} {} within {}: {}.", counted(list.size(), "point"),
                     one ? "is" : "are", as, setting_text(sweep.points[best]), percent(alike_share),
                     names);
}

}  // namespace

std::string setting_text(const std::vector<std::pair<std::string, std::string>>& set) {
  std::string text;
  for (const auto& [key, value] : set) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, value);
  }
  return text;
}

std::string setting_text(const SweepPoint& point) {
  return point.set.empty() ? "as written" : setting_text(point.set);
}

std::string outcome_text(const SweepPoint& point, const std::optional<Choice>& choice) {
  const Result& result = point.result;
  return outlay_words(choice ? choice->best().outlay
                             : Outlay{result.times.total, result.bill.money, result.bill.total});
}

std::string outlay_words(const Outlay& outlay) {
  std::string words = fmt::format("{}, {}", duration(outlay.time), money(outlay.money));
  if (outlay.total > outlay.money) {
    words += fmt::format(" ({} including the value of the hours)", money(outlay.total));
  }
  return words;
}

Paragraph sweep_headline(const Sweep& sweep) {
  const SweepPoint& fastest = sweep.points[sweep.fastest];
  const SweepPoint& cheapest = sweep.points[sweep.cheapest];
  const auto answered = static_cast<std::size_t>(
      std::count_if(sweep.points.begin(), sweep.points.end(),
                    [](const SweepPoint& point) { return point.answered(); }));
  const std::size_t unanswered = sweep.points.size() - answered;
  const std::string rest =
      unanswered == 0 ? "" : " " + unanswered_words(unanswered, sweep.points.size()) + ".";
  if (sweep.fastest == sweep.cheapest) {
    return {fmt::format("{} is both the fastest and the cheapest of {}: {}.{}",
                        setting_text(fastest), counted(answered, "point"),
                        outcome_text(fastest, sweep.confirmed.fastest), rest),
            Tone::good};
  }
  return {fmt::format("Fastest: {} ({}). Cheapest: {} ({}).{}", setting_text(fastest),
                      outcome_text(fastest, sweep.confirmed.fastest), setting_text(cheapest),
                      outcome_text(cheapest, sweep.confirmed.cheapest), rest),
          Tone::plain};
}

/// Whether rows in closed form are so far from the events of what was simulated that which of them
/// are alike is not known.
static bool rows_are_off(const Sweep& sweep) {
  constexpr double far = 0.01;
  const auto& [fastest, cheapest, meeting] = sweep.confirmed;
  for (const auto* choice : {&fastest, &cheapest, &meeting}) {
    if (!*choice) continue;
    for (const Confirmed& one : (*choice)->contenders) {
      const bool as_row = sweep.points[one.point].result.by_events.has_value();
      if (!as_row && std::abs(one.by_events.difference) > far) return true;
    }
  }
  return false;
}

std::string ties_words(const Sweep& sweep) {
  if (rows_are_off(sweep)) return "";
  const auto fast = ties(
      sweep, sweep.fastest, [](const Result& result) { return result.times.total.base(); }, false);
  const auto cheap = ties(
      sweep, sweep.cheapest, [](const Result& result) { return result.bill.total.base(); }, true);
  const bool one = sweep.fastest == sweep.cheapest;
  std::string words;
  if (!fast.empty() && !(one && fast == cheap)) {
    words = tied_words(sweep, fast, "as fast as", sweep.fastest);
  }
  if (!cheap.empty()) {
    words +=
        (words.empty() ? "" : " ") +
        tied_words(sweep, cheap, one && fast == cheap ? "as fast and as cheap as" : "as cheap as",
                   sweep.cheapest);
  }
  return words;
}

std::string constraint_words(const Constraints& constraints) {
  std::string words;
  if (constraints.deadline) {
    words = fmt::format("the deadline of {}", duration(*constraints.deadline));
  }
  if (constraints.budget) {
    words +=
        fmt::format("{}the budget of {}", words.empty() ? "" : " and ", money(*constraints.budget));
  }
  return words;
}

std::string meeting_words(const Constraints& constraints, std::size_t meeting, std::size_t points,
                          const std::string& cheapest) {
  const std::string which = constraint_words(constraints);
  if (meeting == 0) {
    return fmt::format("None of {} meets {}", counted(points, "point"), which);
  }
  return fmt::format("{} of {} {} {}; the cheapest {}: {}", count(static_cast<double>(meeting)),
                     counted(points, "point"), meeting == 1 ? "meets" : "meet", which,
                     meeting == 1 ? "is that" : "of them", cheapest);
}

std::string constraint_mark(const Constraints& constraints, const Result& result) {
  const bool late = !constraints.in_time(result.times.total);
  const bool over = !constraints.in_budget(result.bill.money);
  if (late) return over ? "late, over budget" : "late";
  return over ? "over budget" : "met";
}

std::string unanswered_words(std::size_t unanswered, std::size_t points) {
  return fmt::format("{} of {} {} no result", count(static_cast<double>(unanswered)),
                     counted(points, "point"), unanswered == 1 ? "has" : "have");
}

std::string problem_in_few_words(const SweepPoint& point) {
  constexpr std::size_t most = 40;
  const Problem& problem = point.problems.front();
  if (!problem.brief.empty()) return problem.brief;
  const std::string& message = problem.message;
  const std::size_t clause = std::min(message.find_first_of(";:("), message.size());
  if (clause <= most) return message.substr(0, message.find_last_not_of(' ', clause - 1) + 1);
  return message.substr(0, message.find_last_of(' ', most)) + " …";
}

std::string problem_words(const SweepPoint& point) {
  std::string words;
  for (const Problem& problem : point.problems) {
    words += words.empty() ? "" : "; ";
    if (!problem.pointer.empty()) words += problem.pointer + ": ";
    words += problem.message;
  }
  return words;
}

std::string sweep_marks(const Sweep& sweep, std::size_t i) {
  std::string text;
  const auto add = [&text](const char* word) {
    text += (text.empty() ? "" : ", ") + std::string(word);
  };
  if (i == sweep.fastest) add("fastest");
  if (i == sweep.cheapest) add("cheapest");
  if (in_pareto(sweep, i)) add("Pareto");
  if (sweep.cheapest_meeting == i) add("cheapest that meets them");
  return text;
}

}  // namespace feedrate::report
