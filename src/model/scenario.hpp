#pragma once
// A scenario as its author wrote it. What was left out stays empty here; resolve/ fills
// it from the catalogue, a host profile or a stated assumption, and records which.
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "model/accounting.hpp"
#include "model/dataset.hpp"
#include "model/layout.hpp"
#include "model/loaders.hpp"
#include "model/models.hpp"
#include "model/source.hpp"
#include "model/stores.hpp"
#include "model/study.hpp"

namespace feedrate {

/// How a worker process hands a batch over to the main process: tensors in memory that both see, or
/// anything else (lists of arrays, named tuples of them), written into a pipe and copied out.
enum class Transport { shared_memory, pickled };
inline constexpr std::array<std::string_view, 2> transport_words = {"shared_memory", "pickled"};
static_assert(names_all(transport_words, Transport::pickled));
/// How worker processes come to be, as Python's multiprocessing names it.
enum class WorkerStart { fork, forkserver, spawn };
inline constexpr std::array<std::string_view, 3> worker_start_words = {"fork", "forkserver",
                                                                       "spawn"};
static_assert(names_all(worker_start_words, WorkerStart::spawn));

/// How the workers of an iterable dataset share its objects: each reads whole ones, or samples of
/// any are divided among all.
enum class DividedBy { samples, objects };
inline constexpr std::array<std::string_view, 2> divided_by_words = {"samples", "objects"};
static_assert(names_all(divided_by_words, DividedBy::objects));

struct RemoteWorkers {
  std::string instance;
  double instances = 1.0;
  std::optional<double> workers_per_instance;     ///< default: its vCPUs
  std::optional<HourlyPrice> price;               ///< default: catalogue
  std::optional<DataPerSample> bytes_per_sample;  ///< what crosses the network, preprocessed
  bool operator==(const RemoteWorkers&) const = default;
};

/// How many workers a rank has: a number, or a rule that follows the instance.
enum class WorkerRule { number, automatic, cpus_less_one };

struct WorkerCount {
  WorkerRule rule = WorkerRule::number;
  double number = 0.0;  ///< where the rule is a number
  WorkerCount() = default;
  WorkerCount(double count) : number(count) {}
  WorkerCount(WorkerRule by) : rule(by) {}
  bool operator==(const WorkerCount&) const = default;
};

struct Loader {
  LoaderName kind;                         ///< default: pytorch
  std::optional<WorkerCount> num_workers;  ///< per rank (GPU); pool: threads per rank
  std::optional<double>
      prefetch_factor;  ///< batches outstanding per worker; pool: batches per rank
  std::optional<bool> pin_memory;
  std::optional<bool> persistent_workers;
  std::optional<double> batch_size;  ///< samples per GPU and step
  std::optional<bool> drop_last;
  std::optional<bool> in_memory_cache;     ///< decoded samples stay in RAM after the first epoch
  std::optional<bool> in_order;            ///< pool: results re-sequenced
  std::optional<Duration> worker_startup;  ///< fork and import, per worker, one after the other
  std::optional<DurationPerByte> collate;  ///< CPU per byte of batch, in the worker
  std::optional<WorkerStart> start;        ///< of worker processes; default: fork
  std::optional<Duration> handover;        ///< CPU of the main process per batch
  std::optional<double> handover_cv;       ///< of that from batch to batch
  std::optional<double> tensors_per_sample = {};  ///< that a batch holds one by one; default: none
  std::optional<Transport> transport;             ///< of batches; default: shared_memory
  std::optional<double> oversubscription;  ///< extra CPU share when runnable > hardware threads
  std::optional<double> contention;        ///< what each further busy core costs the others
  /// Measured (threads, rate), in any unit: how the cores' total grows.
  std::optional<std::vector<std::pair<double, double>>> thread_scaling;
  std::optional<DurationPerSample>
      lock;                             ///< of the CPU time: under a lock of all threads of a rank
  std::optional<Bytes> worker_memory;   ///< of one worker, its own
  std::optional<double> fetch_threads;  ///< requests that one worker has in flight at once
  std::optional<DividedBy> divided_by;
  std::optional<double> shuffle_buffer;  ///< samples read before the first comes out
  std::optional<bool> packing;           ///< stored samples fill sequences of job.step's tokens
  std::optional<double> read_cv;         ///< of a batch's reading from step to step, beyond sizes
  std::optional<double> make_cv;         ///< of the rest of a batch's making from step to step
  std::optional<RemoteWorkers> remote;
  bool operator==(const Loader&) const = default;
};

enum class Place { cpu, gpu, offline, remote };
inline constexpr std::array<std::string_view, 4> place_words = {"cpu", "gpu", "offline", "remote"};
static_assert(names_all(place_words, Place::remote));

/// One operation on every sample. Exactly one of `cpu` and `cpu_per_byte` unless it is only on GPU.
struct Operation {
  std::string operation;                        ///< "decode", "resize" …; free text
  std::optional<DurationPerSample> cpu;         ///< CPU time per sample, one thread
  std::optional<DurationPerByte> cpu_per_byte;  ///< per decoded byte
  std::optional<DurationPerSample> gpu;         ///< time on the GPU where it runs there
  Place where = Place::cpu;
  std::optional<DataPerSample> output_bytes;  ///< of a sample after it; offline: stored
  std::optional<bool> in_loader = {};  ///< on the GPU: ahead, in the loader's own stream (DALI's)
  std::optional<bool> cached = {};     ///< in_memory_cache keeps what this operation makes
  bool operator==(const Operation&) const = default;
};

enum class Purchase { on_demand, spot, savings_plan, capacity_block, training_plan };
inline constexpr std::array<std::string_view, 5> purchase_words = {
    "on_demand", "spot", "savings_plan", "capacity_block", "training_plan"};
static_assert(names_all(purchase_words, Purchase::training_plan));
/// How a scenario and the command line spell it.
constexpr std::string_view word_of(Purchase purchase) {
  return purchase_words[static_cast<std::size_t>(purchase)];
}

/// Paid whole and in advance, for `Cluster::booked`.
constexpr bool is_booked(Purchase purchase) {
  return purchase == Purchase::capacity_block || purchase == Purchase::training_plan;
}

/// How often an instance fails; at most one is given.
struct Failures {
  std::optional<double> per_1000_node_days;
  std::optional<Duration> mttf;  ///< mean time to failure of one instance
  bool operator==(const Failures&) const = default;
};

/// When spot instances are given up for on-demand ones, for the rest of the job.
struct SpotFallback {
  std::optional<double> after_interruptions;
  std::optional<Duration> after_wait;  ///< of a single wait for capacity
  bool operator==(const SpotFallback&) const = default;
};

/// How spot instances are taken away, and come back. Counted where they are bought.
struct Spot {
  std::optional<double> interruption_share_per_month;  ///< of instances, or `rate`
  std::optional<Frequency> rate;                       ///< interruptions of one instance
  std::optional<Duration> notice;             ///< that the training program uses for a checkpoint
  std::optional<Duration> wait_for_capacity;  ///< mean, after an interruption
  std::optional<SpotFallback> fallback;
  std::optional<double> on_demand_instances = {};  ///< of the cluster's, bought on demand
  std::optional<HourlyPrice>
      on_demand_price;  ///< of one instance, to compare with and fall back to
  bool operator==(const Spot&) const = default;
};

struct Cluster {
  std::optional<std::string> instance;  ///< "ml.p3.2xlarge"; the prefix ml. means SageMaker
  double instances = 1.0;
  std::optional<double> gpus_per_instance;  ///< of unequal instances the most of one
  /// One number an instance, descending, where they are not all the same; else empty. `instances`
  /// says how many there are.
  std::vector<double> unequal_gpus;
  std::optional<std::string> region;
  std::optional<double> zones = {};  ///< of that region, over which instances are spread
  Purchase purchase = Purchase::on_demand;
  std::optional<double> savings;           ///< savings plan: fraction off the on-demand price
  std::optional<Duration> kept_warm = {};  ///< after the job, for the next one, and paid
  std::optional<Duration> booked;    ///< capacity block, training plan: length of one, paid whole
  std::optional<Failures> failures;  ///< empty: none are counted
  std::optional<Spot> spot;          ///< empty: spot instances are interrupted as published
  std::optional<HourlyPrice> price;  ///< per instance; overrides the catalogue
  /// Own on-demand prices by instance type; they come before the catalogue's.
  std::optional<std::map<std::string, HourlyPrice>> prices;
  std::optional<double> vcpus;
  std::optional<double> cores;
  std::optional<double> cpu_quota;      ///< CPUs that a container may use in the long run
  std::optional<double> other_threads;  ///< of other programs on an instance, always ready to run
  std::optional<Bytes> memory;
  std::optional<Bytes> shared_memory;  ///< /dev/shm, through which workers hand batches over
  std::optional<Bandwidth> network;
  std::optional<Bandwidth> pinned_bandwidth;    ///< host-to-device per GPU, pinned
  std::optional<Bandwidth> pageable_bandwidth;  ///< host-to-device per GPU, pageable
  std::optional<Duration> copy_latency;         ///< host-to-device per copy
  std::optional<Bandwidth> pcie = {};           ///< line rate of a GPU's link, one way
  bool operator==(const Cluster&) const = default;

  /// How spot instances are interrupted: as given, else as published. Empty where none are bought.
  [[nodiscard]] std::optional<Spot> interrupted_spot() const {
    if (purchase != Purchase::spot) return std::nullopt;
    return spot.value_or(Spot{});
  }
  /// Whether interruptions are counted; those of booked time apart.
  [[nodiscard]] bool interrupted() const { return failures || purchase == Purchase::spot; }
  /// Of a mixed fleet: instances that are bought on demand where the others are spot ones.
  [[nodiscard]] double on_demand_beside_spot() const {
    return spot && purchase == Purchase::spot ? spot->on_demand_instances.value_or(0.0) : 0.0;
  }
  /// Each zone has an instance at least.
  [[nodiscard]] double zones_used() const { return std::min(zones.value_or(1.0), instances); }
};

/// What a step keeps in the GPU's memory: fixed + per_sample · batch.
struct StepMemory {
  std::optional<Bytes> fixed;               ///< weights, gradients, optimiser
  std::optional<DataPerSample> per_sample;  ///< activations
  bool operator==(const StepMemory&) const = default;
};

/// Kinds of models whose training has been published for many GPUs (pricing/gpus.json).
enum class ModelFamily { convolutional, transformer, recurrent };
inline constexpr std::array<std::string_view, 3> family_words = {"convolutional", "transformer",
                                                                 "recurrent"};
static_assert(names_all(family_words, ModelFamily::recurrent));
enum class Precision { mixed, single };
inline constexpr std::array<std::string_view, 2> precision_words = {"mixed", "single"};
static_assert(names_all(precision_words, Precision::single));

/// The step as one kind of GPU makes it: fixed + per_sample · batch, or a table (batch, time).
struct GpuStep {
  std::optional<Duration> fixed;
  std::optional<DurationPerSample> per_sample;
  std::optional<std::vector<std::pair<double, Duration>>> table;
  bool operator==(const GpuStep&) const = default;
};

/// Time of one GPU for a batch: fixed + per_sample · batch, or a table (batch, time); on the GPU
/// that MeasuredOn names, and on others as `by_gpu` says or as their speeds compare.
struct Step {
  std::optional<Duration> fixed;
  std::optional<DurationPerSample> per_sample;
  std::optional<std::vector<std::pair<double, Duration>>> table;
  std::optional<Duration> launch = {};  ///< of the main process, to start a step
  std::optional<double> cv;
  std::optional<double> gpus =
      {};  ///< of an instance, that trained when it was measured; default: 1
  std::optional<StepMemory> gpu_memory = {};
  std::optional<std::map<std::string, GpuStep>> by_gpu;  ///< GPU ("V100", "A100-40GB") → its own
  std::optional<ModelFamily> family;   ///< which published figures compare GPUs; default: all
  std::optional<Precision> precision;  ///< likewise
  // Where nobody has measured a step: a model of published rates, or a transformer's size.
  std::optional<ModelName> model = {};
  std::optional<double> parameters = {};         ///< of the model, all of them used for each token
  std::optional<double> tokens_per_sample = {};  ///< sequence length
  std::optional<double> utilization = {};        ///< of the GPU's peak rate, with `parameters`
  std::optional<double> recomputed = {};         ///< share of the forward pass, in the backward one
  /// Measured times of single steps of one GPU, (how many, time): how steps vary, instead of `cv`.
  std::optional<std::vector<std::pair<double, Duration>>> times = {};
  bool operator==(const Step&) const = default;
};

/// `ring` and `hierarchical` from one bus bandwidth and one latency of a hop; `tree` alone, or what
/// NCCL would choose by size (`nccl`), by its own model.
enum class AllReduceAlgorithm { ring, hierarchical, tree, nccl };
inline constexpr std::array<std::string_view, 4> algorithm_words = {"ring", "hierarchical", "tree",
                                                                    "nccl"};
static_assert(names_all(algorithm_words, AllReduceAlgorithm::nccl));

/// What is exchanged, and when: gradients in PyTorch's buckets (ddp), in Horovod's fusion buffer,
/// by SageMaker's library; sharded parameters (fsdp, zero3), gradients (zero2), optimiser (zero1).
enum class Parallelism { ddp, horovod, smddp, fsdp, zero1, zero2, zero3 };
inline constexpr std::array<std::string_view, 7> parallelism_words = {
    "ddp", "horovod", "smddp", "fsdp", "zero1", "zero2", "zero3"};
static_assert(names_all(parallelism_words, Parallelism::zero3));
/// Whether each GPU keeps a part of the parameters only, and gathers the others.
constexpr bool is_sharded(Parallelism how) {
  return how == Parallelism::fsdp || how == Parallelism::zero3;
}

/// Of a number that is sent.
enum class NumberType { fp32, bf16, fp16 };
inline constexpr std::array<std::string_view, 3> number_type_words = {"fp32", "bf16", "fp16"};
static_assert(names_all(number_type_words, NumberType::fp16));

/// Communication fitted to measured (instances, time) points by fit/: the time of one instance's
/// share grows by bandwidth · 2(N−1)/N + latency · 2(N−1), both as fractions of the time on one
/// instance, where the batches are of `batch_size`; larger ones make both smaller by as much.
struct ScalingFit {
  double bandwidth = 0.0;
  double latency = 0.0;
  double worst_error = 0.0;  ///< largest relative error on the points themselves
  double batch_size = 0.0;   ///< 0: the same on any number of instances
  double sizes = 0.0;  ///< numbers of instances among the points; below 3 not both terms are fitted
  double most = 0.0;   ///< the largest of them; 0: not known
  /// What one instance more adds to the loss in a straight line through the points, where there
  /// are two numbers of instances.
  double slope = 0.0;
  /// Where there are two numbers of instances and one instance is none of them, its time is left
  /// open: the fewest that were measured, and the work (instances · time) of the most over theirs.
  /// `latency` alone reproduces the points then, and so do others (resolve/allreduce.hpp:
  /// with_growth). 0: nothing is left open.
  double fewest = 0.0;
  double more_work = 0.0;
  /// Time of one instance over that of the fewest; with less nobody would spread a job out.
  static constexpr double least_of_one = 0.4;

  /// What `instances` take more than one instance's share of the work, over that.
  [[nodiscard]] double lost(double instances) const {
    return bandwidth * 2.0 * (instances - 1.0) / instances + latency * 2.0 * (instances - 1.0);
  }
  bool operator==(const ScalingFit&) const = default;
};

/// By what instances reach each other.
enum class NetworkFabric { efa, infiniband, tcp, gpudirect_tcp };
inline constexpr std::array<std::string_view, 4> fabric_words = {"efa", "infiniband", "tcp",
                                                                 "gpudirect_tcp"};
static_assert(names_all(fabric_words, NetworkFabric::gpudirect_tcp));
constexpr std::string_view name_of(NetworkFabric fabric) {
  return fabric_words[static_cast<std::size_t>(fabric)];
}

/// How NCCL copies between the GPUs of an instance that no NVLink connects: from one to the other,
/// or through the memory of the host.
enum class TransportInside { p2p, shm };
inline constexpr std::array<std::string_view, 2> transport_inside_words = {"p2p", "shm"};
static_assert(names_all(transport_inside_words, TransportInside::shm));
constexpr std::string_view name_of(TransportInside transport) {
  return transport_inside_words[static_cast<std::size_t>(transport)];
}

struct AllReduce {
  std::optional<AllReduceAlgorithm> algorithm;
  std::optional<Bytes> gradient_bytes;    ///< 0: nothing is exchanged
  std::optional<Bandwidth> busbw;         ///< ring; hierarchical: between instances
  std::optional<Bandwidth> busbw_inside;  ///< hierarchical: inside an instance
  std::optional<Duration> latency;        ///< per hop
  std::optional<double> overlap;          ///< fraction hidden behind the backward pass, 0…1
  std::optional<double> parameters = {};  ///< of the model, instead of gradient_bytes
  std::optional<NumberType> gradient_type = {};   ///< as gradients are sent; with `parameters`
  std::optional<NumberType> parameter_type = {};  ///< as sharded parameters are gathered
  std::optional<double> compression = {};         ///< bytes of gradients over those sent, ≥ 1
  std::optional<Bytes> bucket = {};               ///< DDP, ZeRO: of gradients; Horovod: the buffer
  std::optional<Bytes> first_bucket = {};         ///< DDP: the one that is ready first
  std::optional<double> blocks = {};              ///< FSDP, ZeRO-3: that are gathered one by one
  /// Measured all-reduces (bytes, time), and over how many GPUs.
  std::optional<std::vector<std::pair<double, Duration>>> points = {};
  std::optional<double> points_gpus = {};
  std::optional<NetworkFabric> fabric = {};
  std::optional<TransportInside> transport_inside = {};
  bool operator==(const AllReduce&) const = default;
};

struct Checkpoint {
  std::optional<ServiceName> to = {};      ///< store; default: where the data comes from
  std::optional<std::string> region = {};  ///< of that store; default: the job's
  std::optional<double> kept = {};         ///< how many are kept, and paid for
  std::optional<Duration> held = {};       ///< for how long; default: the job's time
  std::optional<Duration> interval;  ///< of training time; empty: the best where any are counted
  std::optional<double> every_steps = {};   ///< optimizer steps between two, instead of interval
  std::optional<double> every_epochs = {};  ///< epochs between two, instead of interval
  std::optional<Bytes> size;
  std::optional<Bandwidth> bandwidth;
  std::optional<bool> background;   ///< training goes on while one is written
  std::optional<Duration> restart;  ///< after an interruption, without start-up and staging
  bool operator==(const Checkpoint&) const = default;
};

/// Where copies that the loop does not wait for are queued: in a stream of their own, beside the
/// step before, or in the step's own stream behind it (PyTorch's `.to(device, non_blocking=True)`
/// alone).
enum class CopyStream { side, step };
inline constexpr std::array<std::string_view, 2> copy_stream_words = {"side", "step"};
static_assert(names_all(copy_stream_words, CopyStream::step));

/// Exactly one way to say what communication costs: efficiency, allreduce, scaling, or nothing.
struct Job {
  std::optional<double> jobs;    ///< that share the held storage; default: this one alone
  std::optional<double> epochs;  ///< or `steps`
  std::optional<double> steps;   ///< batches of each GPU, of all epochs
  std::optional<Step> step;
  std::optional<Duration> duration_on_one_instance;  ///< instead of dataset, loader and step
  std::optional<double> gradient_accumulation;       ///< batches per optimiser step and all-reduce
  std::optional<double> efficiency;                  ///< S(N) at this N, 0 < S ≤ 1
  std::optional<AllReduce> allreduce;
  std::optional<Parallelism> parallelism = {};  ///< default: ddp
  std::optional<ParallelLayout> parallel = {};  ///< default: each GPU has the whole model
  std::optional<std::vector<std::pair<double, Duration>>> scaling;  ///< measured (instances, time)
  /// (instances, batch_size) of those measurements, where it changed with the instances.
  std::optional<std::vector<std::pair<double, double>>> scaling_batch_sizes = {};
  std::optional<ScalingFit> scaling_fit;  ///< of `scaling`; made by fit/, not a key of the file
  std::optional<bool> asynchronous_step;  ///< the loop launches a step and does not wait for it
  std::optional<bool> non_blocking;       ///< the loop does not wait for copies
  std::optional<CopyStream> copy_stream;  ///< of copies that are not waited for; default: side
  std::optional<Duration> startup;        ///< before any data: container, imports
  std::optional<Checkpoint> checkpoint;
  std::optional<HourlyPrice> value_of_hour;
  bool operator==(const Job&) const = default;
};

/// All parameters of the model, as far as the job says.
inline std::optional<double> parameters_of(const Job& job) {
  if (job.allreduce && job.allreduce->parameters) return job.allreduce->parameters;
  return job.step ? job.step->parameters : std::nullopt;
}

/// What a measured case of a scenario asks for, to stand beside what was measured.
struct Case {
  std::string name;
  std::vector<std::pair<std::string, std::string>> set;          ///< KEY, VALUE as for --set
  std::vector<std::pair<std::string, std::string>> relative_to;  ///< same, for a ratio
  std::string metric;  ///< a figure, or "largest KEY in A..B with METRIC >= X"
  /// Infinite while it has not been measured: no file can hold that number.
  double measured = std::numeric_limits<double>::infinity();
  std::optional<double> promised;   ///< predicted before it was measured: a receipt
  std::vector<double> repeats;      ///< each time that it was measured, one a turn; may be empty
  std::optional<double> tolerance;  ///< relative; absent: reported, not asserted
  bool fitted = false;              ///< an input was fitted on this point; it is no prediction
  bool identity = false;            ///< follows from a fitted point by arithmetic; no prediction
  std::optional<StudyClass> bound_by = {};  ///< what bound it; default: its study's
  std::optional<StudyKnown> known = {};     ///< default: its study's
  std::string note;                         ///< why it misses, where it does

  /// Promised, and not measured yet.
  [[nodiscard]] bool awaited() const { return measured == std::numeric_limits<double>::infinity(); }
  bool operator==(const Case&) const = default;
};

/// Which machine the numbers of a scenario belong to, where that is not the one that it asks for. A
/// section of its own, for "step": "300 ms" has no room for a key, and CPU times, a whole job's
/// duration and the figures of a cluster belong to a machine as well. Each value is an instance, or
/// "any" (the same everywhere), or "unknown" (taken as they are, with a caveat); `gpu_times` may be
/// a GPU. Left out: the instance that stands beside the numbers, which reading a document fills in
/// where settings name another one (schema/scenario/measured_on.cpp).
struct MeasuredOn {
  std::optional<std::string> gpu_times;             ///< job.step, duration, operations on the GPU
  std::optional<std::string> cpu_times;             ///< preprocess
  std::optional<std::string> loader_times = {};     ///< the loader's own CPU times
  std::optional<std::string> remote_times = {};     ///< what preprocess costs on loader.remote
  std::optional<std::string> machine_figures = {};  ///< cluster's vcpus, memory, price …
  std::optional<std::string> price = {};            ///< cluster.price
  std::optional<Purchase> price_purchase = {};      ///< the way of buying that it is of
  std::optional<double> batch_size = {};            ///< that job.step was measured at
  bool operator==(const MeasuredOn&) const = default;
};

inline constexpr const char* any_machine = "any";
inline constexpr const char* unknown_machine = "unknown";

struct About {
  std::string source;
  std::string expectation;
  std::vector<std::string> fitted;  ///< which inputs were fitted, on which point
  /// Seconds of each small fixed piece of work (HostProfile::canary) in each turn of the cases.
  std::map<std::string, std::vector<double>> canary;
  std::optional<Study> study = {};  ///< the publication whose points the cases are
  bool operator==(const About&) const = default;
};

struct Scenario {
  // Compiled once, in nouns.cpp: with all its members each is long.
  Scenario();
  Scenario(const Scenario& other);
  Scenario(Scenario&& other) noexcept;
  Scenario& operator=(const Scenario& other);
  Scenario& operator=(Scenario&& other) noexcept;
  ~Scenario();

  std::string name;         ///< the file's name where the file does not say
  std::string description;  ///< a sentence for people
  About about;
  Dataset dataset;
  Source source;
  Disk disk;
  Loader loader;
  std::vector<Operation> preprocess;
  Cluster cluster;
  MeasuredOn measured_on;
  /// Standard error over value of numbers that stand here, by JSON pointer, operations by their
  /// places; runs draw them.
  std::map<std::string, double> errors;
  /// Numbers that stand here and are only guessed, by the same pointers, with whose guess it is:
  /// they count as assumed, and what a host profile measured comes before them.
  std::vector<std::pair<std::string, std::string>> guesses = {};
  Job job;
  Accounting accounting = {};
  std::optional<Currency> currency;  ///< empty: USD, in which everything here is
  std::vector<Case> cases;
  std::vector<std::string> thresholds;  ///< limits of a check: "total_s increase < 5%"
  bool operator==(const Scenario&) const = default;

  /// What the number at a pointer rests on, where it is only guessed; null: it is no guess.
  [[nodiscard]] const std::string* guess(std::string_view pointer) const {
    for (const auto& [guessed, why] : guesses) {
      if (guessed == pointer) return &why;
    }
    return nullptr;
  }
};

}  // namespace feedrate
