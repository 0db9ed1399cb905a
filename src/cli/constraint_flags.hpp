#pragma once
// --deadline and --budget.
#include <optional>
#include <string>

#include "model/constraints.hpp"
#include "model/scenario.hpp"

namespace CLI {
class App;
}

namespace feedrate::cli {

struct ConstraintOptions {
  std::string deadline;  ///< empty: none
  std::string budget;
};

void add_constraint_flags(CLI::App& app, ConstraintOptions& options);

/// What they say; the budget may be in the scenario's currency. InputError, with both where both
/// are wrong, for what is no time or no amount above zero.
Constraints constraints_of(const ConstraintOptions& options,
                           const std::optional<Currency>& currency);

}  // namespace feedrate::cli
