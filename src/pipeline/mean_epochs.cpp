// Epochs one after the other, while bursts last and after, and where in a round their GPU waits.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "pipeline/known_loading.hpp"
#include "pipeline/mean_epoch.hpp"

namespace feedrate::pipeline {

namespace {

/// What the last batches of an epoch add where few of a rank's workers make them: those of what
/// these own more than the others. Workers that were ahead of the GPU begin them with what they
/// hold.
struct Uneven {
  const Inputs& inputs;
  const Epochs& epochs;
  const Misses& misses;
  KnownLoading& loading;
  Division division;
  double of_all = 0.0;   ///< batches' worth of what each worker owns
  double in_left = 0.0;  ///< of what few own more, as far as it is trained on
  Epochs before;         ///< loops that are left where only few go on, if these make whole batches
  double after = 0.0;    ///< batches' worth that is trained on from there

  Uneven(const Inputs& of, const Epochs& which, const Misses& found, KnownLoading& known)
      : inputs(of),
        epochs(which),
        misses(found),
        loading(known),
        division(division_of(of)),
        before(which) {
    if (division.few <= 0.0) return;
    of_all = division.workers * division.each.samples / of.batch;
    const double trained = samples_of_instance(of, which.steps) / of.ranks / of.batch;
    in_left = std::max(0.0, trained - of_all);
    if (in_left <= 0.0) return;
    const EpochShape all = epoch_shape(of);
    before.steps = 0.0;
    for (const BatchRun& run : which.steps > 0.0 ? all.first(which.steps) : all) {
      if (run.by_few) after += run.batches * run.samples / of.batch;
      if (!run.by_few) before.steps += run.batches;
    }
  }

  void add_to(Made& made, const Flow& all, double active, bool details) const {
    if (in_left <= 0.0) return;
    Flow& flow = loading.flow(inputs, epochs.kind, misses, division.few);
    for (std::size_t i = 0; i < all.limits().size(); ++i) flow.set_burst(i, all.in_burst(i));
    const Made few = one_epoch(inputs, epochs, misses, flow, division.few, details);
    // Their chain of batches, if the GPU never keeps it waiting; and from where the GPU begins the
    // last batches, which find what these workers may hold. Neither adds to what else keeps the
    // epoch, such as the batches' spread at its begin: the longest way decides, which a slower
    // stage on any of them makes no shorter.
    const double chain = of_all * made.loader + in_left * few.period;
    const double held = std::min(in_left, division.few * inputs.prefetch);
    const double found = of_all * made.period + (in_left - held) * few.period;
    double ends = made.around + std::max(chain, found);
    // Nor do they end before the batches of all are trained on.
    if (before.steps > 0.0 && after > 0.0) {
      const Made of_those = one_epoch(inputs, before, misses, all, active, false);
      ends = std::max(ends, of_those.span.wall.base() + after * made.step);
    }
    const double adds = std::max(0.0, ends - made.span.wall.base());
    double waits = 0.0;
    for (Stage stage : all_stages()) waits += few.span.stall[stage].base();
    for (Stage stage : all_stages()) {
      if (waits > 0.0) made.span.stall[stage] += adds / waits * few.span.stall[stage];
    }
    made.span.wall += seconds(adds);
  }
};

/// An epoch, or a loop of it that is left, until the last of a rank's workers has no more to make.
Made until_the_last(const Inputs& inputs, const Epochs& epochs, const Misses& misses,
                    const Flow& flow, double active, KnownLoading& known, bool details) {
  Made made = one_epoch(inputs, epochs, misses, flow, active, details);
  Uneven(inputs, epochs, misses, known).add_to(made, flow, active, details);
  // A loop that is left takes no less than one that is left with the round before: what few batches
  // of a round spare by coming apart is no more than these take.
  const double rounds = std::floor((epochs.steps - 1.0) / active);
  constexpr double few = 16.0;
  if (traits(inputs.kind).whole_batches && rounds >= 1.0 && rounds <= few) {
    Epochs before = epochs;
    before.steps = rounds * active;
    const Made of_those = one_epoch(inputs, before, misses, flow, active, false);
    if (made.span.wall < of_those.span.wall) {
      bring_to(made.span, of_those.span.wall, made.span.busy);
    }
  }
  return made;
}

/// What workers read and drop once they have made their batches: the loop goes round until all have
/// come to their end, and whoever has most to read comes last.
void add_dropped(Made& made, const Inputs& inputs, const Epochs& epochs, const Misses& misses,
                 const Flow& flow, KnownLoading& loading, bool details) {
  const Division division = division_of(inputs);
  if (!division.drops() || epochs.steps > 0.0) return;
  const double workers = division.workers;
  const Cut& each = division.each;
  const double of_each = each.samples + each.dropped;
  double dropping = workers * each.dropped * inputs.ranks / flow.rate(1.0);
  double at_last = each.dropped * inputs.ranks / flow.rate(1.0 / workers);  // of who is asked last
  double from_first = dropping;  // since the first of them was asked
  if (division.longest > 0.0) {
    Flow& of_few = loading.flow(inputs, epochs.kind, misses, division.longest);
    for (std::size_t i = 0; i < flow.limits().size(); ++i) of_few.set_burst(i, flow.in_burst(i));
    const double more = division.most.samples + division.most.dropped - of_each;
    const double each_more = division.longest * inputs.ranks / of_few.rate(1.0);
    dropping += more * each_more;
    at_last = division.few > 0.0 ? division.most.dropped * each_more : dropping;
    from_first = 0.0;
  }
  // A worker is asked for what it drops as it is for a batch: no sooner than it may hold one more.
  const double held = std::min(epoch_shape(inputs).steps, workers * (inputs.prefetch - 1.0) + 1.0);
  const double asked = made.span.wall.base() - held * made.period;
  const double chain = made.beside + workers * each.batches * made.loader;
  const double first_asked = asked - (workers - 1.0) * made.period;
  const double adds = std::max({asked + at_last, first_asked + from_first, chain + dropping}) -
                      made.span.wall.base();
  if (adds <= 0.0) return;
  book_making(made.span, adds, details ? flow.making() : PerStage<double>{});
  made.span.wall += seconds(adds);
}

/// So many epochs at one pace, one such part after the other.
using Paces = std::vector<std::pair<double, Span>>;

/// The last epoch alone, in which credit may have run out.
Span last_of(const Paces& paces) {
  Span last;
  double missing = 1.0;
  for (auto at = paces.rbegin(); at != paces.rend() && missing > 0.0; ++at) {
    const double part = std::min(missing, at->first);
    last += part * at->second;
    missing -= part;
  }
  return last;
}

}  // namespace

MeanEpochs mean_epochs(const Inputs& inputs, const Epochs& epochs, Credits& credits, bool details,
                       KnownLoading* loading) {
  const Misses misses = misses_in(inputs, epochs.first);
  const double active = active_workers(inputs);
  KnownLoading own;
  KnownLoading& known = loading != nullptr ? *loading : own;
  Flow& flow = known.flow(inputs, epochs.kind, misses, active);
  const auto& limits = flow.limits();
  // A credit is worth another number of samples where caches spare another share of the reads.
  std::vector<double> left;
  for (const SampleLimit& limit : limits) {
    left.push_back(limit.credit * credits.share_left(limit.name));
  }
  MeanEpochs all;
  Paces paces;
  double remaining = epochs.count;
  const double loaded = samples_of_instance(inputs, epochs.steps);
  while (remaining > 0.0) {
    for (std::size_t i = 0; i < limits.size(); ++i) flow.set_burst(i, left[i] > 0.0);
    Made made = until_the_last(inputs, epochs, misses, flow, active, known, details);
    add_dropped(made, inputs, epochs, misses, flow, known, details);
    if (epochs.steps > 0.0) {
      // A loop that is left is no longer than one that goes on, and reads nothing to drop.
      const Made whole =
          until_the_last(inputs, {epochs.kind, epochs.first}, misses, flow, active, known, false);
      if (whole.span.wall < made.span.wall) bring_to(made.span, whole.span.wall, made.span.busy);
    }
    // How long the first credit to run out lasts at this pace.
    double part = remaining;
    std::size_t ends = limits.size();
    for (std::size_t i = 0; i < limits.size(); ++i) {
      const double used = loaded - limits[i].rate * made.span.wall.base();
      if (left[i] <= 0.0 || used <= 0.0) continue;
      const double lasts = left[i] / used;
      if (lasts < part) {
        part = lasts;
        ends = i;
      }
    }
    all.span += part * made.span;
    all.variance += part * made.variance;
    for (std::size_t i = 0; i < limits.size(); ++i) {
      const double used = (loaded - limits[i].rate * made.span.wall.base()) * part;
      left[i] = std::clamp(left[i] - used, 0.0, limits[i].credit);
    }
    if (ends < limits.size()) {
      left[ends] = 0.0;
      all.ends.push_back({limits[ends].name, limits[ends].stage, all.span.wall, made.span.wall});
    }
    remaining -= part;
    paces.emplace_back(part, made.span);
    if (part <= 0.0 && ends == limits.size()) break;
  }
  all.last = epochs.count == 1.0 ? all.span : last_of(paces);
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (limits[i].credit > 0.0) credits.keep(limits[i].name, left[i] / limits[i].credit);
  }
  return all;
}

std::optional<RoundGap> round_gap(const Inputs& inputs, EpochKind kind, double epoch) {
  const bool chains = traits(inputs.kind).whole_batches && !inputs.remote;
  const double active = active_workers(inputs);
  // The workers of a Pipe-mode stream wait for its chunks one after the other.
  if (!chains || inputs.workers < 2.0 || active < inputs.workers || inputs.sequential_stream ||
      inputs.instances > 1.0) {
    return std::nullopt;
  }
  const Misses misses = misses_in(inputs, epoch);
  Flow flow(inputs, kind, misses, active);
  for (std::size_t i = 0; i < flow.limits().size(); ++i) {
    flow.set_burst(i, flow.limits()[i].credit > 0.0);
  }
  const Made made = one_epoch(inputs, {kind, epoch}, misses, flow, active, false);
  const double waits = made.period - made.step;
  if (waits < 0.1 * made.period) return std::nullopt;
  return RoundGap{active, seconds(active * waits)};
}

}  // namespace feedrate::pipeline
