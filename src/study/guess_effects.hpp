#pragma once
// What the guesses of a preset do to the job that is made of it.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "study/setting.hpp"

namespace feedrate::study {

/// A number that is to be replaced, and between what it is expected to lie.
struct Guess {
  std::string key;        ///< as for --set
  std::string low, high;  ///< as for --set
};

/// The whole job's time with one guess at an end of its range and all else as stated.
struct GuessEffect {
  std::size_t guess = 0;                    ///< index
  std::optional<Duration> at_low, at_high;  ///< empty: what cannot be simulated (data do not fit)
  double share = 0.0;                       ///< the larger change, of the job as stated
};

/// Of each guess, what changes the job most first. InputError where the scenario as stated cannot
/// be simulated.
std::vector<GuessEffect> guess_effects(std::span<const Guess> guesses, const MakeScenario& make,
                                       const Catalog& catalog);

}  // namespace feedrate::study
