#include "report/csv_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number_text.hpp"
#include "base/printable.hpp"

namespace feedrate::report {
namespace {

constexpr std::array<std::string_view, 8> formula_starts = {"=",  "+",  "-",  "@",
                                                            "＝", "＋", "－", "＠"};

bool is_csv_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto value = number_of(text);
  return value && std::isfinite(*value) && std::any_of(text.begin(), text.end(), is_digit);
}

bool is_csv_formula(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  return std::any_of(formula_starts.begin(), formula_starts.end(),
                     [&](std::string_view start) { return text.starts_with(start); });
}

}  // namespace

std::string csv_field(std::string_view text) {
  const std::string shown = printable(text);
  const std::string safe = is_csv_formula(shown) && !is_csv_number(shown) ? "'" + shown : shown;
  if (safe.find_first_of(",\"") == std::string::npos) return safe;
  std::string quoted = "\"";
  for (const char c : safe) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace feedrate::report
