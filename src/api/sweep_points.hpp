#pragma once
// From --vary to the scenarios of a sweep.
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/vary.hpp"
#include "model/scenario.hpp"
#include "schema/scenario/prepared_setting.hpp"
#include "schema/scenario/scenario.hpp"
#include "schema/scenario/scenario_variants.hpp"
#include "study/sweep.hpp"

namespace feedrate::api {

/// The document at every combination of what is varied, each made when it is asked for; at() may be
/// called from several threads.
class SweepPoints {
 public:
  /// InputError as Grid, and when the first point cannot be read.
  /// `flag` names the option in complaints.
  SweepPoints(schema::Document document, std::vector<Vary> varied, std::string flag = "--vary");

  [[nodiscard]] std::size_t size() const { return grid_.size(); }
  [[nodiscard]] const Grid& grid() const { return grid_; }
  /// KEY, VALUE of each key that is varied.
  [[nodiscard]] study::Setting setting(std::size_t point) const { return grid_.at(point); }
  /// InputError as set_value and read_scenario. What no simulation reads (the cases and other parts
  /// for people) may be left out of the scenario.
  [[nodiscard]] study::SweepInput at(std::size_t point) const;
  /// The scenario at the first point, whole.
  [[nodiscard]] const Scenario& first() const { return first_; }
  /// Every instance that a point can ask the catalogue for. InputError as at().
  [[nodiscard]] std::set<std::string> instances() const;
  /// InputError of the first point from `begin` on that cannot be read, if there is one.
  void check(std::size_t begin = 0) const;

 private:
  [[nodiscard]] Scenario whole(std::size_t point) const;
  [[nodiscard]] std::optional<Scenario> quick(const std::vector<std::size_t>& values) const;

  schema::Document document_;
  std::string flag_;
  Grid grid_;
  /// Of each value of each varied key, with those that change along; as far as they can be
  /// prepared.
  std::vector<std::vector<std::vector<schema::PreparedSetting>>> settings_;
  schema::Document lean_;  ///< without the cases: the same in all points, and long to check
  Scenario first_;
  std::optional<schema::ScenarioVariants> variants_;
};

/// What texts of KEY=VALUES vary behind what `instances` varies, where there is such a thing: what
/// points are about comes first. `flag` is the option of the texts, `command` who asks: InputError
/// without any of both, and for a key that is varied twice under several names.
std::vector<Vary> varied_by(const std::string& command, std::optional<Vary> instances,
                            const std::vector<std::string>& texts, const std::string& flag);

}  // namespace feedrate::api
