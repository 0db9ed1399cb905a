#include "report/check_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "model/metrics.hpp"
#include "report/figure_text.hpp"
#include "report/numbers.hpp"

namespace feedrate::report {
namespace {

constexpr double noise = 1e-9;
constexpr std::size_t most_keys_in_a_sentence = 3;

bool differs(const FigureChange& change) {
  if (!change.before || !change.now) return false;
  const double size = std::max(std::abs(*change.before), std::abs(*change.now));
  return std::abs(*change.now - *change.before) > noise * size;
}

std::string shown(const std::string& metric, double value) {
  return figure_text(unit_of(metric), value);
}

/// "cost +$1.20 (+8.2 %)"; "" where it is as it was.
std::string signed_change(const ScenarioVerdict& scenario, FigureId id) {
  const FigureChange* change = scenario.figure(name_of(id));
  if (change == nullptr || !differs(*change)) return "";
  const double delta = *change->now - *change->before;
  const std::string amount = figure(id).unit == FigureUnit::dollars
                                 ? signed_money(usd(delta))
                                 : (delta > 0.0 ? "+" : "") + duration(seconds(delta));
  const std::string share =
      *change->before == 0.0 ? "" : fmt::format(" ({})", signed_percent(delta / *change->before));
  return fmt::format("{} {}{}", heading_of(id), amount, share);
}

void join(std::string& text, const std::string& more, std::string_view between) {
  if (more.empty()) return;
  if (!text.empty()) text += between;
  text += more;
}

}  // namespace

bool has_changed(const ScenarioVerdict& scenario) {
  return !scenario.keys.empty() || !scenario.parts.empty() || !scenario.stages.empty() ||
         std::any_of(scenario.figures.begin(), scenario.figures.end(), differs);
}

std::string standing_text(const ScenarioVerdict& scenario) {
  if (scenario.level == Level::fail) return "failed";
  if (scenario.standing == Standing::added) return "new";
  if (scenario.level == Level::warn) return "warning";
  if (scenario.stale) return "better";
  return has_changed(scenario) ? "within limits" : "unchanged";
}

std::string value_text(const std::string& text) {
  constexpr std::size_t longest = 60;
  if (text.empty()) return "not set";
  return text.size() <= longest ? text : text.substr(0, longest) + "…";
}

Cell change_cell(const FigureChange& change) {
  if (!change.now) return {"-", Tone::faint};
  const std::string now = shown(change.metric, *change.now);
  if (!differs(change)) return {now};
  const bool up = *change.now > *change.before;
  const bool worse = up != (better_of(change.metric) == Better::more);
  const std::string by = difference_text(unit_of(change.metric), *change.now, *change.before);
  return {fmt::format("{} → {}{}", shown(change.metric, *change.before), now,
                      by.empty() ? "" : " (" + by + ")"),
          worse ? Tone::bad : Tone::good};
}

std::string bottleneck_text(const ScenarioVerdict& scenario) {
  const auto name = [](const std::optional<Stage>& stage) {
    return stage ? std::string(name_of(*stage)) : std::string("none");
  };
  std::string now = name(scenario.bottleneck_now);
  if (scenario.standing == Standing::added) return now;
  const std::string before = name(scenario.bottleneck_before);
  return before == now ? now : before + " → " + now;
}

namespace {

/// By how much the figure rose; 0 where it is as it was, or not known.
double rise_of(const ScenarioVerdict& scenario, FigureId id) {
  const FigureChange* const change = scenario.figure(name_of(id));
  return change != nullptr && differs(*change) ? *change->now - *change->before : 0.0;
}

double relative_rise_of(const ScenarioVerdict& scenario, FigureId id) {
  const FigureChange* const change = scenario.figure(name_of(id));
  const double rise = rise_of(scenario, id);
  return rise != 0.0 && *change->before != 0.0 ? rise / *change->before : 0.0;
}

}  // namespace

std::string cause_text(const ScenarioVerdict& scenario) {
  // Of clusters of different size, the time of all instances is what costs.
  const double cost = rise_of(scenario, FigureId::total_cost);
  const double was = scenario.instances_before.value_or(scenario.instances_now);
  const bool of_all = was != scenario.instances_now && cost != 0.0;
  const auto rise = [&](const StageChange& change) {
    return of_all ? scenario.instances_now * change.now.base() - was * change.before.base()
                  : (change.now - change.before).base();
  };
  double all = 0.0;
  for (const StageChange& change : scenario.stages) all += rise(change);
  // What costs more in less time, or less in more, does so by its prices.
  if (cost != 0.0 && cost * all <= 0.0) return "";
  const double sign = all < 0.0 ? -1.0 : 1.0;
  const StageChange* named = nullptr;
  for (const StageChange& change : scenario.stages) {
    if (sign * rise(change) <= 0.0) continue;
    if (named == nullptr || sign * rise(change) > sign * rise(*named)) named = &change;
  }
  if (named == nullptr) return "";
  // A change of prices is explained by no stage, whatever else it comes with.
  constexpr double least = 0.1;
  const FigureChange* const time = scenario.figure(name_of(FigureId::total_time));
  if (time != nullptr && time->before) {
    const double share = std::abs(rise(*named)) / (*time->before * (of_all ? was : 1.0));
    if (share < least * std::abs(relative_rise_of(scenario, FigureId::total_cost))) return "";
  }
  return fmt::format("{} {} by {}{}", name_of(named->stage), sign > 0.0 ? "grew" : "shrank",
                     duration(seconds(std::abs(rise(*named)))),
                     of_all ? " over all instances" : "");
}

std::vector<KeyChange> keys_by_effect(const ScenarioVerdict& scenario) {
  const auto effect = [&](const KeyChange& change) {
    for (const Part& part : scenario.parts) {
      if (std::find(part.groups.begin(), part.groups.end(), change.group) == part.groups.end()) {
        continue;
      }
      return std::pair(std::abs((part.to.total - part.from.total).base()),
                       std::abs((part.to.time - part.from.time).base()));
    }
    return std::pair(0.0, 0.0);
  };
  std::vector<KeyChange> keys = scenario.keys;
  std::stable_sort(keys.begin(), keys.end(),
                   [&](const KeyChange& a, const KeyChange& b) { return effect(a) > effect(b); });
  return keys;
}

namespace {

/// Cost and time with sign and amount, and the stage that caused it.
std::string effect_text(const ScenarioVerdict& scenario) {
  std::string text;
  for (const FigureId id : main_figures) {
    if (figure(id).better == Better::less) join(text, signed_change(scenario, id), ", ");
  }
  join(text, cause_text(scenario), ": ");
  return text;
}

}  // namespace

std::string summary_text(const ScenarioVerdict& scenario) {
  if (scenario.standing == Standing::added) return "not in the baseline";
  std::string text = effect_text(scenario);
  std::string keys;
  const std::vector<KeyChange> changes = keys_by_effect(scenario);
  for (std::size_t i = 0; i < std::min(changes.size(), most_keys_in_a_sentence); ++i) {
    const KeyChange& change = changes[i];
    join(keys,
         fmt::format("{} {} → {}", change.key, value_text(change.before), value_text(change.after)),
         ", ");
  }
  if (scenario.keys.size() > most_keys_in_a_sentence) {
    keys += fmt::format(" and {} more", scenario.keys.size() - most_keys_in_a_sentence);
  }
  join(text, keys, "; ");
  return text.empty() ? "unchanged" : text;
}

namespace {

/// Without the keys, which stand below.
std::string headline_of(const ScenarioVerdict& scenario) {
  const std::string effect = effect_text(scenario);
  return effect.empty() ? summary_text(scenario) : effect;
}

}  // namespace

namespace {

bool exceeds_a_limit(const ScenarioVerdict& scenario) {
  return std::any_of(scenario.limits.begin(), scenario.limits.end(),
                     [](const Judgement& judgement) { return judgement.level == Level::fail; });
}

/// How many of the scenarios stand how; `example` is said of the worst behind it.
std::string scenarios_text(const Verdict& verdict, const std::string& example) {
  const auto count_of = [&](auto&& which) {
    return std::count_if(verdict.scenarios.begin(), verdict.scenarios.end(), which);
  };
  const std::size_t all = verdict.scenarios.size();
  const std::string scenarios = all == 1 ? "scenario" : "scenarios";
  const auto added = count_of([](const auto& s) { return s.standing == Standing::added; });
  if (verdict.updated && added > 0 && verdict.level <= Level::note) {
    const std::size_t others = all - static_cast<std::size_t>(added);
    return fmt::format("{} {} added to the baseline{}.", added,
                       added == 1 ? "scenario" : "scenarios",
                       others == 0 ? "" : fmt::format(", which has {} more of these", others));
  }
  const auto failed = count_of(exceeds_a_limit);
  if (failed > 0) {
    return fmt::format("{} of {} {} {} a limit.{}", failed, all, scenarios,
                       failed == 1 ? "exceeds" : "exceed", example);
  }
  const auto refused = count_of([](const auto& s) { return s.level == Level::fail; });
  if (refused > 0) {
    return fmt::format("No limit is exceeded, but {} of {} {} {} not in the baseline.{}", refused,
                       all, scenarios, refused == 1 ? "is" : "are", example);
  }
  const auto warned = count_of([](const auto& s) { return s.level == Level::warn; });
  if (warned > 0) {
    return fmt::format("No limit is exceeded; {} of {} {} {} attention.{}", warned, all, scenarios,
                       warned == 1 ? "needs" : "need", example);
  }
  const auto changed = count_of([](const auto& s) { return has_changed(s); });
  if (changed > 0) {
    return fmt::format("{} of {} {} changed, all within their limits.{}", changed, all, scenarios,
                       verdict.level == Level::note ? example : "");
  }
  return fmt::format("{} {} unchanged from the baseline.", all, scenarios);
}

}  // namespace

namespace {

/// "1 of 3 scenarios could not be checked: b.json."; "" where all could.
std::string errors_text(const Verdict& verdict) {
  const std::size_t errors = verdict.errors.size();
  if (errors == 0) return "";
  std::vector<std::string> keys;
  for (const ScenarioErrors& of : verdict.errors) keys.push_back(of.key);
  const std::size_t all = errors + verdict.scenarios.size();
  return fmt::format("{} of {} scenario{} could not be checked: {}.", errors, all,
                     all == 1 ? "" : "s", fmt::join(keys, ", "));
}

}  // namespace

std::string headline_text(const Verdict& verdict) {
  std::string text = errors_text(verdict);
  const ScenarioVerdict* const worst = worst_of(verdict);
  const bool decides = worst != nullptr && worst->level == verdict.level;
  const std::string example =
      decides ? fmt::format(" {}: {}", worst->name, headline_of(*worst)) : "";
  if (!verdict.scenarios.empty()) join(text, scenarios_text(verdict, example), " ");
  const std::size_t gone = verdict.gone.size();
  if (gone == 0 || !verdict.strict || verdict.updated) return text;
  return fmt::format("{} {} of the baseline no longer {}: {}. {}", gone,
                     gone == 1 ? "scenario" : "scenarios", gone == 1 ? "exists" : "exist",
                     fmt::join(verdict.gone, ", "), text);
}

const ScenarioVerdict* worst_of(const Verdict& verdict) {
  const auto highest =
      std::max_element(verdict.scenarios.begin(), verdict.scenarios.end(),
                       [](const auto& a, const auto& b) { return a.level < b.level; });
  const ScenarioVerdict* worst = nullptr;
  double most = 0.0;
  for (const ScenarioVerdict& scenario : verdict.scenarios) {
    if (scenario.level != highest->level) continue;
    const FigureChange* cost = scenario.figure(name_of(FigureId::total_cost));
    const bool known = cost != nullptr && cost->before && cost->now && *cost->before > 0.0;
    const double rise = known ? std::abs(*cost->now / *cost->before - 1.0) : 0.0;
    if (worst == nullptr || rise > most) {
      worst = &scenario;
      most = rise;
    }
  }
  return worst;
}

std::string standings_text(const Verdict& verdict) {
  if (verdict.scenarios.empty()) return errors_text(verdict);
  const auto failed =
      std::count_if(verdict.scenarios.begin(), verdict.scenarios.end(), exceeds_a_limit);
  if (const std::size_t errors = verdict.errors.size(); errors > 0) {
    const std::string others =
        failed == 0 ? "none exceeds"
                    : fmt::format("{} {}", failed, failed == 1 ? "exceeds" : "exceed");
    return fmt::format("{} of {} scenarios could not be checked; of the others, {} a limit.",
                       errors, errors + verdict.scenarios.size(), others);
  }
  const std::string scenarios = scenarios_text(verdict, "");
  if (verdict.gone.empty() || !verdict.strict || verdict.updated) return scenarios;
  const std::size_t gone = verdict.gone.size();
  return fmt::format("{} {} of the baseline no longer {}.{}", gone,
                     gone == 1 ? "scenario" : "scenarios", gone == 1 ? "exists" : "exist",
                     failed > 0 ? " " + scenarios : "");
}

Tone tone_of(Level level) {
  if (level == Level::fail) return Tone::bad;
  return level == Level::warn ? Tone::caution : Tone::good;
}

std::vector<std::string> closing_notes(const Verdict& verdict) {
  std::vector<std::string> notes;
  if (verdict.updated) notes.push_back("baseline updated: " + verdict.baseline);
  if (verdict.warn_only && verdict.level == Level::fail) {
    notes.emplace_back("--warn-only: the exit status is 0 nevertheless");
  }
  return notes;
}

std::vector<std::string> limit_lines(const ScenarioVerdict& scenario) {
  std::vector<std::string> lines;
  for (const Judgement& judgement : scenario.limits) {
    if (judgement.level == Level::pass) continue;
    const std::string_view word = judgement.level == Level::fail   ? "FAIL"
                                  : judgement.level == Level::warn ? "warning"
                                                                   : "note";
    lines.push_back(
        fmt::format("{}: {} (limit: {})", word, judgement.message, judgement.limit.text));
  }
  return lines;
}

std::vector<std::string> error_lines(const ScenarioErrors& of) {
  std::vector<std::string> lines;
  for (const Problem& problem : of.problems) lines.push_back(problem.text());
  return lines;
}

}  // namespace feedrate::report
