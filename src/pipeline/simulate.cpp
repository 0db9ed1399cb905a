#include "pipeline/simulate.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
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

void make_epochs(Outcome& out, const Inputs& inputs, const SimulationOptions& options,
                 Credits& credits) {
  for (double epoch = 1.0; epoch <= inputs.epochs;) {
    const EpochKind kind = epoch < 2.0 ? EpochKind::first : EpochKind::later;
    const double count = options.exact ? 1.0 : alike_from(inputs, epoch);
    MeanEpochs made;
    if (options.exact) {
      made.span = made.last = random_epoch(inputs, kind, epoch, options.seed, out.effort);
    } else {
      made = mean_epochs(inputs, kind, epoch, count, credits, options.details);
      out.effort.steps += count * out.steps;
    }
    if (epoch < 2.0) out.first = made.span;
    for (CreditEnd& end : made.ends) {
      end.after += out.trained.wall;
      out.ends.push_back(std::move(end));
    }
    out.later = made.last;
    out.trained += made.span;
    out.variance += made.variance;
    epoch += count;
  }
}

/// Brings the epochs to the share of one instance's time that is given for them; what that adds is
/// exposed communication.
void hold_ratio(Outcome& out, const Inputs& inputs, const SimulationOptions& options) {
  if (!inputs.time_ratio || !inputs.alone) return;
  Inputs alone = *inputs.alone;
  alone.speed = inputs.speed;
  SimulationOptions plain = options;
  plain.details = false;
  const Duration goal = *inputs.time_ratio * simulate(alone, plain).training();
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
  for (Stage stage : all_stages()) stall[stage] += other.stall[stage];
  return *this;
}

Span operator*(double factor, Span span) {
  span.wall *= factor;
  span.busy *= factor;
  for (Stage stage : all_stages()) span.stall[stage] *= factor;
  return span;
}

Outcome simulate(const Inputs& inputs, const SimulationOptions& options) {
  if (options.exact) require_bounded(inputs);
  Outcome out;
  out.epochs = inputs.epochs;
  out.steps = epoch_shape(inputs).steps;
  out.samples = std::min(inputs.samples, samples_of_instance(inputs) * inputs.instances);
  out.startup = inputs.startup;
  Credits credits;
  const MeanStaging staging = mean_staging(inputs, credits);
  out.staging = staging.time;
  make_epochs(out, inputs, options, credits);
  hold_ratio(out, inputs, options);
  out.total = out.trained;
  if (inputs.checkpoint_interval.base() > 0.0) {
    const double count = std::floor(out.total.wall / inputs.checkpoint_interval);
    out.checkpoints = count * inputs.checkpoint_time / inputs.speed[Stage::checkpoint];
    out.total.stall[Stage::checkpoint] += out.checkpoints;
    out.total.wall += out.checkpoints;
  }
  out.total.stall[Stage::startup] += out.startup;
  out.total.stall[staging.waits_for] += out.staging;
  out.total.wall += out.startup + out.staging;
  return out;
}

}  // namespace feedrate::pipeline
