#pragma once
// --deadline and --budget.
#include "api/constraints.hpp"

namespace feedrate::cli {

class Parser;

using api::constraints_of;
using ConstraintOptions = api::ConstraintTexts;

void add_constraint_flags(Parser& app, ConstraintOptions& options);

}  // namespace feedrate::cli
