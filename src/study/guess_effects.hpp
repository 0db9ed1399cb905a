#pragma once
// How much the guesses of a preset change the job that is made from it.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "study/setting.hpp"

namespace feedrate::study {

/// A guessed number, which the user is to replace, and the range in which it is expected to lie.
struct Guess {
  std::string key;        ///< as for --set
  std::string low, high;  ///< as for --set
};

/// The whole job's time with one guess at an end of its range and all else as stated.
struct GuessEffect {
  std::size_t guess = 0;                    ///< index in the list of guesses
  std::optional<Duration> at_low, at_high;  ///< empty: cannot be simulated (data do not fit)
  double share = 0.0;  ///< larger of both changes, as a share of the job's time
};

/// The effects of all guesses, the largest first. InputError where the scenario as stated cannot be
/// simulated.
std::vector<GuessEffect> guess_effects(std::span<const Guess> guesses, const MakeScenario& make,
                                       const Catalog& catalog);

}  // namespace feedrate::study
