#pragma once
// Which limit of the source all instances share, and from how many of them on it binds.
#include <optional>

#include "model/result.hpp"
#include "model/scenario.hpp"
#include "pipeline/inputs.hpp"

namespace feedrate::study {

/// The one that binds from the fewest instances on, in closed form: as many as ask together for
/// more than it gives, each for what it would take if nothing were shared. Empty: nothing is
/// shared.
std::optional<SharedLimit> shared_limit_of(const Scenario& scenario,
                                           const pipeline::Inputs& inputs);

}  // namespace feedrate::study
