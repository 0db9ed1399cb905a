#pragma once
// The end value of a key for which a figure keeps a bound, as people ask for it: "largest
// gpus_per_instance in 1..64 with gpu_busy >= 90%".
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "model/result.hpp"
#include "model/verdict.hpp"

namespace feedrate {

enum class Extreme : std::uint8_t { largest, smallest };

struct Search {
  std::string text;     ///< as written
  std::string pointer;  ///< where it was written: a JSON pointer or a flag
  Extreme extreme = Extreme::largest;
  std::string key;  ///< as for --set; its values are whole numbers
  double from = 0.0;
  double to = 0.0;  ///< no less than `from`
  Limit condition;  ///< of a figure itself, never of its change
};

/// The scenario with the key at one value.
struct SearchPoint {
  double at = 0.0;
  bool holds = false;                ///< the condition; false where there are problems
  Result result{};                   ///< says nothing where there are problems
  std::optional<double> value{};     ///< of the condition's figure
  std::optional<Stage> waits_for{};  ///< the bottleneck, if GPUs wait for it after staging, or else
                                     ///< what they wait longest for; empty: nothing
  std::optional<Bandwidth> bytes{};  ///< of samples as stored, at the result's throughput
  std::vector<Problem> problems{};   ///< why there is no result: a plan that cannot be
};

struct SearchAnswer {
  Search search;
  std::optional<SearchPoint> there;  ///< the value that was found; empty: there is none
  /// The next value in the direction that was asked for, where the condition does not hold: what
  /// limits there is the answer's reason. Empty where the answer is the end of the range. Without
  /// an answer: of the values that were tried the one whose figure comes nearest to the condition.
  std::optional<SearchPoint> beyond;
  /// A value on the other side of the answer for which the condition does not hold either, the one
  /// nearest to the start of the search: the figure does not rise or fall evenly.
  std::optional<SearchPoint> exception;
  std::size_t tried = 0;  ///< values that were simulated
  bool tried_all = false;
  /// Values that were simulated by their events beside the mean, from the closed form's answer on
  /// to the one that is given.
  std::size_t by_events = 0;
  std::optional<double> by_mean;  ///< the closed form's answer; empty: none
  /// The answer's 5 %, 50 % and 95 % quantiles over draws of the uncertain inputs, whole numbers;
  /// one beyond the start of the range stands for none. Empty where nothing was drawn.
  std::optional<Band> band;
  int draws = 0;

  /// There may be more beyond the range.
  [[nodiscard]] bool at_end() const { return there && !beyond; }
};

}  // namespace feedrate
