#pragma once
// From --vary to the scenarios of a sweep.
#include <vector>

#include "cli/vary.hpp"
#include "schema/scenario.hpp"
#include "study/sweep.hpp"

namespace feedrate::cli {

/// The document at every combination of what is varied. InputError as set_value and read_scenario.
std::vector<study::SweepInput> sweep_inputs(const schema::Document& document,
                                            const std::vector<Vary>& varied);

}  // namespace feedrate::cli
