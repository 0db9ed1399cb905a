#pragma once
// A small language to choose machines by: "gpu>=A10G, region=us-east-1, price<40".
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/unit_text.hpp"
#include "catalog/listing.hpp"

namespace feedrate {

/// Unknown: the catalogue does not say. What a machine has none of (the model of a GPU) is a no.
enum class Match { no, unknown, yes };

enum class FilterKind { word, gpu, number, quantity };

/// A key that a condition may name.
struct FilterKey {
  std::string_view name;
  FilterKind kind = FilterKind::word;
  std::string_view manual;
  std::string_view example;  ///< of a condition
  Dimension dimension{};     ///< of a quantity
};

/// Every key, for help and completion.
const std::vector<FilterKey>& filter_keys();

/// Conditions KEY OP VALUE that must all hold, separated by commas. OP is =, !=, <, <=, >, >=;
/// words know = and != only, ignore case, and may be several ("A100|H100") or have stars ("p4*"). A
/// GPU is named by parts of its model ("A100", "A100-80GB") and ordered by tensor_peak. Quantities
/// carry their unit, prices are USD/h without one.
class Filter {
 public:
  /// InputError with every problem of `text`, naming `flag`: keys and values that the catalogue
  /// does not have, with what may have been meant. A text of nothing but spaces has no conditions.
  static Filter parse(std::string_view text, const Catalog& catalog, std::string_view flag);

  /// No where one condition does not hold; else unknown where one cannot be told.
  [[nodiscard]] Match matches(const Listing& listing) const;

  /// Names of the keys whose conditions cannot be told.
  [[nodiscard]] std::vector<std::string_view> unknown_keys(const Listing& listing) const;

  /// The regions of the catalogue that its conditions on the region let through; empty without any.
  [[nodiscard]] std::vector<std::string> regions() const { return regions_; }

 private:
  enum class Operator { equal, unequal, less, at_most, more, at_least };

  struct Condition {
    const FilterKey* key = nullptr;
    Operator op = Operator::equal;
    std::vector<std::string> words;  ///< any of them; of words and models
    double number = 0.0;             ///< base unit; of a GPU its peak
  };

  [[nodiscard]] Match holds(const Condition& condition, const Listing& listing) const;

  friend class FilterReader;

  const Catalog* catalog_ = nullptr;
  std::vector<Condition> conditions_;
  std::vector<std::string> regions_;
};

/// What a filter lets through of a catalogue.
struct Chosen {
  std::vector<Listing> listings;
  /// Machines that are left out only because a key of theirs is not known: key, how many.
  std::vector<std::pair<std::string, std::size_t>> unknown;
};

/// "gpu of 8 machines, price of 2": what a filter could not tell; "" where it could tell all.
std::string unknown_words(const Chosen& chosen);

/// The listings that `filter` lets through: of the regions that it names, or else of those that
/// listings() takes with `wanted`.
Chosen choose(const Catalog& catalog, const Filter& filter,
              const std::optional<std::string>& wanted = {});

}  // namespace feedrate
