#pragma once
// The best of very many settings within a deadline and a budget.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "model/choice.hpp"
#include "model/constraints.hpp"
#include "model/result.hpp"

namespace feedrate {

/// A point of the grid and what it comes to.
struct Candidate {
  std::size_t point = 0;
  std::vector<std::pair<std::string, std::string>> set;  ///< KEY, VALUE: as for --set
  Outlay outlay;
};

/// The best point if fewer constraints held.
struct Relaxed {
  bool without_deadline = false;
  bool without_budget = false;
  Candidate best;
};

/// How sure the choice is, over draws of all that is uncertain, which the points share.
struct Chances {
  int draws = 0;
  std::size_t compared = 0;  ///< points: the best one, those that come nearest, and the best of
                             ///< each other value
  double best = 0.0;         ///< share of the draws in which it is within alike_share of the
                             ///< best
  double in_time = 1.0;      ///< share in which the best point meets the deadline
  double in_budget = 1.0;    ///< likewise the budget
  std::optional<Candidate> rival{};  ///< is the best one most often where this one is not
  double rival_best = 0.0;           ///< share of the draws
};

/// Why points have no result.
struct NoResult {
  std::vector<Problem> problems;  ///< of the first of them
  std::vector<std::pair<std::string, std::string>> set;
  std::size_t points = 0;
};

/// The point that comes nearest to keeping all constraints, where none does.
struct NearestMiss {
  Candidate point;
  std::optional<Duration> late;  ///< after the deadline; empty: in time
  std::optional<Money> over;     ///< beyond the budget; empty: within it
};

struct Winner {
  Candidate point;
  std::size_t near = 1;  ///< points within alike_share of it, itself included
  /// Of those, the one that changes fewest keys, where that is fewer than the winner.
  std::optional<Candidate> simplest;
  std::size_t equal = 1;    ///< points as good as it, itself included
  std::size_t changes = 0;  ///< keys that are not as the scenario has them
  Result result;            ///< of a full run
  /// The best by the mean, of which the events chose this one; empty: none were simulated.
  std::optional<Choice> confirmed;
  /// The best of those that are further away; the best by the mean where the events chose another.
  std::optional<Candidate> runner_up;
  /// No other point that keeps the constraints is both faster and cheaper; by ascending time, the
  /// winner among them. Cost: money where that is minimized, else the total.
  std::vector<Candidate> front;
  std::size_t front_size = 0;  ///< of which `front` holds some, evenly spaced
  std::vector<Relaxed> relaxed;
  std::optional<Chances> chances;  ///< empty: nothing to compare with
  /// What ranks better but for a step that is a guess: it is set aside until somebody measures it.
  std::optional<Candidate> unmeasured{};
};

struct Optimum {
  Minimized minimized = Minimized::total;
  Constraints constraints;
  bool no_price = false;     ///< nothing has one, so time is minimized though not asked for
  bool hours_count = false;  ///< whether totals are more than the bill
  std::optional<Outlay> as_written{};  ///< of the scenario itself; empty: it has no result
  std::size_t points = 0;
  std::size_t unanswered = 0;  ///< of them: cannot be simulated or priced
  std::size_t in_time = 0;     ///< meet the deadline, whatever they cost
  std::size_t in_budget = 0;   ///< meet the budget, whatever time they take
  std::size_t feasible = 0;    ///< meet both
  /// Of these, set aside: what a step takes there is a guess, and others meet both without one.
  std::size_t guessed = 0;
  std::vector<NoResult> no_result;             ///< the commonest reasons, most points first
  std::size_t other_reasons = 0;               ///< beside those
  std::optional<Winner> winner;                ///< empty: no point is feasible
  std::optional<NearestMiss> nearest;          ///< there where no winner is
  std::optional<Candidate> fastest, cheapest;  ///< whatever the constraints say; likewise
};

}  // namespace feedrate
