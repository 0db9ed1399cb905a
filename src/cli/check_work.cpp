#include "cli/check_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <thread>

#include "base/errors.hpp"
#include "base/version.hpp"
#include "cli/inputs.hpp"
#include "cli/today.hpp"
#include "schema/catalog_parts.hpp"
#include "schema/catalog_reader.hpp"
#include "schema/host.hpp"
#include "study/attribution.hpp"
#include "study/check.hpp"
#include "study/price_age.hpp"
#include "study/renamed.hpp"
#include "study/thresholds.hpp"

namespace feedrate::cli {
namespace {

namespace fs = std::filesystem;

/// A scenario on its way to a verdict.
struct Job {
  std::string path;
  std::string key;
  schema::Document document;
  Scenario scenario;
  schema::StoredInputs inputs;
  const schema::BaselineEntry* entry = nullptr;
  std::optional<Scenario> old;  ///< of the entry; empty where this feedrate cannot read it
  std::string renamed_by{};     ///< "name" or "inputs": what the entry, another's, was known by
  std::vector<Limit> limits;
};

/// Runs `work(i)` for all i below `count` on every core. Throws one InputError with the problems of
/// all; any other exception as it is.
void for_each(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::vector<std::exception_ptr> failures(count);
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    for (std::size_t t = 1; t < std::min(cores, count); ++t) threads.emplace_back(run);
    run();
  }
  std::vector<Problem> problems;
  for (const std::exception_ptr& failure : failures) {
    if (!failure) continue;
    try {
      std::rethrow_exception(failure);
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

/// What `parse` makes of a text; its complaint gets the place where the text stands.
template <class Parse>
auto placed(const std::string& file, int line, const std::string& pointer, Parse&& parse) {
  try {
    return parse();
  } catch (const InputError& error) {
    throw InputError(std::vector<Problem>{{file, line, pointer, error.problems().front().message}});
  }
}

std::vector<Limit> limits_of(const std::vector<schema::ThresholdText>& texts) {
  std::vector<Limit> limits;
  for (const schema::ThresholdText& text : texts) {
    limits.push_back(
        placed(text.file, text.line, text.pointer, [&] { return study::parse_limit(text.text); }));
    limits.back().file = text.file;
    limits.back().line = text.line;
  }
  return limits;
}

std::vector<Limit> limits_of_flags(const CheckArguments& arguments) {
  std::vector<Limit> limits;
  for (const std::string& text : arguments.max_increase) {
    for (Limit& limit :
         placed("", 0, "--max-increase " + text, [&] { return study::parse_max_increase(text); })) {
      limit.file = "--max-increase";
      limits.push_back(std::move(limit));
    }
  }
  for (const std::string& text : arguments.thresholds) {
    limits.push_back(
        placed("", 0, "--threshold " + text, [&] { return study::parse_limit(text); }));
    limits.back().file = "--threshold";
  }
  return limits;
}

/// The scenario's file from the folder of the baseline, so that an entry does not depend on where
/// the check is started.
std::string key_of(const std::string& path, const std::string& baseline) {
  const fs::path folder = fs::weakly_canonical(fs::absolute(baseline)).parent_path();
  return fs::weakly_canonical(fs::absolute(path)).lexically_relative(folder).generic_string();
}

/// What of the scenario a result depends on, without what is only for people.
schema::JsonPtr bare_scenario(const Scenario& scenario) {
  Scenario bare = scenario;
  bare.name.clear();
  bare.description.clear();
  bare.about = {};
  bare.cases.clear();
  bare.thresholds.clear();
  return schema::parse_json(schema::write_scenario(bare), "");
}

/// All that a result depends on.
schema::StoredInputs stored(const Scenario& scenario, const Catalog& catalog,
                            schema::PricingFiles& pricing, const HostProfile* host) {
  schema::StoredInputs inputs;
  inputs.scenario = bare_scenario(scenario);
  inputs.catalog = pricing.parts_for(scenario, catalog);
  if (host != nullptr) inputs.host = schema::parse_json(schema::write_host_profile(*host), "");
  return inputs;
}

std::string profile_id(const HostProfile& host) {
  return host.name + ' ' + schema::hash_of(schema::write_host_profile(host));
}

/// Machines as they were, with prices as they are.
Catalog with_machines_of(const Catalog& old, const Catalog& now) {
  Catalog catalog = now;
  catalog.machines = old.machines;
  catalog.gpus = old.gpus;
  catalog.training = old.training;
  catalog.pcie = old.pcie;
  catalog.s3 = old.s3;
  catalog.fsx = old.fsx;
  catalog.efs = old.efs;
  catalog.ebs = old.ebs;
  return catalog;
}

/// The scenario that `root` describes; empty where it makes no sense, as mixtures may.
std::optional<Scenario> scenario_in(const schema::JsonPtr& root, const std::string& file) {
  try {
    return scenario_of(schema::Document(root, file));
  } catch (const InputError&) {
    return std::nullopt;
  }
}

class Checker {
 public:
  explicit Checker(const CheckArguments& arguments)
      : arguments_(arguments), options_(run_options(arguments.simulation)) {
    options_.guesses = false;  // the same ones stand behind the baseline
  }

  Checked check() {
    const std::vector<Limit> flags = limits_of_flags(arguments_);
    if (!arguments_.max_price_age.empty()) {
      price_age_ = placed("", 0, "--max-price-age",
                          [&] { return study::parse_max_price_age(arguments_.max_price_age); });
    }
    read_baseline();
    load(flags);
    host_ = host_of(arguments_.simulation);
    std::set<std::string> instances;
    for (const Job& job : jobs_) {
      add_instances(instances, job.scenario);
      if (job.old) add_instances(instances, *job.old);
    }
    add_instances(instances, host_);
    catalog_ = catalog_of(instances);
    schema::PricingFiles pricing(catalog_.folder);
    checked_.verdict.scenarios.resize(jobs_.size());
    entries_.resize(jobs_.size());
    for_each(jobs_.size(), [&](std::size_t i) { check_one(i, pricing); });
    finish();
    return std::move(checked_);
  }

 private:
  [[nodiscard]] const HostProfile* host() const { return host_ ? &*host_ : nullptr; }

  void read_baseline() {
    std::error_code ignored;
    const bool missing = !fs::exists(arguments_.baseline, ignored);
    baseline_.file = arguments_.baseline;
    if (missing && arguments_.update) return;
    if (missing) {
      throw InputError(
          std::vector<Problem>{{arguments_.baseline, 0, "",
                                "expected a baseline, got no such file: --update makes it"}});
    }
    baseline_ = schema::read_baseline(arguments_.baseline);
  }

  void load(const std::vector<Limit>& flags) {
    const std::vector<Limit> common = limits_of(baseline_.thresholds);
    jobs_.resize(arguments_.scenarios.size());
    for_each(jobs_.size(), [&](std::size_t i) {
      Job& job = jobs_[i];
      job.path = arguments_.scenarios[i];
      job.key = key_of(job.path, arguments_.baseline);
      job.document = load_with_settings(job.path, arguments_.simulation);
      job.scenario = scenario_of(job.document);
      job.entry = baseline_.find(job.key);
      job.limits = flags;
      job.limits.insert(job.limits.end(), common.begin(), common.end());
      const std::vector<Limit> own = limits_of(schema::threshold_texts(job.document.root()));
      job.limits.insert(job.limits.end(), own.begin(), own.end());
      if (job.limits.empty()) job.limits = study::default_limits();
    });
    std::set<std::string> seen;
    for (const Job& job : jobs_) {
      if (seen.insert(job.key).second) continue;
      throw InputError(fmt::format("{}: expected each scenario once, got it again", job.path));
    }
    find_renamed(seen);
    for (const Job& job : jobs_) {
      if (job.entry != nullptr) seen.insert(job.entry->key);
    }
    refuse_edited_entries(seen);
    for (Job& job : jobs_) {
      if (job.entry != nullptr) job.old = scenario_in(job.entry->inputs.scenario, job.path);
    }
  }

  /// Entries that are not in `given` and whose file is not found any more.
  [[nodiscard]] std::vector<const schema::BaselineEntry*> gone(
      const std::set<std::string>& given) const {
    const fs::path folder = fs::absolute(arguments_.baseline).parent_path();
    std::vector<const schema::BaselineEntry*> entries;
    for (const schema::BaselineEntry& entry : baseline_.entries) {
      std::error_code ignored;
      if (!given.contains(entry.key) && !fs::exists(folder / entry.key, ignored)) {
        entries.push_back(&entry);
      }
    }
    return entries;
  }

  /// A scenario without an entry of its own is held against the one that it was: else a dearer job
  /// would pass under a new file name.
  void find_renamed(const std::set<std::string>& given) {
    std::vector<Job*> jobs;
    std::vector<study::Identity> added, before;
    for (Job& job : jobs_) {
      if (job.entry != nullptr) continue;
      jobs.push_back(&job);
      added.push_back({job.scenario.name, schema::compact_text(*bare_scenario(job.scenario))});
    }
    if (jobs.empty()) return;
    const std::vector<const schema::BaselineEntry*> entries = gone(given);
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
  void refuse_edited_entries(const std::set<std::string>& given) const {
    std::vector<Problem> problems;
    for (const schema::BaselineEntry& entry : baseline_.entries) {
      const bool replaced = arguments_.update && given.contains(entry.key);
      if (entry.intact || replaced) continue;
      problems.push_back({baseline_.file, entry.line, schema::join_pointer("/scenarios", entry.key),
                          "expected inputs that have the entry's inputs_hash, got others (edited "
                          "by hand, or merged): run feedrate check --update on this scenario"});
    }
    if (!problems.empty()) throw InputError(std::move(problems));
  }

  void check_one(std::size_t i, schema::PricingFiles& pricing) {
    Job& job = jobs_[i];
    const Result now = with_places(
        job.document, [&] { return study::run(job.scenario, catalog_, host(), options_); });
    job.inputs = stored(job.scenario, catalog_, pricing, host());
    ScenarioVerdict& verdict = checked_.verdict.scenarios[i];
    verdict = study::judge(job.entry == nullptr ? nullptr : &job.entry->figures, now, job.limits);
    verdict.file = job.path;
    verdict.key = job.key;
    verdict.name = job.scenario.name;
    if (job.entry == nullptr && arguments_.strict) {
      verdict.level = Level::fail;
      verdict.remarks = {
          "not in the baseline, which --strict refuses: run with --update to add it"};
    }
    if (!job.renamed_by.empty()) {
      verdict.renamed_from = job.entry->key;
      verdict.level = std::max(verdict.level, Level::note);
      verdict.remarks.push_back(
          fmt::format("compared with {}, which is gone: the same {}{}", job.entry->key,
                      job.renamed_by, arguments_.update ? "" : "; --update renames the entry"));
    }
    if (job.entry != nullptr) explain(job, now, verdict);
    judge_prices(job, verdict);
    entries_[i] = {job.key,
                   job.scenario.name,
                   std::string(version),
                   host_ ? profile_id(*host_) : "",
                   study::figures_of(now),
                   job.inputs,
                   true,
                   0};
  }

  void judge_prices(const Job& job, ScenarioVerdict& verdict) const {
    if (!price_age_) return;
    std::vector<std::pair<std::string, std::string>> prices;
    for (const schema::PriceDate& price : schema::price_dates(*job.inputs.catalog)) {
      // A price that the scenario gives takes the place of the catalogue's.
      const std::string instance = job.scenario.cluster.instance.value_or("");
      const std::string_view bare = std::string_view(instance).starts_with("ml.")
                                        ? std::string_view(instance).substr(3)
                                        : instance;
      const auto& own = job.scenario.cluster.prices;
      const bool given = job.scenario.cluster.price || (own && own->contains(instance));
      if (given && price.what.starts_with(std::string(bare) + ' ')) continue;
      prices.emplace_back(price.what, price.date);
    }
    verdict.limits.push_back(study::judge_price_age(*price_age_, prices, today()));
    verdict.level = std::max(verdict.level, verdict.limits.back().level);
  }

  void explain(const Job& job, const Result& now, ScenarioVerdict& verdict) const {
    const schema::BaselineEntry& entry = *job.entry;
    const std::string profile = host_ ? profile_id(*host_) : "";
    if (entry.profile != profile) verdict.remarks.push_back(profile_remark(entry.profile, profile));
    const bool same_inputs = schema::hash_of(entry.inputs) == schema::hash_of(job.inputs);
    if (!same_inputs) {
      verdict.keys = schema::changes(entry.inputs, job.inputs, job.document.root());
    }
    if (same_inputs && verdict.stages.empty() && entry.figures == study::figures_of(now)) return;
    try {
      if (job.old || same_inputs) return split(job, now, same_inputs, verdict);
    } catch (const InputError&) {
      // Machines, prices or profile in a form that only the feedrate of that day knew.
    }
    verdict.remarks.push_back(
        fmt::format("the baseline's inputs, made by feedrate {}, cannot be read by this one: the "
                    "difference is not split",
                    entry.version));
  }

  static std::string profile_remark(const std::string& before, const std::string& now) {
    const auto name = [](const std::string& id) { return id.substr(0, id.rfind(' ')); };
    if (before.empty()) return "host profile " + name(now) + ": the baseline was made without one";
    if (now.empty()) return "no host profile: the baseline was made with " + name(before);
    if (name(before) == name(now)) {
      return "host profile " + name(now) +
             " was edited since the baseline; what that changes counts as the machine's";
    }
    return "host profile " + name(now) + " instead of " + name(before);
  }

  void split(const Job& job, const Result& now, bool same_inputs, ScenarioVerdict& verdict) const {
    const schema::StoredInputs& before = job.entry->inputs;
    const Catalog old = schema::read_catalog_parts(
        before.catalog, schema::join_pointer("/scenarios", job.entry->key) + "/catalog");
    const Catalog half = same_inputs ? Catalog{} : with_machines_of(old, catalog_);
    std::optional<HostProfile> old_host;
    if (before.host) {
      old_host = schema::parse_host_profile(schema::compact_text(*before.host), baseline_.file);
    }
    std::vector<study::Substitution> steps{
        {InputGroup::simulator, job.old, &old, old_host ? &*old_host : nullptr}};
    std::vector<InputGroup> taken;
    for (const InputGroup group : scenario_groups()) {
      taken.push_back(group);
      const bool changed =
          std::any_of(verdict.keys.begin(), verdict.keys.end(),
                      [&](const KeyChange& change) { return change.group == group; });
      if (!changed) continue;
      const bool machine = group >= InputGroup::machine;
      steps.push_back(
          {group, scenario_in(schema::mixed(before.scenario, job.inputs.scenario, taken), job.path),
           machine ? &catalog_ : &half, machine ? host() : (old_host ? &*old_host : nullptr)});
    }
    verdict.parts = study::attribute(study::amounts_of(job.entry->figures), steps,
                                     study::amounts_of(now), options_);
    const bool by_simulator =
        std::any_of(verdict.parts.begin(), verdict.parts.end(),
                    [](const Part& part) { return part.groups.back() == InputGroup::simulator; });
    if (by_simulator) {
      verdict.remarks.push_back(
          fmt::format("baseline made by feedrate {}, this is {}", job.entry->version, version));
    }
  }

  void finish() {
    Verdict& verdict = checked_.verdict;
    verdict.baseline = arguments_.baseline;
    verdict.warn_only = arguments_.warn_only;
    verdict.strict = arguments_.strict;
    verdict.level = study::worst(verdict.scenarios);
    checked_.updated = baseline_;
    std::vector<schema::BaselineEntry>& kept = checked_.updated.entries;
    std::set<std::string> given;
    for (const Job& job : jobs_) {
      given.insert(job.key);
      if (job.entry != nullptr) given.insert(job.entry->key);
    }
    for (const schema::BaselineEntry* entry : gone(given)) {
      verdict.gone.push_back(entry->key);
      verdict.remarks.push_back(
          fmt::format("{} is in the baseline, but there is no such file any more{}", entry->key,
                      arguments_.update ? ": entry removed" : ": --update removes the entry"));
      const Level level = arguments_.strict ? Level::fail : Level::warn;
      if (!arguments_.update) verdict.level = std::max(verdict.level, level);
      given.insert(entry->key);
    }
    std::erase_if(kept, [&](const auto& entry) { return given.contains(entry.key); });
    const std::size_t not_given = kept.size();
    if (not_given > 0) {
      verdict.remarks.push_back(fmt::format("{} of the baseline's scenarios {} not checked",
                                            not_given, not_given == 1 ? "was" : "were"));
    }
    if (verdict.level == Level::fail && !arguments_.update) {
      verdict.remarks.push_back(fmt::format(
          "if this is wanted: run the same command with --update and commit {}", verdict.baseline));
    }
    kept.insert(kept.end(), entries_.begin(), entries_.end());
  }

  const CheckArguments& arguments_;
  study::RunOptions options_;
  schema::Baseline baseline_;
  std::vector<Job> jobs_;
  std::optional<HostProfile> host_;
  Catalog catalog_;
  std::optional<Limit> price_age_;
  std::vector<schema::BaselineEntry> entries_;
  Checked checked_;
};

}  // namespace

Checked check_scenarios(const CheckArguments& arguments) {
  return Checker(arguments).check();
}

}  // namespace feedrate::cli
