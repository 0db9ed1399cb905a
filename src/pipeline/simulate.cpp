#include "pipeline/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "base/errors.hpp"
#include "base/statistics.hpp"
#include "collective/plan.hpp"
#include "pipeline/affordable.hpp"
#include "pipeline/interruptions.hpp"
#include "pipeline/known_loading.hpp"
#include "pipeline/loading.hpp"
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
    if (inputs.exposed_is_of_job) {
      kinds.back().inputs.exposed_allreduce = inputs.exposed_allreduce;
    }
  }
  return kinds;
}

/// The kind that the inputs describe, and the others.
struct Gang {
  const Inputs& inputs;
  Credits& credits;
  std::vector<Instances> others;
  KnownLoading* loading = nullptr;  ///< of `inputs`
  Duration decides{};
  /// Of later epochs whose events were simulated.
  struct Simulated {
    double epoch = 0.0;  ///< the first of those that are alike
    double mean = 0.0;   ///< seconds of all that it stands for, by the mean
    Duration one;        ///< of one, by the mean with all credits
    int seeds = 1;
    Span sum;                ///< of one, by its events: of all seeds
    Duration unsure;         ///< likewise
    double deviation = 0.0;  ///< of the wall of one, seconds

    [[nodiscard]] double ratio() const { return sum.wall / one / seeds; }
  };
  std::vector<Simulated> later{};

  /// Epochs after this one, which is not the first, find the caches as it does.
  [[nodiscard]] bool steady_in(double epoch) const {
    return caches_steady(inputs, epoch) &&
           std::all_of(others.begin(), others.end(),
                       [&](const Instances& kind) { return caches_steady(kind.inputs, epoch); });
  }
  /// As many epochs as are alike from `epoch` on. Where caches fill over thousands, what one finds
  /// there changes by ever less: the later ones are taken together, some more each time.
  [[nodiscard]] double alike_from(double epoch) const {
    const double left = inputs.epochs - epoch + 1.0;
    if (epoch >= 2.0 && steady_in(epoch)) return left;
    constexpr double one_by_one = 32.0;
    return std::min(left, std::max(1.0, std::floor(epoch / one_by_one)));
  }
};

/// An epoch, or several that are alike, by the mean. Of unequal instances the slowest decide, for
/// each step waits for all.
MeanEpochs made_of_means(Gang& gang, bool details, const Epochs& epochs) {
  MeanEpochs slowest = mean_epochs(gang.inputs, epochs, gang.credits, details, gang.loading);
  Duration* decides = &gang.decides;
  for (Instances& kind : gang.others) {
    MeanEpochs other = mean_epochs(kind.inputs, epochs, kind.credits, details);
    if (other.span.wall <= slowest.span.wall) continue;
    slowest = std::move(other);
    decides = &kind.decides;
  }
  *decides += slowest.span.wall;
  return slowest;
}

/// Adds `time` to what the span waits, as the means of `longer` wait beyond those of `than`.
void add_waiting(Span& span, Duration time, const Span& longer, const Span& than) {
  PerStage<Duration> beyond;
  Duration all;
  for (Stage stage : all_stages()) {
    beyond[stage] = std::max(Duration{}, longer.stall[stage] - than.stall[stage]);
    all += beyond[stage];
  }
  if (time <= Duration{} || all <= Duration{}) return;
  for (Stage stage : all_stages()) span.stall[stage] += time / all * beyond[stage];
  span.wall += time;
}

/// One of the epochs by as many of its events as are affordable; empty where they are too many.
/// Events begin each epoch with all credits, so they are compared with a mean that does so too.
std::optional<Gang::Simulated> simulated(const Gang& gang, const SimulationOptions& options,
                                         const Epochs& epochs, const MeanEpochs& means,
                                         const MeanOf& mean_of, Outcome& out) {
  Epochs single = epochs;
  single.count = 1.0;
  Gang::Simulated all{epochs.first,
                      means.span.wall.base(),
                      mean_of(gang.inputs, single).wall,
                      options.seeds,
                      {},
                      {},
                      0.0};
  std::vector<double> walls;
  double repeated = 1.0;
  for (int i = 0; i < options.seeds; ++i) {
    const auto seed = options.seed + static_cast<std::uint64_t>(i);
    const auto found = affordable_epoch(gang.inputs, epochs, seed, options, mean_of, out.effort);
    if (!found || !(all.one > Duration{})) return std::nullopt;
    out.whole_epochs = out.whole_epochs && found->whole;
    all.sum += found->span;
    all.unsure += found->unsure;
    repeated = std::max(repeated, found->repeated);
    walls.push_back(found->span.wall.base());
  }
  // Of one seed nothing shows how epochs vary but the mean, whose variance is that of all of them.
  all.deviation = options.seeds > 1
                      ? standard_deviation(walls)
                      : std::sqrt(means.variance * repeated / (means.span.wall / all.one));
  return all;
}

/// Whether the later epochs that begin with this one are taken to part from their mean as the last
/// that were simulated do. Caches that fill over many epochs make each another: once what is
/// affordable is spent, those are simulated that lie at growing distances.
bool stands_for(const Gang& gang, const SimulationOptions& options, const Epochs& epochs,
                double events) {
  if (gang.later.empty() || epochs.steps > 0.0) return false;
  // An epoch of few events takes as long to prepare.
  constexpr double many_epochs = 30.0;
  const double spent = events / options.seeds / options.most_events +
                       static_cast<double>(gang.later.size()) / many_epochs;
  constexpr double least_distance = 1.25;
  return spent > 1.0 && epochs.first < std::max(least_distance, spent) * gang.later.back().epoch;
}

/// The means, brought to what the events of one of these epochs say.
MeanEpochs made_of_affordable(Gang& gang, const SimulationOptions& options, const Epochs& epochs,
                              Outcome& out) {
  MeanEpochs means = made_of_means(gang, options.details, epochs);
  if (out.only_mean) return means;  // of an epoch before: so are all
  const auto fresh_mean = [](const Inputs& job, const Epochs& one, bool details) {
    Credits all;
    Gang fresh{job, all, other_kinds(job, all)};
    return made_of_means(fresh, details, one).span;
  };
  std::optional<Gang::Simulated> found;
  if (stands_for(gang, options, epochs, out.effort.events)) {
    gang.later.back().mean += means.span.wall.base();
    found = gang.later.back();
  } else {
    found = simulated(
        gang, options, epochs, means,
        [&](const Inputs& job, const Epochs& one) { return fresh_mean(job, one, false); }, out);
    if (!found) {
      out.only_mean = true;
      return means;
    }
    if (epochs.first >= 2.0 && epochs.steps <= 0.0) gang.later.push_back(*found);
  }
  const double n = options.seeds;
  const double of_all = means.span.wall / found->one;
  const double left_out = of_all * found->unsure.base() / n;
  out.events_variance +=
      of_all * of_all * found->deviation * found->deviation / n + left_out * left_out;
  Epochs single = epochs;
  single.count = 1.0;
  const Span fresh = means.ends.empty() ? Span{} : fresh_mean(gang.inputs, single, options.details);
  // Where credits run out, later epochs work no more and wait longer, for what the mean's wait for.
  const auto as_events_say = [&](double count, const Span& mean) {
    Span span = (count / n) * found->sum;
    const Duration wall = found->ratio() * mean.wall;
    add_waiting(span, wall - span.wall, mean, count * fresh);
    bring_to(span, wall, span.busy);
    return span;
  };
  means.last = as_events_say(1.0, means.last);
  means.span = as_events_say(epochs.count, means.span);
  return means;
}

/// An epoch, or several that are alike, by the mean, by its events, or by those that are
/// affordable.
MeanEpochs made(Gang& gang, const SimulationOptions& options, const Epochs& epochs, Outcome& out) {
  if (options.exact) {
    MeanEpochs one;
    const double steps = epoch_shape(gang.inputs).steps;
    const double before = (epochs.first - 1.0) * steps;
    const double all = gang.inputs.epochs * steps + gang.inputs.unfinished_steps;
    std::function<void(double)> look;
    if (options.look) look = [&](double done) { options.look(std::min(all, before + done), all); };
    one.span = one.last =
        random_epoch(gang.inputs, epochs, options.seed, out.effort, gang.credits, look);
    if (look) look(epochs.steps > 0.0 ? epochs.steps : steps);
    return one;
  }
  if (options.most_events > 0.0) return made_of_affordable(gang, options, epochs, out);
  return made_of_means(gang, options.details, epochs);
}

/// How far epochs that find other caches, each simulated once, lie apart beside the mean: what one
/// seed does not show, and the mean may know less well.
double variance_among(const std::vector<Gang::Simulated>& epochs) {
  if (epochs.size() < 2) return 0.0;
  std::vector<double> ratios;
  double squares = 0.0;
  for (const Gang::Simulated& one : epochs) {
    ratios.push_back(one.ratio());
    squares += one.mean * one.mean;
  }
  const double deviation = standard_deviation(ratios);
  return deviation * deviation * squares;
}

/// What little credit comes back is used up again, and two loadings may have one limit: the first
/// end is the one to know of.
void add_end(std::vector<CreditEnd>& ends, CreditEnd end) {
  if (std::none_of(ends.begin(), ends.end(),
                   [&](const CreditEnd& one) { return one.limit == end.limit; })) {
    ends.push_back(std::move(end));
  }
}

/// Bursts that training does not find any more.
std::vector<CreditEnd> used_by_copying(const Inputs& inputs, const Credits& credits) {
  std::vector<CreditEnd> ends;
  if (!inputs.staging) return ends;
  constexpr double nothing = 1e-9;
  const Misses misses = misses_in(inputs, 1.0);
  for (const Loading& loading :
       loadings(inputs, EpochKind::first, misses, active_workers(inputs), Reading::all)) {
    for (const SampleLimit& limit : loading.limits) {
      if (limit.credit <= 0.0 || credits.share_left(limit.name) > nothing) continue;
      add_end(ends, {limit.name, limit.stage, {}, {}});
    }
  }
  return ends;
}

void make_epochs(Outcome& out, Gang& gang, const SimulationOptions& options) {
  const Inputs& inputs = gang.inputs;
  out.ends = used_by_copying(inputs, gang.credits);
  const auto add = [&](const Epochs& epochs) {
    MeanEpochs more = made(gang, options, epochs, out);
    out.effort.steps += epochs.count * (epochs.steps > 0.0 ? epochs.steps : out.steps);
    for (CreditEnd& end : more.ends) {
      end.after += out.trained.wall;
      add_end(out.ends, std::move(end));
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
    // Of steady ones all are like the first; of others the one in their middle is like most.
    const bool fills = epoch + count <= inputs.epochs;
    const double middle = epoch + (fills ? std::floor((count - 1.0) / 2.0) : 0.0);
    const MeanEpochs more = add({kind_of(epoch), middle, count});
    if (epoch < 2.0) out.first = more.span;
    out.later = more.last;
    epoch += count;
  }
  out.events_variance = std::max(out.events_variance, variance_among(gang.later));
  if (inputs.unfinished_steps <= 0.0) return;
  if (inputs.epochs < 1.0) {
    // What a whole one would take, on the credits that it would find.
    Credits fresh = gang.credits;
    Gang whole{inputs, fresh, gang.others, gang.loading};
    Outcome beside;
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

/// Gradients on lines twice as fast: as resolve finds it for such lines, so that a bus bandwidth
/// that is given or measured stays as it is.
void exchange_on_twice_the_line(Inputs& inputs) {
  if (inputs.exchange && inputs.exchange->on_twice_the_line) {
    inputs.network_allreduce = inputs.exchange->over_nic_of_that;
    inputs.exchange = inputs.exchange->on_twice_the_line;
    inputs.exposed_allreduce =
        collective::exchange(*inputs.exchange, step_time(inputs, inputs.batch)).exposed;
  }
  if (!inputs.unequal) return;
  for (UnequalInstances::Kind& other : inputs.unequal->others) {
    Inputs of_other = *other.inputs;
    exchange_on_twice_the_line(of_other);
    other.inputs = std::make_shared<const Inputs>(std::move(of_other));
  }
}

}  // namespace

Span& Span::operator+=(const Span& other) {
  wall += other.wall;
  busy += other.busy;
  straggling += other.straggling;
  first_step += other.first_step;
  for (Stage stage : all_stages()) stall[stage] += other.stall[stage];
  return *this;
}

Span operator*(double factor, Span span) {
  span.wall *= factor;
  span.busy *= factor;
  span.straggling *= factor;
  span.first_step *= factor;
  for (Stage stage : all_stages()) span.stall[stage] *= factor;
  return span;
}

void bring_to(Span& span, Duration wall, Duration busy) {
  const Duration waiting = span.wall - span.busy;
  const Duration left = std::max(Duration{}, wall - busy);
  const double factor = waiting > Duration{} ? left / waiting : 0.0;
  for (Stage stage : all_stages()) span.stall[stage] *= factor;
  span.straggling *= factor;
  // Without any waiting, all is work.
  span.busy = waiting > Duration{} ? std::min(busy, wall) : wall;
  span.wall = wall;
  span.first_step = std::min(span.first_step, wall);
}

Inputs twice_as_fast(const Inputs& inputs, Stage stage) {
  Inputs faster = inputs;
  faster.speed[stage] *= 2.0;
  if (stage != Stage::network) return faster;
  const double last = epochs_begun(inputs);
  const EpochKind kind = last > 1.0 ? EpochKind::later : EpochKind::first;
  if (shared_nic(inputs, EpochKind::first, misses_in(inputs, 1.0)) ||
      shared_nic(inputs, kind, misses_in(inputs, last))) {
    exchange_on_twice_the_line(faster);
  }
  return faster;
}

double steady_epoch(const Inputs& inputs) {
  Credits credits;
  const Gang gang{inputs, credits, other_kinds(inputs, credits)};
  const double last = epochs_begun(inputs);
  double epoch = std::min(2.0, last);
  while (epoch < last && !gang.steady_in(epoch)) epoch += 1.0;
  return epoch;
}

Outcome simulate(const Inputs& inputs, const SimulationOptions& options) {
  if (options.exact) require_bounded(inputs);
  Outcome out;
  out.steps = epoch_shape(inputs).steps;
  out.samples = std::min(
      inputs.samples, samples_of_instance(inputs) * inputs.instances_alike() / inputs.times_loaded);
  out.trained_samples = trained_samples(inputs);
  out.epochs = out.samples > 0.0 ? out.trained_samples / out.samples : 0.0;
  out.startup = inputs.startup;
  KnownLoading own;
  KnownLoading& loading = options.loading != nullptr ? *options.loading : own;
  auto [staging, credits] = loading.staged(inputs);
  out.staging = staging.time;
  Gang gang{inputs, credits, other_kinds(inputs, credits), &loading};
  make_epochs(out, gang, options);
  out.slowest_ranks = slowest_kind(gang);
  if (options.stretch != 1.0) {
    for (Span* span : {&out.first, &out.later, &out.trained}) {
      bring_to(*span, options.stretch * span->wall, span->busy);
    }
  }
  out.total = out.trained;
  add_interruptions(out, inputs, options);
  out.total.stall[Stage::startup] += out.startup;
  out.total.stall[staging.waits_for] += out.staging;
  out.total.wall += out.startup + out.staging;
  return out;
}

}  // namespace feedrate::pipeline
