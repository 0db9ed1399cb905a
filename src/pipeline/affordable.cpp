#include "pipeline/affordable.hpp"

#include <algorithm>
#include <cmath>

#include "pipeline/loading.hpp"
#include "pipeline/random.hpp"

namespace feedrate::pipeline {

double settling_steps(const Inputs& inputs) {
  return std::max(16.0, 2.0 * most_begun(inputs));
}

namespace {

/// The job whose epochs have so many steps, if its workers then still have as much to do at a time.
/// Of unequal instances each kind has its own epochs; where workers cut batches, how many smaller
/// ones end an epoch is not of its steps.
std::optional<Inputs> with_steps(const Inputs& inputs, double steps) {
  if (inputs.unequal || cuts_batches(inputs)) return std::nullopt;
  Inputs fewer = inputs;
  fewer.samples = steps * inputs.batch * inputs.replicas();
  if (active_workers(fewer) != active_workers(inputs)) return std::nullopt;
  return fewer;
}

/// Steps in which chance alone fills or empties what the loader of a rank may be ahead by: a sum of
/// n batches, each of which varies by cv, strays by cv·√n of them.
double straying_steps(const Inputs& inputs) {
  const double batch = std::max(1.0, inputs.batch);
  const double of_batch = std::max(inputs.read_cv, inputs.make_cv);
  const double squared_cv = inputs.size_cv * inputs.size_cv / batch + of_batch * of_batch;
  const double ahead = most_begun(inputs) + 1.0;
  return squared_cv > 0.0 ? ahead * ahead / squared_cv : 1e300;
}

/// Batches' worth of what a rank reads before it makes the first, whenever an epoch begins.
double read_at_begin(const Inputs& inputs, const Epochs& epochs) {
  if (inputs.read_before <= 0.0) return 0.0;
  const double active = active_workers(inputs);
  const Misses misses = misses_in(inputs, epochs.first);
  return loadings(inputs, epochs.kind, misses, active).front().read_before * active / inputs.batch;
}

}  // namespace

std::optional<AffordableEpoch> affordable_epoch(const Inputs& inputs, const Epochs& epochs,
                                                std::uint64_t seed,
                                                const SimulationOptions& options,
                                                const MeanOf& mean_of, Effort& effort) {
  // The first epoch and the later ones share what is affordable.
  const double most_events = options.most_events / (epochs_begun(inputs) > 1.0 ? 2.0 : 1.0);
  const double all = epochs.steps > 0.0 ? epochs.steps : epoch_shape(inputs).steps;
  Epochs one = epochs;
  one.count = 1.0;
  // Windows and the look at their middle take up to five thirds of what is affordable; where they
  // turn out to take many times that, loaders run ahead by more than was seen.
  constexpr double worth_windows = 5.0 / 3.0;
  const double far_more = options.short_ones ? 16.0 : worth_windows;
  const auto events_of = [&](const Inputs& job, const Epochs& which) {
    return random_epoch_within(job, which, seed, effort, far_more * options.most_events);
  };
  const auto left_after = [&](double steps) {
    Epochs left = one;
    if (steps < all) left.steps = steps;
    return left;
  };
  constexpr double tried = 16.0;
  // The look at the first steps and the three windows each begin with all that is read before: of a
  // third of the epoch's reading these four are no fewer events than the whole epoch.
  if (all > tried && 3.0 * read_at_begin(inputs, one) >= all) {
    const auto whole =
        random_epoch_within(inputs, one, seed, effort, 2.0 * worth_windows * most_events);
    if (!whole) return std::nullopt;
    return AffordableEpoch{*whole, true};
  }
  const double before = effort.events;
  // Of longer epochs these steps are at most a part.
  const auto first = all <= tried
                         ? events_of(inputs, left_after(tried))
                         : random_epoch_within(inputs, left_after(tried), seed, effort,
                                               std::ceil(worth_windows * most_events) + tried);
  if (!first) return std::nullopt;
  if (all <= tried) return AffordableEpoch{*first, true};
  const double events_of_first = std::max(tried, effort.events - before);
  // Loaders that wait for the GPU have made more batches than it stepped on.
  const double made = std::min(all, tried + most_begun(inputs));
  if (events_of_first / made * all <= worth_windows * most_events) {
    const auto whole = events_of(inputs, one);
    if (!whole) return std::nullopt;
    return AffordableEpoch{*whole, true};
  }
  if (options.only_whole) return std::nullopt;

  const double events_per_step = events_of_first / tried;
  double window = std::floor(most_events / (3.0 * events_per_step));
  if (2.0 * window < settling_steps(inputs)) return std::nullopt;
  // Of fewer batches than an exchange follows, a window has that of its end, and nothing of what
  // comes between two of them.
  if (exposed_communication(inputs) > Duration{} || inputs.network_allreduce > Bytes{}) {
    window -= std::fmod(window, inputs.accumulation);
    if (window <= 0.0) return std::nullopt;
  }
  // An epoch that is left in its middle has loaders ahead by batches that nobody waits for at the
  // end of a whole one: where it can be, a window is of an epoch that has no more steps. Not one of
  // a few steps of thousands: how workers drift apart in so few would count for all of them.
  constexpr double most_windows = 16.0;
  const bool own = epochs.steps <= 0.0 && all <= most_windows * window;
  const auto beyond_mean = [&](const Span& events, const Inputs& job, const Epochs& which) {
    return events.wall - mean_of(job, which).wall;
  };
  const auto watched = [&](double steps, Duration& beyond) {
    const auto fewer = own ? with_steps(inputs, steps) : std::nullopt;
    const Inputs& job = fewer ? *fewer : inputs;
    const Epochs which = fewer ? one : left_after(steps);
    const std::optional<Span> span = events_of(job, which);
    if (span) beyond = beyond_mean(*span, job, which);
    return span;
  };
  Duration half, twice;
  if (!watched(window, half)) return std::nullopt;
  const std::optional<Span> of_window = watched(2.0 * window, twice);
  if (!of_window) return std::nullopt;
  Span span = *of_window;
  const Span mean = mean_of(inputs, one);
  Duration per_step = (twice - half) / window;
  Duration unsure = per_step;
  double repeated = 1.0;
  // The mean of a few rounds of the workers may be off by seconds, which the steps that are left
  // out would multiply: where it matters, an epoch that goes on shows what a step takes in its
  // middle.
  constexpr double matters = 0.02;
  const double left_out = all - 2.0 * window;
  if (own && window > tried && std::abs(left_out * per_step / mean.wall) > matters) {
    const Epochs longer = left_after(2.0 * window);
    const std::optional<Span> on = events_of(inputs, longer);
    if (!on) return std::nullopt;
    const Duration middle =
        beyond_mean(*on, inputs, longer) - beyond_mean(*first, inputs, left_after(tried));
    const Duration of_middle = middle / (2.0 * window - tried);
    unsure = of_middle - per_step;
    if (std::abs(of_middle / per_step) < 1.0) per_step = of_middle;
  }
  // An epoch that is left says what a step takes once its loaders have been as far ahead, and as
  // far behind, as they come; of steps that by the mean are like those that are left out.
  if (!own && straying_steps(inputs) <= window) {
    const Duration paced = mean_of(inputs, left_after(2.0 * window)).wall;
    const Duration pace = (paced - mean_of(inputs, left_after(window)).wall) / window;
    const Duration pace_of_rest = (mean.wall - paced) / left_out;
    constexpr double alike = 0.01;
    Duration quarter;
    if (std::abs(pace_of_rest / pace - 1.0) <= alike) {
      if (!watched(std::floor(window / 2.0), quarter)) return std::nullopt;
      const double steps = window - std::floor(window / 2.0);
      unsure = per_step - (half - quarter) / steps;
      repeated = all / window;
    }
  }
  constexpr double luck = 0.02;  // of a window's steps, as a share of the GPUs' work
  Duration wall = mean.wall + twice + left_out * per_step;
  if (!(wall > Duration{}) || wall < (1.0 - luck) * mean.busy) return std::nullopt;
  // The GPUs' work is the mean's: of a window it has the window's own luck. Where GPUs hardly wait,
  // lucky steps would end an epoch before that work.
  wall = std::max(wall, mean.busy);
  bring_to(span, wall, mean.busy);
  return AffordableEpoch{span, false, seconds(std::abs(left_out * unsure.base())), repeated};
}

}  // namespace feedrate::pipeline
