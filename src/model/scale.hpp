#pragma once
// What more instances of one job bring: time, cost, and where to stop.
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "model/choice.hpp"
#include "model/result.hpp"
#include "model/sweep.hpp"

namespace feedrate {

/// What stays as it is while instances are added.
enum class BatchKept {
  per_gpu,  ///< a GPU's batch: the global one grows with the instances
  global,   ///< the global batch: a GPU's share of it shrinks
};

/// The job on so many instances. `point.set` is what makes it, as for --set.
struct ScaleRow {
  double instances = 1.0;
  SweepPoint point;
  /// Share of the draws whose job meets the deadline; empty: no deadline, or nothing was drawn.
  std::optional<double> chance_in_time{};
  bool rounded = false;  ///< the global batch does not divide: a GPU's share is the nearest whole
  bool step_is_guess = false;  ///< as of its Outlay
};

/// A number of instances and what the job then comes to.
struct ScalePoint {
  double instances = 1.0;
  Outlay outlay;
};

/// One machine. All whole numbers of instances from 1 to `to` were looked at; `rows` are some of
/// them, ascending, every number that an answer names among them.
struct ScaleCurve {
  std::vector<std::pair<std::string, std::string>> set;  ///< of --vary
  std::string instance;                                  ///< its type; may be empty
  double to = 1.0;
  double unanswered = 0.0;  ///< numbers that cannot be simulated or priced
  std::vector<ScaleRow> rows;
  ScalePoint least;  ///< total cost; of equal ones the fewest
  /// What would be less but for a step that is a guess at its batch: no choice rests on one.
  std::optional<ScalePoint> unmeasured;
  /// Whether another number is less but for a global batch that it shares by rounding alone.
  bool evenly = false;
  /// The next number below `least`, and above: of those that share a kept global batch evenly.
  std::optional<ScalePoint> before;
  std::optional<ScalePoint> after;
  ScalePoint fastest;                        ///< likewise the fewest
  std::optional<ScalePoint> fewest_in_time;  ///< empty: no deadline, or none meets it
  std::optional<ScalePoint> least_in_time;   ///< of those, the one of the least total cost
  /// The limit that all instances share and that binds first, with the number from which on it does
  /// within the range; empty: none does.
  std::optional<SharedLimit> bound;
  std::optional<double> end_of_batch;  ///< more instances than this have no sample for each GPU
};

struct Scaling {
  BatchKept kept = BatchKept::per_gpu;
  std::optional<double> global_batch;  ///< samples, where that is kept
  std::optional<Duration> deadline;
  std::optional<HourlyPrice>
      hour;  ///< its value, where it has one: totals are then more than the bill
  std::vector<ScaleCurve> curves;  ///< at least one
  std::size_t best = 0;            ///< of them: least total cost, within the deadline if any is
  /// Of `best`: the least total cost, within the deadline if any is, or what the events chose
  /// instead; as it is stated by them where any were simulated.
  ScalePoint recommended;
  std::optional<Choice> confirmed;  ///< among all rows; empty: no events were simulated
  std::vector<std::string> remarks;

  [[nodiscard]] bool in_time() const {
    return !deadline || curves[best].fewest_in_time.has_value();
  }
};

}  // namespace feedrate
