// The published page about the rules of thumb says what is computed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/text_file.hpp"
#include "catch.hpp"
#include "cli/inputs.hpp"
#include "cli/process.hpp"
#include "report/numbers.hpp"
#include "scenarios/shipped.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/diagnose.hpp"
#include "study/drawn_jobs.hpp"
#include "study/run.hpp"
#include "words/readings.hpp"

using namespace feedrate;
using namespace testing_study;

namespace {

/// A simulated job as the rules see it.
struct Patient {
  Cause cause = Cause::other;
  Readings readings;
};

struct RuleScore {
  int fires = 0;   ///< fits
  int right = 0;   ///< of these, the simulation says the same
  int judged = 0;  ///< its readings are known
};

/// How often the one answer is right, of jobs of which only some readings are known.
struct AnswerScore {
  std::string known;  ///< what was read
  int right = 0;
  int wrong = 0;
  int none = 0;  ///< too little was known
};

inline constexpr std::size_t cause_count = 9;

struct Scores {
  int jobs = 0;
  std::vector<RuleScore> rules;           ///< in the order of the table
  std::array<int, cause_count> caused{};  ///< jobs by what the simulation says
  std::array<int, cause_count> found{};   ///< of these, a rule that fits says so
  std::array<std::vector<Readings>, cause_count> readings{};  ///< of the same jobs
  // jobs by what the rules that fit say, symptoms without a cause left out
  int none = 0;        ///< nothing
  int all_right = 0;   ///< only what the simulation says
  int some_right = 0;  ///< that, and something else
  int all_wrong = 0;
};

/// docs/rules_of_thumb.md, and the figures of docs/guide/diagnose.md, of the same jobs.
struct Pages {
  std::string rules;
  std::string hit_rate;
};

constexpr int drawn_jobs = 2000;
constexpr unsigned counted = 12;
// The jobs by which the answer's thresholds were chosen: others than those that are counted.
constexpr unsigned chosen_by = 1001;

std::size_t place(Cause cause) {
  return static_cast<std::size_t>(cause);
}

/// Nothing where no pipeline is simulated.
std::optional<Patient> patient(const Scenario& scenario, const Catalog& catalog) {
  study::RunOptions options;
  options.list_inputs = false;
  options.try_workers = true;
  const Result result = study::run(scenario, catalog, nullptr, options);
  if (!result.monitors) return std::nullopt;
  return Patient{study::simulated_cause(result),
                 study::simulated_readings(result, scenario, catalog, nullptr)};
}

std::string share_of(int part, int all) {
  return all == 0 ? "-" : report::percent(static_cast<double>(part) / all);
}

std::string rules_table(const Scores& scores) {
  std::string text =
      "| rule | source | says | jobs it can be judged for | fits | right |\n"
      "|---|---|---|---:|---:|---:|\n";
  for (std::size_t i = 0; i < all_rules().size(); ++i) {
    const Rule& rule = all_rules()[i];
    const RuleScore& score = scores.rules[i];
    const bool says = rule.cause != Cause::unsaid;
    text += fmt::format(
        "| `{}` | {} | {} | {} | {} | {} |\n", rule.name, rule.source, words_of(rule.cause),
        score.judged, score.fires,
        !says ? "-" : fmt::format("{} ({})", score.right, share_of(score.right, score.fires)));
  }
  return text;
}

constexpr Cause told_apart[] = {Cause::download,    Cause::streaming, Cause::disk,
                                Cause::cores,       Cause::workers,   Cause::fed,
                                Cause::epoch_start, Cause::other};

/// What monitors show of the jobs of each cause: the median, and what 80 % lie between.
std::string readings_table(const Scores& scores) {
  constexpr ReadingId shown[] = {ReadingId::gpu, ReadingId::cpu, ReadingId::disk,
                                 ReadingId::network, ReadingId::start};
  std::string text =
      "| the simulation says | GPU | CPU | disk | network | start |\n"
      "|---|---:|---:|---:|---:|---:|\n";
  for (const Cause cause : told_apart) {
    text += fmt::format("| {} |", words_of(cause));
    for (const ReadingId id : shown) {
      std::vector<double> values;
      for (const Readings& readings : scores.readings[place(cause)]) {
        if (readings[id]) values.push_back(*readings[id]);
      }
      std::sort(values.begin(), values.end());
      const auto quantile = [&](double share) {
        const double at = share * (static_cast<double>(values.size()) - 1.0);
        return words::reading_text(reading(id).kind,
                                   values[static_cast<std::size_t>(std::lround(at))]);
      };
      text += values.empty()
                  ? " - |"
                  : fmt::format(" {} ({} … {}) |", quantile(0.5), quantile(0.1), quantile(0.9));
    }
    text += "\n";
  }
  return text;
}

std::string causes_table(const Scores& scores) {
  std::string text =
      "| the simulation says | jobs | a rule that fits says so |\n"
      "|---|---:|---:|\n";
  for (const Cause cause : told_apart) {
    const int jobs = scores.caused[place(cause)];
    const int found = scores.found[place(cause)];
    text += fmt::format("| {} | {} | {} |\n", words_of(cause), jobs,
                        cause == Cause::other || cause == Cause::epoch_start
                            ? "-"
                            : fmt::format("{} ({})", found, share_of(found, jobs)));
  }
  return text;
}

std::string verdicts(const Scores& scores) {
  const auto of = [&](int part) {
    return fmt::format("{} ({})", part, share_of(part, scores.jobs));
  };
  return fmt::format(
      "| of {} jobs | |\n|---|---:|\n| the rules that fit say what the simulation says, and "
      "nothing "
      "else | {} |\n| that, and something else | {} |\n| only something else | {} |\n| no rule "
      "that "
      "names a cause fits | {} |\n",
      scores.jobs, of(scores.all_right), of(scores.some_right), of(scores.all_wrong),
      of(scores.none));
}

std::string answers_table(const std::vector<AnswerScore>& scores) {
  std::string text =
      "| known | the answer is what the simulation says | it is not | no answer |\n"
      "|---|---:|---:|---:|\n";
  for (const AnswerScore& one : scores) {
    const int jobs = one.right + one.wrong + one.none;
    text += fmt::format("| {} | {} | {} | {} |\n", one.known, share_of(one.right, jobs),
                        share_of(one.wrong, jobs), share_of(one.none, jobs));
  }
  return text;
}

std::string thresholds_table() {
  std::string text = "| threshold | value | whose | what it is |\n|---|---:|---|---|\n";
  for (const ThresholdRow& row : all_thresholds()) {
    text +=
        fmt::format("| `{}` | {} | {} | {} |\n", row.name, words::reading_text(row.kind, row.value),
                    row.ours ? "feedrate's" : "the source's", row.meaning);
  }
  return text;
}

Scores scores_of(const std::vector<Patient>& patients) {
  Scores scores;
  scores.rules.resize(all_rules().size());
  for (const Patient& one : patients) {
    ++scores.jobs;
    ++scores.caused[place(one.cause)];
    scores.readings[place(one.cause)].push_back(one.readings);
    const auto judged = study::judge(one.readings, Thresholds());
    int right = 0, wrong = 0;
    for (std::size_t i = 0; i < judged.size(); ++i) {
      if (judged[i].fit != Fit::unknown) ++scores.rules[i].judged;
      if (judged[i].fit != Fit::fits) continue;
      ++scores.rules[i].fires;
      const auto is = is_right(judged[i].rule->cause, one.cause);
      if (!is) continue;
      if (*is) ++scores.rules[i].right;
      (*is ? right : wrong) += 1;
    }
    if (right > 0) ++scores.found[place(one.cause)];
    if (right > 0 && wrong == 0) ++scores.all_right;
    if (right > 0 && wrong > 0) ++scores.some_right;
    if (right == 0 && wrong > 0) ++scores.all_wrong;
    if (right == 0 && wrong == 0) ++scores.none;
  }
  return scores;
}

/// A row a set of readings, each of which holds the one before it.
std::vector<AnswerScore> answers_of(const std::vector<Patient>& patients,
                                    const Thresholds& thresholds = {}) {
  using enum ReadingId;
  struct Known {
    const char* words;
    std::vector<ReadingId> more;
  };
  const Known sets[] = {
      {"GPU (`nvidia-smi`)", {gpu}},
      {"and CPU (`top`)", {cpu}},
      {"and disk (`iostat -x 1`)", {disk}},
      {"and workers per CPU (`nproc`)", {workers_per_cpu}},
      {"and the times of the download and of the job", {download, job_time, download_share}},
      {"and a step beside one on a single GPU", {step_ratio}},
      {"and an epoch with twice the workers", {more_workers}},
  };
  std::vector<AnswerScore> scores;
  std::vector<ReadingId> known;
  for (const Known& set : sets) {
    known.insert(known.end(), set.more.begin(), set.more.end());
    AnswerScore score{set.words};
    for (const Patient& one : patients) {
      Readings readings;
      for (const ReadingId id : known) readings[id] = one.readings[id];
      const Cause said = study::answer_of(readings, thresholds).cause;
      (said == Cause::unsaid ? score.none : said == one.cause ? score.right : score.wrong) += 1;
    }
    scores.push_back(score);
  }
  return scores;
}

/// The shipped scenarios that simulate a pipeline, each as it is.
std::vector<Patient> shipped_patients() {
  std::vector<Patient> patients;
  for (const std::string& name : testing_scenarios::shipped()) {
    const auto document =
        schema::load_document(std::string(FEEDRATE_SOURCE_DIR "/scenarios/") + name);
    const auto one = patient(cli::scenario_of(document), testing_resolve::catalog());
    if (one) patients.push_back(*one);
  }
  return patients;
}

/// Jobs drawn from drawn_job that can run.
std::vector<Patient> drawn_patients(int count, unsigned seed) {
  pipeline::Generator random(seed);
  std::vector<Patient> patients;
  while (static_cast<int>(patients.size()) < count) {
    const Settings settings = drawn_job(random);
    const auto one = where_possible([&] {
      return patient(testing_resolve::scenario_with(settings), testing_resolve::catalog());
    });
    if (one && *one) patients.push_back(**one);
  }
  return patients;
}

Pages pages() {
  const auto shipped_jobs = shipped_patients();
  const auto jobs = drawn_patients(drawn_jobs, counted);
  const Scores shipped = scores_of(shipped_jobs);
  const Scores drawn = scores_of(jobs);
  std::string page =
      "# How good are the rules of thumb?\n\n"
      "`feedrate diagnose` judges what monitors show by published rules of thumb. Here the rules "
      "are\n"
      "judged: of each job, what `run` predicts that `top`, `iostat`, `sar` and `nvidia-smi` show "
      "is\n"
      "fed back into the rules, and what they say is held against what the simulation calls the\n"
      "bottleneck. It is a measurement of the rules against a model, not against machines: a\n"
      "bottleneck that the model does not know (a Python lock that is not stated, a slow "
      "neighbour)\n"
      "is in none of these jobs.\n\n"
      "The simulation's word is the stage that shortens the job most when it is made twice as "
      "fast.\n"
      "Where that is one of the loader's (download, network, disk, decode, collate), other "
      "numbers\n"
      "of workers are simulated as well: if they save at least half of that, the cause is too few\n"
      "workers. If the download is mostly before training, it is that; else it is streaming. "
      "Stages\n"
      "that no rule speaks of (handover, h2d, allreduce, checkpoint) and jobs in which nothing "
      "gains\n"
      "1 % are a row of their own, and so are workers that start anew in each epoch.\n\n";
  page += fmt::format(
      "The population: the shipped scenarios that simulate a pipeline ({}), each as it is, and {}\n"
      "jobs drawn over the shipped catalogue, each source, input mode, disk, machine with GPUs, "
      "number\n"
      "of instances, kind of loader, number of workers (1 to 32), cost of preprocessing (0.1 to 50 "
      "ms a\n"
      "sample), batch (8 to 256), step and number of epochs (1 to 30) independently of the others, "
      "by\n"
      "`tests/study/drawn_jobs.hpp`; jobs that cannot run are drawn again. How often each cause\n"
      "comes is the population's doing; how often a rule is right depends on it.\n\n",
      shipped.jobs, drawn.jobs);
  page +=
      "These figures are written by\n"
      "```\n"
      "FEEDRATE_WRITE_PAGE=1 build/tests/feedrate_tests \"rules of thumb: the page says what is "
      "computed\"\n"
      "```\n"
      "and held by the same test without the variable.\n";
  const auto part = [&](const std::string& title, const Scores& scores) {
    page += fmt::format("\n## {}\n\n{}\n{}\n{}", title, verdicts(scores), rules_table(scores),
                        causes_table(scores));
  };
  part("Drawn jobs", drawn);
  part("Shipped scenarios", shipped);
  const auto answers = answers_of(jobs);
  page +=
      "\n## One answer\n\n"
      "Beside the published rules, `diagnose` gives one answer: it asks for the readings one after "
      "the\n"
      "other (is the download half of the job's time? does an epoch with twice the workers take "
      "less\n"
      "than 0.85 of today's? is the GPU at 80 % or more? the CPU at 60 % or more? the disk at 70 % "
      "or\n"
      "more? the GPU at 60 % or more where twice the workers change nothing, 0.95 or more? are "
      "there\n"
      "0.7 workers per CPU or more? does a step take 1.2 times as long as on one GPU? do twice "
      "the\n"
      "workers change nothing?), takes the first that says yes, and too few workers where none "
      "does.\n"
      "An epoch with other workers is no reading but a trial, which nothing else replaces. Where "
      "they\n"
      "were read, a CPU quota that was used up in half of its periods (the cores), an epoch of "
      "which 20 %\n"
      "pass before its first step, and a network at 85 % or more (streaming) are asked for after "
      "the\n"
      "GPU; no drawn job has any of these. Of the drawn jobs:\n\n" +
      answers_table(answers) +
      fmt::format(
          "\nOf the shipped scenarios, with all of these readings: {} of {}.\n\n"
          "The thresholds that are the answer's own (`fed`, `busy-cores`, `shared-step`,\n"
          "`long-download`, `workers-help`, `workers-do-not`, `fed-slowly`) were chosen on jobs "
          "of\n"
          "another seed than those that are counted, but for `full-network`, `held-back` and\n"
          "`late-epochs`, which are judgement; the others are those of the published rules. A "
          "rule\n"
          "that says too few workers is not passed on where twice the workers were tried in vain, "
          "or a\n"
          "quota, the start of epochs or a full network is known to hold the job back; here it "
          "counts.\n"
          "What is missed most is a job that waits in its first epoch and not in the later ones, "
          "of\n"
          "which these readings are.\n",
          answers_of(shipped_jobs).back().right, shipped.jobs);
  page +=
      "\n## What monitors show, by cause\n\n"
      "Of the drawn jobs: the median, and what 80 % lie between. Where a pattern of the rules is "
      "not\n"
      "the pattern of its cause, no threshold helps: what streams from S3 waits for first bytes "
      "and\n"
      "for its connections, and no monitor of the network shows that.\n\n";
  page += readings_table(drawn);
  page +=
      "\n## Conditions and thresholds\n\n"
      "AWS Dev Day's row on the download (\"long start, CPU and GPU low\") is read as one about "
      "the\n"
      "start: nothing else goes on while the data are copied, so CPU and GPU of the epochs that "
      "follow\n"
      "decide nothing, and the start's length decides alone. RAM, which one row calls low, counts "
      "where\n"
      "it is known.\n\n"
      "AWS Dev Day, Hyundai and Ray say \"low\", \"high\" and \"longer\" without a number: those "
      "numbers\n"
      "are feedrate's, and were set before any of this was counted. SageMaker Debugger's are its "
      "rules'\n"
      "defaults; it asks that they hold for over half of the time, `diagnose` judges by means.\n"
      "`--threshold` changes each.\n\n";
  page += thresholds_table();
  const std::string hit_rate =
      answers_table(answers) +
      fmt::format("| all of these, the published rules alone | {} | {} | {} |\n",
                  share_of(drawn.all_right, drawn.jobs),
                  share_of(drawn.some_right + drawn.all_wrong, drawn.jobs),
                  share_of(drawn.none, drawn.jobs)) +
      fmt::format(
          "\nOf the {} shipped scenarios, some of which test a single part of the model and are "
          "like no\n"
          "job, the answer is right for {}, and the published rules alone for {}.\n",
          shipped.jobs, answers_of(shipped_jobs).back().right, shipped.all_right);
  return {page, hit_rate};
}

constexpr std::string_view begin_mark =
    "<!-- FEEDRATE_WRITE_PAGE=1 build/tests/feedrate_tests \"rules of thumb: the page*\" -->\n";
constexpr std::string_view end_mark = "\n<!-- end -->";

/// The guide's page with these figures.
std::string with_figures(const std::string& page, const std::string& figures) {
  const auto begin = page.find(begin_mark);
  REQUIRE(begin != std::string::npos);
  const auto end = page.find(end_mark, begin);
  REQUIRE(end != std::string::npos);
  return page.substr(0, begin + begin_mark.size()) + figures + page.substr(end);
}

}  // namespace

TEST_CASE("rules of thumb: the page says what is computed") {
  const std::string path = FEEDRATE_SOURCE_DIR "/docs/rules_of_thumb.md";
  const std::string guide_path = FEEDRATE_SOURCE_DIR "/docs/guide/diagnose.md";
  const Pages made = pages();
  const bool write = std::getenv("FEEDRATE_WRITE_PAGE") != nullptr;
  if (write) write_text_file(path, made.rules);
  CHECK(read_text_file(path) == made.rules);
  const std::string guide = read_text_file(guide_path);
  const std::string with = with_figures(guide, made.hit_rate);
  if (write) write_text_file(guide_path, with);
  CHECK(read_text_file(guide_path) == with);
}

TEST_CASE("rules of thumb: other jobs than those that are counted choose the answer's thresholds") {
  const auto jobs = drawn_patients(1500, chosen_by);
  const int now = answers_of(jobs).back().right;
  // Moved by a fifth either way, no threshold gains a point: where one does, it was not chosen by
  // these jobs, or the model has changed and it has to be chosen again.
  for (const Question& question : all_questions()) {
    for (const double factor : {0.8, 1.2}) {
      Thresholds moved;
      double& value = moved[question.when.threshold];
      value = std::min(value * factor, 0.99 + (value > 1.0 ? 1.0 : 0.0));
      INFO(threshold(question.when.threshold).name << " at " << value);
      CHECK(answers_of(jobs, moved).back().right <= now + 15);
    }
  }
}

TEST_CASE("rules of thumb: how sure an answer is said to be is how often it is right elsewhere") {
  using enum ReadingId;
  const std::vector<ReadingId> more[seen_count] = {
      {gpu},
      {cpu},
      {disk},
      {workers_per_cpu, download, job_time, download_share, step_ratio},
      {more_workers}};
  struct Count {
    int said = 0, right = 0;
    std::optional<double> sure;
  };
  const auto counts_of = [&](const std::vector<Patient>& jobs, Cause cause, std::size_t level) {
    Count count;
    for (const Patient& one : jobs) {
      Readings readings;
      bool all = true;
      for (std::size_t of = 0; of <= level; ++of) {
        for (const ReadingId id : more[of]) {
          readings[id] = one.readings[id];
          all = all && readings[id];
        }
      }
      if (!all) continue;  // of a loader without workers, say
      const Answer answer = study::answer_of(readings, {});
      if (answer.cause != cause) continue;
      ++count.said;
      count.right += one.cause == cause ? 1 : 0;
      if (answer.sure) count.sure = answer.sure;
    }
    return count;
  };
  // With the variable, the rows of the table in src/model/rules.cpp are printed.
  const bool print = std::getenv("FEEDRATE_WRITE_PAGE") != nullptr;
  const auto jobs = print ? drawn_patients(4000, chosen_by) : drawn_patients(drawn_jobs, counted);
  int checked = 0;
  for (const Cause cause : told_apart) {
    std::string row;
    for (std::size_t level = 0; level < seen_count; ++level) {
      const Count count = counts_of(jobs, cause, level);
      if (print) {
        const bool enough = count.said >= 50;
        row += fmt::format(" {:.2f}", enough ? 1.0 * count.right / count.said : 0.0);
      }
      if (print || !count.sure || count.said < 30) continue;
      const double share = 1.0 * count.right / count.said;
      const double error = std::sqrt(*count.sure * (1.0 - *count.sure) / count.said);
      INFO(name_of(cause) << " at " << level << ": " << share << " of " << count.said);
      CHECK(std::abs(share - *count.sure) < 3.0 * error + 0.02);
      ++checked;
    }
    if (print) WARN(name_of(cause) << row);
  }
  CHECK((print || checked > 10));
}

TEST_CASE("rules of thumb: one answer is right twice as often as wrong from the first reading on") {
  const auto scores = answers_of(drawn_patients(600, counted));
  for (std::size_t i = 0; i < scores.size(); ++i) {
    INFO(scores[i].known);
    CHECK(scores[i].right + scores[i].wrong + scores[i].none == 600);
    CHECK(scores[i].right > 2 * scores[i].wrong);
    // A reading more may mislead in single jobs, never in many of them.
    if (i > 0) CHECK(scores[i].right >= scores[i - 1].right - 12);
  }
  INFO(scores.back().right);
  CHECK(scores.back().right > 0.86 * 600);
}

TEST_CASE("rules of thumb: counts add up") {
  const Scores scores = scores_of(drawn_patients(200, counted));
  CHECK(scores.jobs == 200);
  CHECK(scores.none + scores.all_right + scores.some_right + scores.all_wrong == 200);
  int caused = 0;
  for (std::size_t i = 0; i < cause_count; ++i) {
    caused += scores.caused[i];
    CHECK(scores.found[i] <= scores.caused[i]);
  }
  CHECK(caused == 200);
  for (const RuleScore& rule : scores.rules) {
    CHECK(rule.right <= rule.fires);
    CHECK(rule.fires <= rule.judged);
  }
}
