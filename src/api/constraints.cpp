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

InUsd in_usd(std::string text, const std::optional<Currency>& own) {
  const std::size_t at = own ? text.find(own->code) : std::string::npos;
  if (at == std::string::npos) return {std::move(text)};
  text.replace(at, own->code.size(), "USD");
  return {std::move(text), own->usd};
}

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
    const std::string example = currency ? "40 USD\" or \"40 " + currency->code : "40 USD";
    const InUsd given = in_usd(texts.budget, currency);
    constraints.budget = usd(given.worth * above_zero(std::string(dashes) + "budget", texts.budget,
                                                      given.text, dimension_of(Money{}),
                                                      {"an amount of money", example}, problems));
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return constraints;
}

}  // namespace feedrate::api
