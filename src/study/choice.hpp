#pragma once
// What is recommended is simulated by its events first, beside what comes next by the mean: large
// grids are searched by the mean alone, and a few points decide.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "catalog/catalog.hpp"
#include "model/choice.hpp"
#include "model/constraints.hpp"
#include "model/host.hpp"
#include "study/sweep_stream.hpp"

namespace feedrate::study {

/// So few points among which one is chosen are each run with their events, so that what is said of
/// one is what `run` says of it.
inline constexpr std::size_t most_points_by_events = 32;

/// Points simulated for a choice: the best by the mean, and what comes next.
inline constexpr std::size_t most_contenders = 3;

/// `first`, the best of `points` by the mean, and the next best, each further than alike_share from
/// the one before. `value` is what is minimized, empty for a point that cannot be chosen.
std::vector<std::size_t> contenders(std::size_t first, std::size_t points,
                                    const std::function<std::optional<double>(std::size_t)>& value);

/// Runs each of `points` with its events, `jobs` at a time (0: one per hardware thread). Empty for
/// those that a run states in closed form alone: nothing varies, or too few events are affordable.
std::vector<std::optional<Confirmed>> confirm(std::span<const std::size_t> points,
                                              const std::function<SweepInput(std::size_t)>& point,
                                              const Catalog& catalog, const HostProfile* host,
                                              std::uint64_t seed, int jobs = 0);

/// The same of points that were run with their events, and of one that was.
std::vector<std::optional<Confirmed>> confirmed(
    std::span<const std::size_t> points,
    const std::function<const SweepPoint&(std::size_t)>& point);
std::optional<Confirmed> confirmed(std::size_t point, Setting set, const Result& result);

/// What is minimized of a contender by its events, whichever of the two a run states: a bill in
/// closed form grows as the time does, which is near enough where events part by less than
/// parts_from.
double by_events_of(const Confirmed& one, Minimized minimized);

/// Whether the events tell that `a` is less than `b`: by more than they are told apart from a mean
/// by, and twice the standard error of both together.
bool clearly_less(const Confirmed& a, double value_of_a, const Confirmed& b, double value_of_b);

/// The first of `contenders`, which are ordered by the mean, unless the events tell that another
/// one is less, or it alone keeps the constraints. Empty where the first has no events; others
/// without are left out.
std::optional<Choice> choose(std::span<const std::optional<Confirmed>> contenders,
                             Minimized minimized, const Constraints& constraints = {});

/// The choices of a sweep, whatever of its points is kept in memory. `by_events` runs points with
/// their events, or knows how they ran.
using ByEventsOf =
    std::function<std::vector<std::optional<Confirmed>>(std::span<const std::size_t> points)>;
SweepChoices sweep_choices(std::span<const Placed> points, const Constraints& constraints,
                           const ByEventsOf& by_events);

}  // namespace feedrate::study
