#pragma once
// From --vary to the scenarios of a sweep.
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "cli/options.hpp"
#include "cli/vary.hpp"
#include "model/host.hpp"
#include "schema/prepared_setting.hpp"
#include "schema/scenario.hpp"
#include "schema/scenario_variants.hpp"
#include "study/sweep.hpp"

namespace feedrate::cli {

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
  [[nodiscard]] Setting setting(std::size_t point) const { return grid_.at(point); }
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

/// What the points are simulated with: the profile of --host, and the part of the catalogue that
/// they can ask for.
struct World {
  std::optional<HostProfile> host;
  Catalog catalog;

  [[nodiscard]] const HostProfile* profile() const { return host ? &*host : nullptr; }
};
/// InputError as host_of, but of a point that cannot be read first.
World world_of(const SweepPoints& points, const SimulationOptions& options);

/// What a filter of the catalogue and texts of KEY=VALUES vary: instances first, for they are what
/// points are about. `flag` is the option of the texts, `command` who asks: InputError without any
/// of both. Remarks on the filter go to standard error.
std::vector<Vary> varied_by(const std::string& command, const std::string& instances,
                            const std::vector<std::string>& texts, const std::string& flag,
                            const schema::Document& document);

/// The document at every combination of what is varied. InputError as set_value and read_scenario.
std::vector<study::SweepInput> sweep_inputs(const schema::Document& document,
                                            const std::vector<Vary>& varied);

}  // namespace feedrate::cli
