#include "schema/scenario/read_cases.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number_text.hpp"
#include "model/metrics.hpp"
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

void check_measured(std::span<const Case> cases, const JsonValue& list, Reading& r) {
  for (std::size_t i = 0; i < cases.size() && i < list.items.size(); ++i) {
    const Case& one = cases[i];
    if (one.awaited() || !one.relative_to.empty()) continue;
    const auto complain = [&](std::string message) {
      r.problems.add(*list.items[i], join_pointer(join_pointer("/cases", i), "measured"),
                     std::move(message));
    };
    const FigureUnit unit = unit_of(one.metric);
    const bool of_time = unit == FigureUnit::seconds || unit == FigureUnit::milliseconds ||
                         unit == FigureUnit::hours || unit == FigureUnit::samples_per_second;
    constexpr double most = 2.0;  // of what may exceed 1, such as an efficiency
    const std::string got = exact_text(one.measured);
    if (unit == FigureUnit::share && one.measured > most) {
      complain("expected a share such as 0.95, got " + got + ": is that " + got + " %? write " +
               exact_text(one.measured / 100.0));
    } else if (of_time && one.measured < 0.0) {
      complain("expected 0 or more, got " + got);
    } else if (!one.repeats.empty()) {
      const auto [least, largest] = std::minmax_element(one.repeats.begin(), one.repeats.end());
      constexpr double rounded = 5e-3;
      if (one.measured < *least - rounded * std::abs(*least) ||
          one.measured > *largest + rounded * std::abs(*largest)) {
        complain("expected a figure within its repeats, " + exact_text(*least) + " to " +
                 exact_text(*largest) + ", got " + got);
      }
    }
  }
}

}  // namespace feedrate::schema
