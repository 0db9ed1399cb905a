#include "study/other_workers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/errors.hpp"
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

  /// As `run` states it.
  double stated(double workers, const RunOptions& options) {
    return known(stated_, workers, [&](const pipeline::Inputs& inputs) {
      return simulate_stated(inputs, options).outcome;
    });
  }

 private:
  template <class Simulate>
  double known(std::map<double, double>& seconds, double workers, const Simulate& simulate) {
    const auto at = seconds.find(workers);
    if (at != seconds.end()) return at->second;
    scenario_.loader.num_workers = WorkerCount(workers);
    if (!traits(scenario_.loader.kind).workers) scenario_.loader.kind = LoaderKind::pytorch;
    double time = 1e300;
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

double most_workers_tried(const resolve::Resolved& resolved) {
  constexpr double most = 256.0;
  const double threads = resolved.installed.threads.value_or(16.0) / resolved.inputs.ranks;
  return std::min(most, std::ceil(2.0 * std::max({threads, resolved.inputs.workers, 1.0})));
}

OtherWorkers try_workers(const Scenario& scenario, const Catalog& catalog, const HostProfile* host,
                         const resolve::Resolved& resolved, const Stated& stated) {
  const pipeline::Inputs& inputs = resolved.inputs;
  OtherWorkers workers;
  workers.now = inputs.workers;
  workers.best = workers.now;
  workers.replaces_inline = !traits(scenario.loader.kind).workers;
  const double threads = resolved.installed.threads.value_or(16.0) / inputs.ranks;
  workers.tried = most_workers_tried(resolved);
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
  for (double n = workers.now + 1.0; n <= workers.tried; n = std::floor(n * 1.03) + 1.0) {
    attempt(n);
    last = n;
  }
  if (last < workers.tried) attempt(last = workers.tried);
  // Where more would outnumber the hardware's threads, which costs them all.
  attempt(std::floor(threads));
  for (double n = 1.0; n < workers.now; n = std::floor(n * 1.03) + 1.0) attempt(n);
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
  return workers;
}

bool too_few_workers(const Bottleneck& bottleneck) {
  return bottleneck.workers && bottleneck.workers->best > bottleneck.workers->now &&
         bottleneck.workers->gain >= least_gain &&
         bottleneck.workers->gain >= 0.5 * bottleneck.gain_if_twice_as_fast;
}

}  // namespace feedrate::study
