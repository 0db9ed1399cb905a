#pragma once
// A remedy: a row of the list of remedies, which says whether it applies and which changes it may
// make.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "model/advice.hpp"
#include "model/host.hpp"
#include "model/scenario.hpp"
#include "resolve/resolve.hpp"
#include "study/setting.hpp"

namespace feedrate::study {

/// The job as it is, by which a remedy decides.
struct Situation {
  const Scenario& scenario;
  const Catalog& catalog;
  const HostProfile* host = nullptr;
  const Result& result;
  const resolve::Resolved& resolved;
  std::string service;         ///< service that rents out the instances: "ec2", "sagemaker" …
  HourlyPrice cpu_hour;        ///< price of one vCPU, for work done once; 0: not known
  bool priced = true;          ///< savings are of cost; if false, of time
  bool limits_missed = false;  ///< the job misses its deadline or its budget
  double jobs = 1.0;           ///< over which savings are counted, ≥ 1
  /// How many workers are enough by the events, where these choose (OtherWorkers::by_events)
  /// another number than there is; empty: by the mean of each.
  std::optional<double> enough_workers{};
  Constraints constraints{};  ///< on the job

  [[nodiscard]] const pipeline::Inputs& inputs() const { return resolved.inputs; }
  /// Share of the job's time that GPUs wait for the stage.
  [[nodiscard]] double wait(Stage stage) const {
    return result.stages[stage].stall / result.times.total;
  }
  /// Of what trains, between checkpoints that come at given times; 0 where none do.
  [[nodiscard]] Duration between_checkpoints() const {
    return pipeline::fixed_interval(inputs(), training());
  }
  [[nodiscard]] Duration training() const {
    const auto& times = result.times;
    return times.total - times.startup - times.staging - result.stages[Stage::checkpoint].stall -
           result.stages[Stage::interruption].stall;
  }
  /// Whether the instances are Amazon's: what else other providers sell is not known.
  [[nodiscard]] bool on_aws() const {
    return resolved.machine != nullptr && resolved.machine->cloud == "aws";
  }
  /// Whether the stage is on the job's path at all.
  [[nodiscard]] bool on_path(Stage stage) const {
    return result.stages[stage].capacity || result.stages[stage].stall > Duration{};
  }
};

/// What is little more time where the bill is smaller.
inline constexpr double little_longer = 1.1;

/// One way to apply a remedy.
struct Change {
  Setting set;
  std::string words;  ///< "num_workers = 3"
  Money one_off{};
  std::string one_off_words{};
  /// Beside `set`: without what the change is named after. Where it saves half as much or more
  /// then, something else of it does, and another remedy that makes the same has the better name.
  Setting without{};
  bool names_bottleneck = false;  ///< the reader is to know what holds the job then
  /// How many times as long the job may take by it, where no deadline or budget allows for more
  /// (Savings::too_long): beyond that it is money for time, and nobody said what time is worth.
  double longest = little_longer;
};

/// Whether two settings contradict each other: they give a key different values, or one replaces an
/// object that holds a key of the other. Keys are compared as they are spelled, so remedies use
/// pointers ("/source/connections") for keys in objects that another remedy replaces.
bool clash(const Setting& a, const Setting& b);

/// So that checkpoints come at such an interval ("null": at the best one), however the scenario
/// says when they come.
Setting checkpoints_at(const Situation& s, const std::string& interval);

/// The rung of what makes a bill smaller and changes nothing else: no rung comes before it. Its row
/// ends with these two.
inline constexpr Rung paid_for_nothing = Rung::one_gpu_in_memory;
inline constexpr bool same_training = false, bill_alone = true;

/// Of the changes that a remedy may make, the first whose saving is within 1 % of the best one's is
/// taken, so the smallest change comes first.
struct Remedy {
  RemedyWords words;
  bool (*applies)(const Situation&) = nullptr;
  std::vector<Change> (*changes)(const Situation&) = nullptr;
  /// What the user must state before the remedy can be simulated; "" for nothing. May be null.
  std::string (*lacks)(const Situation&) = nullptr;
};

/// Whether samples are copied or streamed from somewhere.
bool from_afar(const Situation& s);
bool from_s3(const Situation& s);
/// A store from which objects are copied or streamed, whoever runs it.
bool from_objects(const Situation& s);
/// Of AWS, where it is not said: the default.
std::string region_of_job(const Situation& s);
/// Whether what an instance has and costs is the catalogue's.
bool as_in_catalogue(const Situation& s);
/// A job of so many steps trains on as many samples where each is of `then` for every `now`.
void keep_samples_of_steps(const Situation& s, double now, double then, Change& change);
/// A change of the instance, with as many workers as the new one has threads to spare.
void add_with_its_workers(const Situation& s, Change change, std::vector<Change>& list);
/// Of objects of S3 that are as large as those that are there.
double objects_of_dataset(const Situation& s);
/// What writing the data into a bucket in `region` costs: a request for each object.
Money written_to_s3(const Situation& s, std::string_view region);
/// The same to EFS with elastic throughput.
Money written_to_efs(const Situation& s, std::string_view region);
/// What reading each object of the data's bucket once costs, without the way.
Money read_from_s3(const Situation& s);
/// What is paid for bytes that come from another region; null: they lie where the job is, or no
/// price is known. The same bytes may be paid for at a NAT gateway and between zones as well.
const resolve::TransferTerms* from_another_region(const Situation& s);
/// All of the data once over the way from its region; nothing where it lies where the job is.
Money brought_once(const Situation& s);
/// A bucket in the job's region that is filled from the one in another: the way, and a request for
/// each object that is written.
Money copied_bucket(const Situation& s);
/// What holding the data in its store of objects adds to the bills of all jobs: what is made from
/// it does not take its place.
Money kept_bucket(const Situation& s);
/// How long each run holds a copy that is made once: as long as the data is, and otherwise its part
/// of the months over which runs that share the copy are spread; empty: for its own time.
std::optional<Duration> held_by_each(const Situation& s);
/// The same as a key of a new "/source"; "": none.
std::string key_of_held(const std::optional<Duration>& held);
/// Where runs share a copy, and nothing says how long it is held: the change says so.
void warn_of_holding(const Situation& s, Change& change);
/// Has the copy of a dataset on the job's bill, as it is nobody else's.
void bill_copy(const Situation& s, Change& change);
/// What holding such a copy as well adds to them, on no bill but that of what is filled from it.
Money held_copy(const Situation& s);
/// Something more that is paid once.
void add_one_off(Change& change, Money cost, std::string_view of);

/// Half as many, a quarter, and so on, and what costs least near the cheapest of these.
std::vector<Change> fewer_instances(const Situation& s);

/// Whether a GPU holds its part of weights and gradients in bf16, and of Adam's state, in so much
/// of its memory that the rest is left for activations: `over` GPUs divide the weights, and `how`
/// says what replicas divide beside.
bool holds_weights(const Situation& s, double over, Parallelism how);
/// Of a model that is spread over GPUs: more chunks of layers on each, from few to many.
std::vector<Change> interleaved_stages(const Situation& s);
/// Its stages on fewer GPUs that hold them, and so more replicas, which share the global batch.
std::vector<Change> fewer_stages(const Situation& s);
/// Its tensor groups on fewer GPUs: on as many GPUs in all as more stages, or as more replicas.
std::vector<Change> smaller_tensor_groups(const Situation& s);

// The parts of the list, each in a file of its own.
std::span<const Remedy> loader_remedies();
std::span<const Remedy> preprocess_remedies();
std::span<const Remedy> storage_remedies();
std::span<const Remedy> place_remedies();
std::span<const Remedy> machine_remedies();
std::span<const Remedy> training_remedies();
std::span<const Remedy> price_remedies();

/// All remedies, in the order in which they are listed.
std::vector<const Remedy*> all_remedies();

}  // namespace feedrate::study
