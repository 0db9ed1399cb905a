#pragma once
// What a run answers. Every number that is printed anywhere is a field here.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "model/bill.hpp"
#include "model/class_errors.hpp"
#include "model/interruptions.hpp"
#include "model/layout.hpp"
#include "model/provenance.hpp"
#include "model/stage.hpp"

namespace feedrate {

/// The end of what a stage carries on burst credit alone.
struct BurstEnd {
  std::string limit;  ///< "gp2 IOPS": of several the one that ends first
  Duration after;     ///< of training
  Throughput before;  ///< what the stage could carry alone until then
};

struct StageStats {
  std::optional<Throughput> capacity;  ///< what it could carry alone; empty: not on this job's path
  std::optional<double> utilization;   ///< busy share of the steady epoch, 0…1
  Duration stall;                      ///< GPU waiting booked here, whole job, per GPU
  Money idle_gpu;                      ///< what was paid for that stall
  Origin provenance = Origin::given;   ///< weakest origin among its inputs
  /// Of burst credit that the job uses up; `capacity` is what holds from then on.
  std::optional<BurstEnd> burst_end{};
};

/// What other numbers of workers would do for a job whose loader is the bottleneck, each simulated.
struct OtherWorkers {
  double now = 0.0;    ///< workers of a GPU, as the scenario has them
  double tried = 0.0;  ///< up to so many of a GPU
  double best = 0.0;  ///< the fewest of a GPU within 1 % of the shortest time; may be `now` or less
  double gain = 0.0;  ///< fraction of the job's time that these save, 0…1
  bool replaces_inline = false;  ///< of a pytorch loader instead of an inline one
  bool still_gaining = false;    ///< the time still falls at `tried`: more were not looked at
  bool by_events = false;        ///< chosen by the events, which part from the mean
  bool memory_is_full = false;   ///< the instance has no memory for more, which might gain
  /// With `best`, where that is more than twice the hardware threads: what then gains most.
  std::optional<Stage> then{};
};

struct Bottleneck {
  std::optional<Stage> stage;                   ///< empty: nothing pays when made twice as fast
  double gain_if_twice_as_fast = 0.0;           ///< fraction of the job's time
  std::optional<double> probability;            ///< with replications only
  std::vector<std::pair<Stage, double>> gains;  ///< every stage that gains, best first
  std::optional<OtherWorkers> workers{};        ///< empty: not a matter of workers, or not asked
  bool starts_steps = false;  ///< a main process that hands over starts steps most of the time
};

struct Times {
  Duration startup;      ///< before any data
  Duration staging;      ///< copying the dataset in File mode
  Duration first_epoch;  ///< a whole one, also where the job ends in its middle
  Duration epoch;        ///< a later epoch; the first where there is but one
  Duration total;
  Duration
      first_step;  ///< of an epoch, on average: from its beginning to the end of its first step
};

/// What monitors would show in a steady epoch, of one instance, and how long the job takes to get
/// there. Shares are 0…1; what is not known is empty.
struct Monitors {
  /// top: hardware threads at work, of all. Workers, main processes and pinning threads count, and
  /// what they need longer for where they share a core; a main process that spins does not.
  std::optional<double> cpu;
  /// iostat's %util: the time with a request in flight.
  std::optional<double> disk;
  /// What is read over what the disk delivers at most, bytes or operations, whichever is nearer.
  std::optional<double> disk_of_limit;
  /// sar's %ifutil: what is received over the line rate, samples and gradients.
  std::optional<double> network;
  /// nvidia-smi's GPU-Util: the time in which a kernel runs. Steps and preprocessing on the GPU
  /// count whole, and so do all-reduces, whose kernels run while they wait; copies do not.
  double gpu = 0.0;
  /// Of the instance's memory, the page cache left out.
  std::optional<double> memory;
  Duration start;  ///< before training: start-up and staging
  /// Steps from one long gap in a trace to the next; empty where there is none.
  std::optional<double> gap_every;
};

/// 5 %, 50 % and 95 % quantiles over replications.
using Band = std::array<double, 3>;
/// 10 %, 25 %, 75 % and 90 % quantiles.
using InnerBand = std::array<double, 4>;

struct Bands {
  int replications = 0;
  Band total_s{}, epoch_s{}, money_usd{}, total_usd{}, throughput{}, gpu_busy{};
  Band busy_after_first_step{}, first_epoch_s{};
  std::array<InnerBand, 8> inner{};  ///< of these, in this order
  PerStage<double> bottleneck_probability;
  double never_ends = 0.0;  ///< share of replications whose job never does: in none of the bands
};

/// What an uncertain input does to the job, all others at their stated values.
struct Effect {
  Duration time_at_low, time_at_high;  ///< of the whole job, at the ends of the input's range
  Money money_at_low, money_at_high;   ///< of the bill
  double variance_share = 0.0;         ///< of the variance of the job's time; all add up to 1
};

/// An input that the run used, with its origin; `matters` where its range changes the job by 1 % or
/// more, and where it has none, where its stage lies on the critical path.
struct InputUsed {
  std::string key;   ///< JSON pointer in the scenario that would set it
  std::string text;  ///< value as unit text
  Provenance from;
  Stage stage = Stage::gpu;
  bool matters = false;
  /// What it is drawn between: all of an assumption's range, the middle 90 % of a measured value's;
  /// "" where it is taken as exact.
  std::string low{}, high{};
  std::string range{};  ///< what that is taken from; "" for a standard error
  std::string probe{};  ///< of `feedrate calibrate`, that measures it; "" for none
  std::optional<Effect> effect{};
  bool of_stage = true;  ///< it is one of the stage's inputs; false: a price, how many samples
};

/// What the model's own error does to the job where its stages of one class take so much longer.
struct ModelDoubt {
  ErrorClass error_class = ErrorClass::gpu;
  double factor = 1.0;   ///< nine of ten draws lie between times and over this
  Effect effect;         ///< at 1/factor and at factor
  bool matters = false;  ///< it changes the job by 1 % or more
};

/// How far what is only assumed could change the job.
struct Certainty {
  Duration stated;                  ///< of the mean with all inputs at their stated values
  double own_variance_share = 0.0;  ///< of the job's own variability, beside those of its inputs
  std::vector<ModelDoubt> model{};  ///< classes of stages whose error moves the job
};

/// What the GPUs exchange in an optimiser step.
struct Communication {
  std::string parallelism;  ///< as the key has it
  std::string algorithm;    ///< of the largest message: "ring", "tree", "nvls", "nvls_tree",
                            ///< "hierarchical" or "measured"
  std::string protocol;     ///< of NCCL, of that: "LL", "LL128", "Simple"; "" where it has none
  Bytes size;               ///< that each GPU hands over, as they are sent
  double messages = 0.0;
  Duration total;    ///< of all messages, one after the other
  Duration exposed;  ///< what of it the step waits for
};

/// When something happens that all instances share a limit in.
enum class SharedIn { staging, first_epoch, later_epochs };

/// A limit of the source that all instances share, and from how many on it keeps them waiting.
struct SharedLimit {
  std::string service;       ///< "FSx for Lustre"
  std::string name;          ///< "source bandwidth"
  bool of_requests = false;  ///< counts requests, else bytes
  SharedIn when = SharedIn::later_epochs;
  double rate = 0.0;    ///< bytes or requests a second, of all instances together
  double demand = 0.0;  ///< what one of them would take if nothing were shared
  double from = 1.0;    ///< instances: the fewest whose demand is above the rate
  bool binds = false;   ///< as many instances as the job has keep each other waiting
};

/// How the result was reached, for the curious and for the tests.
struct Effort {
  double events = 0.0;  ///< simulated, with --exact; 0: the mean in closed form
  double steps = 0.0;   ///< of the job
};

/// What a stage twice as fast would save by the job's events.
struct GainByEvents {
  Stage stage = Stage::gpu;
  double gain = 0.0;   ///< fraction of the job's time
  double error = 0.0;  ///< its standard error over seeds
};

/// The job by its events, beside its mean in closed form.
struct ByEvents {
  double events = 0.0;  ///< simulated for `total`
  int seeds = 1;
  bool whole = true;    ///< every step of each kind of epoch; false: windows, and the mean beyond
  Duration total;       ///< mean over the seeds
  Duration mean_total;  ///< in closed form
  double difference = 0.0;               ///< total / mean_total - 1
  double error = 0.0;                    ///< standard error of `total`, relative; 0 with one seed
  bool stated = false;                   ///< the result's times are the events'; false: the mean's
  std::optional<Stage> bottleneck;       ///< empty: nothing pays when made twice as fast
  std::optional<Stage> mean_bottleneck;  ///< in closed form
  /// Of the stages that gain most by the mean, up to four, the best by events first.
  std::array<GainByEvents, 4> best{};
  std::size_t tried = 0;  ///< of them; 0: none is affordable, or none gains

  [[nodiscard]] std::span<const GainByEvents> gains() const { return {best.data(), tried}; }
};

/// What a remark asks of its reader: a number to measure, a setting or a price to check, or nothing
/// but to know it.
enum class RemarkKind : std::uint8_t { measure, check, know };

constexpr std::string_view name_of(RemarkKind kind) {
  switch (kind) {
    case RemarkKind::measure: return "measure";
    case RemarkKind::check: return "check";
    case RemarkKind::know: break;
  }
  return "know";
}

/// Kinds of remarks by their text; those that are not in it are to know.
using RemarkKinds = std::map<std::string, RemarkKind, std::less<>>;

struct Result {
  std::string instance;
  double instances = 1.0;
  double gpus = 1.0;  ///< in all
  /// N of the efficiencies where instances are unequal: as many of the largest, which T(1) is of,
  /// as would have all GPUs. Empty: `instances`.
  std::optional<double> as_many_alike;
  Bottleneck bottleneck;
  std::optional<ByEvents> by_events;  ///< empty: not asked, or not affordable, or all are simulated
  PerStage<StageStats> stages;
  Duration straggling;     ///< of allreduce's stall: waiting for the slowest rank
  Duration gpu_busy_time;  ///< per GPU, whole job; with all stalls adds up to `times.total`
  Times times;
  std::optional<Throughput> throughput;  ///< samples/s over the epochs; empty: no dataset is given
  double gpu_busy = 0.0;                 ///< GPU-busy share of the time after staging, 0…1
  /// S(N) = T(1)/(N·T(N)), where T is the time of the epochs; 1 for one instance.
  std::optional<double> efficiency;
  /// The same, where T is the whole job's, start-up and staging included; empty for one instance,
  /// and where one alone would never end.
  std::optional<double> job_efficiency;
  /// What of 1 - job_efficiency each stage loses; adds up to it, and where a stage gains by more
  /// instances (as caches do) it is below 0. Empty for one instance.
  std::optional<PerStage<double>> lost_to_scaling;
  /// What of lost_to_scaling's allreduce is waiting for the slowest rank.
  std::optional<double> lost_to_stragglers;
  std::optional<Communication> communication;  ///< empty: none, or only its efficiency is known
  std::optional<ModelLayout> layout;           ///< empty: each GPU has the whole model
  /// Of the limits that instances share, the one that binds from the fewest of them on; empty where
  /// they share none, or none is ever asked for anything.
  std::optional<SharedLimit> shared_limit;
  double steps_per_epoch = 0.0;
  double steps = 0.0;    ///< of the whole job, each GPU; need not be whole epochs
  double samples = 0.0;  ///< trained on in the whole job by all GPUs; 0: no dataset is given
  std::optional<double> runs_per_month;  ///< of such jobs, where the scenario says so
  bool step_is_guess = false;  ///< it was measured at another batch, and given in one form alone
  std::optional<Monitors> monitors;  ///< empty where only the job's time is given
  Bill bill;
  std::optional<Interruptions> interruptions;  ///< empty where none are counted
  std::optional<Bands> bands;
  std::vector<InputUsed> inputs;
  std::optional<ReferenceClass> reference{};  ///< published measurements that the job is like
  std::optional<Certainty> certainty;         ///< empty where nobody asked for it
  std::vector<std::string> caveats;           ///< sentences that belong beside the headline
  std::vector<std::string> remarks;  ///< what a reader must know: assumptions, windows, misfits
  RemarkKinds remark_kinds;          ///< of `remarks`
  Effort effort;

  [[nodiscard]] RemarkKind kind_of(std::string_view remark) const {
    const auto found = remark_kinds.find(remark);
    return found == remark_kinds.end() ? RemarkKind::know : found->second;
  }
};

}  // namespace feedrate
