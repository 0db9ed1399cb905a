#include "study/monitors.hpp"

#include <algorithm>
#include <cmath>

#include "base/portable_math.hpp"
#include "pipeline/flow.hpp"

namespace feedrate::study {
namespace {

using pipeline::Inputs;
using pipeline::Loading;

/// The epoch of which the monitors are shown.
struct Steady {
  const Inputs& inputs;
  pipeline::EpochKind kind = pipeline::EpochKind::first;
  pipeline::Misses misses{};
  double active = 1.0;  ///< workers of a rank that have something to do
  double wall = 0.0;    ///< s
  double rate = 0.0;    ///< samples/s of an instance
  double steps = 0.0;   ///< per second and rank
  std::vector<Loading> loadings{};
  const std::vector<pipeline::CreditEnd>& ended;  ///< credit that is over

  /// Samples/s that a limit lets through there.
  [[nodiscard]] double lets_through(const pipeline::SampleLimit& limit) const {
    const bool over = std::any_of(ended.begin(), ended.end(), [&](const pipeline::CreditEnd& end) {
      return end.limit == limit.name && end.stage == limit.stage;
    });
    return !over && limit.bursts() && rate > limit.rate ? limit.burst_rate : limit.rate;
  }
};

Steady steady_epoch(const Inputs& inputs, const pipeline::Outcome& outcome) {
  Steady steady{.inputs = inputs, .ended = outcome.ends};
  if (outcome.epochs > 1.0) steady.kind = pipeline::EpochKind::later;
  steady.misses = pipeline::misses_in(inputs, pipeline::epochs_begun(inputs));
  steady.active = pipeline::active_workers(inputs);
  steady.wall = outcome.later.wall.base();
  steady.rate = pipeline::samples_of_instance(inputs) / steady.wall;
  steady.steps = outcome.steps / steady.wall;
  steady.loadings =
      pipeline::loadings(inputs, steady.kind, steady.misses, steady.active, pipeline::Reading::all);
  return steady;
}

double share(double part) {
  return std::clamp(part, 0.0, 1.0);
}

/// The kind of customer that works on the instance's own cores; null without.
const Loading* on_cores(const std::vector<Loading>& loadings) {
  for (const Loading& loading : loadings) {
    if (loading.cpu_stage == Stage::decode && !loading.cores.empty()) return &loading;
  }
  return nullptr;
}

/// Core-seconds of work per second on an instance: of its workers, its main processes, and the
/// threads that pin memory.
double core_work(const Steady& steady, const Loading* local) {
  const Inputs& inputs = steady.inputs;
  const bool by_workers = inputs.workers > 0.0 && traits(inputs.kind).workers;
  double work = 0.0;
  if (local != nullptr) {
    const pipeline::Flow flow(inputs, steady.kind, steady.misses, steady.active);
    work += steady.rate * flow.core_work();
  }
  work += inputs.ranks * steady.steps * pipeline::handover_time(inputs).base();
  if (inputs.pinned && (by_workers || inputs.remote)) {
    work += steady.rate * inputs.pin.base() / inputs.speed[Stage::h2d];
  }
  const bool starts = steady.kind == pipeline::EpochKind::first || !inputs.persistent_workers;
  if (by_workers && starts) {
    const double of_rank =
        inputs.worker_startup.base() * inputs.workers + inputs.worker_warmup.base() * steady.active;
    work += inputs.ranks * of_rank / inputs.speed[Stage::startup] / steady.wall;
  }
  return work;
}

/// Hardware threads that a loader keeps busy which its CPU quota stops again and again: those that
/// are ready share cores meanwhile, and take longer than as many as the work needs. 0: none does.
double threads_of_quota(const Steady& steady, const Loading* local) {
  const auto& quota = steady.inputs.cpu_quota;
  if (!quota || local == nullptr) return 0.0;
  const auto limit =
      std::find_if(local->limits.begin(), local->limits.end(),
                   [&](const pipeline::SampleLimit& one) { return one.name == quota->name; });
  if (limit == local->limits.end()) return 0.0;
  const pipeline::Flow flow(steady.inputs, steady.kind, steady.misses, steady.active);
  constexpr double sets_the_pace = 0.9;
  const double of_limit = share(steady.rate / limit->rate);
  return flow.free_rate() > limit->rate && of_limit > sets_the_pace ? of_limit * quota->rate : 0.0;
}

std::optional<double> cpu_share(const Steady& steady, const resolve::Installed& installed) {
  const Loading* const local = on_cores(steady.loadings);
  const Curve<double>& cores = local != nullptr ? local->cores : steady.inputs.cores;
  if (cores.empty() || !installed.threads) return std::nullopt;
  const double busy =
      std::max(threads_for(cores, core_work(steady, local)), threads_of_quota(steady, local));
  return share((busy + installed.other_threads) / *installed.threads);
}

struct DiskShares {
  double busy = 0.0;
  double of_limit = 0.0;
};

DiskShares disk_shares(const Steady& steady) {
  DiskShares shares;
  for (const Loading& loading : steady.loadings) {
    const double customers = std::max(1.0, loading.customers * loading.share);
    for (const pipeline::Station& station : loading.stations) {
      if (station.stage != Stage::disk) continue;
      if (station.works()) {
        // Remote workers reach the disks of all instances, which share them.
        const double maximum = station.rate.maximum() * loading.share;
        shares.of_limit = std::max(shares.of_limit, steady.rate * station.work / maximum);
        shares.busy = std::max(shares.busy, shares.of_limit);
      }
      // Each customer is in a request for this share of the time, whatever the others do.
      const double reading =
          share(steady.rate * (station.delay + station.work_alone()) / customers);
      shares.busy = std::max(shares.busy, 1.0 - portable::pow(1.0 - reading, customers));
    }
    double of_limits = 0.0;
    for (const pipeline::SampleLimit& limit : loading.limits) {
      if (limit.stage != Stage::disk) continue;
      of_limits = std::max(of_limits, steady.rate / steady.lets_through(limit));
    }
    // A request that a limit holds back is in the disk's queue; a customer that computes has none.
    const double computing = share(steady.rate * (loading.cpu + loading.collate) / customers);
    shares.busy =
        std::max(shares.busy, share(of_limits) * (1.0 - portable::pow(computing, customers)));
    shares.of_limit = std::max(shares.of_limit, of_limits);
  }
  shares.of_limit = share(shares.of_limit);
  shares.busy = share(shares.busy);
  return shares;
}

/// Of a sample, that the disk takes at its highest rate. Precondition: there is a disk.
DurationPerSample least_time(const Inputs& inputs) {
  const pipeline::Read& disk = *inputs.disk;
  double time = disk.rate.empty() ? 0.0 : disk.bytes.base() / disk.rate.maximum().base();
  for (const pipeline::RateLimit& limit : disk.limits) {
    if (!limit.of_nic) time = std::max(time, limit.each / std::max(limit.rate, limit.burst_rate));
  }
  return DurationPerSample::of(time / inputs.speed[Stage::disk]);
}

}  // namespace

Received received_in(const Inputs& inputs, pipeline::EpochKind kind, double epoch) {
  Received received;
  const double speed = inputs.speed[Stage::network];
  received.by_step = bytes(inputs.network_allreduce.base() / inputs.accumulation / speed);
  const pipeline::Misses misses = pipeline::misses_in(inputs, epoch);
  const double fetched = pipeline::bytes_fetched(inputs, kind, misses);
  received.by_sample = bytes_per_sample(fetched / speed);
  if (!inputs.remote) return received;
  // What samples made on the instance itself are made of is sent to it, of the others what is made.
  const double active = pipeline::active_workers(inputs);
  double made_there = 1.0;
  const auto loadings = pipeline::loadings(inputs, kind, misses, active);
  if (const Loading* local = on_cores(loadings); local != nullptr && local->cpu > 0.0) {
    const pipeline::Flow flow(inputs, kind, misses, active);
    made_there = 1.0 - share(flow.core_work() / (local->cpu + local->collate));
  }
  received.by_sample =
      made_there * inputs.remote->sent / speed + (1.0 - made_there) * received.by_sample;
  return received;
}

ReadFromDisk reading_in(const Inputs& inputs, double epoch) {
  if (!inputs.disk) return {};
  const double read = pipeline::misses_in(inputs, epoch).disk;
  return {read * inputs.disk->bytes, read * inputs.disk->requests, read * least_time(inputs)};
}

DurationPerSample writing_in(const Inputs& inputs, double epoch) {
  if (!inputs.disk) return {};
  return pipeline::misses_in(inputs, epoch).written * least_time(inputs);
}

double threads_for(const Curve<double>& cores, double work) {
  const auto& points = cores.points;
  double users = 0.0;
  double total = 0.0;
  for (const auto& point : points) {
    if (work <= point.total) {
      const double part = point.total > total ? (work - total) / (point.total - total) : 1.0;
      return users + (point.users - users) * std::max(0.0, part);
    }
    users = point.users;
    total = point.total;
  }
  return points.back().users;
}

Monitors monitors_of(const resolve::Resolved& resolved, const pipeline::Outcome& outcome) {
  const Inputs& inputs = resolved.inputs;
  const resolve::Installed& installed = resolved.installed;
  const Steady steady = steady_epoch(inputs, outcome);
  Monitors monitors;
  monitors.cpu = cpu_share(steady, installed);
  const DiskShares disk = disk_shares(steady);
  monitors.disk = disk.busy;
  monitors.disk_of_limit = disk.of_limit;
  if (installed.network) {
    const Received received = received_in(inputs, steady.kind, pipeline::epochs_begun(inputs));
    const double rate =
        received.by_step.base() * steady.steps + received.by_sample.base() * steady.rate;
    monitors.network = share(rate / installed.network->base());
  }
  monitors.gpu =
      share((outcome.later.busy + outcome.later.stall[Stage::allreduce]) / outcome.later.wall);
  if (installed.memory && installed.memory_used) {
    monitors.memory = share(*installed.memory_used / *installed.memory);
  }
  monitors.start = outcome.startup + outcome.staging;
  return monitors;
}

}  // namespace feedrate::study
