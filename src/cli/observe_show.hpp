#pragma once
// feedrate observe show: observations as heat maps.
#include "cli/commands.hpp"

namespace feedrate::cli {

/// A sub-command of `observe`.
Command add_observe_show(Parser& observe);

}  // namespace feedrate::cli
