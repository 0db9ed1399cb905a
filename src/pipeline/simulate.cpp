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

/// Instances of one kind on their way through the epochs.
struct Instances {
  Inputs inputs;
  Credits credits;
  Duration decides;  ///< of the epochs, those that end with theirs
};

/// Where instances are unequal, the other kinds than the one that `inputs` describes: with what a
/// question has changed in that one. Remote workers make the batches of all instances alike.
std::vector<Instances> other_kinds(const Inputs& inputs, const Credits& credits) {
  std::vector<Instances> kinds;
  if (!inputs.unequal || inputs.remote) return kinds;
  for (const UnequalInstances::Kind& kind : inputs.unequal->others) {
    kinds.push_back({*kind.inputs, credits, {}});
    kinds.back().inputs.speed = inputs.speed;
    kinds.back().inputs.epochs = inputs.epochs;
    kinds.back().inputs.unfinished_steps = inputs.unfinished_steps;
    kinds.back().inputs.slowest_of = inputs.slowest_of;
  }
  return kinds;
}

/// The kind that the inputs describe, and the others.
struct Gang {
  const Inputs& inputs;
  Credits& credits;
  std::vector<Instances> others;
  Duration decides{};

  /// As many epochs as are alike from `epoch` on.
  [[nodiscard]] double alike_from(double epoch) const {
    const double left = inputs.epochs - epoch + 1.0;
    if (epoch < 2.0 || !caches_steady(inputs, epoch)) return 1.0;
    const bool steady = std::all_of(others.begin(), others.end(), [&](const Instances& kind) {
      return caches_steady(kind.inputs, epoch);
    });
    return steady ? left : 1.0;
  }
};

/// An epoch, or several that are alike, by the mean or by its events. Of unequal instances the
/// slowest decide, for each step waits for all.
MeanEpochs made(Gang& gang, const SimulationOptions& options, const Epochs& epochs,
                Effort& effort) {
  if (options.exact) {
    MeanEpochs one;
    const double steps = epoch_shape(gang.inputs).steps;
    const double before = (epochs.first - 1.0) * steps;
    const double all = gang.inputs.epochs * steps + gang.inputs.unfinished_steps;
    std::function<void(double)> look;
    if (options.look) look = [&](double done) { options.look(std::min(all, before + done), all); };
    one.span = one.last = random_epoch(gang.inputs, epochs, options.seed, effort, look);
    if (look) look(epochs.steps > 0.0 ? epochs.steps : steps);
    return one;
  }
  MeanEpochs slowest = mean_epochs(gang.inputs, epochs, gang.credits, options.details);
  Duration* decides = &gang.decides;
  for (Instances& kind : gang.others) {
    MeanEpochs other = mean_epochs(kind.inputs, epochs, kind.credits, options.details);
    if (other.span.wall <= slowest.span.wall) continue;
    slowest = std::move(other);
    decides = &kind.decides;
  }
  *decides += slowest.span.wall;
  return slowest;
}

void make_epochs(Outcome& out, Gang& gang, const SimulationOptions& options) {
  const Inputs& inputs = gang.inputs;
  const auto add = [&](const Epochs& epochs) {
    MeanEpochs more = made(gang, options, epochs, out.effort);
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
    const double count = options.exact ? 1.0 : gang.alike_from(epoch);
    const MeanEpochs more = add({kind_of(epoch), epoch, count});
    if (epoch < 2.0) out.first = more.span;
    out.later = more.last;
    epoch += count;
  }
  if (inputs.unfinished_steps <= 0.0) return;
  if (inputs.epochs < 1.0) {
    // What a whole one would take, on the credits that it would find.
    Credits fresh = gang.credits;
    Gang whole{inputs, fresh, gang.others};
    Effort beside;
    out.first = out.later = made(whole, options, {}, beside).span;
  }
  const double epoch = inputs.epochs + 1.0;
  add({kind_of(epoch), epoch, 1.0, inputs.unfinished_steps});
}

/// GPUs of the instances that decide most of the epochs' time.
double slowest_kind(const Gang& gang) {
  double ranks = gang.inputs.ranks;
  Duration most = gang.decides;
  for (const Instances& kind : gang.others) {
    if (kind.decides <= most) continue;
    most = kind.decides;
    ranks = kind.inputs.ranks;
  }
  return ranks;
}

/// The same job where nothing fails and no state is written: its epochs take as long.
Inputs uninterrupted(Inputs inputs) {
  inputs.interruptions.reset();
  inputs.booked = inputs.checkpoint_interval = Duration{};
  inputs.best_interval = false;
  return inputs;
}

/// Takes off the time, or `most` of it, that a job spends on waiting for the slowest of all GPUs
/// rather than of an instance's: an efficiency that was measured has that in it.
void leave_stragglers_to_ratio(Outcome& out, const Inputs& inputs, Duration most) {
  if (inputs.step_cv <= 0.0) return;
  Inputs job = uninterrupted(inputs);
  job.time_ratio.reset();
  SimulationOptions plain;
  plain.details = false;
  const Duration all = simulate(job, plain).trained.wall;
  job.slowest_of = job.ranks;
  const Duration less = std::min(most, all - simulate(job, plain).trained.wall);
  const double share = less / out.trained.wall;
  const auto shrink = [&](Span& span) {
    const Duration off = std::min(share * span.wall, span.stall[Stage::allreduce]);
    span.wall -= off;
    span.stall[Stage::allreduce] -= off;
    span.straggling = std::max(Duration{}, span.straggling - off);
  };
  shrink(out.first);
  shrink(out.later);
  shrink(out.trained);
}

/// Brings the epochs to the share of one instance's time that is given for them; what that adds is
/// exposed communication.
void hold_ratio(Outcome& out, const Inputs& inputs, const SimulationOptions& options) {
  if (!inputs.time_ratio || !inputs.alone) return;
  Inputs alone = uninterrupted(*inputs.alone);  // the epochs alone are compared
  alone.speed = inputs.speed;
  SimulationOptions plain = options;
  // Of this job, all is simulated.
  if (options.look) plain.look = [&](double, double all) { options.look(all, all); };
  plain.details = false;
  const Duration goal = *inputs.time_ratio * simulate_alone(alone, plain).training();
  constexpr double rounding = 1e-9;
  if (const Duration over = out.trained.wall - goal; over > rounding * goal) {
    leave_stragglers_to_ratio(out, inputs, over);
  }
  const double factor = goal / out.trained.wall;
  if (factor < 1.0 - rounding) {
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
  out.samples = std::min(inputs.samples, samples_of_instance(inputs) * inputs.instances_alike());
  out.trained_samples = trained_samples(inputs);
  out.epochs = out.samples > 0.0 ? out.trained_samples / out.samples : 0.0;
  out.startup = inputs.startup;
  Credits credits;
  const MeanStaging staging = mean_staging(inputs, credits);
  out.staging = staging.time;
  Gang gang{inputs, credits, other_kinds(inputs, credits)};
  make_epochs(out, gang, options);
  out.slowest_ranks = slowest_kind(gang);
  hold_ratio(out, inputs, options);
  out.total = out.trained;
  add_interruptions(out, inputs, options);
  out.total.stall[Stage::startup] += out.startup;
  out.total.stall[staging.waits_for] += out.staging;
  out.total.wall += out.startup + out.staging;
  return out;
}

}  // namespace feedrate::pipeline
