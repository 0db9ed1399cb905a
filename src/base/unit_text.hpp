#pragma once
// Quantities as people write them: "2.1 GB/s", "24 h", "3.825 USD/h", "0.65 ms/MB".
#include <string>
#include <string_view>

#include "base/units.hpp"

namespace feedrate {

/// Exponents of seconds, bytes, dollars and samples.
struct Dimension {
  int time = 0;
  int data = 0;
  int money = 0;
  int sample = 0;
  bool operator==(const Dimension&) const = default;
};

template <int T, int B, int M, int S>
constexpr Dimension dimension_of(Quantity<T, B, M, S>) {
  return {T, B, M, S};
}

/// How a quantity of a dimension is asked for in messages and the manual.
struct UnitHint {
  std::string_view name;     ///< "a bandwidth"
  std::string_view example;  ///< "2.1 GB/s"
};

/// The hint for a dimension; every dimension that a file can hold has one.
UnitHint unit_hint(Dimension dimension);

/// Number in base units, or what is wrong with the text.
struct ParsedQuantity {
  double base = 0.0;
  std::string problem;  ///< empty when fine; "expected a bandwidth such as "2.1 GB/s", got …"
  [[nodiscard]] bool ok() const { return problem.empty(); }
};

/// Reads `text` as a quantity of `dimension`. Rejects other units, ambiguous ones ("Gbps": write
/// "Gbit/s" or "GB/s"), missing ones, and numbers that are not finite. "/sample" may be left out
/// ("8.5 ms"); the time of a sample or a byte may be a rate of them ("300 images/s").
ParsedQuantity parse_quantity(std::string_view text, Dimension dimension);
/// parse_quantity with another name and example in the complaint, for the few quantities that share
/// a dimension with one of another nature ("200 MB/s/TiB" and "5500 /s").
ParsedQuantity parse_quantity(std::string_view text, Dimension dimension, UnitHint hint);

/// Shortest text that reads back as exactly `base`, in the unit that suits its size:
/// "2.1 GB/s". Used wherever a scenario or a catalogue entry is written.
std::string format_quantity(double base, Dimension dimension);

/// With so many significant digits, in the first unit that has 1 to 1,000 of it: "89.9 ms". What
/// reads back need not be `base`.
std::string format_short(double base, Dimension dimension, int digits);

/// Shortest text in `unit` ("MB/s/TiB") that reads back as exactly `base`; in base units where no
/// number of that unit does. Precondition: `unit` is one that parse_quantity knows.
std::string format_in(double base, std::string_view unit);

template <int T, int B, int M, int S>
std::string format_quantity(Quantity<T, B, M, S> q) {
  return format_quantity(q.base(), Dimension{T, B, M, S});
}

}  // namespace feedrate
