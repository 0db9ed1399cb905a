#include "api/check_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "api/check_jobs.hpp"
#include "api/inputs.hpp"
#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "base/today.hpp"
#include "base/version.hpp"
#include "model/figures.hpp"
#include "report/numbers.hpp"
#include "schema/catalog/catalog_parts.hpp"
#include "schema/catalog/catalog_reader.hpp"
#include "schema/documents/host.hpp"
#include "study/attribution.hpp"
#include "study/check.hpp"
#include "study/price_age.hpp"
#include "study/replicate.hpp"
#include "words/checks.hpp"

namespace feedrate::api {
namespace {

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

/// Records of `now` make room for those of `old` that are called the same.
template <class T, class Key>
void hold(std::vector<T>& now, const std::vector<T>& old, const Key& key) {
  std::erase_if(now, [&](const T& record) {
    return std::any_of(old.begin(), old.end(),
                       [&](const T& other) { return key(other) == key(record); });
  });
  now.insert(now.end(), old.begin(), old.end());
}

/// Machines as they are, with prices as they were; what was not priced then has the prices of now.
/// In the same region the offer that was taken is the only one, else one for the very region could
/// have come since.
Catalog with_prices_of(const Catalog& old, const Catalog& now, bool same_region) {
  Catalog held = now;
  hold(held.offers, old.offers, [&](const Offer& offer) {
    return std::tuple(offer.service, offer.instance, offer.purchase,
                      same_region ? std::string() : offer.region);
  });
  hold(held.billing, old.billing, [](const BillingRule& rule) { return rule.service; });
  hold(held.s3_prices, old.s3_prices,
       [](const S3Price& price) { return std::pair(price.region, price.storage_class); });
  hold(held.fsx_prices, old.fsx_prices, [](const FsxPrice& price) {
    return std::tuple(price.region, price.deployment_type, price.throughput.base());
  });
  hold(held.efs_prices, old.efs_prices,
       [](const EfsPrice& price) { return std::pair(price.region, price.storage_class); });
  hold(held.efs_throughput_prices, old.efs_throughput_prices,
       [](const EfsThroughputPrice& price) { return price.region; });
  hold(held.ebs_prices, old.ebs_prices,
       [](const EbsPrice& price) { return std::pair(price.region, price.type); });
  hold(held.object_prices, old.object_prices, [](const ObjectPrice& price) {
    return std::tuple(price.service, price.region, price.storage_class);
  });
  hold(held.transfer, old.transfer,
       [](const TransferTariff& tariff) { return std::pair(tariff.path, tariff.region); });
  hold(held.nat_gateways, old.nat_gateways,
       [](const NatGatewayPrice& price) { return price.region; });
  const auto& volume = old.limits.sagemaker_volume_price;
  if (volume) held.limits.sagemaker_volume_price = volume;
  return held;
}

std::optional<Limit> price_age_of(const CheckRules& rules, std::string_view dashes) {
  if (rules.max_price_age.empty()) return std::nullopt;
  return placed("", 0, rule_flag(dashes, "max-price-age"),
                [&] { return words::parse_max_price_age(rules.max_price_age); });
}

class Checker {
 public:
  Checker(CheckInputs inputs, const CheckRules& rules, std::string_view dashes)
      : inputs_(std::move(inputs)),
        rules_(rules),
        dashes_(dashes),
        options_(stated_options(inputs_.depth)) {
    options_.guesses = false;  // the same ones stand behind the baseline
  }

  Checked check() {
    price_age_ = price_age_of(rules_, dashes_);
    loaded_ = load_jobs(inputs_, rules_, dashes_);
    std::set<std::string> instances;
    for (const CheckedJob& job : loaded_.jobs) {
      add_instances(instances, job.scenario);
      if (job.old) add_instances(instances, *job.old);
    }
    if (host() != nullptr) add_instances(instances, std::optional(*host()));
    catalog_ = inputs_.catalog(instances);
    schema::PricingFiles pricing(catalog_.folder, *inputs_.catalog_files);
    checked_.verdict.scenarios.resize(loaded_.jobs.size());
    entries_.resize(loaded_.jobs.size());
    costs_.resize(loaded_.jobs.size());
    std::vector<std::vector<Problem>> problems(loaded_.jobs.size());
    for_each_index(problems.size(), 0, [&](std::size_t i) {
      problems[i] = problems_of([&] { check_one(i, pricing); });
    });
    set_apart(std::move(problems));
    finish();
    return std::move(checked_);
  }

 private:
  [[nodiscard]] const HostProfile* host() const { return inputs_.host; }

  void check_one(std::size_t i, schema::PricingFiles& pricing) {
    CheckedJob& job = loaded_.jobs[i];
    const auto run_at = [&](const Catalog& prices) {
      return with_places(job.document,
                         [&] { return study::run(job.scenario, prices, host(), options_); });
    };
    const Result at_todays = run_at(catalog_);
    std::optional<Catalog> held;
    if (rules_.hold_prices && job.entry != nullptr) {
      const bool same_region = job.old && job.old->cluster.region == job.scenario.cluster.region;
      held = with_prices_of(kept_catalog(*job.entry), catalog_, same_region);
    }
    const Result now = held ? run_at(*held) : at_todays;
    job.inputs = stored(job.scenario, catalog_, pricing, host());
    ScenarioVerdict& verdict = checked_.verdict.scenarios[i];
    const auto again = bands_again(job, now, held ? *held : catalog_);
    verdict = study::judge(job.entry == nullptr ? nullptr : &job.entry->figures, now, job.limits,
                           again ? &*again : nullptr);
    verdict.file = job.path;
    verdict.key = job.key;
    verdict.name = job.scenario.name;
    if (job.entry == nullptr && rules_.strict) {
      verdict.level = Level::fail;
      verdict.remarks = {
          "not in the baseline, which --strict does not allow: run with --update to add it"};
    }
    if (!job.renamed_by.empty()) {
      verdict.renamed_from = job.entry->key;
      verdict.level = std::max(verdict.level, Level::note);
      verdict.remarks.push_back(
          fmt::format("compared with {}, which no longer exists: the same {}{}", job.entry->key,
                      job.renamed_by, rules_.update ? "" : "; --update renames the entry"));
    }
    tell_month(now, verdict);
    if (job.entry != nullptr) explain(job, now, held ? *held : catalog_, verdict);
    if (held) {
      tell_prices(now, at_todays, verdict);
      costs_[i] = std::pair(now.bill.money, at_todays.bill.money);
    }
    judge_prices(at_todays, verdict);
    entries_[i] = {job.key,
                   job.scenario.name,
                   std::string(version),
                   host() != nullptr ? profile_id(*host()) : "",
                   study::figures_of(now),
                   job.inputs,
                   true,
                   0};
  }

  /// Scenarios that cannot be simulated are errors beside those that cannot be read, in the order
  /// of the command line.
  void set_apart(std::vector<std::vector<Problem>> problems) {
    std::vector<ScenarioErrors>& errors = checked_.verdict.errors;
    errors = std::move(loaded_.errors);
    std::vector<ScenarioVerdict>& verdicts = checked_.verdict.scenarios;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < problems.size(); ++i) {
      CheckedJob& job = loaded_.jobs[i];
      if (!problems[i].empty()) {
        errors.push_back({job.path, job.key, std::move(problems[i])});
      } else if (kept++ != i) {
        verdicts[kept - 1] = std::move(verdicts[i]);
        entries_[kept - 1] = std::move(entries_[i]);
        loaded_.jobs[kept - 1] = std::move(job);
      }
    }
    verdicts.resize(kept);
    entries_.resize(kept);
    loaded_.jobs.resize(kept);
    const auto place = [&](const ScenarioErrors& of) {
      return std::find_if(inputs_.scenarios.begin(), inputs_.scenarios.end(),
                          [&](const CheckSource& source) { return source.path == of.file; });
    };
    std::stable_sort(errors.begin(), errors.end(),
                     [&](const auto& a, const auto& b) { return place(a) < place(b); });
  }

  void judge_prices(const Result& now, ScenarioVerdict& verdict) const {
    if (!price_age_) return;
    verdict.limits.push_back(
        study::judge_price_age(*price_age_, study::used_prices(now.bill), today()));
    verdict.level = std::max(verdict.level, verdict.limits.back().level);
  }

  static Catalog kept_catalog(const schema::BaselineEntry& entry) {
    return schema::read_catalog_parts(entry.inputs.catalog,
                                      schema::join_pointer("/scenarios", entry.key) + "/catalog");
  }

  /// What the change is to those who run the job again and again.
  static void tell_month(const Result& now, ScenarioVerdict& verdict) {
    const FigureChange* money = verdict.figure(name_of(FigureId::money));
    if (!now.runs_per_month || money == nullptr || !money->before) return;
    const Money more = *now.runs_per_month * (now.bill.money - usd(*money->before));
    if (std::abs(more.base()) < 0.005) return;
    verdict.remarks.push_back(fmt::format("{} a month: {} in all",
                                          report::counted(*now.runs_per_month, "run"),
                                          report::signed_money(more)));
  }

  /// The other verdict, which no limit judges: what today's prices do to the job as it is now.
  static void tell_prices(const Result& held, const Result& today, ScenarioVerdict& verdict) {
    std::erase_if(verdict.keys, [](const KeyChange& change) {
      return change.group == InputGroup::price && change.key.starts_with("pricing: ");
    });
    if (held.bill.money != today.bill.money) verdict.level = std::max(verdict.level, Level::note);
    verdict.remarks.push_back(prices_alone(held.bill.money, today.bill.money));
  }

  static std::string prices_alone(Money before, Money now) {
    if (before == now) return "prices alone: no change since the baseline";
    return fmt::format("prices alone: cost {}, {} -> {}",
                       before > Money{} ? report::signed_percent(now / before - 1.0)
                                        : report::signed_money(now - before),
                       report::money(before), report::money(now));
  }

  static std::optional<HostProfile> kept_host(const schema::BaselineEntry& entry,
                                              const std::string& file) {
    if (!entry.inputs.host) return std::nullopt;
    return schema::parse_host_profile(schema::compact_text(*entry.inputs.host), file);
  }

  /// Bands by what was measured again since the baseline was made; empty where nothing was.
  [[nodiscard]] std::optional<Bands> bands_again(const CheckedJob& job, const Result& now,
                                                 const Catalog& catalog) const {
    if (options_.replications <= 0 || job.entry == nullptr || !job.old) return std::nullopt;
    try {
      const Catalog old = kept_catalog(*job.entry);
      const auto old_host = kept_host(*job.entry, inputs_.baseline.file);
      const auto drawn =
          study::measured_again(*job.old, old, old_host ? &*old_host : nullptr, now.inputs);
      if (drawn.empty()) return std::nullopt;
      study::RunOptions options = options_;
      options.bottlenecks = false;
      return study::replicate_inputs(job.scenario, catalog, host(), options, drawn);
    } catch (const InputError&) {
      return std::nullopt;  // inputs in a form that only the feedrate of that time knew
    }
  }

  void explain(const CheckedJob& job, const Result& now, const Catalog& catalog,
               ScenarioVerdict& verdict) const {
    const schema::BaselineEntry& entry = *job.entry;
    const std::string profile = host() != nullptr ? profile_id(*host()) : "";
    if (entry.profile != profile) verdict.remarks.push_back(profile_remark(entry.profile, profile));
    const bool same_inputs = schema::hash_of(entry.inputs) == schema::hash_of(job.inputs);
    if (!same_inputs) {
      verdict.keys = schema::changes(entry.inputs, job.inputs, job.document.root());
    }
    if (same_inputs && verdict.stages.empty() && study::as_kept(entry.figures, now)) return;
    try {
      if (job.old || same_inputs) return split(job, now, same_inputs, catalog, verdict);
    } catch (const InputError&) {
      // Machines, prices or profile in a form that only the feedrate of that time knew.
    }
    verdict.remarks.push_back(
        fmt::format("the baseline's inputs, made by feedrate {}, cannot be read by this version: "
                    "the difference is not broken down by cause",
                    entry.version));
  }

  static std::string profile_remark(const std::string& before, const std::string& now) {
    const auto name = [](const std::string& id) { return id.substr(0, id.rfind(' ')); };
    if (before.empty()) return "host profile " + name(now) + ": the baseline was made without one";
    if (now.empty()) return "no host profile: the baseline was made with " + name(before);
    if (name(before) == name(now)) {
      return "host profile " + name(now) +
             " was edited since the baseline; what that changes is counted under machine";
    }
    return "host profile " + name(now) + " instead of " + name(before);
  }

  void split(const CheckedJob& job, const Result& now, bool same_inputs, const Catalog& catalog,
             ScenarioVerdict& verdict) const {
    const schema::StoredInputs& before = job.entry->inputs;
    const Catalog old = kept_catalog(*job.entry);
    const Catalog half = same_inputs ? Catalog{} : with_machines_of(old, catalog);
    const auto old_host = kept_host(*job.entry, inputs_.baseline.file);
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
           machine ? &catalog : &half, machine ? host() : (old_host ? &*old_host : nullptr)});
    }
    verdict.parts = study::attribute(study::amounts_of(job.entry->figures), steps,
                                     study::amounts_of(now), options_);
    const bool by_simulator =
        std::any_of(verdict.parts.begin(), verdict.parts.end(),
                    [](const Part& part) { return part.groups.back() == InputGroup::simulator; });
    if (by_simulator) {
      verdict.remarks.push_back(
          job.entry->version == version
              ? fmt::format(
                    "the baseline's figures are not what its inputs give: they were edited, "
                    "or made by another build of feedrate {}",
                    version)
              : fmt::format("baseline made by feedrate {}, this is {}", job.entry->version,
                            version));
    }
  }

  /// What today's prices change of all that the baseline holds prices of.
  [[nodiscard]] std::string held_prices() const {
    Money before, now;
    std::size_t held = 0;
    bool same = true;
    for (const auto& cost : costs_) {
      if (!cost) continue;
      ++held;
      before += cost->first;
      now += cost->second;
      same = same && cost->first == cost->second;
    }
    if (held == 0) return "--hold-prices: the baseline holds prices of none of these scenarios";
    if (same) return prices_alone(before, now);
    return fmt::format(
        "{} of {}, which no limit judged; --update takes today's prices", prices_alone(before, now),
        held == costs_.size() ? std::string("all scenarios")
                              : fmt::format("the {} scenarios in the baseline", held));
  }

  void finish() {
    Verdict& verdict = checked_.verdict;
    verdict.baseline = inputs_.baseline.file;
    verdict.warn_only = rules_.warn_only;
    verdict.strict = rules_.strict;
    verdict.level = verdict.errors.empty() ? study::worst(verdict.scenarios) : Level::fail;
    std::set<std::string>& given = checked_.replaced;
    for (const CheckedJob& job : loaded_.jobs) {
      given.insert(job.key);
      if (job.entry != nullptr) given.insert(job.entry->key);
    }
    std::set<std::string> asked = given;
    for (const ScenarioErrors& of : verdict.errors) asked.insert(of.key);
    for (const schema::BaselineEntry* entry : gone(inputs_, asked)) {
      verdict.gone.push_back(entry->key);
      verdict.remarks.push_back(
          fmt::format("{} is in the baseline, but its file no longer exists{}", entry->key,
                      rules_.update ? ": entry removed" : ": --update removes the entry"));
      const Level level = rules_.strict ? Level::fail : Level::warn;
      if (!rules_.update) verdict.level = std::max(verdict.level, level);
      given.insert(entry->key);
    }
    const std::vector<schema::BaselineEntry>& before = inputs_.baseline.entries;
    const auto not_given = std::count_if(before.begin(), before.end(), [&](const auto& entry) {
      return !given.contains(entry.key);
    });
    if (not_given > 0) {
      verdict.remarks.push_back(fmt::format("{} of the baseline's scenarios {} not checked",
                                            not_given, not_given == 1 ? "was" : "were"));
    }
    if (!inputs_.looks_for_gone) {
      verdict.remarks.emplace_back(
          "scenarios that are gone or renamed were not looked for: the baseline lies below no "
          "folder that may be read");
    }
    if (rules_.hold_prices) verdict.remarks.push_back(held_prices());
    if (!verdict.errors.empty()) {
      if (rules_.update) {
        verdict.remarks.push_back(
            fmt::format("the baseline was not written: {} could not be checked",
                        verdict.errors.size() == 1 ? "a scenario" : "some scenarios"));
      }
    } else if (verdict.level == Level::fail && !rules_.update) {
      verdict.remarks.push_back(fmt::format(
          "if this change is intended, run the same command with --update and commit {}",
          verdict.baseline));
    }
    checked_.entries = std::move(entries_);
  }

  CheckInputs inputs_;
  const CheckRules& rules_;
  std::string_view dashes_;
  study::RunOptions options_;
  CheckJobs loaded_;
  Catalog catalog_;
  std::optional<Limit> price_age_;
  std::vector<schema::BaselineEntry> entries_;
  /// At the prices that the baseline holds, where it does, and at today's.
  std::vector<std::optional<std::pair<Money, Money>>> costs_;
  Checked checked_;
};

}  // namespace

void expect_rules(const CheckRules& rules, std::string_view dashes) {
  price_age_of(rules, dashes);
  limits_of_rules(rules, dashes);
}

Checked check_scenarios(CheckInputs inputs, const CheckRules& rules, std::string_view dashes) {
  return Checker(std::move(inputs), rules, dashes).check();
}

}  // namespace feedrate::api
