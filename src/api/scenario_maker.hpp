#pragma once
// The scenarios that a document's settings make, many of them in little time.
#include <optional>
#include <string>

#include "schema/scenario/scenario.hpp"
#include "schema/scenario/scenario_variants.hpp"
#include "study/setting.hpp"

namespace feedrate::api {

class ScenarioMaker {
 public:
  /// `flag` names the option in complaints. InputError as read_scenario.
  explicit ScenarioMaker(schema::Document document, std::string flag = "--set");

  /// The document's scenario with these keys set. The cases and other parts for people may be left
  /// out of it. InputError as set_value and read_scenario. May be called from several threads.
  [[nodiscard]] Scenario operator()(const study::Setting& set) const;

  /// The document with these keys set.
  [[nodiscard]] schema::Document document_with(const study::Setting& set) const;

  /// The scenario without any setting, whole.
  [[nodiscard]] const Scenario& scenario() const { return scenario_; }
  [[nodiscard]] const schema::Document& document() const { return document_; }

 private:
  schema::Document document_;
  std::string flag_;
  Scenario scenario_;
  schema::Document lean_;
  std::optional<schema::ScenarioVariants> variants_;
};

/// The document without its cases: the same in all that settings make of it, and long to check.
schema::Document without_cases(const schema::Document& document);
/// The scenario without what no simulation reads.
Scenario without_prose(Scenario scenario);

}  // namespace feedrate::api
