#pragma once
// Scenarios that differ from one in a few keys: only the sections that differ are read again.
#include <optional>

#include "schema/scenario/scenario.hpp"

namespace feedrate::schema {

class ScenarioVariants {
 public:
  /// `document` reads as `scenario`.
  ScenarioVariants(Document document, Scenario scenario)
      : document_(std::move(document)), scenario_(std::move(scenario)) {}

  /// What read_scenario makes of `variant`, which was made from the first document by settings;
  /// nothing where it has a problem, or where only read_scenario can tell.
  [[nodiscard]] std::optional<Scenario> read(const Document& variant) const;

 private:
  Document document_;
  Scenario scenario_;
};

}  // namespace feedrate::schema
