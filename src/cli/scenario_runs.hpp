#pragma once
// Several scenarios, each run as `run` does: what compares jobs or adds them up begins here.
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "cli/options.hpp"
#include "model/host.hpp"
#include "model/scenario.hpp"
#include "model/showback.hpp"
#include "model/sweep.hpp"

namespace feedrate::cli {

/// In the order of the command line.
struct ScenarioRuns {
  std::vector<Scenario> scenarios;
  std::vector<NamedResult> results;
  std::optional<HostProfile> host;
  Catalog catalog;
  std::vector<std::string> remarks;

  [[nodiscard]] const HostProfile* profile() const { return host ? &*host : nullptr; }
  /// Amounts of several currencies are added and compared in dollars.
  [[nodiscard]] std::optional<Currency> common_currency() const;
};

/// InputError with the problems of all that cannot be read or simulated, weights that no GPU holds
/// among them: `run` alone states a job as it is written, with a note.
ScenarioRuns run_all(const std::vector<std::string>& paths, const SimulationOptions& simulation);

/// The same without files that the line names again, as overlapping patterns do: their jobs would
/// be paid twice. A remark names them.
ScenarioRuns run_each_once(const std::vector<std::string>& paths,
                           const SimulationOptions& simulation);

/// What all of them cost in a month, by tag; with the runs' remarks.
Showback showback_of(const ScenarioRuns& runs, const std::string& by,
                     std::optional<HourlyPrice> commitment = {});

}  // namespace feedrate::cli
