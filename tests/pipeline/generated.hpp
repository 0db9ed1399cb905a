#pragma once
// Random but reproducible inputs: every loader, source, cache and communication that the pipeline
// knows, slow drains and uneven last batches among them.
#include <cmath>
#include <random>
#include <vector>

#include "pipeline/flow.hpp"
#include "pipeline/loading.hpp"
#include "pipeline/mean.hpp"
#include "tests/seed.hpp"

namespace feedrate::pipeline {

class Draws {
 public:
  /// Shifted by FEEDRATE_SEED.
  explicit Draws(unsigned seed) : random_(test::seeded(seed)) {}

  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(random_() >> 8U) / 16777216.0);
  }
  double log_uniform(double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
  }
  double whole(double low, double high) { return std::floor(uniform(low, high + 1.0)); }
  bool chance(double probability) { return uniform(0.0, 1.0) < probability; }

 private:
  std::mt19937 random_;
};

class Generator : public Draws {
 public:
  explicit Generator(unsigned seed)
      : Draws(seed),
        later_(seed + 7919U),
        pieces_(seed + 104729U),
        cut_(seed + 1299709U),
        threads_(seed + 15485863U) {}

  /// Whether the source or the NIC ends the growth of `rate` is one to all times: every other does.
  static void pass_nic(Read& read) {
    const Bandwidth each = read.rate.total(1.0);
    const Bandwidth most = read.rate.maximum();
    if (std::fmod(std::floor(1e3 * (most / each)), 2.0) < 1.0) return;
    read.rate = linear_until(each, each * 1e6);
    read.nic = most;
    for (RateLimit& limit : read.limits) limit.of_nic = !limit.of_requests;
  }

  Read read() {
    Read read;
    read.latency = chance(0.5) ? seconds(log_uniform(1e-5, 2e-2)) : Duration{};
    read.requests = chance(0.8) ? 1.0 : log_uniform(0.01, 3.0);
    read.bytes = bytes_per_sample(log_uniform(1e3, 1e6));
    const Bandwidth each = bytes_per_second(log_uniform(1e7, 1e9));
    read.rate = linear_until(each, each * log_uniform(1.0, 40.0));
    if (chance(0.3)) {
      read.limits.push_back(
          {"requests", log_uniform(500.0, 50000.0), 0.0, 0.0, read.requests, true});
    }
    if (chance(0.3)) {
      read.limits.push_back({"bytes", log_uniform(1e7, 2e9), 0.0, 0.0, read.bytes.base(), false});
    }
    if (chance(0.2)) read.connections = whole(1.0, 16.0);
    return read;
  }

  /// `steps`: about so many per rank and epoch.
  Inputs inputs(double steps) {
    Inputs in;
    in.instances = chance(0.1) ? whole(8.0, 64.0) : whole(1.0, 4.0);
    in.ranks = whole(1.0, chance(0.2) ? 8.0 : 4.0);
    in.batch = whole(1.0, 96.0);
    in.epochs = whole(1.0, 3.0);
    const double ranks = in.instances * in.ranks;
    // Mostly not a multiple of the batch: the last one is smaller.
    in.samples = std::max(1.0, std::floor(in.batch * ranks * uniform(1.0, steps)));
    in.accumulation = chance(0.25) ? whole(2.0, chance(0.3) ? 64.0 : 5.0) : 1.0;
    in.drop_last = chance(0.1) && in.samples >= in.batch * ranks;
    const double kind = uniform(0.0, 1.0);
    in.kind = kind < 0.6   ? LoaderKind::pytorch
              : kind < 0.9 ? LoaderKind::pool
                           : LoaderKind::inline_;
    in.workers =
        in.kind == LoaderKind::inline_ ? 0.0 : whole(in.kind == LoaderKind::pool ? 1.0 : 0.0, 9.0);
    in.prefetch = whole(1.0, 5.0);
    in.persistent_workers = chance(0.3);
    in.in_order = chance(0.7);
    in.pinned = chance(0.4);
    in.asynchronous_step = chance(0.6);
    const double copies = uniform(0.0, 1.0);
    in.copies = copies < 0.3 ? Copies::beside : copies < 0.6 ? Copies::queued : Copies::waited;
    in.caches.decoded = chance(0.15);
    in.caches.readers = chance(0.2) ? 1.0 : in.instances;
    const double cores = whole(1.0, 16.0);
    in.cores = {{{1.0, 1.0},
                 {cores + 1.0, cores},
                 {2.0 * cores + 1.0, 1.3 * cores},
                 {2.0 * cores + 2.0, 1.22 * cores}},
                0.0};
    in.hardware_threads = 2.0 * cores + 1.0;
    in.cpu = chance(0.85) ? seconds_per_sample(log_uniform(1e-5, 1e-2)) : DurationPerSample{};
    in.cached_cpu = in.cpu * uniform(0.0, 1.0);
    if (chance(0.4)) {
      in.source = read();
      pass_nic(*in.source);
      in.first_source = in.source;
      if (chance(0.5)) in.first_source->latency += milliseconds(1.0);
      in.sequential_stream = chance(0.25);
    } else if (chance(0.7)) {
      in.disk = read();
    }
    if (in.source || in.disk) {
      in.caches.room = chance(0.5) ? uniform(0.0, 1.3) : 0.0;
      in.caches.staged = in.disk && chance(0.3);
    }
    in.worker_startup = chance(0.7) ? seconds(log_uniform(1e-4, 5e-2)) : Duration{};
    in.collate = chance(0.6) ? seconds_per_sample(log_uniform(1e-6, 1e-3)) : DurationPerSample{};
    in.handover = chance(0.8) ? seconds(log_uniform(1e-5, 5e-3)) : Duration{};
    in.pin = in.pinned ? seconds_per_sample(log_uniform(1e-6, 1e-4)) : DurationPerSample{};
    in.copy_latency = microseconds(10.0);
    in.copy = seconds_per_sample(log_uniform(1e-6, 1e-3));
    in.step.fixed = seconds(log_uniform(1e-4, 1e-2));
    in.step.per_sample = seconds_per_sample(log_uniform(1e-5, 1e-2));
    in.size_cv = chance(0.8) ? uniform(0.0, 0.6) : 0.0;
    in.read_cv = chance(0.8) ? uniform(0.0, 0.4) : 0.0;
    in.make_cv = chance(0.8) ? uniform(0.0, 0.2) : 0.0;
    in.step_cv = chance(0.3) ? uniform(0.0, 0.3) : 0.0;
    in.exposed_allreduce = chance(0.5) ? seconds(log_uniform(1e-4, 1e-1)) : Duration{};
    if (in.kind == LoaderKind::pool && chance(0.1)) in.locked = in.cpu * uniform(0.1, 1.0);
    if (chance(0.1)) in.cpu_quota = RateLimit{"CPU quota", uniform(0.5, cores)};
    if (chance(0.1)) in.fetch_threads = whole(2.0, 16.0);
    if (chance(0.1)) {
      const double work = (in.cpu + in.collate).base();
      if (work > 0.0) in.memory = RateLimit{"memory bandwidth", uniform(0.3, 2.0) * cores / work};
    }
    if (chance(0.25)) balance(in);
    add_later(in);
    return in;
  }

 private:
  /// A slow drain: the GPU is a hair faster than the loader, so that prefetched batches run out
  /// only after a long time of constant steps.
  void balance(Inputs& in) {
    const PerStage<Throughput> capacity = capacities(in, EpochKind::later, 2.0);
    Throughput slowest{};
    for (Stage stage : {Stage::download, Stage::network, Stage::disk, Stage::decode}) {
      if (capacity[stage].base() <= 0.0) continue;
      if (slowest.base() <= 0.0 || capacity[stage] < slowest) slowest = capacity[stage];
    }
    if (slowest.base() <= 0.0) return;
    const Throughput per_rank = slowest / (in.instances * in.ranks);
    in.step.fixed = Duration{};
    in.step.per_sample = samples(1.0) / per_rank * (1.0 - log_uniform(1e-4, 1e-2)) / samples(1.0);
    in.exposed_allreduce = Duration{};
  }

  /// What was added to jobs is drawn apart, so that all else of them stays what it was.
  void add_later(Inputs& in) {
    in.handover_cv = later_.chance(0.8) ? later_.uniform(0.0, 0.5) : 0.0;
    if (in.source && later_.chance(0.2)) {
      in.source->cpu = seconds_per_sample(later_.log_uniform(1e-6, 1e-3));
      in.first_source->cpu = in.source->cpu;
    }
    const double of_rank = epoch_shape(in).samples();
    if (pieces_.chance(0.1) && !in.sequential_stream && (in.source || in.disk)) {
      in.read_before = std::ceil(of_rank * pieces_.log_uniform(1e-3, 1.0));
    }
    // Of few objects to many for each worker, some of them one more than the others.
    if (pieces_.chance(0.1) && in.workers >= 1.0) {
      const double objects = std::ceil(in.workers * pieces_.log_uniform(0.5, 8.0));
      in.per_object = in.samples / (objects * in.replicas());
      in.whole_objects = true;
    }
    in.own_batches = cut_.chance(0.1);
    // Each of them has a batch, or nothing would be left of all that they drop.
    if (in.drop_last && division_of(in).each.batches < 1.0) in.drop_last = false;
    // No loader has both: what downloads ahead deals its batches.
    if (in.source && !in.own_batches && threads_.chance(0.3)) {
      DownloadThread& thread = in.download_thread;
      thread.at_once = std::ceil(in.batch * threads_.log_uniform(0.1, 30.0));
      thread.first =
          thread.at_once * (threads_.chance(0.3) ? threads_.log_uniform(1.0, 30.0) : 1.0);
      thread.ahead = thread.first - thread.at_once +
                     (threads_.chance(0.6) ? thread.at_once : in.batch * threads_.whole(0.0, 8.0));
    }
  }

  Draws later_;
  Draws pieces_;
  Draws cut_;
  Draws threads_;
};

/// What laws of monotone times leave to jobs whose objects are uneven: few workers make the last
/// batches, and how much is left for them follows from everything before. The events move by up to
/// 0.3 % where the mean does (FEEDRATE_SEED=26112620 to 26112622).
inline double left_by_uneven(const Inputs& in) {
  return in.whole_objects && division_of(in).few > 0.0 ? 5e-3 : 0.0;
}

/// The same job without buffers, objects of workers' own and first downloads of each, for laws of
/// jobs that are cut otherwise.
inline Inputs without_pieces(Inputs in) {
  in.read_before = 0.0;
  in.whole_objects = in.own_batches = false;
  in.per_object = 0.0;
  in.download_thread = {};
  return in;
}

/// X(1) … X(n) of one instance's loader in an epoch: samples per second by customers that are busy.
inline std::vector<double> loader_curve(const Inputs& inputs, EpochKind kind, double epoch) {
  const Misses misses = misses_in(inputs, epoch);
  const double active = active_workers(inputs);
  const Flow flow(inputs, kind, misses, active);
  const double most = active * inputs.ranks;
  std::vector<double> curve;
  for (double n = 1.0; n <= most; n += 1.0) curve.push_back(flow.rate(n / most));
  return curve;
}

}  // namespace feedrate::pipeline
