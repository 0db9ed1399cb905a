#pragma once
// `observe fit`: from an observation to a scenario.
#include "cli/commands.hpp"

namespace feedrate::cli {

Command add_observe_fit(Parser& observe);

}  // namespace feedrate::cli
