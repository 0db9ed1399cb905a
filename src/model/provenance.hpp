#pragma once
// Where a number comes from. A precise answer from a guess misleads, so every input says which it
// is.
#include <string>
#include <string_view>
#include <utility>

namespace feedrate {

/// From weakest to strongest; a result is as good as the weakest input that matters to it.
enum class Origin { assumed, given, published, measured };

constexpr std::string_view name_of(Origin origin) {
  switch (origin) {
    case Origin::assumed: return "assumed";
    case Origin::given: return "given";
    case Origin::published: return "published";
    case Origin::measured: return "measured";
  }
  return "assumed";
}

struct Provenance {
  Origin origin = Origin::assumed;
  std::string source;           ///< what the number is taken from, with its date
  double relative_error = 0.0;  ///< standard error over value; 0 when not known
  std::string date{};           ///< of the source, where the record states one
  bool operator==(const Provenance&) const = default;
};

/// A number (or structure) and its origin.
template <class T>
struct Value {
  T value{};
  Provenance from;

  static Value assumed(T value, std::string why) {
    return {std::move(value), {Origin::assumed, std::move(why), 0.0}};
  }
  static Value given(T value, std::string where = "scenario") {
    return {std::move(value), {Origin::given, std::move(where), 0.0}};
  }
  static Value published(T value, std::string source) {
    return {std::move(value), {Origin::published, std::move(source), 0.0}};
  }
  bool operator==(const Value&) const = default;
};

}  // namespace feedrate
