#include "study/by_events.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "base/portable_math.hpp"
#include "base/statistics.hpp"
#include "pipeline/affordable.hpp"
#include "pipeline/random.hpp"
#include "study/bottleneck.hpp"

namespace feedrate::study {
namespace {

constexpr double error_wanted = 0.005;  // of the seeds' mean, relative
constexpr int first_seeds = 4;
constexpr int most_seeds = 64;
constexpr int seeds_of_gains = 3;
constexpr double whole_epochs_over_windows = 5.0;
constexpr double whole_epochs_where_far_apart = 15.0;
constexpr double far_apart = 0.1;
constexpr std::size_t most_stages = std::tuple_size_v<decltype(ByEvents::best)>;

double relative_error(const pipeline::Outcome& outcome) {
  return std::sqrt(outcome.events_variance) / outcome.total.wall.base();
}

bool marches_in_step(const pipeline::Inputs& inputs) {
  const double threads = inputs.gpus() * std::max(1.0, inputs.workers) +
                         (inputs.remote ? inputs.remote->workers : 0.0);
  return threads > 1.0 && !pipeline::varies(inputs);
}

const GainByEvents* gain_of(const ByEvents& by_events, std::optional<Stage> stage) {
  const auto gains = by_events.gains();
  const auto found =
      std::find_if(gains.begin(), gains.end(), [&](const auto& one) { return one.stage == stage; });
  return found == gains.end() ? nullptr : &*found;
}

/// Whether `one` gains more than `other` by so much that it is not a matter of chance.
bool clearly_more(const GainByEvents& one, const GainByEvents& other) {
  constexpr double clearly = 0.02;
  return one.gain - other.gain > std::max(clearly, 2.0 * portable::hypot(one.error, other.error));
}

/// Of the gains by events, some of which there are: the best, but for that of GPUs where the mean
/// passes over theirs.
const GainByEvents& best_of(const ByEvents& by_events, const Bottleneck& by_mean) {
  const auto gains = by_events.gains();
  const bool next = passes_over_gpus(by_mean) && gains.front().stage == Stage::gpu;
  return gains[next && gains.size() > 1 ? 1 : 0];
}

ByEvents beside(const pipeline::Outcome& mean, const pipeline::Outcome& events, int seeds,
                double error) {
  ByEvents found;
  found.events = events.effort.events;
  found.seeds = seeds;
  found.whole = events.whole_epochs;
  found.total = events.total.wall;
  found.mean_total = mean.total.wall;
  found.difference = found.total / found.mean_total - 1.0;
  found.error = error;
  return found;
}

/// The stages whose gain by the mean is so near the bottleneck's that one of them may be it by the
/// events, which part from it by `difference`.
std::vector<Stage> rivals(const Bottleneck& by_mean, double difference) {
  // Five times what is clearly more, and what the mean may be wrong by in either gain.
  const double near = 0.1 + 2.0 * std::abs(difference);
  std::vector<Stage> stages;
  for (const auto& [stage, gain] : by_mean.gains) {
    if (gain >= by_mean.gain_if_twice_as_fast - near && stages.size() < most_stages) {
      stages.push_back(stage);
    }
  }
  return stages;
}

/// Where the mean is wrong, those that gain by it need not be all that do.
std::vector<Stage> stages_to_try(const Bottleneck& by_mean, const pipeline::Span& job) {
  std::vector<Stage> stages;
  for (const auto& [stage, gain] : by_mean.gains) {
    if (stages.size() < most_stages) stages.push_back(stage);
  }
  Stage longest = Stage::gpu;
  for (const Stage stage : all_stages()) {
    if (job.stall[stage] > job.stall[longest]) longest = stage;
  }
  const auto tries = [&](Stage stage) {
    return std::find(stages.begin(), stages.end(), stage) != stages.end();
  };
  const auto add = [&](Stage stage, Duration time) {
    if (tries(stage) || time < least_gain * job.wall) return;
    if (stages.size() == most_stages) stages.pop_back();
    stages.push_back(stage);
  };
  add(longest, job.stall[longest]);
  add(Stage::gpu, job.busy);
  return stages;
}

/// Whether so many seeds of the job as it is and with each stage twice as fast were affordable.
bool try_stages(ByEvents& by_events, const pipeline::Inputs& inputs,
                const std::vector<Stage>& stages, std::uint64_t first_seed, int seeds) {
  pipeline::SimulationOptions simulation;
  simulation.details = false;
  simulation.most_events = affordable_events / seeds / static_cast<double>(stages.size() + 1);
  simulation.short_ones = seeds == 1;
  std::vector<std::vector<double>> gains(stages.size());
  std::vector<double> errors(stages.size());
  for (int i = 0; i < seeds; ++i) {
    simulation.seed = first_seed + static_cast<std::uint64_t>(i);
    const pipeline::Outcome as_it_is = pipeline::simulate(inputs, simulation);
    if (as_it_is.only_mean) return false;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      const pipeline::Outcome outcome =
          pipeline::simulate(with_faster(inputs, stages[s], as_it_is.total.wall), simulation);
      if (outcome.only_mean) return false;
      gains[s].push_back(gain_of_faster(inputs, as_it_is, outcome));
      // Of one seed each time has an error, and their ratio at most that of both.
      errors[s] = (outcome.total.wall / as_it_is.total.wall) *
                  portable::hypot(relative_error(outcome), relative_error(as_it_is));
    }
  }
  by_events.tried = stages.size();
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (seeds > 1) errors[s] = standard_deviation(gains[s]) / std::sqrt(double(seeds));
    by_events.best[s] = {stages[s], mean(gains[s]), errors[s]};
  }
  return true;
}

}  // namespace

Stated simulate_stated(const pipeline::Inputs& inputs, const RunOptions& options,
                       pipeline::KnownLoading* loading) {
  Stated stated;
  stated.options.seed = options.seed;
  if (options.exact) {
    stated.options.exact = true;
    if (options.progress) {
      stated.options.look = [&](double done, double all) {
        options.progress(Phase::steps, done, all);
      };
    }
    stated.outcome = pipeline::simulate(inputs, stated.options);
    stated.mean = pipeline::simulate(inputs);
    stated.outcome.ends = stated.mean.ends;  // in the middle of an epoch, which events do not say
    const double error = std::sqrt(stated.mean.variance) / stated.outcome.total.wall.base();
    ByEvents found = beside(stated.mean, stated.outcome, 1, error);
    found.stated = true;
    stated.by_events = found;
    return stated;
  }
  pipeline::SimulationOptions of_mean = stated.options;
  of_mean.loading = loading;
  stated.mean = pipeline::simulate(inputs, of_mean);
  stated.outcome = stated.mean;
  // An efficiency that was measured holds for the job as a whole, whatever its events would add.
  if (!options.events || inputs.exposed_is_of_job || marches_in_step(inputs)) return stated;

  pipeline::SimulationOptions affordable = stated.options;
  affordable.most_events = affordable_events;
  pipeline::Outcome events = pipeline::simulate(inputs, affordable);
  if (events.only_mean) return stated;
  const auto parting = [&] { return events.total.wall / stated.mean.total.wall - 1.0; };
  const auto parts = [&] {
    return std::abs(parting()) > std::max(parts_from, 2.0 * relative_error(events));
  };
  // Windows are enough to say that the mean is right. To say that it is not takes whole epochs, as
  // long as these are not many times as long; what windows leave out is the mean's, and wrong where
  // that is.
  if (!events.whole_epochs && std::abs(parting()) > parts_from && !parts()) {
    // Within their error: larger windows first, which are a fraction of whole epochs.
    affordable.most_events = 2.0 * affordable_events;
    events = pipeline::simulate(inputs, affordable);
  }
  if (!events.whole_epochs && std::abs(parting()) > parts_from) {
    pipeline::SimulationOptions whole = affordable;
    whole.most_events =
        affordable_events * (std::abs(parting()) > far_apart ? whole_epochs_where_far_apart
                                                             : whole_epochs_over_windows);
    whole.only_whole = true;
    pipeline::Outcome looked = pipeline::simulate(inputs, whole);
    if (!looked.only_mean) {
      affordable = whole;
      events = std::move(looked);
    }
  }
  const double each = std::max(1.0, events.effort.events);
  // Seeds are added within as many events as two jobs of the affordable size have.
  const auto within = [&](int seeds) {
    return std::min({seeds, most_seeds, static_cast<int>(2.0 * affordable_events / each)});
  };
  const auto with = [&](int seeds) {
    affordable.seeds = seeds;  // the first is among them, and known
    events = pipeline::simulate(inputs, affordable);
  };
  // One epoch may be near the mean by its own luck: of few steps, or of few events, whose variance
  // the mean knows less well and of which more are soon simulated.
  const bool lucky =
      std::sqrt(stated.mean.variance) > 0.5 * parts_from * stated.mean.total.wall.base();
  const bool cheap = 4.0 * first_seeds * each <= affordable_events;
  if ((std::abs(parting()) > parts_from || lucky || cheap) && within(first_seeds) > 1) {
    with(within(first_seeds));
    if (const double error = relative_error(events); error > error_wanted) {
      const double ratio = error / error_wanted;
      const int more = within(static_cast<int>(
          std::min(static_cast<double>(most_seeds), std::ceil(affordable.seeds * ratio * ratio))));
      if (more > affordable.seeds) with(more);
    }
  }
  ByEvents found = beside(stated.mean, events, affordable.seeds, relative_error(events));
  found.stated = parts();
  if (found.stated) {
    events.variance = stated.mean.variance;
    stated.outcome = std::move(events);
    stated.options = affordable;
  }
  stated.by_events = found;
  return stated;
}

void find_bottleneck_by_events(ByEvents& by_events, const pipeline::Inputs& inputs,
                               const pipeline::Span& job, const RunOptions& options,
                               const Bottleneck& by_mean) {
  by_events.mean_bottleneck = by_mean.stage;
  const bool of_all =
      options.gains == Gains::all || (options.gains == Gains::rivals && by_events.stated);
  const std::vector<Stage> stages =
      of_all ? stages_to_try(by_mean, job) : rivals(by_mean, by_events.difference);
  if (stages.empty()) return;
  if (!of_all && stages.size() == 1) {
    by_events.bottleneck = by_mean.stage;
    return;
  }
  // One seed of a longer window says more than the closed form where that is wrong.
  for (const int seeds : {seeds_of_gains, 1}) {
    if (try_stages(by_events, inputs, stages, options.seed, seeds)) break;
  }
  if (by_events.gains().empty()) return;
  std::stable_sort(by_events.best.begin(),
                   by_events.best.begin() + static_cast<long>(by_events.tried),
                   [](const auto& a, const auto& b) { return a.gain > b.gain; });
  if (const GainByEvents& best = best_of(by_events, by_mean); best.gain >= least_gain) {
    by_events.bottleneck = best.stage;
  }
}

bool cannot_tell_apart(const ByEvents& by_events) {
  const GainByEvents* const best = gain_of(by_events, by_events.bottleneck);
  const GainByEvents* const of_means = gain_of(by_events, by_events.mean_bottleneck);
  return best != nullptr && of_means != nullptr && best != of_means &&
         of_means->gain >= least_gain && !clearly_more(*best, *of_means);
}

void let_events_decide(Bottleneck& bottleneck, const ByEvents& by_events) {
  if (by_events.gains().empty()) return;
  const GainByEvents& best = best_of(by_events, bottleneck);
  const GainByEvents* const of_means = gain_of(by_events, bottleneck.stage);
  const bool another =
      of_means != nullptr && best.stage != of_means->stage && clearly_more(best, *of_means);
  if (!by_events.stated && !another) return;
  const std::optional<Stage> by_mean = bottleneck.stage;
  std::vector<std::pair<Stage, double>> gains;
  for (const GainByEvents& one : by_events.gains()) {
    if (one.gain >= least_gain) gains.emplace_back(one.stage, one.gain);
  }
  // Those that were not simulated gain least by the mean.
  for (const auto& gain : bottleneck.gains) {
    const bool simulated = std::any_of(by_events.gains().begin(), by_events.gains().end(),
                                       [&](const auto& one) { return one.stage == gain.first; });
    if (!simulated) gains.push_back(gain);
  }
  std::stable_sort(gains.begin(), gains.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  bottleneck.gains = std::move(gains);
  bottleneck.stage.reset();
  bottleneck.gain_if_twice_as_fast = 0.0;
  if (bottleneck.gains.empty()) return;
  // What the events cannot tell apart from the mean's stays the mean's.
  const std::optional<Stage> name = another ? best.stage : by_mean;
  const auto named = std::find_if(bottleneck.gains.begin(), bottleneck.gains.end(),
                                  [&](const auto& gain) { return gain.first == name; });
  const auto first = named == bottleneck.gains.end() ? bottleneck.gains.begin() : named;
  std::rotate(bottleneck.gains.begin(), first, first + 1);
  bottleneck.stage = bottleneck.gains.front().first;
  bottleneck.gain_if_twice_as_fast = bottleneck.gains.front().second;
}

}  // namespace feedrate::study
