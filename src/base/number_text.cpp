#include "base/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number_chars.hpp"
#include "base/portable_math.hpp"

namespace feedrate {

std::optional<LeadingNumber> leading_number(std::string_view text) {
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = read_double(text.data(), end, value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  return LeadingNumber{value, std::string_view(stop, static_cast<std::size_t>(end - stop))};
}

std::optional<double> number_of(std::string_view text) {
  const auto number = leading_number(text);
  if (!number || !number->rest.empty()) return std::nullopt;
  return number->value;
}

double with_digits(double value, int digits) {
  if (value == 0.0) return 0.0;
  return number_of(fmt::format("{:.{}e}", value, digits - 1)).value_or(value);
}

std::string exact_text(double value) {
  return fmt::format("{}", value);
}

std::string whole_text(double value) {
  return fmt::format("{:.0f}", value);
}

std::string three_digits(double value) {
  constexpr double longest = 1e15;
  const double magnitude = std::abs(value);
  // What rounds to a thousand has four digits.
  if (!(magnitude >= 999.5 && magnitude < longest)) return fmt::format("{:.3g}", value);
  const double unit = portable::pow(10.0, std::floor(portable::log10(magnitude)) - 2.0);
  return (value < 0.0 ? "-" : "") +
         with_thousands(fmt::format("{:.0f}", std::round(magnitude / unit) * unit));
}

std::string with_thousands(std::string digits) {
  const std::size_t start = digits.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(digits.find('.'), digits.size());
  for (std::size_t i = point; i > start + 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string with_thousands(std::int64_t value) {
  return with_thousands(std::to_string(value));
}

}  // namespace feedrate
