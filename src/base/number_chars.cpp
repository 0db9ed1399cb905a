#include "base/number_chars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/number_text.hpp"

namespace feedrate {

#ifdef __cpp_lib_to_chars

std::from_chars_result read_double(const char* first, const char* last, double& value) {
  return std::from_chars(first, last, value);
}
std::to_chars_result write_shortest(char* first, char* last, double value) {
  return std::to_chars(first, last, value);
}
std::to_chars_result write_fixed(char* first, char* last, double value) {
  return std::to_chars(first, last, value, std::chars_format::fixed);
}
std::to_chars_result write_general(char* first, char* last, double value) {
  return std::to_chars(first, last, value, std::chars_format::general);
}
std::to_chars_result write_digits(char* first, char* last, double value, int digits) {
  return std::to_chars(first, last, value, std::chars_format::general, digits);
}

#else

std::from_chars_result read_double(const char* first, const char* last, double& value) {
  return replacement::read_double(first, last, value);
}
std::to_chars_result write_shortest(char* first, char* last, double value) {
  return replacement::write_shortest(first, last, value);
}
std::to_chars_result write_fixed(char* first, char* last, double value) {
  return replacement::write_fixed(first, last, value);
}
std::to_chars_result write_general(char* first, char* last, double value) {
  return replacement::write_general(first, last, value);
}
std::to_chars_result write_digits(char* first, char* last, double value, int digits) {
  return replacement::write_digits(first, last, value, digits);
}

#endif

namespace {

std::to_chars_result copied(char* first, char* last, std::string_view text) {
  if (static_cast<std::size_t>(last - first) < text.size()) {
    return {last, std::errc::value_too_large};
  }
  return {std::copy(text.begin(), text.end(), first), std::errc()};
}

/// The fewest digits that no other double is nearer to: ±0.ddd · 10^point.
struct Digits {
  std::string_view sign;
  std::string digits;
  int point = 0;
};

Digits digits_of(double value) {
  Digits out;
  out.sign = std::signbit(value) ? "-" : "";
  bool behind_point = false;
  bool leading = true;
  const std::string text = fmt::format("{}", std::fabs(value));
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == 'e') {
      out.point += std::atoi(text.c_str() + i + 1);
      break;
    }
    if (text[i] == '.') {
      behind_point = true;
      continue;
    }
    if (leading && text[i] == '0') {
      out.point -= behind_point ? 1 : 0;
      continue;
    }
    leading = false;
    out.digits += text[i];
    out.point += behind_point ? 0 : 1;
  }
  while (!out.digits.empty() && out.digits.back() == '0') out.digits.pop_back();
  if (out.digits.empty()) return {out.sign, "0", 1};
  return out;
}

std::string in_full(const Digits& d, double value) {
  constexpr double whole_from = 0x1p53;
  const auto length = static_cast<int>(d.digits.size());
  std::string text(d.sign);
  if (std::fabs(value) >= whole_from) return text + fmt::format("{:.0f}", std::fabs(value));
  if (d.point <= 0) {
    text += "0.";
    text.append(static_cast<std::size_t>(-d.point), '0');
    return text + d.digits;
  }
  if (d.point >= length) {
    text += d.digits;
    text.append(static_cast<std::size_t>(d.point - length), '0');
    return text;
  }
  const auto point = static_cast<std::size_t>(d.point);
  return text + d.digits.substr(0, point) + '.' + d.digits.substr(point);
}

std::string with_exponent(const Digits& d) {
  std::string text(d.sign);
  text += d.digits[0];
  if (d.digits.size() > 1) text += '.' + d.digits.substr(1);
  const int exponent = d.point - 1;
  return text + fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', std::abs(exponent));
}

/// Behind the digits that begin at `at`.
const char* behind_digits(const char* at, const char* last) {
  while (at != last && is_digit(*at)) ++at;
  return at;
}

/// Behind the number that begins at `first`, or `first` where none does.
const char* behind_number(const char* first, const char* last) {
  const char* at = first != last && *first == '-' ? first + 1 : first;
  for (const std::string_view word : {"infinity", "inf", "nan"}) {
    const auto same = [](char a, char b) { return (a | 0x20) == b; };
    if (static_cast<std::size_t>(last - at) >= word.size() &&
        std::equal(word.begin(), word.end(), at, [&](char b, char a) { return same(a, b); })) {
      return at + word.size();
    }
  }
  const char* const whole = behind_digits(at, last);
  const char* end = whole;
  if (end != last && *end == '.') end = behind_digits(end + 1, last);
  const bool point_alone = end - whole == 1 && whole == at;
  if (end == at || point_alone) return first;
  if (end != last && (*end == 'e' || *end == 'E')) {
    const char* power = end + 1;
    if (power != last && (*power == '-' || *power == '+')) ++power;
    const char* const behind = behind_digits(power, last);
    if (behind != power) return behind;
  }
  return end;
}

}  // namespace

namespace replacement {

std::from_chars_result read_double(const char* first, const char* last, double& value) {
  const char* const end = behind_number(first, last);
  if (end == first) return {first, std::errc::invalid_argument};
  const std::string text(first, end);
  const double number = std::strtod(text.c_str(), nullptr);
  const std::string_view mantissa = std::string_view(text).substr(0, text.find_first_of("eE"));
  const bool no_zero = mantissa.find_first_of("123456789") != std::string_view::npos;
  const bool named = text.find_first_of("nN") != std::string::npos;
  if (!named && (std::isinf(number) || (number == 0.0 && no_zero))) {
    return {end, std::errc::result_out_of_range};
  }
  value = number;
  return {end, std::errc()};
}

std::to_chars_result write_shortest(char* first, char* last, double value) {
  if (!std::isfinite(value)) return copied(first, last, fmt::format("{}", value));
  const Digits d = digits_of(value);
  const std::string full = in_full(d, value);
  const std::string power = with_exponent(d);
  return copied(first, last, power.size() < full.size() ? power : full);
}

std::to_chars_result write_fixed(char* first, char* last, double value) {
  if (!std::isfinite(value)) return copied(first, last, fmt::format("{}", value));
  return copied(first, last, in_full(digits_of(value), value));
}

std::to_chars_result write_general(char* first, char* last, double value) {
  if (!std::isfinite(value)) return copied(first, last, fmt::format("{}", value));
  const Digits d = digits_of(value);
  const bool full = d.point > -4 && d.point <= 6;
  return copied(first, last, full ? in_full(d, value) : with_exponent(d));
}

std::to_chars_result write_digits(char* first, char* last, double value, int digits) {
  return copied(first, last, fmt::format("{:.{}g}", value, digits));
}

}  // namespace replacement

}  // namespace feedrate
