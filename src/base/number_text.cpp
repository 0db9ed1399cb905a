#include "base/number_text.hpp"

#include <charconv>
#include <cmath>

namespace feedrate {

std::optional<LeadingNumber> leading_number(std::string_view text) {
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  return LeadingNumber{value, std::string_view(stop, static_cast<std::size_t>(end - stop))};
}

std::optional<double> number_of(std::string_view text) {
  const auto number = leading_number(text);
  if (!number || !number->rest.empty()) return std::nullopt;
  return number->value;
}

}  // namespace feedrate
