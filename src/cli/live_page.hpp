#pragma once
// The page of `report --live`: the simulator itself as WebAssembly, and scenarios to begin with.
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace feedrate::cli {

struct LivePageRequest {
  std::vector<std::string> scenarios;  ///< files; the first is shown first
  std::string output;                  ///< file
  SimulationOptions simulation;        ///< host, and settings for each scenario
};

/// Writes the page. InputError as `run` for each scenario; HostError where this build has no page.
void write_live_page(const LivePageRequest& request);

}  // namespace feedrate::cli
