#include "base/unit_names.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/did_you_mean.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"

namespace feedrate {
namespace {

struct Unit {
  std::string_view name;
  double numerator;
  double denominator;
  Dimension dimension;
};

constexpr Dimension none{};
constexpr Dimension time{1, 0, 0, 0};
constexpr Dimension data{0, 1, 0, 0};
constexpr Dimension money{0, 0, 1, 0};
constexpr Dimension sample{0, 0, 0, 1};
constexpr double hour = 3600.0;
constexpr double kibi = 1024.0;
constexpr double mebi = kibi * kibi;
constexpr double gibi = mebi * kibi;
constexpr double tebi = gibi * kibi;

/// A month is AWS's billing month of 730 hours, a year twelve of them.
constexpr std::array units = {
    Unit{"ns", 1, 1e9, time},
    Unit{"us", 1, 1e6, time},
    Unit{"µs", 1, 1e6, time},  // micro sign
    Unit{"μs", 1, 1e6, time},  // Greek mu
    Unit{"ms", 1, 1e3, time},
    Unit{"s", 1, 1, time},
    Unit{"sec", 1, 1, time},
    Unit{"second", 1, 1, time},
    Unit{"seconds", 1, 1, time},
    Unit{"min", 60, 1, time},
    Unit{"minute", 60, 1, time},
    Unit{"minutes", 60, 1, time},
    Unit{"h", hour, 1, time},
    Unit{"hr", hour, 1, time},
    Unit{"hour", hour, 1, time},
    Unit{"hours", hour, 1, time},
    Unit{"d", 24 * hour, 1, time},
    Unit{"day", 24 * hour, 1, time},
    Unit{"days", 24 * hour, 1, time},
    Unit{"month", 730 * hour, 1, time},
    Unit{"months", 730 * hour, 1, time},
    Unit{"year", 8760 * hour, 1, time},
    Unit{"years", 8760 * hour, 1, time},
    Unit{"B", 1, 1, data},
    Unit{"byte", 1, 1, data},
    Unit{"bytes", 1, 1, data},
    Unit{"KB", 1e3, 1, data},
    Unit{"kB", 1e3, 1, data},
    Unit{"MB", 1e6, 1, data},
    Unit{"GB", 1e9, 1, data},
    Unit{"TB", 1e12, 1, data},
    Unit{"PB", 1e15, 1, data},
    Unit{"KiB", kibi, 1, data},
    Unit{"MiB", mebi, 1, data},
    Unit{"GiB", gibi, 1, data},
    Unit{"TiB", tebi, 1, data},
    Unit{"PiB", tebi* kibi, 1, data},
    Unit{"bit", 1, 8, data},
    Unit{"bits", 1, 8, data},
    Unit{"Kbit", 1e3, 8, data},
    Unit{"kbit", 1e3, 8, data},
    Unit{"Mbit", 1e6, 8, data},
    Unit{"Gbit", 1e9, 8, data},
    Unit{"Tbit", 1e12, 8, data},
    Unit{"USD", 1, 1, money},
    Unit{"$", 1, 1, money},
    Unit{"sample", 1, 1, sample},
    Unit{"samples", 1, 1, sample},
    Unit{"image", 1, 1, sample},
    Unit{"images", 1, 1, sample},
    Unit{"img", 1, 1, sample},
    Unit{"imgs", 1, 1, sample},
    Unit{"IOPS", 1, 1, {-1, 0, 0, 0}},
    Unit{"request", 1, 1, none},
    Unit{"requests", 1, 1, none},
    Unit{"1", 1, 1, none},
};

/// Words for time that other programs take: the nearest spelling would be another unit.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> meant_units = {{
    {"msec", "ms"},
    {"msecs", "ms"},
    {"millisecond", "ms"},
    {"milliseconds", "ms"},
    {"usec", "us"},
    {"microsecond", "us"},
    {"microseconds", "us"},
    {"nsec", "ns"},
    {"nanoseconds", "ns"},
    {"secs", "s"},
    {"mins", "min"},
    {"hrs", "h"},
}};

double prefix_factor(char c) {
  switch (c) {
    case 'k':
    case 'K': return 1e3;
    case 'm':
    case 'M': return 1e6;
    case 'g':
    case 'G': return 1e9;
    case 't':
    case 'T': return 1e12;
    default: return 0.0;
  }
}

/// What "Gb", "Mb", "kb", "mb", "b" name 1e9, 1e6 … of; 0 for other words.
double bits_or_bytes(std::string_view word) {
  if (word == "b") return 1.0;
  if (word.size() != 2) return 0.0;
  const bool small_prefix = word[0] == 'm' || word[0] == 'g' || word[0] == 't';
  if (word[1] == 'b' || (word[1] == 'B' && small_prefix)) return prefix_factor(word[0]);
  return 0.0;
}

/// The same for "Gbps", "MBps", "bps", "Gb" before "/s".
double per_second_word(std::string_view word) {
  if (word.size() < 3 || !word.ends_with("ps")) return 0.0;
  const std::string_view head = word.substr(0, word.size() - 2);
  if (head == "B") return 1.0;
  if (head.size() == 2 && (head[1] == 'b' || head[1] == 'B')) return prefix_factor(head[0]);
  return bits_or_bytes(head);
}

/// Codes of ISO 4217 that prices are often given in.
constexpr std::array<std::string_view, 13> currencies = {
    "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "CAD", "AUD", "SEK", "NOK", "DKK", "PLN", "KRW"};

std::string unknown_unit(std::string_view word) {
  if (word == "m") return "\"m\" is unclear: minutes are \"min\", months \"month\"";
  if (std::find(currencies.begin(), currencies.end(), word) != currencies.end()) {
    return "prices are in USD; a scenario takes " + std::string(word) +
           " beside \"currency\": {\"code\": \"" + std::string(word) + "\", \"usd\": RATE}";
  }
  std::vector<std::string> names;
  for (const Unit& unit : units) names.emplace_back(unit.name);
  for (const auto& [typed, unit] : meant_units) {
    if (word == typed) {
      return in_quotes(word, 20) + " is no unit (did you mean " + in_quotes(unit) + "?)";
    }
  }
  return in_quotes(word, 20) + " is no unit" + did_you_mean(word, names);
}

constexpr std::string_view per = "per ";

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  UnitExpression read() {
    product(1, 0);
    if (result_.problem.empty() && at_ < text_.size()) {
      fail(in_quotes(text_.substr(at_), 20) + " is no part of a unit");
    }
    reduce();
    return std::move(result_);
  }

 private:
  void fail(std::string problem) {
    if (result_.problem.empty()) result_.problem = std::move(problem);
  }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  [[nodiscard]] bool next_is(std::string_view word) const {
    return text_.substr(at_).starts_with(word);
  }

  /// factor { ("/" | " per " | "*") factor }, each after a "/" dividing; a leading "/" means "1/".
  void product(int sign, int depth) {
    skip_spaces();
    if (at_ < text_.size() && text_[at_] != '/' && !next_is(per)) factor(sign, depth);
    skip_spaces();
    while (result_.problem.empty() && at_ < text_.size() &&
           (text_[at_] == '/' || text_[at_] == '*' || next_is(per))) {
      const bool divides = text_[at_] != '*';
      at_ += next_is(per) ? per.size() : 1;
      skip_spaces();
      if (divides) number(-sign);
      factor(divides ? -sign : sign, depth);
      skip_spaces();
    }
  }

  /// "1,000 " before what is priced by the thousand; nothing where there is no number.
  void number(int sign) {
    std::size_t end = at_;
    double value = 0.0;
    while (end < text_.size() && (is_digit(text_[end]) || (end > at_ && text_[end] == ','))) {
      if (text_[end] != ',') value = 10.0 * value + (text_[end] - '0');
      ++end;
    }
    // "1/s" is a unit of its own.
    if (end == at_ || end >= text_.size() || text_[end] != ' ') return;
    multiply({"", value, 1, none}, sign);
    at_ = end;
    skip_spaces();
  }

  /// A unit, a product in brackets, or several joined by hyphens: "GB-month".
  void factor(int sign, int depth) {
    one(sign, depth);
    // "5 s-1" is a power, which nobody should have to guess.
    while (result_.problem.empty() && at_ + 1 < text_.size() && text_[at_] == '-' &&
           !is_digit(text_[at_ + 1])) {
      ++at_;
      one(sign, depth);
    }
  }

  void one(int sign, int depth) {
    if (at_ < text_.size() && text_[at_] == '(' && depth < 4) {
      ++at_;
      product(sign, depth + 1);
      if (at_ < text_.size() && text_[at_] == ')') {
        ++at_;
      } else {
        fail("a \")\" is missing");
      }
      return;
    }
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           std::string_view(" /*()-").find(text_[at_]) == std::string_view::npos)
      ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    if (word.empty()) return fail("a unit is missing after \"/\"");
    for (const Unit& unit : units) {
      if (unit.name == word) return multiply(unit, sign);
    }
    double per_second = per_second_word(word);
    const double plain = bits_or_bytes(word);
    if (plain > 0.0 && text_.substr(at_) == "/s") per_second = plain;
    if (per_second > 0.0 || plain > 0.0) {
      result_.ambiguous_per_second = start == 0 ? per_second : 0.0;
      return fail(in_quotes(word) +
                  " is unclear: bits (\"Mbit\", \"Gbit\") or bytes (\"MB\", \"GB\")?");
    }
    fail(unknown_unit(word));
  }

  void multiply(const Unit& unit, int sign) {
    Scale& scale = result_.scale;
    scale.numerator *= sign > 0 ? unit.numerator : unit.denominator;
    scale.denominator *= sign > 0 ? unit.denominator : unit.numerator;
    Dimension& dimension = result_.dimension;
    dimension.time += sign * unit.dimension.time;
    dimension.data += sign * unit.dimension.data;
    dimension.money += sign * unit.dimension.money;
    dimension.sample += sign * unit.dimension.sample;
  }

  /// 1e6/1e9 becomes 1/1e3: fewer roundings, so that 0.65 ms/MB is the same double as 0.65 ns/B.
  void reduce() {
    constexpr double exact = 9e15;  // beyond, doubles no longer hold every whole number
    Scale& scale = result_.scale;
    if (scale.numerator > exact || scale.denominator > exact) return;
    const auto a = static_cast<std::int64_t>(scale.numerator);
    const auto b = static_cast<std::int64_t>(scale.denominator);
    const auto common = static_cast<double>(std::gcd(a, b));
    scale.numerator /= common;
    scale.denominator /= common;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  UnitExpression result_;
};

}  // namespace

UnitExpression parse_unit(std::string_view unit) {
  return Reader(unit).read();
}

std::string base_unit(Dimension dimension) {
  std::string above;
  std::string below;
  const auto add = [&](std::string_view name, int exponent) {
    for (int i = 0; i < exponent; ++i) above += (above.empty() ? "" : "*") + std::string(name);
    for (int i = 0; i > exponent; --i) below += '/' + std::string(name);
  };
  add("USD", dimension.money);
  add("B", dimension.data);
  // "s/sample" and "sample/s" both read well this way round.
  if (dimension.sample > 0) add("samples", dimension.sample);
  add("s", dimension.time);
  if (dimension.sample < 0) add("sample", dimension.sample);
  return above + below;
}

}  // namespace feedrate
