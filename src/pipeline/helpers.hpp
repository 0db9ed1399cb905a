#pragma once
// Helpers: the auxiliary instances that load for all training instances together.
#include "pipeline/loading.hpp"

namespace feedrate::pipeline {

/// What they load through in an epoch of this kind, at the virtual speeds.
Loading of_helpers(const Inputs& inputs, EpochKind kind, const Misses& misses);

}  // namespace feedrate::pipeline
