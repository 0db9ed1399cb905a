#pragma once
// From what was typed to what is simulated.
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "cli/options.hpp"
#include "model/host.hpp"
#include "model/scenario.hpp"
#include "schema/locate.hpp"
#include "schema/scenario.hpp"
#include "study/run.hpp"

namespace feedrate::cli {

/// The scenario file with every --set applied. InputError as load_document and set_value.
schema::Document load_with_settings(const std::string& path, const SimulationOptions& options);

/// Every --set applied to a document as it was read.
void apply_settings(schema::Document& document, const SimulationOptions& options);

/// InputError where the instances, whose number `who` varies, have each its own number of GPUs.
void require_alike(const Scenario& scenario, std::string_view who);

/// The instances that a scenario can ask the catalogue for.
void add_instances(std::set<std::string>& names, const Scenario& scenario);
/// The machine that a profile is of, to compare others with it.
void add_instances(std::set<std::string>& names, const std::optional<HostProfile>& host);

/// What `ask` returns; an InputError of it names the document's files and lines.
template <class Ask>
auto with_places(const schema::Document& document, Ask&& ask) {
  try {
    return ask();
  } catch (const InputError& error) {
    throw schema::located(document, error);
  }
}

/// The document's scenario with everything fitted that it asks to be fitted (/job/scaling).
Scenario scenario_of(const schema::Document& document);

/// The part of the pricing files that tells of these instances.
Catalog catalog_of(const std::set<std::string>& instances);

/// The whole catalogue.
Catalog whole_catalog();

/// The profile of --host, empty without the flag.
std::optional<HostProfile> host_of(const SimulationOptions& options);

study::RunOptions run_options(const SimulationOptions& options);
/// The same for one answer that says how sure it is: inputs weighed, and bands of few draws where
/// --replications does not ask for more.
study::RunOptions weighing_options(const SimulationOptions& options);

/// The files that were read: the scenarios and the host profile.
std::vector<std::string> files_read(std::span<const std::string> scenarios,
                                    const SimulationOptions& options);

}  // namespace feedrate::cli
