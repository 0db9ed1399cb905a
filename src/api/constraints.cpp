#include "api/constraints.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/unit_text.hpp"

namespace feedrate::api {
namespace {

/// The number in base units; what is wrong with it goes to `problems`.
double above_zero(const std::string& flag, const std::string& given, const std::string& text,
                  Dimension dimension, UnitHint hint, std::vector<Problem>& problems) {
  const ParsedQuantity parsed = parse_quantity(text, dimension, hint);
  if (!parsed.ok()) {
    problems.push_back({"", 0, flag, parsed.problem});
  } else if (!(parsed.base > 0.0)) {
    problems.push_back({"", 0, flag,
                        fmt::format("expected {} above zero such as \"{}\", got {}", hint.name,
                                    hint.example, in_quotes(given))});
  }
  return parsed.base;
}

}  // namespace

Constraints constraints_of(const ConstraintTexts& texts, const std::optional<Currency>& currency,
                           std::string_view dashes) {
  Constraints constraints;
  std::vector<Problem> problems;
  if (!texts.deadline.empty()) {
    constraints.deadline =
        seconds(above_zero(std::string(dashes) + "deadline", texts.deadline, texts.deadline,
                           dimension_of(Duration{}), {"a time", "3 h"}, problems));
  }
  if (!texts.budget.empty()) {
    std::string in_usd = texts.budget;
    double worth = 1.0;
    std::string example = "40 USD";
    if (currency) {
      example += "\" or \"40 " + currency->code;
      if (const std::size_t at = in_usd.find(currency->code); at != std::string::npos) {
        in_usd.replace(at, currency->code.size(), "USD");
        worth = currency->usd;
      }
    }
    constraints.budget =
        usd(worth * above_zero(std::string(dashes) + "budget", texts.budget, in_usd,
                               dimension_of(Money{}), {"an amount of money", example}, problems));
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return constraints;
}

}  // namespace feedrate::api
