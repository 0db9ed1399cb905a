#include "cli/constraint_flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "base/errors.hpp"
#include "base/quote.hpp"
#include "base/unit_text.hpp"
#include "cli/options.hpp"

namespace feedrate::cli {
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

void add_constraint_flags(CLI::App& app, ConstraintOptions& options) {
  refuse_empty(*app.add_option("--deadline", options.deadline,
                               "The whole job's time must be no longer: \"3 h\"")
                    ->type_name("TIME"));
  refuse_empty(*app.add_option("--budget", options.budget,
                               "The bill must be no higher, without the value of the hours: \"40 "
                               "USD\"")
                    ->type_name("MONEY"));
}

Constraints constraints_of(const ConstraintOptions& options,
                           const std::optional<Currency>& currency) {
  Constraints constraints;
  std::vector<Problem> problems;
  if (!options.deadline.empty()) {
    constraints.deadline =
        seconds(above_zero("--deadline", options.deadline, options.deadline,
                           dimension_of(Duration{}), {"a time", "3 h"}, problems));
  }
  if (!options.budget.empty()) {
    std::string in_usd = options.budget;
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
        usd(worth * above_zero("--budget", options.budget, in_usd, dimension_of(Money{}),
                               {"an amount of money", example}, problems));
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return constraints;
}

}  // namespace feedrate::cli
