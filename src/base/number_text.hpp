#pragma once
// Numbers in text, as every reader of ours takes them: with a point, finite, without a plus.
#include <optional>
#include <string>
#include <string_view>

namespace feedrate {

/// Whether `c` is a decimal digit, in every locale (std::isdigit asks the current one).
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

struct LeadingNumber {
  double value = 0.0;
  std::string_view rest;  ///< of the text, spaces included
};

/// The number in front of `text`, as in "4 ms"; empty when there is none.
std::optional<LeadingNumber> leading_number(std::string_view text);

/// The whole of `text` as a number.
std::optional<double> number_of(std::string_view text);

/// The nearest number of so many significant digits, "0.3" for 0.30000000000000004: a decimal one.
double with_digits(double value, int digits);

/// With at most three significant digits, as people write it: "0.25", "7.56", "1,460". Below 1e-4
/// and from 1e15 on with an exponent.
std::string three_digits(double value);

}  // namespace feedrate
