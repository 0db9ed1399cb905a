#pragma once
// `--free KEY` and `--free KEY=LOW..HIGH`: a number of a scenario that is to be found.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unit_text.hpp"
#include "schema/scenario/scenario.hpp"

namespace feedrate::schema {

struct FreeKey {
  std::string name;        ///< JSON pointer; operations by their names where they differ
  std::string pointer;     ///< the same by their places: alike for the same number
  Dimension dimension{};   ///< all zeros: a plain number
  std::string unit;        ///< that it is written in; "": what suits its size
  bool by_factors = true;  ///< durations, rates, sizes: its steps are factors; else a share
  double low = 0.0;        ///< range to look in, base units
  double high = 0.0;
  std::optional<double> value;  ///< what the document says

  /// As set_value takes it; all its digits.
  [[nodiscard]] std::string text_of(double number) const;
  /// The number of such a text, whose unit is written from here on; nothing where it is none.
  std::optional<double> read(std::string_view text);
  /// The number with so many significant digits in the unit that text_of writes.
  [[nodiscard]] double rounded(double number, int digits) const;
};

/// The keys of one --free: "KEY,KEY=LOW..HIGH". Where a text may stand for an object
/// ("step"), the one quantity of that kind that the document states in it, else what the text
/// means. Without a range: around the document's value a thousandth to a thousandfold, else all
/// that is sensible for its kind, and 0 to 1 for a share. InputError, naming `flag`: unknown keys,
/// keys whose value is no quantity and no share, ranges that are reversed, in other units or beyond
/// what the key may hold.
std::vector<FreeKey> free_keys(const Document& document, std::string_view text,
                               std::string_view flag = "--free");

}  // namespace feedrate::schema
