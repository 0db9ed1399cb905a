#include "api/check_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/inputs.hpp"
#include "base/named_files.hpp"
#include "base/parallel.hpp"
#include "base/text_file.hpp"
#include "study/renamed.hpp"
#include "words/limits.hpp"

namespace feedrate::api {
namespace {

std::vector<Limit> limits_of(const std::vector<schema::ThresholdText>& texts,
                             const std::optional<Currency>& own = {}) {
  std::vector<Limit> limits;
  for (const schema::ThresholdText& text : texts) {
    limits.push_back(placed(text.file, text.line, text.pointer,
                            [&] { return words::parse_limit(text.text, own); }));
    limits.back().file = text.file;
    limits.back().line = text.line;
  }
  return limits;
}

/// A scenario without an entry of its own is compared with the one that it was: else a more
/// expensive job would pass under a new file name.
void find_renamed(std::vector<CheckedJob>& all, const CheckInputs& inputs,
                  const std::set<std::string>& given) {
  std::vector<CheckedJob*> jobs;
  std::vector<study::Identity> added, before;
  for (CheckedJob& job : all) {
    if (job.entry != nullptr) continue;
    jobs.push_back(&job);
    added.push_back({job.scenario.name, schema::compact_text(*bare_scenario(job.scenario))});
  }
  if (jobs.empty()) return;
  const std::vector<const schema::BaselineEntry*> entries = gone(inputs, given);
  for (const schema::BaselineEntry* entry : entries) {
    before.push_back({entry->name, schema::compact_text(*entry->inputs.scenario)});
  }
  const auto found = study::match_renamed(added, before);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!found[i]) continue;
    jobs[i]->entry = entries[found[i]->gone];
    jobs[i]->renamed_by = found[i]->what;
  }
}

/// Figures of one side of a merge beside inputs of the other would explain nothing.
void refuse_edited_entries(const schema::Baseline& baseline, bool update,
                           const std::set<std::string>& given) {
  std::vector<Problem> problems;
  for (const schema::BaselineEntry& entry : baseline.entries) {
    const bool replaced = update && given.contains(entry.key);
    if (entry.intact || replaced) continue;
    problems.push_back(
        {baseline.file, entry.line, schema::join_pointer("/scenarios", entry.key),
         "expected inputs that match the entry's inputs_hash, got different ones (edited by hand, "
         "or merged): run feedrate check --update on this scenario"});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

void read_job(CheckedJob& job, const CheckSource& source) {
  job.document = source.read();
  job.scenario = scenario_of(job.document);
  const std::vector<Limit> own =
      limits_of(schema::threshold_texts(job.document.root()), job.scenario.currency);
  job.limits.insert(job.limits.end(), own.begin(), own.end());
  if (job.limits.empty()) job.limits = words::default_limits();
}

}  // namespace

schema::JsonPtr bare_scenario(const Scenario& scenario) {
  Scenario bare = scenario;
  bare.name.clear();
  bare.description.clear();
  bare.about = {};
  bare.cases.clear();
  bare.thresholds.clear();
  bare.accounting = {};
  bare.accounting.discounts = scenario.accounting.discounts;
  return schema::parse_json(schema::write_scenario(bare), "");
}

std::optional<Scenario> scenario_in(const schema::JsonPtr& root, const std::string& file) {
  try {
    return scenario_of(schema::Document(root, file));
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::string rule_flag(std::string_view dashes, std::string_view name) {
  std::string flag = std::string(dashes) + std::string(name);
  if (dashes.empty()) std::replace(flag.begin(), flag.end(), '-', '_');
  return flag;
}

std::vector<const schema::BaselineEntry*> gone(const CheckInputs& inputs,
                                               const std::set<std::string>& given) {
  if (!inputs.looks_for_gone) return {};
  // Of files outside nothing is told: they count as not checked.
  const schema::Baseline& baseline = inputs.baseline;
  const NamedFiles files(inputs.files, baseline.file);
  std::vector<const schema::BaselineEntry*> entries;
  for (const schema::BaselineEntry& entry : baseline.entries) {
    if (!given.contains(entry.key) && files.is_missing(entry.key, baseline.file)) {
      entries.push_back(&entry);
    }
  }
  return entries;
}

std::vector<Limit> limits_of_rules(const CheckRules& rules, std::string_view dashes) {
  std::vector<Limit> limits;
  const auto add = [&](const std::string& name, const std::vector<std::string>& texts,
                       const auto& parse) {
    for (const std::string& text : texts) {
      const std::string at = rule_flag(dashes, name) + " " + text;
      for (Limit& limit : placed("", 0, at, [&] { return parse(text); })) {
        limit.file = "--" + name;  // in every answer, so that it is the command's to the byte
        limits.push_back(std::move(limit));
      }
    }
  };
  add("max-increase", rules.max_increase, words::parse_max_increase);
  add("max-change", rules.max_change, words::parse_max_change);
  add("threshold", rules.thresholds,
      [](const std::string& text) { return std::vector<Limit>{words::parse_limit(text)}; });
  return limits;
}

CheckJobs load_jobs(const CheckInputs& inputs, const CheckRules& rules, std::string_view dashes) {
  const std::vector<Limit> stated = limits_of_rules(rules, dashes);
  CheckJobs out;
  const schema::Baseline& baseline = inputs.baseline;
  std::vector<CheckedJob>& jobs = out.jobs;
  const std::vector<Limit> common = limits_of(baseline.thresholds);
  jobs.resize(inputs.scenarios.size());
  std::vector<std::vector<Problem>> problems(jobs.size());
  std::set<std::string> seen;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    CheckedJob& job = jobs[i];
    job.path = inputs.scenarios[i].path;
    job.key = inputs.scenarios[i].key;
    if (seen.insert(job.key).second) continue;
    throw InputError(fmt::format(
        "{}: expected each scenario once, got it again{}", job.path,
        job.path == standard_input_path ? ": standard input can be read only once" : ""));
  }
  for_each_index(jobs.size(), 0, [&](std::size_t i) {
    CheckedJob& job = jobs[i];
    job.limits = stated;
    job.limits.insert(job.limits.end(), common.begin(), common.end());
    problems[i] = problems_of([&] { read_job(job, inputs.scenarios[i]); });
    job.entry = baseline.find(job.key);
  });
  std::size_t readable = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!problems[i].empty()) {
      out.errors.push_back({jobs[i].path, jobs[i].key, std::move(problems[i])});
    } else if (readable++ != i) {
      jobs[readable - 1] = std::move(jobs[i]);
    }
  }
  jobs.resize(readable);
  find_renamed(jobs, inputs, seen);
  for (const CheckedJob& job : jobs) {
    if (job.entry != nullptr) seen.insert(job.entry->key);
  }
  refuse_edited_entries(baseline, rules.update, seen);
  for (CheckedJob& job : jobs) {
    if (job.entry != nullptr) job.old = scenario_in(job.entry->inputs.scenario, job.path);
  }
  return out;
}

}  // namespace feedrate::api
