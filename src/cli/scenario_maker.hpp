#pragma once
// The scenarios that a document's settings make, for the sub-commands.
#include "api/scenario_maker.hpp"

namespace feedrate::cli {

using api::ScenarioMaker;
using api::without_cases;
using api::without_prose;

}  // namespace feedrate::cli
