#include "schema/scenario/scenario_variants.hpp"

#include <algorithm>

#include "schema/scenario/measured_on.hpp"
#include "schema/scenario/scenario_checks.hpp"
#include "schema/scenario/scenario_keys.hpp"

namespace feedrate::schema {
namespace {

/// Sets a section of the scenario back to what it is when the file does not name it; false for
/// what is no section.
bool clear(Scenario& scenario, std::string_view section) {
  if (section == "dataset") {
    scenario.dataset = {};
  } else if (section == "source") {
    scenario.source = {};
  } else if (section == "disk") {
    scenario.disk = {};
  } else if (section == "loader") {
    scenario.loader = {};
  } else if (section == "preprocess") {
    scenario.preprocess = {};
  } else if (section == "cluster") {
    scenario.cluster = {};
  } else if (section == "measured_on") {
    scenario.measured_on = {};
  } else if (section == "errors") {
    scenario.errors = {};
  } else if (section == "guesses") {
    scenario.guesses = {};
  } else if (section == "job") {
    scenario.job = {};
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::optional<Scenario> ScenarioVariants::read(const Document& variant) const {
  const std::vector<JsonMember>& before = document_.root()->members;
  const std::vector<JsonMember>& now = variant.root()->members;
  if (now.size() != before.size()) return std::nullopt;
  Reading reading;
  reading.root = &scenario_root();
  accept_currency(*variant.root(), reading);
  std::optional<Scenario> scenario = scenario_;
  // What the first document's settings filled in is none of this one's.
  scenario->measured_on = {};
  const Path path{};
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i].key != before[i].key) return std::nullopt;
    // Shared: nothing in it was set.
    if (now[i].value == before[i].value && now[i].key != "measured_on") continue;
    if (!clear(*scenario, now[i].key)) return std::nullopt;
    if (now[i].value->kind == JsonKind::null) continue;
    const std::vector<Entry<Scenario>>& list = scenario_entries();
    const auto entry = std::find_if(list.begin(), list.end(), [&](const Entry<Scenario>& each) {
      return each.key.name == now[i].key;
    });
    entry->read(*scenario, *now[i].value, entry->key, {&path, entry->key.name}, reading);
  }
  if (!reading.problems.empty()) return std::nullopt;
  check_scenario(*scenario, *variant.root(), true, reading);
  if (!reading.problems.empty()) return std::nullopt;
  fill_measured_on(*scenario, variant);
  return scenario;
}

}  // namespace feedrate::schema
