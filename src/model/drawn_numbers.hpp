#pragma once
// The numbers of a scenario that may have an error, so that runs draw them: those that somebody
// measures or estimates, and that change a job's time or bill. What is chosen (workers, instances),
// sold in steps, or only decides whether a job fits has none.
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/unit_text.hpp"
#include "model/scenario.hpp"

namespace feedrate {

/// A number as it stands, in base units; of a list the last.
struct StatedNumber {
  double base = 0.0;
  Dimension dimension{};  ///< {} of a plain number
};

/// The place that a token of a pointer names, as RFC 6901 writes it: "0", but neither "00" nor
/// "0x".
std::optional<std::size_t> place_in_list(std::string_view token);

/// Whether a number at that JSON pointer, operations by their places, may have an error.
bool may_have_error(std::string_view pointer);

/// The number that stands there; empty: none does, or it may have no error.
std::optional<StatedNumber> stated_number(const Scenario& scenario, std::string_view pointer);

/// Multiplies it, a list as a whole, and keeps it within what it may be: shares are at most 1, and
/// what is counted stays whole. Does nothing where none stands.
void multiply_number(Scenario& scenario, std::string_view pointer, double factor);

}  // namespace feedrate
