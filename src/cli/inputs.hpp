#pragma once
// From what was typed to what is simulated.
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "api/inputs.hpp"
#include "catalog/catalog.hpp"
#include "cli/options.hpp"
#include "model/host.hpp"
#include "model/scenario.hpp"
#include "schema/scenario/scenario.hpp"

namespace feedrate::cli {

/// The files that a scenario may name.
AllowedFiles allowed_files(const SimulationOptions& options);

/// The scenario file with every --set applied. InputError as load_document and set_value.
schema::Document load_with_settings(const std::string& path, const SimulationOptions& options);

/// Every --set applied to a document as it was read.
void apply_settings(schema::Document& document, const SimulationOptions& options);

using api::add_instances;
using api::problems_of;
using api::require_alike;
using api::run_options;
using api::scenario_of;
using api::stated_options;
using api::weighing_options;
using api::with_places;

/// The part of the pricing files that tells of these instances.
Catalog catalog_of(const std::set<std::string>& instances);

/// The whole catalogue.
Catalog whole_catalog();

/// The profile of --host, empty without the flag.
std::optional<HostProfile> host_of(const SimulationOptions& options);

/// KEY, VALUE of each --set; of a key that is set again the last one.
std::vector<std::pair<std::string, std::string>> settings_of(const SimulationOptions& options);

/// The files that were read: the scenarios, those that they name as far as they are loaded, and the
/// host profile.
std::vector<std::string> files_read(std::span<const std::string> scenarios,
                                    const SimulationOptions& options);

/// refuse_to_overwrite() of --output and of these: before anything is loaded, and again once the
/// scenarios have named theirs.
void refuse_to_overwrite_read(const std::string& output, std::span<const std::string> scenarios,
                              const SimulationOptions& options);

}  // namespace feedrate::cli
