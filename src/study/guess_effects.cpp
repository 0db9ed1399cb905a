#include "study/guess_effects.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "study/run.hpp"

namespace feedrate::study {

std::vector<GuessEffect> guess_effects(std::span<const Guess> guesses, const MakeScenario& make,
                                       const Catalog& catalog) {
  RunOptions options;
  options.list_inputs = false;
  const auto time_of = [&](const Setting& set) {
    return run(make(set), catalog, nullptr, options).times.total;
  };
  const Duration stated = time_of({});
  const auto at = [&](const std::string& key, const std::string& value) -> std::optional<Duration> {
    try {
      return time_of({{key, value}});
    } catch (const InputError&) {
      return std::nullopt;
    }
  };
  std::vector<GuessEffect> effects;
  for (std::size_t i = 0; i < guesses.size(); ++i) {
    GuessEffect effect{i, at(guesses[i].key, guesses[i].low), at(guesses[i].key, guesses[i].high),
                       0.0};
    const auto change = [&](const std::optional<Duration>& time) {
      return time ? std::abs(*time / stated - 1.0) : 0.0;
    };
    effect.share = std::max(change(effect.at_low), change(effect.at_high));
    effects.push_back(effect);
  }
  std::stable_sort(effects.begin(), effects.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  return effects;
}

}  // namespace feedrate::study
