#include "cli/amounts.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "base/unit_text.hpp"

namespace feedrate::cli {
namespace {

[[noreturn]] void refuse(std::string_view flag, std::string message) {
  throw InputError(
      {{.file = "", .line = 0, .pointer = std::string(flag), .message = std::move(message)}});
}

}  // namespace

Duration parse_time(std::string_view text, std::string_view flag) {
  const ParsedQuantity parsed =
      parse_quantity(text, dimension_of(Duration{}), {"a time", "90 min"});
  if (!parsed.ok()) refuse(flag, parsed.problem);
  if (parsed.base <= 0.0) {
    refuse(flag, fmt::format("expected a time above 0, got {}", in_quotes(text)));
  }
  return Duration::of(parsed.base);
}

Money parse_money(std::string_view text, std::string_view flag) {
  std::string amount(text);
  if (amount.starts_with('$')) amount = amount.substr(1);
  if (number_of(amount)) amount += " USD";
  const ParsedQuantity parsed =
      parse_quantity(amount, dimension_of(Money{}), {"an amount of money", "120 USD"});
  if (!parsed.ok()) refuse(flag, parsed.problem);
  if (parsed.base < 0.0) {
    refuse(flag, fmt::format("expected an amount of at least 0, got {}", in_quotes(text)));
  }
  return Money::of(parsed.base);
}

double parse_share(std::string_view text, std::string_view flag) {
  const auto number = leading_number(text);
  const bool percent = number && number->rest == "%";
  if (!number || (!percent && !number->rest.empty())) {
    refuse(flag, fmt::format("expected a share such as 90% or 0.9, got {}", in_quotes(text)));
  }
  const double share = percent ? number->value / 100.0 : number->value;
  if (!percent && share > 1.0 && share <= 100.0) {
    refuse(flag, fmt::format("expected a share such as 90% or 0.9, got {0}; {0}% is written with "
                             "its sign",
                             text));
  }
  if (share <= 0.0 || share > 1.0) {
    refuse(flag, fmt::format("expected a share above 0 and up to 100%, got {}", in_quotes(text)));
  }
  return share;
}

}  // namespace feedrate::cli
