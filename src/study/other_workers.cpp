#include "study/other_workers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "pipeline/loading.hpp"
#include "pipeline/simulate.hpp"
#include "study/bottleneck.hpp"

namespace feedrate::study {
namespace {

/// The job's time by the number of workers; what the instance has no memory for takes forever.
class WorkersTrial {
 public:
  WorkersTrial(Scenario scenario, const Catalog& catalog, const HostProfile* host)
      : scenario_(std::move(scenario)), catalog_(catalog), host_(host) {}

  double operator()(double workers) {
    return known(by_mean_, workers, [](const pipeline::Inputs& inputs) {
      pipeline::SimulationOptions plain;
      plain.details = false;
      return pipeline::simulate(inputs, plain);
    });
  }

  /// Whether so many have no memory.
  bool too_many(double workers) { return (*this)(workers) >= no_memory; }

  /// What then gains most.
  std::optional<Stage> bottleneck(double workers) {
    std::optional<Stage> stage;
    std::map<double, double> seconds;
    known(seconds, workers, [&](const pipeline::Inputs& inputs) {
      pipeline::SimulationOptions plain;
      plain.details = false;
      auto outcome = pipeline::simulate(inputs, plain);
      stage = find_bottleneck(inputs, outcome.total.wall).stage;
      return outcome;
    });
    return stage;
  }

  /// As `run` states it.
  double stated(double workers, const RunOptions& options) {
    return known(stated_, workers, [&](const pipeline::Inputs& inputs) {
      return simulate_stated(inputs, options).outcome;
    });
  }

 private:
  static constexpr double no_memory = 1e300;

  template <class Simulate>
  double known(std::map<double, double>& seconds, double workers, const Simulate& simulate) {
    const auto at = seconds.find(workers);
    if (at != seconds.end()) return at->second;
    scenario_.loader.num_workers = WorkerCount(workers);
    if (!traits(scenario_.loader.kind).workers) scenario_.loader.kind = LoaderKind::pytorch;
    double time = no_memory;
    try {
      const auto resolved =
          resolve::resolve(scenario_, catalog_, host_, {}, resolve::Want::numbers);
      time = simulate(resolved.inputs).total.wall.base();
    } catch (const InputError&) {
    }
    return seconds[workers] = time;
  }

  Scenario scenario_;
  const Catalog& catalog_;
  const HostProfile* host_;
  std::map<double, double> by_mean_;
  std::map<double, double> stated_;
};

constexpr double within = 0.01;

/// From the mean's choice on, more of them as long as the events gain by it; of all, the fewest
/// that are enough.
void choose_by_events(OtherWorkers& workers, WorkersTrial& trial, const RunOptions& options,
                      double base) {
  const auto time = [&](double n) {
    return n == workers.now && !workers.replaces_inline ? base : trial.stated(n, options);
  };
  std::vector<std::pair<double, double>> tried;
  double shortest = base;
  double before = base;  // the last that gained
  int in_vain = 0;
  for (double n = workers.best;; n = std::min(std::ceil(1.25 * n), workers.tried)) {
    tried.emplace_back(n, time(n));
    shortest = std::min(shortest, tried.back().second);
    const bool gained = tried.size() == 1 || shortest < (1.0 - within) * before;
    if (gained) before = shortest;
    in_vain = gained ? 0 : in_vain + 1;
    workers.still_gaining = gained && n >= workers.tried;
    // One step may gain less than two.
    if (in_vain >= 2 || n >= workers.tried) break;
  }
  const auto is_enough = [&](double seconds) { return seconds <= (1.0 + within) * shortest; };
  const auto first = std::find_if(tried.begin(), tried.end(),
                                  [&](const auto& one) { return is_enough(one.second); });
  workers.by_events = true;
  if (first == tried.end() || is_enough(base)) {
    workers.best = workers.now;
    workers.gain = 0.0;
    return;
  }
  double too_few = first != tried.begin()       ? (first - 1)->first
                   : workers.now < first->first ? workers.now
                                                : 0.0;
  workers.best = first->first;
  while (workers.best - too_few > 1.0) {
    const double middle = std::floor((too_few + workers.best) / 2.0);
    (is_enough(time(middle)) ? workers.best : too_few) = middle;
  }
  workers.gain = 1.0 - time(workers.best) / base;
}

/// Workers of a GPU that are busy, by Little's law, at the rate at which the cores, what they read
/// from, or the GPU has no more to give: as if none of them ever waited for another.
double busy_workers(const pipeline::Inputs& inputs) {
  using pipeline::EpochKind;
  const auto in_epoch = [&](EpochKind kind, double epoch) {
    const pipeline::Misses misses = pipeline::misses_in(inputs, epoch);
    const auto loadings = pipeline::loadings(inputs, kind, misses, 1.0);
    const pipeline::Loading& loading = loadings.front();
    const double of_gpu = pipeline::step_time(inputs, inputs.batch).base();
    double rate = of_gpu > 0.0 ? inputs.ranks * inputs.batch / of_gpu : 1e300;
    double time = loading.alone();
    const auto pass = [&](const pipeline::Station& station) {
      const double alone = station.delay + station.work_alone();
      if (station.connections > 0.0 && alone > 0.0) {
        rate = std::min(rate, station.connections / alone);
      }
      if (!station.works()) return;
      const bool single = station.one_at_a_time || station.locks > 0.0;
      const double most =
          single ? std::max(1.0, station.locks) * station.rate.total(1.0) : station.rate.maximum();
      rate = std::min(rate, most / station.work);
    };
    const auto keep_to = [&](const std::vector<pipeline::SampleLimit>& limits) {
      for (const pipeline::SampleLimit& limit : limits) {
        rate = std::min(rate, std::max(limit.rate, limit.burst_rate));
      }
    };
    const double work = loading.cpu + loading.collate;
    if (work > 0.0 && !loading.cores.empty()) rate = std::min(rate, inputs.cores.maximum() / work);
    for (const pipeline::Station& station : loading.stations) pass(station);
    keep_to(loading.limits);
    if (const auto stream = pipeline::stream_of(inputs, kind, misses, 1.0)) {
      pass(stream->station);
      keep_to(pipeline::stream_limits(inputs, kind, misses));
      if (!inputs.sequential_stream) {
        time = std::max(time, stream->station.delay + stream->station.work_alone());
      }
    }
    return rate * time / inputs.ranks;
  };
  const double first = in_epoch(EpochKind::first, 1.0);
  return inputs.epochs > 1.0 ? std::max(first, in_epoch(EpochKind::later, 2.0)) : first;
}

/// Whether the events choose: where they are what is stated, of the job as it is or with the
/// workers that the mean chooses.
bool events_choose(const OtherWorkers& workers, WorkersTrial& trial, const RunOptions& options,
                   const Stated& stated) {
  if (!stated.by_events || workers.best < 1.0) return false;
  if (stated.by_events->stated) return true;
  if (workers.best == workers.now && !workers.replaces_inline) return false;
  const double by_mean = trial(workers.best);
  return std::abs(trial.stated(workers.best, options) - by_mean) > parts_from * by_mean;
}

}  // namespace

bool is_a_matter_of_workers(const Result& result, const Scenario& scenario) {
  const std::optional<Stage> stage = bottleneck_of_training(result);
  if (!stage || scenario.loader.remote) return false;
  switch (*stage) {
    case Stage::download:
    case Stage::network:
    case Stage::disk:
    case Stage::decode:
    case Stage::collate: return true;
    default: return false;
  }
}

bool downloads_before_training(const Result& result) {
  return result.times.staging * 2.0 >
         result.stages[Stage::download].stall + result.stages[Stage::network].stall;
}

double WorkersTried::next(double n) const {
  return std::floor(n * (n < twice ? 1.03 : 1.1)) + 1.0;
}

WorkersTried workers_tried(const resolve::Resolved& resolved) {
  constexpr double most = 256.0;
  const pipeline::Inputs& inputs = resolved.inputs;
  const double threads = resolved.installed.threads.value_or(16.0) / inputs.ranks;
  WorkersTried tried;
  tried.twice = std::min(most, std::ceil(2.0 * std::max({threads, inputs.workers, 1.0})));
  tried.most = tried.twice;
  if (inputs.remote) return tried;
  pipeline::Inputs many = inputs;
  if (!traits(many.kind).workers) many.kind = LoaderKind::pytorch;
  many.workers = most;
  const double busy = std::ceil(2.0 * std::min(most, busy_workers(inputs)));
  tried.most = std::max(tried.twice, std::min({most, busy, pipeline::active_workers(many)}));
  return tried;
}

OtherWorkers try_workers(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                         const resolve::Resolved& resolved, const Stated& stated) {
  const pipeline::Inputs& inputs = resolved.inputs;
  OtherWorkers workers;
  workers.now = inputs.workers;
  workers.best = workers.now;
  workers.replaces_inline = !traits(scenario.loader.kind).workers;
  const double threads = resolved.installed.threads.value_or(16.0) / inputs.ranks;
  const WorkersTried range = workers_tried(resolved);
  workers.tried = range.most;
  WorkersTrial time(scenario, catalog, host);
  const Duration base = stated.mean.total.wall;
  double shortest = base.base();
  double fastest = workers.now;
  const auto attempt = [&](double n) {
    if (n < 1.0 || n == workers.now || time(n) >= shortest) return;
    shortest = time(n);
    fastest = n;
  };
  double last = workers.now;
  for (double n = workers.now + 1.0; n <= workers.tried; n = range.next(n)) {
    attempt(n);
    last = n;
  }
  if (last < workers.tried) attempt(last = workers.tried);
  // Where more would outnumber the hardware's threads, which costs them all.
  attempt(std::floor(threads));
  for (double n = 1.0; n < workers.now; n = range.next(n)) attempt(n);
  // Up to the fastest, more workers take no longer, but for what starting them costs.
  const double enough = shortest * (1.0 + within);
  if (base.base() > enough) {
    double too_few = fastest < workers.now ? 0.0 : workers.now;
    workers.best = fastest;
    while (workers.best - too_few > 1.0) {
      const double middle = std::floor((too_few + workers.best) / 2.0);
      (time(middle) <= enough ? workers.best : too_few) = middle;
    }
    workers.gain = 1.0 - time(workers.best) / base.base();
    // A tenth more of them saves 1 % yet.
    workers.still_gaining = fastest == last && workers.best > 0.9 * fastest;
  }
  RunOptions options;
  options.events = true;
  options.exact = stated.options.exact;
  options.seed = stated.options.seed;
  if (events_choose(workers, time, options, stated)) {
    choose_by_events(workers, time, options, stated.outcome.total.wall.base());
  }
  if (workers.best > workers.now) {
    workers.memory_is_full = time.too_many(range.next(workers.best));
    if (workers.best > range.twice) workers.then = time.bottleneck(workers.best);
  }
  return workers;
}

bool too_few_workers(const Bottleneck& bottleneck) {
  return bottleneck.workers && bottleneck.workers->best > bottleneck.workers->now &&
         bottleneck.workers->gain >= least_gain &&
         bottleneck.workers->gain >= 0.5 * bottleneck.gain_if_twice_as_fast;
}

}  // namespace feedrate::study
