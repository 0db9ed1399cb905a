#pragma once
// Which limit of the source all instances share, and from how many instances on it slows them.
#include <optional>

#include "model/result.hpp"
#include "model/scenario.hpp"
#include "pipeline/inputs.hpp"

namespace feedrate::study {

/// The shared limit that the fewest instances exceed, in closed form: each instance asks for what
/// it would take if nothing were shared. Empty where nothing is shared.
std::optional<SharedLimit> shared_limit_of(const Scenario& scenario,
                                           const pipeline::Inputs& inputs);

}  // namespace feedrate::study
