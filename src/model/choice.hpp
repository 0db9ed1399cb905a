#pragma once
// What settings of a job are compared by, and what becomes of the best of them by the mean once
// they are simulated by their events.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/result.hpp"

namespace feedrate {

enum class Minimized : std::uint8_t { total, money, time };

constexpr std::string_view name_of(Minimized minimized) {
  switch (minimized) {
    case Minimized::total: return "total";
    case Minimized::money: return "money";
    case Minimized::time: return "time";
  }
  return "total";
}

/// What is compared of a point.
struct Outlay {
  Duration time;  ///< of the whole job
  Money money;    ///< what the invoice says
  Money total;    ///< with the value of the hours
  /// Its step was measured at another batch: what it is at this one rests on an assumption.
  bool step_is_guess = false;
  bool unpriced = false;  ///< something of it has no price: it looks cheaper than it is

  /// The one that is minimized, in its base unit.
  [[nodiscard]] double of(Minimized minimized) const {
    switch (minimized) {
      case Minimized::total: return total.base();
      case Minimized::money: return money.base();
      case Minimized::time: return time.base();
    }
    return total.base();
  }
};

inline Outlay outlay_of(const Result& result) {
  return {result.times.total, result.bill.money, result.bill.total, result.step_is_guess,
          result.bill.unpriced};
}

/// Of what is minimized: points that are nearer to each other are equally good to whoever chooses.
inline constexpr double alike_share = 1e-3;

/// A setting that may be recommended, as a run of it states it with its events beside the mean.
struct Confirmed {
  std::size_t point = 0;                                 ///< of those that were to choose from
  std::vector<std::pair<std::string, std::string>> set;  ///< KEY, VALUE: as for --set
  Outlay outlay;
  std::optional<Stage> bottleneck;  ///< empty: none
  ByEvents by_events;
  bool meets = true;  ///< keeps the constraints of whoever chooses
};

/// The best by the mean, simulated by their events with the same seed.
struct Choice {
  std::vector<Confirmed> contenders;  ///< best first by the mean; at least one
  std::size_t chosen = 0;             ///< of them: what is recommended
  /// No other contender is stated as better, not even by less than the events can tell apart.
  bool clear = true;

  [[nodiscard]] const Confirmed& best() const { return contenders[chosen]; }
};

/// The point that the events chose, or the one by the mean where there are none.
inline std::size_t chosen_or(const std::optional<Choice>& choice, std::size_t by_mean) {
  return choice ? choice->best().point : by_mean;
}

}  // namespace feedrate
