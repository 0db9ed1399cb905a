#pragma once
// What a scenario says of itself after some of its inputs were fitted to its cases.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schema/scenario/scenario.hpp"

namespace feedrate::schema {

/// A key that was fitted, and on what.
struct FittedKey {
  std::string pointer;
  std::string sentence;  ///< behind the pointer: "on 4 cases, 90 % interval 6 ms … 7 ms"
  std::optional<double> relative_error;  ///< standard error over value, where it is known
  bool guess = false;                    ///< the scenario does not reproduce what it was fitted on
};

/// Marks these of the document's cases as fitted on ("fitted": true) and lists the keys in
/// about.fitted, guesses in "guesses", in place of what it said of the same keys, and their errors
/// in "errors". Precondition: the document has these cases, and reads as a scenario.
void note_fit(Document& document, std::span<const std::size_t> cases,
              std::span<const FittedKey> keys);

}  // namespace feedrate::schema
