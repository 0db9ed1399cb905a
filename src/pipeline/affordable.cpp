#include "pipeline/affordable.hpp"

#include <algorithm>
#include <cmath>

#include "pipeline/loading.hpp"
#include "pipeline/random.hpp"

namespace feedrate::pipeline {

double settling_steps(const Inputs& inputs) {
  const double ahead = inputs.pooled() ? inputs.prefetch : inputs.workers * inputs.prefetch;
  return std::max(16.0, 2.0 * ahead);
}

namespace {

/// The job whose epochs have so many steps, if its workers then still have as much to do at a time.
std::optional<Inputs> with_steps(const Inputs& inputs, EpochKind kind, double steps) {
  Inputs fewer = inputs;
  fewer.samples = steps * inputs.batch * inputs.gpus();
  if (active_workers(fewer, kind) != active_workers(inputs, kind)) return std::nullopt;
  return fewer;
}

}  // namespace

std::optional<AffordableEpoch> affordable_epoch(const Inputs& inputs, const Epochs& epochs,
                                                std::uint64_t seed, double most_events,
                                                const std::function<Span(double steps)>& mean_of,
                                                Effort& effort) {
  const double all = epochs.steps > 0.0 ? epochs.steps : epoch_shape(inputs).steps;
  const auto events_of = [&](double steps, double& events) {
    Effort own;
    Epochs one = epochs;
    one.count = 1.0;
    one.steps = steps < all ? steps : epochs.steps;
    // An epoch that is left in its middle has loaders ahead by batches that nobody waits for at the
    // end of a whole one: the window is of an epoch that has no more steps.
    const bool ends = steps < all && epochs.steps <= 0.0;
    const std::optional<Inputs> fewer =
        ends ? with_steps(inputs, epochs.kind, steps) : std::nullopt;
    const Span span = random_epoch(fewer ? *fewer : inputs, one, seed, own);
    events = own.events;
    effort.events += own.events;
    return span;
  };
  constexpr double tried = 16.0;
  double events = 0.0;
  const Span first = events_of(std::min(tried, all), events);
  if (all <= tried) return AffordableEpoch{first, true};
  const double events_per_step = std::max(1.0, events / tried);
  if (events_per_step * all <= most_events) return AffordableEpoch{events_of(all, events), true};

  const double window = std::floor(most_events / (3.0 * events_per_step));
  if (2.0 * window < settling_steps(inputs)) return std::nullopt;
  const Duration half = events_of(window, events).wall - mean_of(window).wall;
  Span span = events_of(2.0 * window, events);
  const Duration twice = span.wall - mean_of(2.0 * window).wall;
  const Span mean = mean_of(0.0);
  const Duration wall = mean.wall + twice + (all / window - 2.0) * (twice - half);
  if (wall <= mean.busy || !(wall > Duration{})) return std::nullopt;
  // The GPUs' work is the mean's: of a window it has the window's own luck.
  bring_to(span, wall, std::min(wall, mean.busy));
  return AffordableEpoch{span, false};
}

}  // namespace feedrate::pipeline
