#include "schema/scenario/read_cases.hpp"

#include <algorithm>
#include <utility>

#include "schema/scenario/scenario_keys.hpp"

namespace feedrate::schema {

std::vector<Case> read_cases(const Document& document) {
  const JsonValue* const list = document.written()->find("cases");
  if (list == nullptr || list->kind != JsonKind::array) return {};
  const std::vector<Entry<Scenario>>& keys = scenario_entries();
  const auto entry = std::find_if(keys.begin(), keys.end(), [](const Entry<Scenario>& each) {
    return each.key.name == "cases";
  });
  Scenario scenario;
  Reading ignored;
  ignored.root = &scenario_root();
  const Path path{};
  entry->read(scenario, *list, entry->key, {&path, entry->key.name}, ignored);
  return std::move(scenario.cases);
}

}  // namespace feedrate::schema
