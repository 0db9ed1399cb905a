#include "report/reports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/append_once.hpp"
#include "base/quote.hpp"
#include "model/diagnosis.hpp"
#include "report/brief.hpp"
#include "report/csv.hpp"
#include "report/diagnose_helps.hpp"
#include "report/numbers.hpp"
#include "study/diagnose.hpp"
#include "words/readings.hpp"

namespace feedrate::report {
namespace {

std::vector<const JudgedRule*> with_fit(const std::vector<JudgedRule>& rules, Fit fit) {
  std::vector<const JudgedRule*> list;
  for (const JudgedRule& judged : rules) {
    if (judged.fit == fit) list.push_back(&judged);
  }
  return list;
}

std::string names_of(const std::vector<const JudgedRule*>& rules) {
  std::vector<std::string_view> names;
  for (const JudgedRule* judged : rules) names.push_back(judged->rule->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string text_of(ReadingId id, double value) {
  return words::reading_text(reading(id).kind, value);
}

// "GPU 35 % is below 70 %".
std::string words_of(const JudgedCondition& judged, const Diagnosis& d) {
  if (judged.by_io_wait) {
    const double waits = *d.readings[ReadingId::io_wait];
    const bool busy = *judged.met == judged.what.at_least;
    const double limit = d.thresholds[busy ? ThresholdId::io_wait_high : ThresholdId::io_wait_low];
    return fmt::format("I/O wait {} is {} {}, which stands for the disk",
                       text_of(ReadingId::io_wait, waits), busy ? "at least" : "below",
                       text_of(ReadingId::io_wait, limit));
  }
  const ReadingId id = judged.what.reading;
  const double value = *d.readings[id];
  const double limit = d.thresholds[judged.what.threshold];
  const auto [shown, beside] = words::told_apart(reading(id).kind, value, limit);
  if (judged.by_others) return "the CPU is busy with other programs";
  return fmt::format("{} {} is {} {}", reading(id).title, shown,
                     value < limit ? "below" : "at least", beside);
}

std::string flag_of(ReadingId id) {
  const ReadingRow& row = reading(id);
  if (id == ReadingId::download_share) return "--download, --time";
  return row.quantile > 0.0 ? fmt::format("samples of {}", reading(row.samples_of).name)
                            : fmt::format("--{}", row.name);
}

/// "%util of `iostat -x 1` (--disk)".
std::string where_of(ReadingId id) {
  return fmt::format("{} ({})", reading(id).where, flag_of(id));
}

/// "the disk is below 30 %", of a reading that is missing.
std::string if_words(const Condition& condition, const Diagnosis& d) {
  const ReadingRow& row = reading(condition.reading);
  const bool several = row.id == ReadingId::workers_per_cpu;
  return fmt::format("{}{} {} {} {}", several ? "" : "the ", row.title, several ? "are" : "is",
                     condition.at_least ? "at least" : "below",
                     text_of(condition.reading, d.thresholds[condition.threshold]));
}

/// What decides the verdict: all that is met, all that is not, or what is missing.
std::string because(const JudgedRule& judged, const Diagnosis& d) {
  std::vector<std::string> parts, needs, either;
  const auto add = [](std::vector<std::string>& to, const std::string& part) {
    append_once(to, part);
  };
  bool one_is_met = false;
  for (const JudgedCondition& condition : judged.conditions) {
    one_is_met = one_is_met || (condition.what.any && condition.met.value_or(false));
  }
  for (const JudgedCondition& condition : judged.conditions) {
    const bool needed = condition.what.needed && !(condition.what.any && one_is_met);
    switch (judged.fit) {
      case Fit::fits:
        if (condition.met && (!condition.what.any || *condition.met)) {
          add(parts, words_of(condition, d));
        }
        if (!condition.met && !condition.what.needed) {
          add(parts, fmt::format("judged without {}", flag_of(condition.what.reading)));
        }
        break;
      case Fit::fits_not:
        if (condition.met && !*condition.met && !(condition.what.any && one_is_met)) {
          add(parts, words_of(condition, d));
        }
        break;
      case Fit::so_far:
        if (condition.met.value_or(false)) add(parts, words_of(condition, d));
        [[fallthrough]];
      case Fit::unknown:
        if (condition.met || !needed) break;
        add(condition.what.any ? either : needs, judged.fit == Fit::unknown
                                                     ? flag_of(condition.what.reading)
                                                     : if_words(condition.what, d));
        break;
    }
  }
  if (!either.empty()) needs.push_back(fmt::format("{}", fmt::join(either, " or ")));
  if (judged.fit == Fit::unknown) return fmt::format("needs {}", fmt::join(needs, ", "));
  if (judged.fit == Fit::so_far) {
    return fmt::format("{}; fits if {}", fmt::join(parts, ", "), fmt::join(needs, ", "));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// What a rule that fits as far as seen still needs: the reading that comes first in what is asked
/// of people anyway, with all that is asked of it.
struct Deciding {
  ReadingId reading{};
  std::string words;  ///< "the CPU is at least 1.0 % and below 90 %"
};

Deciding deciding(const JudgedRule& judged, const Diagnosis& d) {
  std::optional<Deciding> first;
  for (const JudgedCondition& condition : judged.conditions) {
    if (condition.met || !condition.what.needed) continue;
    if (first && first->reading <= condition.what.reading) {
      if (first->reading != condition.what.reading) continue;
      first->words += fmt::format(" and {} {}", condition.what.at_least ? "at least" : "below",
                                  text_of(first->reading, d.thresholds[condition.what.threshold]));
      continue;
    }
    first = Deciding{condition.what.reading, if_words(condition.what, d)};
  }
  return *first;
}

std::string causes_text(const std::vector<Cause>& causes) {
  std::vector<std::string_view> words;
  for (const Cause cause : causes) words.push_back(feedrate::words_of(cause));
  return fmt::format("{}", fmt::join(words, "; or "));
}

std::string what_is_simulated(const Diagnosis& d) {
  const Simulated& simulated = *d.simulated;
  const Bottleneck& bottleneck = simulated.result.bottleneck;
  const auto says_so = [&](Cause said) { return is_right(said, simulated.cause).value_or(false); };
  const bool answered = d.answer.cause != Cause::unsaid;
  const bool agrees = answered ? d.answer.cause == simulated.cause
                               : std::any_of(d.causes.begin(), d.causes.end(), says_so);
  const bool all = answered || std::all_of(d.causes.begin(), d.causes.end(), says_so);
  const std::string opening = !answered && d.causes.empty() ? "In the simulation"
                              : agrees && all               ? "The simulation agrees:"
                              : agrees ? "The simulation agrees with one of them:"
                                       : "The simulation disagrees:";
  if (!bottleneck.stage) {
    return fmt::format("{} {} has no bottleneck.", opening, in_quotes(simulated.name));
  }
  const std::string cause =
      simulated.cause == Cause::other
          ? "a stage that no rule speaks of"
          : fmt::format("in the rules' words, {}", feedrate::words_of(simulated.cause));
  return fmt::format(
      "{} the bottleneck of {} is {} ({}); twice as fast, it would finish the job {} sooner.",
      opening, in_quotes(simulated.name), name_of(*bottleneck.stage), cause,
      percent(bottleneck.gain_if_twice_as_fast));
}

/// Why there is no answer.
std::string against_words(const Diagnosis& d) {
  const std::string limit = text_of(ReadingId::cpu, d.thresholds[ThresholdId::idle]);
  const std::string cpu = text_of(ReadingId::cpu, *d.readings[ReadingId::cpu]);
  const auto& gpu = d.readings[ReadingId::gpu];
  const bool others = d.answer.against == Against::other_programs;
  std::string text =
      others ? fmt::format(
                   "Other programs hold the cores: CPU {}, of which the job's own "
                   "processes use {}.",
                   cpu, text_of(ReadingId::own_cpu, *d.readings[ReadingId::own_cpu]))
      : gpu && *gpu < d.thresholds[ThresholdId::idle]
          ? fmt::format(
                "Nothing runs: GPU {} and CPU {} are below {}. The job has not started, "
                "hangs, or waits for the network.",
                text_of(ReadingId::gpu, *gpu), cpu, limit)
          : fmt::format(
                "The CPU does nothing: {} is below {}, so there is no work that more "
                "workers could share. The job has not started, hangs, or waits for the "
                "network.",
                cpu, limit);
  if (d.answer.is_open()) {
    const OpenReading& open = d.answer.open.front();
    text +=
        fmt::format(" Unless {}: read {}.", if_words(open.what, d), where_of(open.what.reading));
  }
  return text;
}

/// GPUs that wait in an exchange show as busy.
std::string exchange_words(const Diagnosis& d) {
  if (d.answer.exchange.empty()) return "";
  std::vector<std::string> signs;
  for (const JudgedCondition& one : d.answer.exchange) signs.push_back(words_of(one, d));
  // A step beside that on one GPU tells of several.
  const bool several = d.readings.gpus || d.readings[ReadingId::step_ratio];
  return fmt::format(
      " Or{} the exchange among {}, since {}: GPU-Util counts NCCL's kernels as work, even while "
      "they wait for other GPUs. It is the exchange if the GPUs draw far less power than in a run "
      "on one GPU (power.draw of `nvidia-smi`).",
      several ? "" : ", if the job has several GPUs,", several ? "the GPUs" : "them",
      fmt::join(signs, " and "));
}

/// "Too few workers if the disk is below 30 %: read %util of `iostat -x 1` (--disk)."
std::string answer_words(const Diagnosis& d) {
  const Answer& answer = d.answer;
  if (answer.against != Against::nothing) return against_words(d);
  if (answer.cause == Cause::unsaid) {
    if (answer.open.empty() || !answer.open.front().vital) return "";
    return fmt::format("No answer yet: read {} first.", where_of(answer.open.front().what.reading));
  }
  std::string text(feedrate::words_of(answer.cause));
  if (text.starts_with("the "))
    text[0] = 'T';
  else
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  const std::string sure =
      answer.sure ? fmt::format(" That is right for {} of generated jobs that show as much.",
                                percent(*answer.sure))
                  : exchange_words(d);
  if (answer.is_open()) {
    const OpenReading& open = answer.open.front();
    return fmt::format("{} if {}: read {}.{}", text, if_words(open.clearly_not, d),
                       where_of(open.what.reading), sure);
  }
  std::vector<std::string> parts;
  for (const JudgedCondition& one : answer.because) append_once(parts, words_of(one, d));
  return fmt::format("{}: {}.{}", text, fmt::join(parts, ", "), sure);
}

/// The readings that would change the answer, each with where to read it.
List still_open(const Diagnosis& d) {
  List list;
  list.title = d.answer.is_open() ? "What decides" : "What could still change that";
  for (const OpenReading& open : d.answer.open) {
    list.items.push_back(fmt::format("{}, if {}: read {}", feedrate::words_of(open.cause),
                                     if_words(open.what, d), where_of(open.what.reading)));
  }
  return list;
}

/// The rules that fit as far as seen, each with the one reading that decides next.
List fitting_so_far(const Diagnosis& d) {
  List list;
  list.title = "Rules that fit as far as seen";
  for (const JudgedRule* judged : with_fit(d.rules, Fit::so_far)) {
    const Deciding next = deciding(*judged, d);
    list.items.push_back(fmt::format("{} ({}): {}", judged->rule->name, judged->rule->source,
                                     judged->rule->cause == Cause::unsaid
                                         ? judged->rule->title
                                         : feedrate::words_of(judged->rule->cause)) +
                         fmt::format(", if {}: read {}", next.words, where_of(next.reading)));
  }
  return list;
}

/// What is to be done about the answer, where no rule that fits says it.
List what_helps(const Diagnosis& d) {
  List list;
  for (const Rule& rule : all_rules()) {
    if (rule.cause != d.answer.cause) continue;
    list.title = fmt::format("What helps ({})", rule.source);
    int number = 1;
    for (const std::string_view remedy : rule.remedies) {
      list.items.push_back(fmt::format("remedy {}: {}", number++, remedy));
    }
    list.items.push_back(fmt::format("scenario keys: {}", fmt::join(rule.keys, ", ")));
    list.items.push_back(fmt::format("confirmed if {}", rule.test));
    break;
  }
  return list;
}

List explained_rule(const JudgedRule& judged, const Diagnosis& d) {
  const Rule& rule = *judged.rule;
  List list;
  list.title = rule.name == rule.title
                   ? fmt::format("{} ({})", rule.name, rule.source)
                   : fmt::format("{}: {} ({})", rule.name, rule.title, rule.source);
  list.items.emplace_back(rule.meaning);
  list.items.push_back(fmt::format("because {}", because(judged, d)));
  if (rule.cause != d.answer.cause || !other_remedies(d)) {
    int number = 1;
    for (const std::string_view remedy : rule.remedies) {
      list.items.push_back(fmt::format("remedy {}: {}", number++, remedy));
    }
    list.items.push_back(fmt::format("scenario keys: {}", fmt::join(rule.keys, ", ")));
  }
  list.items.push_back(fmt::format("confirmed if {}", rule.test));
  return list;
}

List apart(const Diagnosis& d) {
  List list;
  list.title = "How to tell them apart";
  for (const JudgedRule* judged : with_fit(d.rules, Fit::fits)) {
    if (judged->rule->cause == Cause::unsaid) continue;
    list.items.push_back(fmt::format("{}: {}", judged->rule->name, judged->rule->test));
  }
  return list;
}

Table rules_table(const Diagnosis& d) {
  Table table;
  table.title = "Rules";
  table.columns = {{"rule"}, {"verdict"}, {"because"}, {"source"}};
  for (const JudgedRule& judged : d.rules) {
    const bool fits = judged.fit == Fit::fits;
    const Cell word(std::string(name_of(judged.fit)), fits ? Tone::caution : Tone::faint);
    table.rows.push_back({{std::string(judged.rule->name), word,
                           fits ? Cell("as said above", Tone::faint) : Cell(because(judged, d)),
                           std::string(judged.rule->source)},
                          fits});
  }
  return table;
}

Table monitors_table(const Diagnosis& d) {
  Table table;
  table.title = "Monitors";
  table.columns = {{""}, {"observed", Align::right}, {"simulated", Align::right}, {""}};
  for (const ReadingRow& row : all_readings()) {
    const auto& observed = d.readings[row.id];
    const auto& predicted = d.simulated->readings[row.id];
    if (!observed && !predicted) continue;
    const auto found = std::find_if(d.differences.begin(), d.differences.end(),
                                    [&](const Difference& of) { return of.reading == row.id; });
    const bool matters = found != d.differences.end() && found->matters;
    const auto cell = [&](const std::optional<double>& value) {
      return value ? Cell(text_of(row.id, *value)) : Cell("-", Tone::faint);
    };
    table.rows.push_back(
        {{std::string(row.title), cell(observed), cell(predicted),
          matters ? Cell(fmt::format("differs; look at {}", row.keys), Tone::caution) : Cell()},
         matters});
  }
  const auto fitting = with_fit(d.by_prediction, Fit::fits);
  table.note = !d.simulated->readings.any()
                   ? "Monitors are not simulated for a scenario that states its duration."
               : fitting.empty() ? "No rule fits the simulated values."
                                 : fmt::format("The simulated values fit {}.", names_of(fitting));
  return table;
}

Table thresholds_table(const Diagnosis& d) {
  Table table;
  table.title = "Thresholds";
  table.columns = {{"name"}, {"value", Align::right}, {"whose"}, {""}};
  for (const ThresholdRow& row : all_thresholds()) {
    const double value = d.thresholds[row.id];
    const Cell whose = value != row.value ? Cell("yours", Tone::caution)
                       : row.ours         ? Cell("feedrate's")
                                          : Cell("the source's");
    table.rows.push_back({{std::string(row.name), words::reading_text(row.kind, value), whose,
                           std::string(row.meaning)},
                          false});
  }
  return table;
}

/// Which rules fit, and what they name as the cause.
std::string rules_sentence(const Diagnosis& d) {
  const auto fitting = with_fit(d.rules, Fit::fits);
  const auto so_far = with_fit(d.rules, Fit::so_far);
  const auto unknown = with_fit(d.rules, Fit::unknown);
  if (fitting.empty()) {
    if (!so_far.empty()) {
      return fmt::format("No rule fits; as far as seen, {} of {} do.", so_far.size(),
                         d.rules.size());
    }
    return fmt::format("No rule fits{}.",
                       unknown.empty()
                           ? ""
                           : fmt::format(", and {} of {} cannot be judged from the readings given",
                                         unknown.size(), d.rules.size()));
  }
  if (d.causes.empty()) {
    return fitting.size() == 1
               ? fmt::format("{} fits, which names a symptom but no cause.", names_of(fitting))
               : fmt::format("{} rules fit, which name symptoms but no cause ({}).", fitting.size(),
                             names_of(fitting));
  }
  const std::vector<Cause> causes = study::distinct(d.causes);
  if (fitting.size() == 1) {
    return fmt::format("One rule fits, {}: {}.", names_of(fitting), causes_text(causes));
  }
  if (causes.size() == 1) {
    return fmt::format("{} rules fit and do not contradict each other ({}): {}.", fitting.size(),
                       names_of(fitting), causes_text(causes));
  }
  return fmt::format("{} rules fit and disagree ({}): {}.", fitting.size(), names_of(fitting),
                     causes_text(causes));
}

/// How many rules do not fit, and which readings would judge the others.
std::string other_rules(const Diagnosis& d) {
  const auto unknown = with_fit(d.rules, Fit::unknown);
  const auto so_far = with_fit(d.rules, Fit::so_far);
  std::vector<std::string> flags;
  for (const JudgedRule* judged : unknown) {
    for (const JudgedCondition& condition : judged->conditions) {
      if (condition.met || !condition.what.needed) continue;
      append_once(flags, flag_of(condition.what.reading));
    }
  }
  const std::size_t unfit = with_fit(d.rules, Fit::fits_not).size();
  std::string text =
      fmt::format("Of {} rules, {} {} not fit", d.rules.size(), unfit, unfit == 1 ? "does" : "do");
  if (!so_far.empty())
    text += fmt::format(", {} as far as seen",
                        so_far.size() == 1 ? "1 fits" : fmt::format("{} fit", so_far.size()));
  if (unknown.empty()) return text + ".";
  return text + fmt::format(", and {} could not be judged, which need {}.", unknown.size(),
                            fmt::join(flags, ", "));
}

/// What monitors show, and the rules that fit.
Report fitting_rules(const Diagnosis& d) {
  Report report;
  std::vector<std::string> shown;
  for (const ReadingRow& row : all_readings()) {
    if (!row.typed || !d.readings[row.id]) continue;
    shown.push_back(fmt::format("{} {}", row.title, text_of(row.id, *d.readings[row.id])));
  }
  report.title = fmt::format("Monitors show {}", fmt::join(shown, ", "));
  report.headline = {verdict_of(d), Tone::plain};
  if (d.simulated) report.headline.text += " " + what_is_simulated(d);
  const bool said = d.answer.cause != Cause::unsaid || d.answer.against != Against::nothing;
  if (!d.answer.open.empty() && said) {
    report.add(still_open(d));
  }
  bool told = d.answer.cause == Cause::unsaid || other_remedies(d);
  for (const JudgedRule* judged : with_fit(d.rules, Fit::fits)) {
    told = told || judged->rule->cause == d.answer.cause;
  }
  if (!told) report.add(what_helps(d));
  for (List& list : what_else_helps(d)) report.add(std::move(list));
  if (!with_fit(d.rules, Fit::so_far).empty()) report.add(fitting_so_far(d));
  for (const JudgedRule* judged : with_fit(d.rules, Fit::fits)) {
    report.add(explained_rule(*judged, d));
  }
  if (study::distinct(d.causes).size() > 1) report.add(apart(d));
  if (d.simulated) report.add(monitors_table(d));
  return report;
}

}  // namespace

std::string verdict_of(const Diagnosis& d) {
  const std::string answer = answer_words(d);
  return answer.empty() ? rules_sentence(d) : answer + " " + rules_sentence(d);
}

Report diagnose_report(const Diagnosis& d) {
  Report report = fitting_rules(d);
  report.add(rules_table(d));
  report.add(thresholds_table(d));
  report.add(List{"Remarks", d.remarks});
  return report;
}

Report diagnose_brief(const Diagnosis& d) {
  Report report = fitting_rules(d);
  report.add(other_rules(d));
  report.add(List{"Remarks", d.remarks});
  report.add(read_on("each rule with its verdict, and the thresholds"));
  return report;
}

std::string diagnose_csv(const Diagnosis& d) {
  std::vector<std::vector<std::string>> rows = {
      {"rule", "source", "cause", "verdict", "because", "predicted"}};
  for (std::size_t i = 0; i < d.rules.size(); ++i) {
    const JudgedRule& judged = d.rules[i];
    const Rule& rule = *judged.rule;
    rows.push_back({std::string(rule.name), std::string(rule.source),
                    rule.cause == Cause::unsaid ? "" : std::string(name_of(rule.cause)),
                    std::string(name_of(judged.fit)), because(judged, d),
                    d.simulated ? std::string(name_of(d.by_prediction[i].fit)) : ""});
  }
  return to_csv(rows);
}

}  // namespace feedrate::report
