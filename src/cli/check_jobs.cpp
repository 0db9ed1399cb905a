#include "cli/check_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/named_files.hpp"
#include "base/parallel.hpp"
#include "base/shell_pipe.hpp"
#include "base/text_file.hpp"
#include "study/renamed.hpp"
#include "words/limits.hpp"

namespace feedrate::cli {
namespace {

namespace fs = std::filesystem;

std::vector<Limit> limits_of(const std::vector<schema::ThresholdText>& texts) {
  std::vector<Limit> limits;
  for (const schema::ThresholdText& text : texts) {
    limits.push_back(
        placed(text.file, text.line, text.pointer, [&] { return words::parse_limit(text.text); }));
    limits.back().file = text.file;
    limits.back().line = text.line;
  }
  return limits;
}

std::vector<Limit> limits_of_flags(const CheckArguments& arguments) {
  std::vector<Limit> limits;
  const auto add = [&](const std::string& flag, const std::vector<std::string>& texts,
                       const auto& parse) {
    for (const std::string& text : texts) {
      for (Limit& limit : placed("", 0, flag + " " + text, [&] { return parse(text); })) {
        limit.file = flag;
        limits.push_back(std::move(limit));
      }
    }
  };
  add("--max-increase", arguments.max_increase, words::parse_max_increase);
  add("--max-change", arguments.max_change, words::parse_max_change);
  for (const std::string& text : arguments.thresholds) {
    limits.push_back(
        placed("", 0, "--threshold " + text, [&] { return words::parse_limit(text); }));
    limits.back().file = "--threshold";
  }
  return limits;
}

/// What messages call a baseline that came through a pipe, which counts as lying in the folder in
/// which the check was started.
constexpr const char* piped_baseline = "baseline";

/// Without links, as far as they lead to something that has a place of its own: a pipe has none.
fs::path real_path(const std::string& path) {
  std::error_code failed;
  fs::path real = fs::weakly_canonical(fs::absolute(path), failed);
  return failed ? fs::absolute(path).lexically_normal() : real;
}

bool is_pipe_of_shell(const std::string& path) {
  std::error_code failed;
  return names_shell_pipe(path) && fs::is_fifo(path, failed);
}

/// The scenario's file from the folder of the baseline, so that an entry does not depend on where
/// the check is started.
std::string key_of(const std::string& path, const std::string& baseline) {
  const fs::path folder =
      is_pipe_of_shell(baseline) ? fs::current_path() : real_path(baseline).parent_path();
  return real_path(path).lexically_relative(folder).generic_string();
}

/// A scenario without an entry of its own is compared with the one that it was: else a more
/// expensive job would pass under a new file name.
void find_renamed(std::vector<Job>& all, const schema::Baseline& baseline,
                  const std::set<std::string>& given) {
  std::vector<Job*> jobs;
  std::vector<study::Identity> added, before;
  for (Job& job : all) {
    if (job.entry != nullptr) continue;
    jobs.push_back(&job);
    added.push_back({job.scenario.name, schema::compact_text(*bare_scenario(job.scenario))});
  }
  if (jobs.empty()) return;
  const std::vector<const schema::BaselineEntry*> entries = gone(baseline, given);
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

/// The scenario and its limits, from its file.
void read_job(Job& job, const SimulationOptions& simulation) {
  job.document = load_with_settings(job.path, simulation);
  job.scenario = scenario_of(job.document);
  const std::vector<Limit> own = limits_of(schema::threshold_texts(job.document.root()));
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

schema::Baseline read_baseline_of(const CheckArguments& arguments) {
  if (is_pipe_of_shell(arguments.baseline)) {
    if (arguments.update) {
      throw InputError(std::vector<Problem>{
          {"", 0, "--baseline", "expected a file for --update to write, got a pipe"}});
    }
    return schema::parse_baseline(read_text_file(arguments.baseline), piped_baseline);
  }
  if (is_there(arguments.baseline)) return schema::read_baseline(arguments.baseline);
  if (!arguments.update) {
    throw InputError(std::vector<Problem>{
        {arguments.baseline, 0, "", "expected a baseline, got no such file: --update creates it"}});
  }
  schema::Baseline empty;
  empty.file = arguments.baseline;
  return empty;
}

std::vector<const schema::BaselineEntry*> gone(const schema::Baseline& baseline,
                                               const std::set<std::string>& given) {
  // Of files outside nothing is told: they count as not checked.
  const NamedFiles files({}, baseline.file);
  std::vector<const schema::BaselineEntry*> entries;
  for (const schema::BaselineEntry& entry : baseline.entries) {
    if (!given.contains(entry.key) && files.is_missing(entry.key, baseline.file)) {
      entries.push_back(&entry);
    }
  }
  return entries;
}

CheckJobs load_jobs(const CheckArguments& arguments) {
  const std::vector<Limit> flags = limits_of_flags(arguments);
  CheckJobs out{read_baseline_of(arguments), {}, {}};
  schema::Baseline& baseline = out.baseline;
  std::vector<Job>& jobs = out.jobs;
  const std::vector<Limit> common = limits_of(baseline.thresholds);
  jobs.resize(arguments.scenarios.size());
  std::vector<std::vector<Problem>> problems(jobs.size());
  std::set<std::string> seen;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Job& job = jobs[i];
    job.path = arguments.scenarios[i];
    job.key = key_of(job.path, arguments.baseline);
    if (seen.insert(job.key).second) continue;
    throw InputError(fmt::format(
        "{}: expected each scenario once, got it again{}", job.path,
        job.path == standard_input_path ? ": standard input can be read only once" : ""));
  }
  for_each_index(jobs.size(), 0, [&](std::size_t i) {
    Job& job = jobs[i];
    job.limits = flags;
    job.limits.insert(job.limits.end(), common.begin(), common.end());
    problems[i] = problems_of([&] { read_job(job, arguments.simulation); });
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
  find_renamed(jobs, baseline, seen);
  for (const Job& job : jobs) {
    if (job.entry != nullptr) seen.insert(job.entry->key);
  }
  refuse_edited_entries(baseline, arguments.update, seen);
  for (Job& job : jobs) {
    if (job.entry != nullptr) job.old = scenario_in(job.entry->inputs.scenario, job.path);
  }
  return out;
}

}  // namespace feedrate::cli
