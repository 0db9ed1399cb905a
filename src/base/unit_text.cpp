#include "base/unit_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "base/number_chars.hpp"
#include "base/number_text.hpp"
#include "base/quote.hpp"
#include "base/trimmed.hpp"
#include "base/unit_names.hpp"

namespace feedrate {
namespace {

struct KnownDimension {
  Dimension dimension;
  UnitHint hint;
  std::string_view units;  ///< to write in, best first; one text, separated by spaces
};

constexpr std::array known_dimensions = {
    KnownDimension{{1, 0, 0, 0}, {"a duration", "300 ms"}, "s ms us ns min h month"},
    KnownDimension{
        {0, 1, 0, 0}, {"an amount of data", "50 GB"}, "GB MB KB B TB GiB MiB KiB TiB PB"},
    KnownDimension{{0, 0, 1, 0}, {"an amount of money", "102 USD"}, "USD"},
    KnownDimension{{0, 0, 0, 1}, {"a number of samples", "30600 samples"}, "samples"},
    KnownDimension{{-1, 1, 0, 0}, {"a bandwidth", "2.1 GB/s"}, "GB/s MB/s KB/s B/s TB/s MiB/s"},
    KnownDimension{{-1, 0, 0, 1}, {"a rate of samples", "1500 samples/s"}, "samples/s"},
    KnownDimension{{-1, 0, 0, 0}, {"a rate", "5500 /s"}, "/s /h"},
    KnownDimension{{-1, 0, 1, 0}, {"a price per time", "3.825 USD/h"}, "USD/h"},
    KnownDimension{{-1, -1, 1, 0},
                   {"a storage price", "0.14 USD/GB-month"},
                   "USD/GB-month USD/GiB-month USD/TiB-month"},
    KnownDimension{{0, -1, 1, 0}, {"a price per amount of data", "0.09 USD/GB"}, "USD/GB"},
    KnownDimension{{0, 1, 0, -1},
                   {"an amount of data per sample", "110 KB"},
                   "KB/sample MB/sample B/sample GB/sample MiB/sample KiB/sample"},
    KnownDimension{{1, 0, 0, -1},
                   {"a time per sample", "8.5 ms/sample"},
                   "ms/sample s/sample us/sample ns/sample"},
    KnownDimension{{1, -1, 0, 0}, {"a time per amount of data", "0.65 ms/MB"}, "ms/MB s/GB us/MB"},
};

const KnownDimension* known(Dimension dimension) {
  for (const KnownDimension& candidate : known_dimensions) {
    if (candidate.dimension == dimension) return &candidate;
  }
  return nullptr;
}

std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto end = write_digits(buffer.data(), buffer.data() + buffer.size(), value, 15);
  return {buffer.data(), end.ptr};
}

/// Plain digits where people would write them, an exponent where there are many zeros.
std::string_view shortest(double value, std::span<char> buffer) {
  const double size = std::fabs(value);
  const bool plain = size == 0.0 || (size >= 1e-4 && size < 1e15);
  char* const first = buffer.data();
  const auto end = plain ? write_fixed(first, first + buffer.size(), value)
                         : write_general(first, first + buffer.size(), value);
  return {first, static_cast<std::size_t>(end.ptr - first)};
}

struct ScaledUnit {
  std::string_view name;
  Scale scale;
};

/// The units that a known dimension is written in, best first. They are read once: reports write
/// thousands of quantities.
const std::vector<ScaledUnit>& units_of(const KnownDimension& dimension) {
  static const auto all = [] {
    std::array<std::vector<ScaledUnit>, known_dimensions.size()> lists;
    for (std::size_t i = 0; i < lists.size(); ++i) {
      for (std::string_view rest = known_dimensions[i].units; !rest.empty();) {
        const std::string_view unit = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(rest.size(), unit.size() + 1));
        lists[i].push_back({unit, parse_unit(unit).scale});
      }
    }
    return lists;
  }();
  return all[static_cast<std::size_t>(&dimension - known_dimensions.data())];
}

/// A number of at most 15 digits that `scale` turns into exactly `base`, or else one with all its
/// digits, or else NaN: dividing by 3600 can step over some doubles.
double number_in(double base, const Scale& scale) {
  const double near = scale.from_base(base);
  if (!std::isfinite(near)) return std::nan("");
  std::array<char, 32> buffer{};
  const auto end = write_digits(buffer.data(), buffer.data() + buffer.size(), near, 15);
  double few_digits = near;
  read_double(buffer.data(), end.ptr, few_digits);
  const double infinity = HUGE_VAL;
  for (const double number :
       {few_digits, near, std::nextafter(near, infinity), std::nextafter(near, -infinity)}) {
    if (scale.to_base(number) == base) return number;
  }
  return std::nan("");
}

std::string with_unit(std::string_view number, std::string_view unit) {
  return std::string(number) + ' ' + std::string(unit);
}

ParsedQuantity complain(UnitHint hint, std::string_view text, const std::string& why) {
  std::string problem = "expected " + std::string(hint.name) + " such as \"" +
                        std::string(hint.example) + "\", got " + in_quotes(text);
  if (!why.empty()) problem += " (" + why + ")";
  return {0.0, std::move(problem)};
}

/// Why the unit does not fit, for the brackets of a complaint.
std::string unit_problem(const UnitExpression& unit, double number, UnitHint hint) {
  if (unit.ambiguous_per_second > 0.0) {
    const bool giga = unit.ambiguous_per_second * number >= 1e9;
    const double scaled = unit.ambiguous_per_second * number / (giga ? 1e9 : 1e6);
    const std::string bits = giga ? " Gbit/s\"" : " Mbit/s\"";
    const std::string bytes = giga ? " GB/s\"" : " MB/s\"";
    return "bits or bytes? write \"" + number_text(scaled) + bits + " or \"" +
           number_text(scaled / 8.0) + bytes + " for bits, \"" + number_text(scaled) + bytes +
           " for bytes";
  }
  if (!unit.problem.empty()) return unit.problem;
  if (unit.dimension == Dimension{}) return "the unit is missing";
  if (const KnownDimension* other = known(unit.dimension)) {
    if (other->hint.name == hint.name) return "";
    return "that is " + std::string(other->hint.name);
  }
  return "that is another kind of quantity";
}

/// "ms" where "ms/sample" is meant.
bool lacks_only_sample(Dimension got, Dimension wanted) {
  got.sample -= 1;
  return wanted.sample == -1 && got == wanted;
}

/// "300 images/s" or "1.5 GB/s" where "3.3 ms/sample" or "0.67 ns/B" is meant: the time of each.
bool is_rate_of_it(Dimension got, Dimension wanted) {
  const bool each = wanted.time == 1 && wanted.money == 0 && (wanted.sample < 0 || wanted.data < 0);
  return each && got == Dimension{-1, -wanted.data, 0, -wanted.sample};
}

/// "h 1 min 5 s" → "h" and "1 min 5 s"; the second empty where there is but one number.
std::pair<std::string_view, std::string_view> unit_and_more(std::string_view rest) {
  for (std::size_t at = 1; at < rest.size(); ++at) {
    const bool blank = rest[at - 1] == ' ' || rest[at - 1] == '\t';
    if (blank && is_digit(rest[at])) return {trimmed(rest.substr(0, at)), rest.substr(at)};
  }
  return {rest, {}};
}

/// What `more` adds to a time in units of `unit` seconds: "1 min 5 s" to "20 h".
struct MoreTime {
  double base = 0.0;
  std::string why{};  ///< it cannot be read, for the brackets of a complaint
};
MoreTime more_time(std::string_view more, double unit) {
  MoreTime sum;
  while (!more.empty()) {
    double number = 0.0;
    const auto [end, error] = read_double(more.data(), more.data() + more.size(), number);
    if (error != std::errc()) return {0.0, "no number"};
    more.remove_prefix(static_cast<std::size_t>(end - more.data()));
    const auto [name, next] = unit_and_more(trimmed(more));
    const UnitExpression next_unit = parse_unit(name);
    if (name.empty()) return {0.0, "the last number has no unit"};
    if (!next_unit.problem.empty()) return {0.0, next_unit.problem};
    if (next_unit.dimension != Dimension{1, 0, 0, 0}) return {0.0, "not all of it is a duration"};
    const double size = next_unit.scale.to_base(1.0);
    if (!(size < unit)) return {0.0, "write the largest unit first, and each once"};
    sum.base += next_unit.scale.to_base(number);
    unit = size;
    more = next;
  }
  return sum;
}

}  // namespace

UnitHint unit_hint(Dimension dimension) {
  if (const KnownDimension* found = known(dimension)) return found->hint;
  return {"a quantity with a unit", "1 s"};
}

ParsedQuantity parse_quantity(std::string_view text, Dimension dimension) {
  return parse_quantity(text, dimension, unit_hint(dimension));
}

ParsedQuantity parse_quantity(std::string_view text, Dimension dimension, UnitHint hint) {
  std::string_view rest = trimmed(text);
  bool dollars = false;
  if (rest.starts_with('$')) {
    dollars = true;
    rest.remove_prefix(1);
  }
  const bool signed_number = rest.size() > 1 && (rest[0] == '-' || rest[0] == '+');
  const bool digits = !rest.empty() &&
                      (is_digit(rest[signed_number ? 1 : 0]) || rest[signed_number ? 1 : 0] == '.');
  if (!digits) return complain(hint, text, rest.empty() ? "it is empty" : "no number");
  if (rest[0] == '+') rest.remove_prefix(1);
  double number = 0.0;
  const auto [end, error] = read_double(rest.data(), rest.data() + rest.size(), number);
  if (error == std::errc::result_out_of_range) {
    return complain(hint, text, "the number is too large or too small to hold");
  }
  if (error != std::errc()) return complain(hint, text, "no number");
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  if (rest.starts_with(',') || rest.starts_with('\'') || rest.starts_with('_')) {
    return complain(hint, text, "write numbers without separators and with a decimal point");
  }
  rest = trimmed(rest);
  if (!rest.empty() && (is_digit(rest.front()) || rest.front() == '.')) {
    return complain(hint, text, "write the number without spaces in it");
  }
  // "20 h 1 min" is a sum.
  std::string_view more;
  if (dimension == Dimension{1, 0, 0, 0} && !dollars) {
    std::tie(rest, more) = unit_and_more(rest);
  }
  // "$3.825/h" carries its first unit in front.
  UnitExpression unit = parse_unit(dollars ? "$" + std::string(rest) : std::string(rest));
  const bool rate =
      unit.problem.empty() && number > 0.0 && is_rate_of_it(unit.dimension, dimension);
  if (!unit.problem.empty() ||
      (unit.dimension != dimension && !rate && !lacks_only_sample(unit.dimension, dimension))) {
    return complain(hint, text, unit_problem(unit, number, hint));
  }
  double base = unit.scale.to_base(number);
  if (rate) base = 1.0 / base;
  if (!more.empty()) {
    const MoreTime further = more_time(more, unit.scale.to_base(1.0));
    if (!further.why.empty()) return complain(hint, text, further.why);
    base += std::signbit(number) ? -further.base : further.base;
  }
  if (!std::isfinite(base)) return complain(hint, text, "the number is too large to hold");
  return {base, ""};
}

std::string format_in(double base, std::string_view unit) {
  const UnitExpression expression = parse_unit(unit);
  std::array<char, 400> buffer{};
  const double number = number_in(base, expression.scale);
  if (std::isnan(number)) {
    return with_unit(shortest(base, buffer), base_unit(expression.dimension));
  }
  return with_unit(shortest(number, buffer), unit);
}

std::string format_short(double base, Dimension dimension, int digits) {
  if (const KnownDimension* found = known(dimension)) {
    for (const auto& [unit, scale] : units_of(*found)) {
      const double number = with_digits(scale.from_base(base), digits);
      if (!(std::fabs(number) >= 1.0 && std::fabs(number) < 1000.0)) continue;
      return with_unit(fmt::format("{:g}", number), unit);
    }
  }
  return format_quantity(with_digits(base, digits), dimension);
}

std::string format_quantity(double base, Dimension dimension) {
  const KnownDimension* found = known(dimension);
  if (found == nullptr) return format_in(base, base_unit(dimension));
  std::string best;
  std::size_t best_length = 0;
  bool best_handy = false;
  std::array<char, 400> buffer{};
  for (const auto& [unit, scale] : units_of(*found)) {
    const double number = number_in(base, scale);
    if (std::isnan(number)) continue;
    const std::string_view digits = shortest(number, buffer);
    const bool handy = std::fabs(number) >= 1.0 && std::fabs(number) < 1000.0;
    const bool better = best.empty() || digits.size() < best_length ||
                        (digits.size() == best_length && handy && !best_handy);
    if (!better) continue;
    best = with_unit(digits, unit);
    best_length = digits.size();
    best_handy = handy;
  }
  if (best.empty()) return with_unit(shortest(base, buffer), base_unit(dimension));
  return best;
}

}  // namespace feedrate
