#include "cli/share.hpp"

#include <fmt/format.h>

#include <string>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"

namespace feedrate::cli {

double parse_share(std::string_view text, std::string_view flag) {
  const auto refuse = [&](const std::string& hint) {
    throw InputError(
        {{.file = "",
          .line = 0,
          .pointer = std::string(flag),
          .message = fmt::format("expected a percentage such as 90% or a share above 0 and up to "
                                 "1, got {}{}",
                                 in_quotes(text), hint)}});
  };
  const auto number = leading_number(text);
  const std::string_view rest = number ? number->rest : std::string_view("?");
  const bool percent = rest == "%" || rest == " %";
  if (!percent && !rest.empty()) refuse("");
  if (!percent && number->value > 1.0 && number->value <= 100.0) {
    refuse(fmt::format(": write {}%", text));
  }
  const double share = percent ? number->value / 100.0 : number->value;
  if (!(share > 0.0 && share <= 1.0)) refuse("");
  return share;
}

}  // namespace feedrate::cli
