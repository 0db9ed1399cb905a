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

/// What is remembered of a point.
struct Placed {
  Duration time;
  Money cost;
  bool answered = true;  ///< the point has a result
  Money money{};         ///< what the invoice says
};

struct StreamedSweep {
  std::vector<Placed> points;
  std::vector<std::uint32_t> bytes;  ///< of each point's row
  std::size_t unanswered = 0;        ///< points without a result
};

/// The hooks of a streamed sweep. `point`, `run`, `add_row` and `stop` are called from several
/// threads.
struct SweepStream {
  std::size_t points = 0;
  /// The point's input; an InputError of it names the point by itself.
  std::function<SweepInput(std::size_t)> point;
  std::function<Result(const SweepInput&)> run;
  /// Appends what is written of a point.
  std::function<void(std::string&, std::size_t, const SweepPoint&)> add_row;
  /// Rows of several points, in the order of the points, from one thread at a time.
  std::function<void(std::string_view)> write;
  std::size_t most_together = 64;  ///< points that are handed to `write` at a time
  bool part = false;               ///< of a sweep: it may be that none of these points has a result
  std::function<bool()> stop{};    ///< true: points that are not begun are left out
};

/// Every point, `jobs` at a time (0: one a hardware thread); what is written does not depend on
/// `jobs`. Throws what sweep() throws for the same points, and the InputError of the first one that
/// cannot be made.
StreamedSweep stream_sweep(const SweepStream& stream, int jobs = 0,
                           const SweepProgress& progress = {});

/// Points that meet the constraints, and the one of them of the least total cost: as
/// Sweep::meeting and Sweep::cheapest_meeting.
struct Meeting {
  std::size_t points = 0;
  std::optional<std::size_t> cheapest;
};
Meeting meeting(std::span<const Placed> points, const Constraints& constraints);

/// Which points stand out; indices as in Sweep. Precondition of its members: a point is answered.
struct Standing {
  std::size_t fastest = 0;
  std::size_t cheapest = 0;
  std::vector<std::size_t> pareto;  ///< by ascending time
};
Standing standing(std::span<const Placed> points);

}  // namespace feedrate::study
