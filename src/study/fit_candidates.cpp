// What else of a scenario could be measured to fit its unknowns.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "base/number_text.hpp"
#include "model/figures.hpp"
#include "study/fit_points.hpp"
#include "words/cases.hpp"

namespace feedrate::study {
namespace {

/// A setting, by JSON pointers, and its description.
struct SettingChange {
  Setting set;
  std::string words;
};

/// The name of a key without its section, "num_workers" for "/loader/num_workers"; the pointer
/// where that would be ambiguous.
std::string short_key(const std::string& pointer) {
  const bool in_section = std::count(pointer.begin(), pointer.end(), '/') == 2;
  return in_section ? pointer.substr(pointer.rfind('/') + 1) : pointer;
}

/// Changes of one key, those of little effort first.
std::vector<SettingChange> single_changes(const Scenario& scenario) {
  std::vector<SettingChange> changes = {{}};
  const auto add = [&](const std::string& pointer, const std::string& value,
                       std::string_view called) {
    changes.push_back({{{pointer, value}}, std::string(called)});
  };
  const Loader& loader = scenario.loader;
  if (traits(loader.kind).workers) {
    for (const char* workers : {"0", "1", "2", "cpus-1"}) {
      if (traits(loader.kind).shared_batches && workers[0] == '0') continue;
      add("/loader/num_workers", workers, words::settings({{"num_workers", workers}}));
    }
  }
  if (loader.batch_size) {
    for (const double factor : {0.25, 0.5, 2.0}) {
      const double batch = std::max(1.0, std::round(*loader.batch_size * factor));
      if (batch == *loader.batch_size) continue;
      const std::string text = whole_text(batch);
      add("/loader/batch_size", text, words::settings({{"batch_size", text}}));
    }
  }
  add("/disk/page_cache", "1000 TB", words::in_page_cache);
  add("/source/service", "local", words::on_local_disk);
  add("/cluster/gpus_per_instance", "1", words::one_gpu);
  if (scenario.cluster.unequal_gpus.empty()) {
    if (scenario.cluster.instances > 1.0) add("/cluster/instances", "1", words::one_instance);
    add("/cluster/instances", "2", words::two_instances);
  }
  for (std::size_t k = 0; k < scenario.preprocess.size(); ++k) {
    const Operation& operation = scenario.preprocess[k];
    if (operation.where != Place::cpu) continue;
    add("/preprocess/" + std::to_string(k) + "/where", "offline",
        words::done_ahead(operation.operation));
  }
  return changes;
}

/// The settings that are changed: the scenario, those of its cases, and one worker, with which
/// nothing hides the loader's work.
std::vector<SettingChange> bases(const Scenario& scenario) {
  constexpr std::size_t most = 5;
  std::vector<SettingChange> list = {{}};
  const auto add = [&](const Setting& set) {
    const bool known = std::any_of(list.begin(), list.end(),
                                   [&](const SettingChange& base) { return base.set == set; });
    if (known || list.size() >= most) return;
    Setting named = set;
    for (auto& [key, value] : named) key = short_key(key);
    list.push_back({set, words::settings(named)});
  };
  if (traits(scenario.loader.kind).workers) add({{"/loader/num_workers", "1"}});
  for (const Case& one : scenario.cases) add(one.set);
  return list;
}

/// Both settings as one; nothing where they set the same key.
std::optional<SettingChange> joined(const SettingChange& base, const SettingChange& change) {
  SettingChange both = base;
  for (const auto& [key, value] : change.set) {
    for (const auto& [other, unused] : base.set) {
      if (key == other) return std::nullopt;
    }
    both.set.emplace_back(key, value);
  }
  both.words = words::both(base.words, change.words);
  return both;
}

bool touches(const Setting& set, std::span<const std::string> pointers) {
  return std::any_of(set.begin(), set.end(), [&](const auto& one) {
    return std::find(pointers.begin(), pointers.end(), one.first) != pointers.end();
  });
}

bool measured(const Scenario& scenario, const Setting& set, const std::string& metric_name) {
  Setting sorted = set;
  std::sort(sorted.begin(), sorted.end());
  return std::any_of(scenario.cases.begin(), scenario.cases.end(), [&](const Case& one) {
    Setting other = one.set;
    std::sort(other.begin(), other.end());
    return !one.awaited() && other == sorted && one.relative_to.empty() &&
           one.metric == metric_name;
  });
}

}  // namespace

std::vector<PointCandidate> candidates(const Scenario& scenario,
                                       std::span<const std::string> free) {
  const std::pair<FigureId, std::string_view> metrics[] = {
      {FigureId::epoch, words::later_epoch},
      {FigureId::first_epoch, words::first_epoch},
      {FigureId::gpu_busy, words::busy_gpus}};
  const std::vector<SettingChange> changes = single_changes(scenario);
  std::vector<PointCandidate> all;
  std::vector<Setting> seen;
  for (const SettingChange& base : bases(scenario)) {
    for (const SettingChange& change : changes) {
      const std::optional<SettingChange> both = joined(base, change);
      if (!both || touches(both->set, free)) continue;
      if (std::find(seen.begin(), seen.end(), both->set) != seen.end()) continue;
      seen.push_back(both->set);
      Setting named = both->set;
      for (auto& [key, value] : named) key = short_key(key);
      for (const auto& [id, what] : metrics) {
        const std::string metric_name(name_of(id));
        if (measured(scenario, both->set, metric_name)) continue;
        all.push_back({{named, {}, metric_name, ""}, words::figure_with(what, both->words)});
      }
    }
  }
  return all;
}

}  // namespace feedrate::study
