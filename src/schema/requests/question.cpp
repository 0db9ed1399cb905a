#include "schema/requests/question.hpp"

#include <algorithm>
#include <array>

namespace feedrate::schema {
namespace {

constexpr std::array rows = {
    QuestionRow{Question::run, "run",
                "Simulate one training job: which stage is the bottleneck, how long the job takes, "
                "what it costs, how busy its GPUs are, and how sure that is. Start here; the topic "
                "scenario of schema explains how to describe a job.",
                "options/replications options/seed options/exact options/mean"},
    QuestionRow{Question::sweep, "sweep",
                "Simulate the job at every combination of some values (workers, batch size, "
                "machines): a whole result for each point, and which is the fastest and the "
                "cheapest. For tens of points; optimize takes up to a million.",
                "vary instances deadline budget options/replications options/seed options/exact "
                "options/mean options/jobs"},
    QuestionRow{Question::advise, "advise",
                "What to change: every known remedy simulated and ranked by what it saves for the "
                "effort, each with the settings that apply it. For a job whose GPUs wait.",
                "target deadline budget options/seed options/mean"},
    QuestionRow{Question::optimize, "optimize",
                "The best of up to a million settings or machines within a deadline and a budget, "
                "what limits it, and how sure the choice is. Its answer is one setting.",
                "over instances minimize deadline budget options/replications options/seed "
                "options/exact options/mean options/jobs"},
    QuestionRow{Question::scale, "scale",
                "How many instances pay off: time, cost and efficiency by number of instances, the "
                "smallest and the cheapest number that meets a deadline, and what limits more.",
                "vary deadline value_of_hour to strong options/seed options/mean options/jobs"},
    QuestionRow{Question::cases, "cases",
                "How good the predictions are: the measured cases that the scenario states, each "
                "predicted, with the error. For a scenario that has cases.",
                "options/replications options/seed options/exact options/mean"},
    QuestionRow{Question::fit, "fit",
                "Numbers of the scenario that nobody measured, found from its measured cases: "
                "values, error bars, and what to measure next. For a scenario that has cases.",
                "free!"},
    QuestionRow{Question::diagnose, "diagnose",
                "What monitors of a running job mean: which published rules of thumb fit the "
                "readings, which cause they name, and whether a simulation of the scenario, if one "
                "is given, agrees.",
                "readings! threshold options/replications options/seed options/exact options/mean"},
    QuestionRow{Question::check, "check",
                "Whether a change makes jobs slower or dearer: scenarios against a baseline of "
                "feedrate check --update, each with what changed, why, and which limit it exceeds.",
                "baseline! baseline_file scenarios max_increase max_change threshold max_price_age "
                "hold_prices strict options/replications options/seed options/exact options/mean"},
};

/// What stands behind `key` in the row's list: nothing where it is not in it.
const char* behind(const QuestionRow& row, std::string_view key) {
  std::string_view rest = row.keys;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    if (word == key) return "";
    if (word.ends_with('!') && word.substr(0, word.size() - 1) == key) return "!";
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return nullptr;
}

}  // namespace

std::span<const QuestionRow> all_questions() {
  return rows;
}

const QuestionRow& row_of(Question question) {
  return rows[static_cast<std::size_t>(question)];
}

const QuestionRow* find_question(std::string_view name) {
  const auto* const found = std::find_if(rows.begin(), rows.end(),
                                         [&](const QuestionRow& row) { return row.name == name; });
  return found == rows.end() ? nullptr : found;
}

std::span<const std::string_view> question_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const QuestionRow& row : rows) all.push_back(row.name);
    return all;
  }();
  return names;
}

bool takes(const QuestionRow& row, std::string_view key) {
  return behind(row, key) != nullptr;
}

bool needs(const QuestionRow& row, std::string_view key) {
  const char* const mark = behind(row, key);
  return mark != nullptr && *mark == '!';
}

}  // namespace feedrate::schema
