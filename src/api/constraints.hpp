#pragma once
// A deadline and a budget as they are typed.
#include <optional>
#include <string>
#include <string_view>

#include "model/constraints.hpp"
#include "model/scenario.hpp"

namespace feedrate::api {

struct ConstraintTexts {
  std::string deadline;  ///< "3 h"; empty: none
  std::string budget;    ///< "40 USD"
};

/// What they say; the budget may be in the scenario's currency. InputError, with both where both
/// are wrong, for what is no time or no amount above zero; `dashes` stand before their names in
/// it.
Constraints constraints_of(const ConstraintTexts& texts, const std::optional<Currency>& currency,
                           std::string_view dashes = "--");

}  // namespace feedrate::api
