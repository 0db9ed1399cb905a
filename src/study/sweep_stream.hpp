#pragma once
// A sweep of any number of points in little memory: each point is made, simulated, written and
// forgotten.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/sweep.hpp"

namespace feedrate::study {

/// What is kept in memory of each point.
struct Placed {
  Duration time;
  Money cost;
  bool answered = true;   ///< the point has a result
  Money money{};          ///< amount of the invoice
  bool unpriced = false;  ///< Outlay::unpriced
};

Placed placed(const SweepPoint& point);

struct StreamedSweep {
  std::vector<Placed> points;
  std::vector<std::uint32_t> bytes;  ///< length of each point's row
  std::size_t unanswered = 0;        ///< points without a result
};

/// The hooks of a streamed sweep. `point`, `run`, `add_row` and `stop` are called from several
/// threads.
struct SweepStream {
  std::size_t points = 0;
  /// The input of a point; where it throws InputError, its message names the point.
  std::function<SweepInput(std::size_t)> point;
  std::function<Result(const SweepInput&)> run;
  /// Appends the row of a point to the text.
  std::function<void(std::string&, std::size_t, const SweepPoint&)> add_row;
  /// Called with the rows of several points, in the order of the points, from one thread at a time.
  std::function<void(std::string_view)> write;
  std::size_t most_together = 64;  ///< points that are handed to `write` at a time
  bool part = false;               ///< a part of a sweep: none of its points need have a result
  std::function<bool()> stop{};    ///< when true, points that are not begun are left out
};

/// Simulates every point, `jobs` at a time (0: one per hardware thread); what is written does not
/// depend on `jobs`. Throws what sweep() throws for the same points, and the InputError of the
/// first one that cannot be made.
StreamedSweep stream_sweep(const SweepStream& stream, int jobs = 0,
                           const SweepProgress& progress = {});

/// The number of points that meet the constraints, and the one of them with the lowest total cost,
/// of those whose bill has all prices where there are such: as Sweep::meeting and
/// Sweep::cheapest_meeting.
struct Meeting {
  std::size_t points = 0;
  std::optional<std::size_t> cheapest;
};
Meeting meeting(std::span<const Placed> points, const Constraints& constraints);

/// The indices of the points that stand out, as in Sweep: beside points whose bill has all prices,
/// others by their time alone. Valid where a point is answered.
struct StandingOut {
  std::size_t fastest = 0;
  std::size_t cheapest = 0;
  std::vector<std::size_t> pareto;  ///< by ascending time
};
StandingOut standing_out(std::span<const Placed> points);

}  // namespace feedrate::study
