#pragma once
// Numbers in text, as every reader of ours takes them: with a point, finite, without a plus.
#include <cstdint>
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

/// The shortest text that reads back as the same number: "0.1", "64".
std::string exact_text(double value);

/// Rounded to a whole number, without an exponent: "1048576".
std::string whole_text(double value);

/// With at most three significant digits, as people write it: "0.25", "7.56", "1,460". Below 1e-4
/// and from 1e15 on with an exponent.
std::string three_digits(double value);

/// "30,600" of "30600": thousands separated before the point, if there is one.
std::string with_thousands(std::string digits);
std::string with_thousands(std::int64_t value);

}  // namespace feedrate
