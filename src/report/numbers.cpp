#include "report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"

namespace feedrate::report {
namespace {

thread_local const Currency* shown_currency = nullptr;  // null: dollars

// Digits after the point that leave `significant` digits, judged on the rounded value: 99.96 has
// three digits before the point once it is rounded to 100.
int decimals(double value, int significant) {
  if (value == 0.0) return 0;
  const double magnitude = std::abs(value);
  int exponent = static_cast<int>(std::floor(std::log10(magnitude)));
  const double scale = std::pow(10.0, significant - 1 - exponent);
  if (std::round(magnitude * scale) >= std::pow(10.0, significant)) ++exponent;
  return std::max(0, significant - 1 - exponent);
}

std::string fixed(double value, int significant) {
  return fmt::format("{:.{}f}", value, decimals(value, significant));
}

std::string unsigned_money(double dollars) {
  if (dollars == 0.0) return "$0.00";
  if (dollars < 1e-4) return "<$0.0001";
  if (dollars < 0.1) return "$" + fixed(dollars, 2);
  return "$" + with_thousands(fmt::format("{:.2f}", dollars));
}

}  // namespace

std::string number(double value) {
  if (!std::isfinite(value)) return "-";
  const double magnitude = std::abs(value);
  if (magnitude != 0.0 && (magnitude < 1e-6 || magnitude >= 1e15)) {
    return fmt::format("{:.2e}", value);
  }
  return fixed(value, 3);
}

std::string duration(Duration value) {
  const double s = value.base();
  if (!std::isfinite(s)) return "-";
  // Longer than any time is: what never ends is cut there.
  if (s >= 1e14) return "never";
  if (s < 0.0) return "-" + duration(-value);
  constexpr double under_a_tick = 0.5e-9;
  if (s < under_a_tick) return "0 s";
  if (s < 1e-3) return number(s * 1e6) + " us";
  if (s < 1.0) return number(s * 1e3) + " ms";
  if (s < 59.95) return number(s) + " s";
  if (s < 3599.5) {
    const long whole = std::lround(s);
    if (whole % 60 == 0) return fmt::format("{} min", whole / 60);
    return fmt::format("{} min {} s", whole / 60, whole % 60);
  }
  if (s < 100.0 * 3600.0) return number(s / 3600.0) + " h";
  const double days = s / 86400.0;
  // Without separators: what is printed can be typed.
  return (days < 1000.0 ? number(days) : fmt::format("{:.0f}", days)) + " days";
}

std::string duration_range(Duration from, Duration to, std::string_view between) {
  const std::string end = duration(to);
  for (const auto& [unit, in_seconds] :
       {std::pair{" days", 86400.0}, {" h", 3600.0}, {" s", 1.0}}) {
    const bool in_unit = end.ends_with(unit) && end.find(" min ") == std::string::npos;
    if (in_unit && from < to && from.base() >= 0.1 * in_seconds &&
        !duration(from).ends_with(unit)) {
      return fmt::format("{}{}{}{}", number(from.base() / in_seconds), unit, between, end);
    }
  }
  const std::string begin = duration(from);
  return begin == end ? begin : fmt::format("{}{}{}", begin, between, end);
}

ShownMoney::ShownMoney(const Currency& currency) {
  shown_currency = &currency;
}

ShownMoney::~ShownMoney() {
  shown_currency = nullptr;
}

std::string money(Money value) {
  const double amount = value.base() / (shown_currency != nullptr ? shown_currency->usd : 1.0);
  if (!std::isfinite(amount)) return "-";
  std::string text = unsigned_money(std::abs(amount));
  if (shown_currency != nullptr) {
    text.erase(text.find('$'), 1);
    text += " " + shown_currency->code;
  }
  return (amount < 0.0 ? "-" : "") + text;
}

std::string rate(Throughput value) {
  const double r = value.base();
  if (r >= 999.5e6) return number(r * 1e-9) + " G";
  if (r >= 999.5e3) return number(r * 1e-6) + " M";
  if (r >= 9999.5) return number(r * 1e-3) + " k";
  return r >= 999.5 ? count(std::round(r)) : number(r);
}

std::string percent(double share) {
  if (!std::isfinite(share)) return "-";
  const double p = share * 100.0;
  if (p == 0.0) return "0 %";
  if (std::abs(p) < 0.05) return p > 0.0 ? "<0.1 %" : ">-0.1 %";
  // Only what is whole may say so: 99.7 % is not 100 %.
  if (p < 100.0 && p >= 99.95) return ">99.9 %";
  if (std::abs(p) >= 9.95 && (std::abs(p) < 99.0 || p == 100.0)) return fmt::format("{:.0f} %", p);
  return fmt::format("{:.1f} %", p);
}

std::string signed_percent(double difference) {
  if (!std::isfinite(difference)) return "-";
  if (std::abs(difference) < 5e-4) return "0.0 %";
  const double p = difference * 100.0;
  return std::abs(p) >= 999.5 ? fmt::format("{}{} %", p > 0 ? "+" : "", count(std::round(p)))
                              : fmt::format("{:+.1f} %", p);
}

std::string signed_points(double difference) {
  if (!std::isfinite(difference)) return "-";
  if (std::abs(difference) < 5e-4) return "0.0 points";
  return fmt::format("{:+.1f} points", difference * 100.0);
}

std::string count(double value) {
  if (!std::isfinite(value)) return "-";
  if (value == std::round(value) && std::abs(value) < 1e15) {
    return with_thousands(fmt::format("{:.0f}", value));
  }
  return number(value);
}

std::string signed_money(Money value) {
  return (value.base() > 0.0 ? "+" : "") + money(value);
}

std::string exact(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

std::string counted(std::size_t n, std::string_view what) {
  return counted(static_cast<double>(n), what);
}

std::string counted(double n, std::string_view what) {
  return fmt::format("{} {}{}", count(n), what, n == 1.0 ? "" : "s");
}

}  // namespace feedrate::report
