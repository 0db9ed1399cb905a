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

/// An amount of money, or a price, as one in USD; `worth` is what one of its own is. What the
/// scenarios' own currency is not written in stays as it is.
struct InUsd {
  std::string text;
  double worth = 1.0;
};
InUsd in_usd(std::string text, const std::optional<Currency>& own);

/// What they say; the budget may be in the scenario's currency. InputError, with both where both
/// are wrong, for what is no time or no amount above zero; `dashes` stand before their names in
/// it.
Constraints constraints_of(const ConstraintTexts& texts, const std::optional<Currency>& currency,
                           std::string_view dashes = "--");

}  // namespace feedrate::api
