#pragma once
// Several results beside each other: the points of a sweep, or the scenarios of a comparison.
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "model/choice.hpp"
#include "model/constraints.hpp"
#include "model/result.hpp"

namespace feedrate {

/// Efficiencies at which a sweep says what a job would cost.
inline constexpr std::array ladder_efficiencies = {0.2, 0.4, 0.6, 0.8, 1.0};

/// A point beside the same job on the fewest instances of the sweep; changes are fractions, empty
/// where there is nothing to compare with.
struct ScaleOut {
  double instances = 1.0;  ///< of the point that it stands beside
  double time = 0.0;
  std::optional<double> money, total;
  /// Efficiency of the epochs from which on the point costs no more in all; empty: none.
  std::optional<double> break_even;
  /// The total at each of ladder_efficiencies, over that of the fewest; may be empty.
  std::vector<double> total_at;
};

/// One point of a sweep: what was set, as for --set, and what came out.
struct SweepPoint {
  std::vector<std::pair<std::string, std::string>> set;  ///< KEY, VALUE
  Result result;                                         ///< says nothing where there are problems
  std::vector<Problem> problems{};      ///< why there is no result: no price, a plan that cannot be
  std::optional<ScaleOut> scale_out{};  ///< beside the fewest instances, where there are fewer

  [[nodiscard]] bool answered() const { return problems.empty(); }
  [[nodiscard]] bool meets(const Constraints& constraints) const {
    return answered() && constraints.met(result.times.total, result.bill.money);
  }
};

/// What knowing some uncertain inputs would be worth to the choice between points.
struct Worth {
  std::string probe;              ///< of `feedrate calibrate`, that measures them; "" for none
  std::vector<std::string> keys;  ///< the inputs
  double worth = 0.0;             ///< expected saving by choosing after they are known
  double share = 0.0;             ///< of what they might be, where another point is better
  std::size_t instead = 0;        ///< the point that is then best most often
};

/// Whether what is uncertain changes which point is best.
struct Decision {
  bool in_money = true;        ///< by total cost; by time where nothing has a price
  std::size_t best = 0;        ///< with all inputs at their stated values
  std::size_t compared = 0;    ///< points: of many, those that come nearest
  int draws = 0;               ///< of all that is uncertain
  double likely = 1.0;         ///< share of the draws in which `best` stays the best
  std::size_t choice = 0;      ///< the point that costs least in the mean of the draws
  double expected_loss = 0.0;  ///< USD or s that `choice` costs more than the best, in the mean
  std::vector<Worth> worth;    ///< what would be worth knowing, most first
};

/// The points that a sweep recommends, simulated by their events; each empty where none were.
struct SweepChoices {
  std::optional<Choice> fastest, cheapest, cheapest_meeting;
};

/// A sweep over the product of all varied keys; points in the order of the command line, the last
/// key varying fastest. Indices are into `points`, and only of those that have a result; both are 0
/// when there is one point. `pareto` and `meeting` are of the mean; `fastest`, `cheapest` and
/// `cheapest_meeting` are what the events chose among the best by the mean, where they were asked.
struct Sweep {
  std::vector<SweepPoint> points;
  std::vector<std::size_t> pareto;   ///< no other point is both faster and cheaper; ascending time
  std::size_t fastest = 0;           ///< least total time
  std::size_t cheapest = 0;          ///< least total cost (money + hours × value of an hour)
  std::optional<Decision> decision;  ///< empty where nobody asked, or there is nothing to choose
  /// Of the first point that has a scale_out; where none has, of the first with several instances,
  /// beside one alone. Empty: more instances never pay, or there are none.
  std::optional<double> break_even_efficiency;
  Constraints constraints{};                      ///< that points are held against
  std::size_t meeting = 0;                        ///< points that meet them
  std::optional<std::size_t> cheapest_meeting{};  ///< least total cost of those; empty: none meets
                                                  ///< them, or there are no constraints
  SweepChoices confirmed{};
  std::vector<std::string> remarks{};  ///< that hold for all points together
};

/// A scenario and its result; in a comparison the first is the reference.
struct NamedResult {
  std::string name;  ///< of the scenario
  std::string file;  ///< as the user gave it; "" when there is none
  Result result;
  std::vector<std::pair<std::string, std::string>> set{};  ///< of --set: KEY, VALUE
};

}  // namespace feedrate
