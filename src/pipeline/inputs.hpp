#pragma once
// Everything the simulator needs, as plain numbers, nothing optional that a stage on the path uses.
// resolve/resolve.cpp makes it from a Scenario, the catalogue and a host profile.
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "model/curve.hpp"
#include "model/discipline.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"
#include "model/stage.hpp"
#include "queueing/empirical.hpp"
#include "reliability/interruptions.hpp"

namespace feedrate::collective {
struct Plan;
}

namespace feedrate::pipeline {

/// A long-run rate that is enforced by counting: requests pass at the speed of what is behind it
/// while it has credit. Rates and credit count bytes, requests, or core-seconds.
struct RateLimit {
  std::string name;         ///< "gp3 IOPS", as a report says it
  double rate = 0.0;        ///< per second, of one instance, held forever
  double burst_rate = 0.0;  ///< per second while credit lasts; 0: the limit has no burst
  double credit = 0.0;      ///< saved up at the job's start, used up by what exceeds `rate`
  double each = 1.0;        ///< what a sample counts (staging: an object)
  bool of_requests = false;
  bool shared = false;  ///< `rate` is an equal part of what all instances have together
  bool of_nic = false;  ///< the instance's own network, whatever reads

  [[nodiscard]] bool bursts() const { return burst_rate > 0.0; }
  bool operator==(const RateLimit&) const = default;
};

/// How bytes come to one instance: requests of `requests` a sample, each a latency that nothing
/// shares, then its bytes over a capacity of the instance, under limits that are enforced upstream.
struct Read {
  Duration latency;       ///< of a request, before its first byte
  double requests = 1.0;  ///< per sample
  double parts = 1.0;     ///< in which a client asks a store for each, which counts and bills them
  DataPerSample bytes;    ///< per sample
  DurationPerSample cpu;  ///< of the client, on the cores of whoever reads
  Curve<Bandwidth> rate;  ///< X(n) with n requests in transfer; empty: transfer takes no time
  std::optional<Bandwidth> nic;  ///< all that the instance's NIC lets through; empty: no limit
  Discipline discipline = Discipline::shared;  ///< of `rate`: shared, or one at a time
  double connections = 0.0;                    ///< requests in flight at most; 0: no limit
  std::vector<RateLimit> limits;
  /// Where `rate` is no more than an equal part of what all instances have together: all of that,
  /// and the rate without it.
  Bandwidth shared_by_all;
  Curve<Bandwidth> unshared;

  /// `rate` as far as the NIC carries it.
  [[nodiscard]] Curve<Bandwidth> through_nic() const { return nic ? capped(rate, *nic) : rate; }
  bool operator==(const Read&) const = default;
};

/// How the times of single steps vary, as they were measured: each over the mean of all.
struct StepTimes {
  queueing::Empirical step;
  queueing::Empirical group;  ///< of the mean of as many as there are between two all-reduces
};

/// Of (how many, time) as they were measured, for so many batches between two all-reduces; null
/// where all times are one.
std::shared_ptr<const StepTimes> step_times_of(
    const std::vector<std::pair<double, Duration>>& counted, double accumulation);

/// Auxiliary CPU instances that preprocess for all training instances together: customers of a
/// network of their own.
struct RemotePool {
  double instances = 1.0;            ///< each with a NIC of its own
  double workers = 0.0;              ///< of all
  Curve<double> cores;               ///< core-seconds per second with n of them busy
  DurationPerSample cpu;             ///< their work on a sample
  std::optional<Read> fetch;         ///< how they read from a remote source, through their own NICs
  DataPerSample sent;                ///< over the training instance's NIC, per sample
  Duration latency;                  ///< of a delivery
  double deliveries = 1.0;           ///< per sample
  Bandwidth network;                 ///< of a training instance
  std::optional<Bandwidth> sending;  ///< of a helper's NIC; empty: no limit
  /// Of either NIC in bytes, each way by itself (EC2 counts what comes in and what goes out apart).
  std::optional<RateLimit> network_credits{}, sending_credits{};
  /// Training instances that are one in Inputs, where events have all that helpers serve as one.
  double in_one = 1.0;
};

/// File mode: every object copied to the instance before training.
struct Staging {
  double objects = 0.0;      ///< per instance
  double connections = 1.0;  ///< copying at once
  Bytes object_size;         ///< mean
  Read read;                 ///< `bytes` and `requests` per sample are unused here
  std::optional<Bandwidth> disk_write;
  std::vector<RateLimit> write_limits;  ///< of the disk that is written, with their bursts
};

/// The caches of an instance, and what decides what an epoch finds in them.
struct Caches {
  double room = 0.0;  ///< page cache over the dataset's share of an instance
  CachePolicy policy = CachePolicy::linux_two_lists;
  double readers = 1.0;  ///< instances that share the dataset, each reading another random part
  bool staged = false;   ///< File mode has just written the data through the cache
  bool decoded = false;  ///< samples stay in memory once they were decoded
  /// A cache on the instance's disk of what was fetched from the source, the least recently used
  /// leaving first, over the dataset's share; 0: none.
  double on_disk = 0.0;
  /// Where such caches of several instances are one: of what it gives, the share that another
  /// instance's disk does, over both NICs, and how much longer each read of that takes.
  double from_peers = 0.0;
  Duration peer_latency;
  /// Whether the page cache holds what a mount has given, whatever that keeps on the disk beneath;
  /// otherwise it holds pages of the files in the cache on the disk, and loses what these lose.
  bool above_mount = false;
};

/// What a thread of each worker does that downloads while the worker makes samples of what is
/// there, in samples of the worker.
struct DownloadThread {
  double at_once = 0.0;  ///< there together, when the last of them is; 0: there is no such thread
  double first = 0.0;    ///< the same at the beginning of an epoch
  double ahead = 0.0;    ///< that its worker has not made when it begins the next of them, at most
};

/// Who waits while a batch is copied to the GPU.
enum class Copies {
  waited,  ///< the GPU's step and the main process, which then launches the step
  queued,  ///< the GPU's step: the copy stands in its stream
  beside,  ///< neither: the copy has a stream of its own
};

struct Inputs;

/// Of instances that have different numbers of GPUs. Every rank trains on as many samples, and each
/// step ends with the slowest instance's.
struct UnequalInstances {
  struct Kind {
    double instances = 1.0;
    std::shared_ptr<const Inputs> inputs;  ///< of one of them; `others` of it are empty
  };
  double gpus = 0.0;   ///< of all instances together
  double most = 0.0;   ///< of one of them
  double alike = 1.0;  ///< instances that have as many as this one, which Inputs::ranks says
  std::vector<Kind> others;
};

/// Writing checkpoints to a file system that saves up credit, which the job's reads use as well.
/// Bytes are as it counts those that are read.
struct CheckpointBurst {
  Duration time;        ///< of each while credit lasts
  double each = 0.0;    ///< bytes of one
  double credit = 0.0;  ///< saved up at the job's start
  double earned = 0.0;  ///< a second

  bool operator==(const CheckpointBurst&) const = default;
};

struct Inputs {
  // the job's shape
  double samples = 0.0;  ///< per epoch, all ranks
  double epochs = 1.0;   ///< that are finished
  /// Steps of one epoch more, which the job leaves in its middle; below a whole epoch's.
  double unfinished_steps = 0.0;
  double batch = 1.0;  ///< samples per rank and step
  double instances = 1.0;
  double ranks = 1.0;  ///< GPUs per instance; where they are unequal, of this kind
  std::optional<UnequalInstances> unequal;
  /// Where a model is spread over several GPUs, `instances` and `ranks` are those that load. All of
  /// them, loading or not; 0: each GPU loads.
  double all_instances = 0.0;
  double all_ranks = 0.0;     ///< GPUs of an instance
  double times_loaded = 1.0;  ///< each sample, by so many loaders
  double accumulation = 1.0;  ///< batches per exchange
  bool drop_last = false;

  // before and around the GPU
  LoaderKind kind = LoaderKind::pytorch;
  double workers = 0.0;   ///< per rank
  double prefetch = 2.0;  ///< batches per worker (pytorch) or per rank (pool)
  bool persistent_workers = false;
  bool in_order = true;
  bool pinned = false;
  bool asynchronous_step = true;
  Copies copies = Copies::waited;  ///< of a loop that does not wait for its step
  std::optional<Staging> staging;
  std::optional<Read> first_source;  ///< first epoch, when samples come from afar while training
  std::optional<Read> source;        ///< later epochs
  bool sequential_stream = false;    ///< Pipe: one stream per instance, ahead of the workers
  double fetch_threads = 1.0;        ///< requests that one worker has in flight at once
  DownloadThread download_thread;    ///< of each worker
  double per_object = 0.0;           ///< samples of an object that holds many, mean; 0: none does
  bool whole_objects = false;        ///< each is read by one worker
  bool own_batches = false;          ///< each worker cuts the samples that it reads, in any case
  double times_read = 1.0;           ///< by so many ranks, each of which drops the others' samples
  /// Samples that each worker (pool: all threads of a rank) reads before it makes one, each epoch.
  double read_before = 0.0;
  std::optional<Read> disk;
  Caches caches;
  DurationPerSample cpu;         ///< preprocessing on the instance's cores, one thread
  DurationPerSample cached_cpu;  ///< the same of a sample whose decoded form is in memory
  DurationPerSample locked;      ///< of the CPU work: under a lock that all threads of a rank share
  Curve<double> cores;  ///< core-seconds per second with n threads runnable on the instance
  double hardware_threads = 1e300;  ///< those that run at once; as many as are ready: nobody says
  double other_threads = 0.0;  ///< of other programs, always ready to run: `cores` knows of them
  std::optional<RateLimit> cpu_quota;  ///< of hardware threads' seconds
  std::optional<RateLimit> memory;     ///< of samples whose bytes cross the memory's bus
  std::optional<RemotePool> remote;
  Duration worker_startup;    ///< per worker, one after the other
  Duration worker_warmup;     ///< CPU of each worker before its first batch
  Duration worker_shutdown;   ///< of all workers, at the end of an epoch
  DurationPerSample collate;  ///< CPU in the worker
  Duration handover;          ///< CPU of the main process per batch, mean
  double handover_cv = 0.0;
  /// Of a loop that waits for each step: CPU of the main process to start it. What of it the step
  /// is not long enough for is handover (handover_time).
  Duration launch;
  Duration started;       ///< of `handover`, starting the step: for who says what it is
  DurationPerSample pin;  ///< CPU of the pinning thread
  Duration copy_latency;
  DurationPerSample copy;  ///< host-to-device

  // the GPU and what couples GPUs
  Step step;                               ///< filled: a table, or fixed and per_sample
  DurationPerSample gpu_preprocess;        ///< on the GPU, in the step's own stream before it
  DurationPerSample gpu_preprocess_ahead;  ///< on the GPU, in a stream of the loader (pool)
  bool step_is_guess = false;  ///< it was measured at another batch, and given in one form alone
  double step_cv = 0.0;
  std::shared_ptr<const StepTimes> step_times{};  ///< of that cv; null: lognormal
  double size_cv = 0.0;                           ///< of a sample's size and cost
  double read_cv = 0.0;  ///< of a batch's reading, from step to step, beyond its samples' sizes
  double make_cv = 0.0;  ///< of the rest of a batch's making
  Duration exposed_allreduce;  ///< per exchange, at speed 1
  /// From what it follows at other speeds of steps and messages; null: no step hides any of it.
  std::shared_ptr<const collective::Plan> exchange{};
  Bytes network_allreduce;           ///< bytes of it over an instance's NIC, hidden ones included
  std::optional<Bandwidth> network;  ///< NIC of an instance, shared with downloads
  /// Of all kinds of instances: found so that the job takes what it was measured to.
  bool exposed_is_of_job = false;
  bool efficiency_missed = false;  ///< a given efficiency is more than the pipeline allows
  /// The exchange hides behind the input pipelines, which lose what the efficiency loses: their
  /// virtual speeds are less.
  bool loading_loses = false;
  double slowest_of = 0.0;                          ///< GPUs that steps wait for; 0: all
  Duration startup;                                 ///< of the job
  Duration checkpoint_interval;                     ///< 0 = none
  double checkpoint_steps = 0.0;                    ///< instead: optimizer steps between two
  double checkpoint_epochs = 0.0;                   ///< instead: epochs between two
  Duration checkpoint_time;                         ///< each, at what the storage gives for ever
  std::optional<CheckpointBurst> checkpoint_burst;  ///< empty: it saves up nothing
  bool checkpoint_background = false;               ///< training goes on while one is written
  bool best_interval = false;              ///< instead of checkpoint_interval: by `interruptions`
  std::optional<Stage> checkpoint_beside;  ///< whose storage, read meanwhile, takes the writes
  /// Rates, restart and waits of the whole cluster; the work is what is simulated, and start-up,
  /// staging and cold caches are added to each restart. Empty: nothing is interrupted.
  std::optional<reliability::InterruptedJob> interruptions;
  bool restarts_all = false;  ///< on other instances, all of them; else one is replaced
  Duration booked;  ///< the cluster is there for so long at a time; 0: as long as it takes

  /// A stage's virtual speed: 2 = every cost of it halved.
  PerStage<double> speed = ones();

  /// Whether checkpoints are written, and those at times that are given.
  [[nodiscard]] bool writes_checkpoints() const { return fixed_checkpoints() || best_interval; }
  [[nodiscard]] bool fixed_checkpoints() const {
    if (best_interval) return false;
    return checkpoint_interval > Duration{} || checkpoint_steps > 0.0 || checkpoint_epochs > 0.0;
  }

  /// Of a single one, as a last one or one that is read back: credit is left for it.
  [[nodiscard]] Duration single_checkpoint() const {
    return checkpoint_burst ? checkpoint_burst->time : checkpoint_time;
  }

  /// Ranks of the whole job that load.
  [[nodiscard]] double gpus() const { return unequal ? unequal->gpus : instances * ranks; }
  /// Of the whole cluster, loading or not.
  [[nodiscard]] double cluster_instances() const {
    return all_instances > 0.0 ? all_instances : instances;
  }
  [[nodiscard]] double cluster_ranks() const { return all_ranks > 0.0 ? all_ranks : most_ranks(); }
  [[nodiscard]] double cluster_gpus() const {
    return all_instances > 0.0 ? all_instances * all_ranks : gpus();
  }
  /// Ranks that load different samples.
  [[nodiscard]] double replicas() const { return gpus() / times_loaded; }
  /// Instances such as this one that would have as many GPUs: all of them where they are alike.
  [[nodiscard]] double instances_alike() const { return unequal ? gpus() / ranks : instances; }
  /// GPUs of which the slowest ends a step.
  [[nodiscard]] double waited_for() const { return slowest_of > 0.0 ? slowest_of : gpus(); }
  /// GPUs of the instance that has most of them.
  [[nodiscard]] double most_ranks() const { return unequal ? unequal->most : ranks; }

  /// Whether threads, here or remote, make single samples of any batch; else workers whole batches.
  [[nodiscard]] bool pooled() const { return remote || traits(kind).shared_batches; }

  static PerStage<double> ones() {
    PerStage<double> speed;
    for (Stage stage : all_stages()) speed[stage] = 1.0;
    return speed;
  }
};

/// Batches of a rank that follow one another and are of one size.
struct BatchRun {
  double batches = 0.0;
  double samples = 0.0;  ///< of each
  bool by_few = false;   ///< of workers that own more than the others, once these have ended
};

/// Batches of one rank in an epoch, in the order of its steps. All but the last few are full: where
/// each worker cuts what it owns, each ends with a smaller one of its own.
class EpochShape {
 public:
  double steps = 0.0;
  double last_batch = 0.0;  ///< samples

  void add(const BatchRun& run);

  [[nodiscard]] const BatchRun* begin() const { return runs_.data(); }
  [[nodiscard]] const BatchRun* end() const { return runs_.data() + count_; }
  /// Of all batches.
  [[nodiscard]] double samples() const;
  /// Of the largest.
  [[nodiscard]] double largest() const;
  /// Of a loop that is left after so many.
  [[nodiscard]] EpochShape first(double steps) const;

 private:
  std::array<BatchRun, 4> runs_;
  std::size_t count_ = 0;
};
EpochShape epoch_shape(const Inputs& inputs);

/// A job of `steps` batches a rank: whole epochs, and what is left of one more.
void set_steps(Inputs& inputs, double steps);

/// Epochs that the job begins.
double epochs_begun(const Inputs& inputs);

/// All-reduces of the whole job: a group of batches that an epoch's end cuts short has one, too.
double exchanges(const Inputs& inputs);

/// Training time between checkpoints that come at given times, steps or epochs, of a job that
/// trains for so long; 0 where none do.
Duration fixed_interval(const Inputs& inputs, Duration training);

/// Samples that the ranks of one instance train on in an epoch; with `steps` in so many of it.
double samples_of_instance(const Inputs& inputs, double steps = 0.0);

/// Samples of the whole job, all ranks.
double trained_samples(const Inputs& inputs);

/// Time of the GPU for the step on `batch` samples, at speed 1.
Duration step_time(const Inputs& inputs, double batch);

/// What the main process does for a batch beside the GPU's step, at the virtual speeds of both. A
/// loop that waits for each step starts it within the step, as far as that is long enough: faster
/// GPUs leave more of it outside.
Duration handover_time(const Inputs& inputs);

/// Exposed communication of an exchange, at the virtual speeds of the GPU and of messages.
Duration exposed_communication(const Inputs& inputs);

/// Of an exchange all of it, hidden or not, where its messages are known; else what is exposed.
Duration all_communication(const Inputs& inputs);

/// Which epoch: the first may read other places than the later ones.
enum class EpochKind { first, later };

/// Epochs in a row that find the same caches.
struct Epochs {
  EpochKind kind = EpochKind::first;
  double first = 1.0;  ///< the number of the first of them
  double count = 1.0;
  double steps = 0.0;  ///< > 0: each is left after so many; below a whole epoch's
};

}  // namespace feedrate::pipeline
