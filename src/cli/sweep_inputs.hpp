#pragma once
// From --vary to the scenarios of a sweep, and the world that they are simulated in.
#include <optional>
#include <string>
#include <vector>

#include "api/sweep_points.hpp"
#include "api/vary.hpp"
#include "catalog/catalog.hpp"
#include "cli/options.hpp"
#include "model/host.hpp"
#include "schema/scenario/scenario.hpp"
#include "study/sweep.hpp"

namespace feedrate::cli {

using api::SweepPoints;

/// What the points are simulated with: the profile of --host, and the part of the catalogue that
/// they can ask for.
struct World {
  std::optional<HostProfile> host;
  Catalog catalog;

  [[nodiscard]] const HostProfile* profile() const { return host ? &*host : nullptr; }
};
/// InputError as host_of, but of a point that cannot be read first.
World world_of(const SweepPoints& points, const SimulationOptions& options);

/// What a filter of the catalogue and texts of KEY=VALUES vary, as api::varied_by; remarks on the
/// filter go to standard error.
std::vector<api::Vary> varied_by(const std::string& command, const std::string& instances,
                                 const std::vector<std::string>& texts, const std::string& flag,
                                 const schema::Document& document);

/// The document at every combination of what is varied. InputError as set_value and read_scenario.
std::vector<study::SweepInput> sweep_inputs(const schema::Document& document,
                                            const std::vector<api::Vary>& varied);

}  // namespace feedrate::cli
