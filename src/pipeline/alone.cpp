#include "pipeline/alone.hpp"

namespace feedrate::pipeline {

Outcome simulate_alone(const Inputs& alone, const SimulationOptions& options) {
  constexpr double most_steps = 20'000.0;
  const double steps = epoch_shape(alone).steps * alone.epochs + alone.unfinished_steps;
  if (!options.exact || steps <= most_steps) return simulate(alone, options);
  Inputs part = alone;
  part.samples = most_steps * part.batch * part.replicas();
  part.epochs = 1.0;
  part.unfinished_steps = 0.0;
  const Duration events = simulate(part, options).trained.wall;
  Outcome whole = simulate(alone);
  // What events have beyond the mean is booked as it books: on nothing that waits.
  const Duration more = (events / simulate(part).trained.wall - 1.0) * whole.trained.wall;
  for (Span* span : {&whole.trained, &whole.total}) {
    span->wall += more;
    span->busy += more;
  }
  return whole;
}

}  // namespace feedrate::pipeline
