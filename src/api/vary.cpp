#include "api/vary.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "base/errors.hpp"
#include "base/number_chars.hpp"
#include "base/number_text.hpp"
#include "base/portable_math.hpp"
#include "base/quote.hpp"
#include "base/trimmed.hpp"
#include "base/unit_text.hpp"
#include "base/units.hpp"

namespace feedrate::api {
namespace {

constexpr std::string_view forms =
    "KEY=A,B,C, KEY=FROM:TO:STEP or KEY=FROM:TO:*FACTOR (for example instances=1:64:*2)";

/// What was typed, and behind which option.
struct Typed {
  std::string_view text;
  std::string_view flag;
};

[[noreturn]] void refuse_range(const Typed& typed, std::string_view reason) {
  refuse_flag(typed.flag, fmt::format("{}, got {}", reason, in_quotes(typed.text)));
}

// Parts of `text` between `separator`s that lie outside quotes and brackets.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool in_quotes = false;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_quotes) {
      if (c == '\\') ++i;
      if (c == '"') in_quotes = false;
    } else if (c == '"') {
      in_quotes = true;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == separator && depth == 0) {
      parts.push_back(trimmed(text.substr(start, i - start)));
      start = i + 1;
    }
  }
  parts.push_back(trimmed(text.substr(start)));
  return parts;
}

struct NumberWithUnit {
  double number = 0.0;
  std::string_view unit;  // "" for a plain number
};

std::optional<NumberWithUnit> parse_number(std::string_view text) {
  NumberWithUnit parsed;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = read_double(text.data(), text.data() + text.size(), parsed.number);
  if (error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) parsed.number = std::nan("");
  parsed.unit = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  return parsed;
}

// A range over plain numbers, whatever unit they are written in.
struct Range {
  double from = 0.0;
  double to = 0.0;
  double step = 0.0;
  bool multiplies = false;
};

std::vector<double> numbers_of(const Range& range, const Typed& text) {
  const auto [from, to, step, multiplies] = range;
  if (!std::isfinite(from) || !std::isfinite(to) || !std::isfinite(step)) {
    refuse_range(text, "expected finite numbers");
  }
  if (multiplies && (step <= 0.0 || step == 1.0 || from == 0.0 || from * to <= 0.0)) {
    refuse_range(text,
                 "expected FROM:TO:*FACTOR with a factor above 0 other than 1, and FROM and TO "
                 "both above 0");
  }
  if (!multiplies && step == 0.0) refuse_range(text, "expected a step other than 0");
  const double distance =
      multiplies ? portable::log(to / from) / portable::log(step) : (to - from) / step;
  if (distance < 0.0) refuse_range(text, "expected a step that leads from FROM to TO");
  // A last step that misses TO by rounding only still lands on it.
  const double last = std::floor(distance + 1e-9 * std::max(1.0, distance));
  if (!(last < static_cast<double>(max_points))) {
    refuse_range(text, fmt::format("expected at most {} values", max_points));
  }
  std::vector<double> numbers;
  for (double i = 0.0; i <= last; i += 1.0) {
    numbers.push_back(multiplies ? from * portable::pow(step, i) : from + i * step);
  }
  return numbers;
}

// Twelve digits hide what binary fractions add: 0.1 + 2 * 0.1 is written 0.3.
double rounded(double number) {
  return with_digits(number, 12);
}

std::string plain(double number) {
  return fmt::format("{}", rounded(number));
}

// Dimensions in which a range may be written with different units at its ends, most usual first.
// A quantity per sample is written as one without "/sample".
constexpr std::array<Dimension, 6> range_dimensions = {
    dimension_of(Bytes{}),       dimension_of(Duration{}),  dimension_of(Bandwidth{}),
    dimension_of(HourlyPrice{}), dimension_of(Frequency{}), dimension_of(DurationPerByte{})};

std::vector<std::string> values_across_units(std::string_view from, std::string_view to,
                                             std::string_view step, bool multiplies,
                                             const Typed& text) {
  for (const Dimension dimension : range_dimensions) {
    const ParsedQuantity first = parse_quantity(from, dimension);
    const ParsedQuantity last = parse_quantity(to, dimension);
    if (!first.ok() || !last.ok()) continue;
    Range range{first.base, last.base, 0.0, multiplies};
    if (multiplies) {
      range.step = parse_number(step)->number;
    } else {
      const ParsedQuantity stride = parse_quantity(step, dimension);
      if (!stride.ok()) refuse_range(text, "expected a step in the unit of FROM and TO");
      range.step = stride.base;
    }
    std::vector<std::string> values;
    for (const double number : numbers_of(range, text)) {
      values.push_back(format_quantity(rounded(number), dimension));
    }
    return values;
  }
  refuse_range(text, "expected FROM and TO in units of one kind");
}

// The values of FROM:TO:STEP; nothing when `parts` are no numbers, so that the colons are the
// user's.
std::optional<std::vector<std::string>> range_values(const std::vector<std::string_view>& parts,
                                                     const Typed& text) {
  const auto from = parse_number(parts[0]);
  const auto to = parts.size() > 1 ? parse_number(parts[1]) : std::nullopt;
  if (!from || !to) return std::nullopt;
  if (parts.size() != 3) refuse_range(text, "expected FROM:TO:STEP");
  const bool multiplies = parts[2].starts_with('*');
  const std::string_view step_text = trimmed(parts[2].substr(multiplies ? 1 : 0));
  const auto step = parse_number(step_text);
  if (!step || (multiplies && !step->unit.empty())) {
    refuse_range(text, "expected FROM:TO:STEP or FROM:TO:*FACTOR");
  }
  const bool one_unit = from->unit == to->unit && (multiplies || step->unit == from->unit);
  if (!one_unit) return values_across_units(parts[0], parts[1], step_text, multiplies, text);
  std::vector<std::string> values;
  for (const double number :
       numbers_of({from->number, to->number, step->number, multiplies}, text)) {
    values.push_back(from->unit.empty() ? plain(number)
                                        : fmt::format("{} {}", plain(number), from->unit));
  }
  return values;
}

std::vector<Vary> checked_grid(std::vector<Vary> varied, std::string_view flag) {
  std::set<std::string> keys;
  const auto once = [&](const std::string& key) {
    if (keys.insert(key).second) return;
    refuse_flag(flag, fmt::format("expected each key once, got {} twice", in_quotes(key)));
  };
  std::size_t size = 1;
  for (const Vary& one : varied) {
    once(one.key);
    for (const Vary& other : one.with) once(other.key);
    size *= one.values.size();
    if (size > max_points) {
      refuse_flag(flag, fmt::format("expected at most {} points in total, got {} or more",
                                    max_points, size));
    }
  }
  return varied;
}

}  // namespace

std::pair<std::string, std::string> parse_setting(std::string_view text, std::string_view flag) {
  const std::size_t equals = text.find('=');
  const std::string_view key = trimmed(text.substr(0, equals));
  if (equals == std::string_view::npos || key.empty()) {
    refuse_flag(flag, fmt::format("expected KEY=VALUE, got {}", in_quotes(text)));
  }
  const std::string_view value = trimmed(text.substr(equals + 1));
  if (value.empty()) refuse_flag(flag, fmt::format("expected a value after {}=", key));
  return {std::string(key), std::string(value)};
}

Vary parse_vary(std::string_view text, std::string_view flag) {
  const std::size_t equals = text.find('=');
  Vary vary{std::string(trimmed(text.substr(0, equals))), {}};
  if (equals == std::string_view::npos || vary.key.empty()) {
    refuse_flag(flag, fmt::format("expected {}, got {}", forms, in_quotes(text)));
  }
  const std::string_view list = trimmed(text.substr(equals + 1));
  if (list.empty())
    refuse_flag(flag, fmt::format("expected values after {}=: {}", vary.key, forms));
  if (auto values = range_values(split(list, ':'), {text, flag})) {
    vary.values = std::move(*values);
    return vary;
  }
  std::set<std::string_view> seen;
  for (const std::string_view item : split(list, ',')) {
    if (item.empty()) {
      refuse_flag(flag,
                  fmt::format("expected a value between the commas, got {}", in_quotes(text)));
    }
    // What comes twice is one point.
    if (seen.insert(item).second) vary.values.emplace_back(item);
  }
  if (vary.values.size() > max_points) {
    refuse_range({text, flag}, fmt::format("expected at most {} values", max_points));
  }
  return vary;
}

Grid::Grid(std::vector<Vary> varied, std::string_view flag)
    : study::Grid(checked_grid(std::move(varied), flag)) {}

}  // namespace feedrate::api
