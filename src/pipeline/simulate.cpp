#include "pipeline/simulate.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "pipeline/alone.hpp"
#include "pipeline/interruptions.hpp"
#include "pipeline/mean.hpp"
#include "pipeline/random.hpp"

namespace feedrate::pipeline {
namespace {

/// As many epochs as are alike from `epoch` on.
double alike_from(const Inputs& inputs, double epoch) {
  const double left = inputs.epochs - epoch + 1.0;
  if (epoch < 2.0) return 1.0;
  return caches_steady(inputs, epoch) ? left : 1.0;
}

/// An epoch, or several that are alike, by the mean or by its events.
MeanEpochs made(const Inputs& inputs, const SimulationOptions& options, const Epochs& epochs,
                Credits& credits, Effort& effort) {
  if (!options.exact) return mean_epochs(inputs, epochs, credits, options.details);
  MeanEpochs one;
  one.span = one.last = random_epoch(inputs, epochs, options.seed, effort);
  return one;
}

void make_epochs(Outcome& out, const Inputs& inputs, const SimulationOptions& options,
                 Credits& credits) {
  const auto add = [&](const Epochs& epochs) {
    MeanEpochs more = made(inputs, options, epochs, credits, out.effort);
    if (!options.exact)
      out.effort.steps += epochs.count * (epochs.steps > 0.0 ? epochs.steps : out.steps);
    for (CreditEnd& end : more.ends) {
      end.after += out.trained.wall;
      out.ends.push_back(std::move(end));
    }
    out.trained += more.span;
    out.variance += more.variance;
    return more;
  };
  const auto kind_of = [](double epoch) {
    return epoch < 2.0 ? EpochKind::first : EpochKind::later;
  };
  for (double epoch = 1.0; epoch <= inputs.epochs;) {
    const double count = options.exact ? 1.0 : alike_from(inputs, epoch);
    const MeanEpochs more = add({kind_of(epoch), epoch, count});
    if (epoch < 2.0) out.first = more.span;
    out.later = more.last;
    epoch += count;
  }
  if (inputs.unfinished_steps <= 0.0) return;
  if (inputs.epochs < 1.0) {
    // What a whole one would take, on the credits that it would find.
    Credits fresh = credits;
    Effort beside;
    out.first = out.later = made(inputs, options, {}, fresh, beside).span;
  }
  const double epoch = inputs.epochs + 1.0;
  add({kind_of(epoch), epoch, 1.0, inputs.unfinished_steps});
}

/// Brings the epochs to the share of one instance's time that is given for them; what that adds is
/// exposed communication.
void hold_ratio(Outcome& out, const Inputs& inputs, const SimulationOptions& options) {
  if (!inputs.time_ratio || !inputs.alone) return;
  Inputs alone = *inputs.alone;
  alone.speed = inputs.speed;
  // The epochs alone are compared.
  alone.interruptions.reset();
  alone.booked = alone.checkpoint_interval = Duration{};
  alone.best_interval = false;
  SimulationOptions plain = options;
  plain.details = false;
  const Duration goal = *inputs.time_ratio * simulate_alone(alone, plain).training();
  const double factor = goal / out.trained.wall;
  if (factor < 1.0 - 1e-9) {
    out.ratio_missed = true;
    return;
  }
  const auto stretch = [&](Span& span) {
    const Duration more = (factor - 1.0) * span.wall;
    span.wall += more;
    span.stall[Stage::allreduce] += more;
  };
  stretch(out.first);
  stretch(out.later);
  stretch(out.trained);
}

}  // namespace

Span& Span::operator+=(const Span& other) {
  wall += other.wall;
  busy += other.busy;
  straggling += other.straggling;
  for (Stage stage : all_stages()) stall[stage] += other.stall[stage];
  return *this;
}

Span operator*(double factor, Span span) {
  span.wall *= factor;
  span.busy *= factor;
  span.straggling *= factor;
  for (Stage stage : all_stages()) span.stall[stage] *= factor;
  return span;
}

Outcome simulate(const Inputs& inputs, const SimulationOptions& options) {
  if (options.exact) require_bounded(inputs);
  Outcome out;
  out.steps = epoch_shape(inputs).steps;
  out.samples = std::min(inputs.samples, samples_of_instance(inputs) * inputs.instances);
  out.trained_samples = trained_samples(inputs);
  out.epochs = out.samples > 0.0 ? out.trained_samples / out.samples : 0.0;
  out.startup = inputs.startup;
  Credits credits;
  const MeanStaging staging = mean_staging(inputs, credits);
  out.staging = staging.time;
  make_epochs(out, inputs, options, credits);
  hold_ratio(out, inputs, options);
  out.total = out.trained;
  add_interruptions(out, inputs, options);
  out.total.stall[Stage::startup] += out.startup;
  out.total.stall[staging.waits_for] += out.staging;
  out.total.wall += out.startup + out.staging;
  return out;
}

}  // namespace feedrate::pipeline
