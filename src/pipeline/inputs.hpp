#pragma once
// Everything the simulator needs, as plain numbers, nothing optional that a stage on the path uses.
// pipeline/resolve.cpp makes it from a Scenario, the catalogue and a host profile.
#include <optional>
#include <vector>

#include "base/units.hpp"
#include "model/curve.hpp"
#include "model/scenario.hpp"
#include "model/stage.hpp"

namespace feedrate::pipeline {

/// How bytes come over a shared capacity, seen from one instance. A limit on requests per second is
/// a capacity of its own for a remote source, where it holds however many connections carry the
/// bytes; for a disk it adds X_max/max_requests bytes of work to each request, for a disk that
/// seeks does not transfer meanwhile.
struct Read {
  Duration latency;        ///< before the first byte of a request; uses no capacity
  double requests = 1.0;   ///< per sample
  DataPerSample bytes;     ///< per sample
  Curve<Bandwidth> rate;   ///< X(n) with n requests in transfer on the instance
  Frequency max_requests;  ///< of the instance; 0 = no limit
};

/// Auxiliary CPU instances that preprocess, per training instance.
struct RemotePool {
  double workers = 0.0;   ///< per training instance
  Curve<double> cores;    ///< core-seconds per second with n of those workers busy
  DurationPerSample cpu;  ///< their work on a sample
  Read delivery;          ///< the way to the training instance
};

/// File mode: every object copied to the instance before training.
struct Staging {
  double objects = 0.0;      ///< per instance
  double connections = 1.0;  ///< copying at once
  Bytes object_size;
  Read read;  ///< `bytes` and `requests` per sample are unused here
  std::optional<Bandwidth> disk_write;
};

struct Inputs {
  // the job's shape
  double samples = 0.0;  ///< per epoch, all ranks
  double epochs = 1.0;
  double batch = 1.0;  ///< samples per rank and step
  double instances = 1.0;
  double ranks = 1.0;         ///< GPUs per instance
  double accumulation = 1.0;  ///< batches per all-reduce
  bool drop_last = false;

  // before and around the GPU
  LoaderKind kind = LoaderKind::pytorch;
  double workers = 0.0;   ///< per rank
  double prefetch = 2.0;  ///< batches per worker (pytorch) or per rank (pool)
  bool persistent_workers = false;
  bool in_order = true;
  bool pinned = false;
  bool asynchronous_step = true;
  bool non_blocking = false;
  bool in_memory_cache = false;
  std::optional<Staging> staging;
  std::optional<Read> first_source;  ///< first epoch, when samples come from afar while training
  std::optional<Read> source;        ///< later epochs
  bool sequential_stream = false;    ///< Pipe: one stream per instance ahead of the workers
  std::optional<Read> disk;
  double first_hit = 0.0;        ///< page-cache hit ratio of the first epoch, for disk and mounts
  double hit = 0.0;              ///< of later ones
  DurationPerSample cpu;         ///< preprocessing on the instance's cores, one thread
  DurationPerSample cached_cpu;  ///< the same once decoded samples are kept in memory
  Curve<double> cores;  ///< core-seconds per second with n threads runnable on the instance
  std::optional<RemotePool> remote;
  Duration worker_startup;    ///< per worker, one after the other
  Duration worker_warmup;     ///< CPU of each worker before its first batch
  Duration worker_shutdown;   ///< of all workers, at the end of an epoch
  DurationPerSample collate;  ///< CPU in the worker
  Duration handover;          ///< CPU of the main process per batch
  DurationPerSample pin;      ///< CPU of the pinning thread
  Duration copy_latency;
  DurationPerSample copy;  ///< host-to-device

  // the GPU and what couples GPUs
  Step step;  ///< filled: a table, or fixed and per_sample
  DurationPerSample gpu_preprocess;
  double step_cv = 0.0;
  double size_cv = 0.0;
  Duration exposed_allreduce;    ///< per optimiser step
  Duration startup;              ///< of the job
  Duration checkpoint_interval;  ///< 0 = none
  Duration checkpoint_time;      ///< each

  /// A stage's virtual speed: 2 = every cost of it halved.
  PerStage<double> speed = ones();

  static PerStage<double> ones() {
    PerStage<double> speed;
    for (Stage stage : all_stages()) speed[stage] = 1.0;
    return speed;
  }
};

/// Batches of one rank in an epoch, and the samples in the last of them.
struct EpochShape {
  double steps = 0.0;
  double last_batch = 0.0;
};
EpochShape epoch_shape(const Inputs& inputs);

/// Time of the GPU for `batch` samples, preprocessing on the GPU included, at speed 1.
Duration step_time(const Inputs& inputs, double batch);

/// Which epoch: the first may read other places than the later ones.
enum class EpochKind { first, later };

/// Samples/s that each stage could carry for the whole job if it alone took time; 0 where it takes
/// none.
PerStage<Throughput> capacities(const Inputs& inputs, EpochKind kind);

}  // namespace feedrate::pipeline
