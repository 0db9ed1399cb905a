#include "model/rules.hpp"

namespace feedrate {
namespace {

using enum ThresholdId;
using R = ReadingId;
using Words = std::span<const std::string_view>;

constexpr auto share = ReadingKind::share;
constexpr auto time = ReadingKind::time;
constexpr auto ratio = ReadingKind::ratio;
constexpr bool ours = true;
constexpr bool published = false;
constexpr bool drawn = ours;  // chosen by jobs that are drawn: tests/study/rules_of_thumb_test.cpp

constexpr std::array<ThresholdRow, threshold_count> thresholds_table = {{
    {low, "low", share, 0.30, ours, "disk, CPU or RAM is low below it"},
    {high, "high", share, 0.70, ours, "disk or network is high from it on"},
    {gpu_low, "gpu-low", share, 0.70, ours, "the GPU is low below it"},
    {gpu_high, "gpu-high", share, 0.90, ours, "the GPU is high from it on"},
    {exhausted, "exhausted", share, 0.90, ours, "the CPU is exhausted from it on"},
    {idle, "idle", share, 0.01, ours, "the CPU does nothing below it"},
    {long_start, "long-start", time, 600.0, ours, "a start is long from it on"},
    {longer_step, "longer-step", ratio, 1.10, ours, "a step is longer than on one GPU from it on"},
    {gap, "gap", ReadingKind::steps, 2.0, ours, "gaps at every so many steps or more are rounds"},
    {starved_gpu, "starved-gpu", share, 0.10, published, "GPU of CPUBottleneck, below"},
    {starving_cpu, "starving-cpu", share, 0.90, published, "CPU of CPUBottleneck, from it on"},
    {ThresholdId::io_wait, "io-wait", share, 0.50, published, "I/O wait of IOBottleneck"},
    {longest_start, "longest-start", time, 1200.0, published, "of MaxInitializationTime"},
    {small_batch, "small-batch", share, 0.70, published, "95 % quantiles of BatchSize, below"},
    {few_workers, "few-workers", ratio, 0.70, published, "workers per CPU of Dataloader, below"},
    {many_workers, "many-workers", ratio, 2.00, published, "the same, from it on"},
    {gpu_peak, "gpu-peak", share, 0.70, published, "95 % quantile of LowGPUUtilization"},
    {gpu_trough, "gpu-trough", share, 0.10, published, "5 % quantile of the same, below"},
    {io_wait_high, "io-wait-high", share, 0.20, ours, "I/O wait stands for a busy disk from it on"},
    {io_wait_low, "io-wait-low", share, 0.05, ours, "I/O wait stands for an idle disk below it"},
    {fed, "fed", share, 0.80, drawn, "the answer is that the GPUs are fed from it on"},
    {busy_cores, "busy-cores", share, 0.60, drawn, "the answer is the cores from this CPU on"},
    {shared_step, "shared-step", ratio, 1.20, drawn, "GPUs share a source from this step on"},
    {long_download, "long-download", share, 0.50, drawn,
     "the answer is the download from this share of the job on"},
    {workers_help, "workers-help", ratio, 0.85, drawn, "below it, twice the workers help"},
    {workers_do_not, "workers-do-not", ratio, 0.95, drawn, "from it on, they do not"},
    {fed_slowly, "fed-slowly", share, 0.60, drawn,
     "the same as `fed`, where twice the workers do not help"},
    {full_network, "full-network", share, 0.85, ours,
     "the answer is the streaming from this network on"},
    {held_back, "held-back", share, 0.50, ours,
     "the answer is the cores from this share of a CPU quota's periods on"},
    {late_epochs, "late-epochs", share, 0.20, ours,
     "the answer is the start of each epoch from this share of it on"},
}};

constexpr bool ids_are_places() {
  for (std::size_t i = 0; i < thresholds_table.size(); ++i) {
    if (static_cast<std::size_t>(thresholds_table[i].id) != i) return false;
  }
  return true;
}
static_assert(ids_are_places());

constexpr Condition below(R reading, ThresholdId limit) {
  return {reading, false, limit, true};
}
constexpr Condition from(R reading, ThresholdId limit) {
  return {reading, true, limit, true};
}
constexpr Condition if_known(Condition condition) {
  condition.needed = false;
  return condition;
}

constexpr Condition when_download[] = {from(R::start, long_start)};
constexpr Condition when_disk[] = {from(R::disk, high), below(R::cpu, low), below(R::gpu, gpu_low)};
constexpr Condition when_cores[] = {below(R::disk, low), from(R::cpu, exhausted),
                                    below(R::gpu, gpu_low)};
constexpr Condition when_workers[] = {below(R::disk, low), from(R::cpu, idle),
                                      below(R::cpu, exhausted), below(R::gpu, gpu_low),
                                      if_known(below(R::ram, low))};
constexpr Condition when_streaming[] = {from(R::network, high), below(R::gpu, gpu_low)};
constexpr Condition when_fed[] = {from(R::gpu, gpu_high)};
constexpr Condition when_longer[] = {from(R::cpu, exhausted), from(R::step_ratio, longer_step),
                                     if_known(below(R::gpu, gpu_low))};
constexpr Condition when_gaps[] = {from(R::gap_every, gap)};
constexpr Condition when_cpu_bottleneck[] = {below(R::gpu, starved_gpu),
                                             from(R::cpu, starving_cpu)};
constexpr Condition when_io_bottleneck[] = {from(R::io_wait, ThresholdId::io_wait)};
constexpr Condition when_long_start[] = {from(R::start, longest_start)};
constexpr Condition when_few[] = {below(R::workers_per_cpu, few_workers)};
constexpr Condition when_many[] = {from(R::workers_per_cpu, many_workers)};
constexpr Condition when_small[] = {below(R::cpu_p95, small_batch), below(R::gpu_p95, small_batch),
                                    below(R::gpu_memory_p95, small_batch)};
constexpr Condition when_uneven[] = {from(R::gpu_p95, gpu_peak), below(R::gpu_p5, gpu_trough)};

constexpr Condition any_of(Condition condition) {
  condition.any = true;
  return condition;
}
constexpr Condition when_starved[] = {below(R::gpu, gpu_low), any_of(from(R::disk, high)),
                                      any_of(from(R::cpu, high))};

// Who has tried knows, and neither what is held back by a quota or a full line, nor what waits for
// workers to start, wants more of them.
constexpr Condition for_more_workers[] = {
    if_known(below(R::more_workers, workers_do_not)), if_known(below(R::throttled, held_back)),
    if_known(below(R::epoch_start, late_epochs)), if_known(below(R::network, full_network))};

// What makes all that follows beside the point comes first.
constexpr bool vital = true;
constexpr Question questions_table[] = {
    {from(R::download_share, long_download), Cause::download, 7, false, long_download},
    {below(R::more_workers, workers_help), Cause::workers, 4, false, workers_do_not},
    {from(R::gpu, ThresholdId::fed), Cause::fed, 1, vital, ThresholdId::fed},
    // Where they were read: nobody is asked for them, since most jobs have no such quota, start
    // their epochs soon, and read little over the network.
    {from(R::throttled, held_back), Cause::cores, 8, false, held_back,
     from(R::throttled, held_back)},
    {from(R::epoch_start, late_epochs), Cause::epoch_start, 8, false, late_epochs,
     from(R::epoch_start, late_epochs)},
    {from(R::network, full_network), Cause::streaming, 8, false, high,
     from(R::network, full_network)},
    {from(R::cpu, busy_cores), Cause::cores, 2, vital, busy_cores},
    {from(R::disk, high), Cause::disk, 3, vital, low},
    {from(R::more_workers, workers_do_not), Cause::fed, 4, false, workers_help,
     from(R::gpu, fed_slowly)},
    {from(R::workers_per_cpu, few_workers), Cause::streaming, 5, false, few_workers},
    {from(R::step_ratio, shared_step), Cause::streaming, 6, false, shared_step},
    {from(R::more_workers, workers_do_not), Cause::streaming, 4, false, workers_help},
};

/// Counted on the jobs that chose the thresholds; a test holds it to others. 0: too few jobs.
struct Sure {
  Cause answer;
  std::array<double, seen_count> shares;
};
constexpr Sure sure_table[] = {
    {Cause::download, {0.0, 0.0, 0.0, 0.82, 0.82}},
    {Cause::streaming, {0.0, 0.0, 0.0, 0.68, 0.89}},
    {Cause::disk, {0.0, 0.0, 0.89, 0.92, 0.96}},
    {Cause::cores, {0.0, 0.86, 0.86, 0.91, 0.91}},
    {Cause::workers, {0.63, 0.72, 0.76, 0.87, 0.95}},
    {Cause::fed, {0.79, 0.79, 0.79, 0.88, 0.86}},
};

constexpr std::string_view pack[] = {
    "pack files into objects of 1 to 128 MB (TFRecord, RecordIO, WebDataset)",
    "stream: Pipe, FastFile or S3Dataset, where workers parallelise the download too",
    "FSx for Lustre or EFS"};
constexpr std::string_view pack_keys[] = {"/source/input_mode", "/dataset/samples_per_object",
                                          "/source/service", "/source/connections"};
constexpr std::string_view memory[] = {"keep the data in memory", "load in parallel", "NVMe"};
constexpr std::string_view memory_keys[] = {"/disk/kind", "/disk/bandwidth", "/disk/iops",
                                            "/loader/num_workers", "/cluster/memory"};
constexpr std::string_view preprocess[] = {
    "preprocess ahead of training, which costs storage and transfer",
    "preprocess on the GPU (DALI, CuPy, cuDF)", "more CPUs"};
constexpr std::string_view preprocess_keys[] = {"/preprocess", "/cluster/instance",
                                                "/loader/num_workers"};
constexpr std::string_view use_cpus[] = {"raise num_workers", "multiprocessing in the loader"};
constexpr std::string_view use_cpus_keys[] = {"/loader/num_workers", "/loader/kind",
                                              "/loader/prefetch_factor"};
constexpr std::string_view shards[] = {"shards of 1 to 128 MB", "more connections", "File mode"};
constexpr std::string_view shards_keys[] = {"/dataset/samples_per_object", "/source/connections",
                                            "/source/input_mode", "/cluster/network"};
constexpr std::string_view scale[] = {"only now: larger instances", "then distributed training"};
constexpr std::string_view scale_keys[] = {"/job/step", "/cluster/instance", "/cluster/instances"};
constexpr std::string_view loader[] = {
    "make the loader's work on a sample cheaper: on a single GPU it costs nothing, on many it "
    "keeps all cores",
    "only then more instances"};
constexpr std::string_view loader_keys[] = {"/preprocess", "/loader/num_workers",
                                            "/cluster/gpus_per_instance"};
constexpr std::string_view ratio_of_cpus[] = {"an instance with a better ratio of CPUs to GPUs",
                                              "move CPU operations to the GPU", "CPU helpers"};
constexpr std::string_view ratio_keys[] = {"/loader/num_workers", "/preprocess",
                                           "/cluster/instance", "/loader/remote"};
constexpr std::string_view more_processes[] = {"raise num_workers, or change the instance",
                                               "preprocess ahead of training"};
constexpr std::string_view storage[] = {"change the input mode or the storage",
                                        "larger objects, read in parallel"};
constexpr std::string_view storage_keys[] = {"/source/input_mode", "/source/service", "/disk/kind"};
constexpr std::string_view start_sooner[] = {"stream instead of copying",
                                             "pack files into larger objects"};
constexpr std::string_view to_cores[] = {"as many workers as the CPUs carry"};
constexpr std::string_view to_cores_keys[] = {"/loader/num_workers", "/cluster/vcpus"};
constexpr std::string_view batch[] = {"a larger batch", "or a smaller instance"};
constexpr std::string_view batch_keys[] = {"/loader/batch_size", "/cluster/instance"};
constexpr std::string_view look[] = {"look at the trace: what does the GPU wait for?"};
constexpr std::string_view look_keys[] = {"/job/checkpoint", "/loader/num_workers"};

constexpr std::string_view dev_day = "AWS Dev Day";
constexpr std::string_view debugger = "SageMaker Debugger";

constexpr Rule rules_table[] = {
    {"download", "the download", when_download, Cause::download,
     "The data are copied before training, and CPU and GPU idle meanwhile.", dev_day, pack,
     pack_keys, "the network is busy during the start and not after it"},
    {"disk", "loading from disk", when_disk, Cause::disk, "Workers wait for the disk.", dev_day,
     memory, memory_keys, "an epoch over a subset that fits the page cache runs faster"},
    {"preprocessing", "preprocessing", when_cores, Cause::cores,
     "The cores preprocess as fast as they can, and that is too slow for the GPU.", dev_day,
     preprocess, preprocess_keys, "an epoch with one worker more runs no faster"},
    {"workers", "the code does not use the CPUs", when_workers, Cause::workers,
     "The GPU waits while cores idle: too few workers make batches.", dev_day, use_cpus,
     use_cpus_keys, "an epoch with one worker more runs faster"},
    {"streaming", "streaming", when_streaming, Cause::streaming,
     "The samples come over the network while the GPU waits for them.", dev_day, shards,
     shards_keys, "an epoch over the same data on a local disk runs faster"},
    {"fed", "fed", when_fed, Cause::fed, "The GPU has all it can use.", dev_day, scale, scale_keys,
     "an epoch with batches that are made once and kept runs no faster"},
    {"starved", "a starved GPU", when_starved, Cause::loader,
     "Disk or CPU are busy while the GPU waits for what they make.", "common advice", preprocess,
     loader_keys, "an epoch with batches that are made once and kept runs faster"},
    {"longer-step", "a step longer than on one GPU", when_longer, Cause::cores,
     "The loaders of all GPUs of an instance share its cores and have exhausted them.",
     "Hyundai, AWS blog", loader, loader_keys, "the same job on one GPU of the instance is fed"},
    {"gaps", "a long gap at every W-th step", when_gaps, Cause::loader,
     "W workers deliver together, and the GPU then waits for their next round.",
     "Ray on SageMaker, blog", ratio_of_cpus, ratio_keys,
     "with another num_workers the gaps are that many steps apart"},
    {"CPUBottleneck", "CPU bottleneck", when_cpu_bottleneck, Cause::cores,
     "The GPU starves while the CPU is busy.", debugger, more_processes, use_cpus_keys,
     "an epoch with preprocessing left out runs faster"},
    {"IOBottleneck", "I/O bottleneck", when_io_bottleneck, Cause::disk,
     "CPUs wait for storage for most of the time.", debugger, storage, storage_keys,
     "an epoch over a subset that fits the page cache runs faster"},
    {"MaxInitializationTime", "a start that takes too long", when_long_start, Cause::download,
     "The job takes long to get to its first step.", debugger, start_sooner, pack_keys,
     "the network is busy during the start and not after it"},
    {"Dataloader-few", "fewer workers than CPUs", when_few, Cause::workers,
     "CPUs are left without a worker.", debugger, to_cores, to_cores_keys,
     "an epoch with one worker more runs faster"},
    {"Dataloader-many", "more workers than CPUs", when_many, Cause::unsaid,
     "Workers take turns on the CPUs, which costs more than it gains.", debugger, to_cores,
     to_cores_keys, "an epoch with half the workers runs no slower"},
    {"BatchSize", "a small batch", when_small, Cause::unsaid,
     "CPU, GPU and GPU memory all have room.", debugger, batch, batch_keys,
     "twice the batch takes less than twice the step"},
    {"LowGPUUtilization", "an uneven GPU", when_uneven, Cause::unsaid,
     "The GPU changes between work and waiting.", debugger, look, look_keys,
     "the waits are at the ends of epochs, at checkpoints, or at every W-th step"},
};

constexpr std::array<std::string_view, 10> cause_names = {
    "download", "disk", "cores",       "workers", "streaming",
    "loader",   "fed",  "epoch_start", "other",   "unsaid"};
constexpr std::array<std::string_view, 10> cause_words = {"the download before training",
                                                          "the disk",
                                                          "preprocessing on exhausted cores",
                                                          "too few workers",
                                                          "streaming the samples",
                                                          "the loader",
                                                          "the GPUs themselves, which are fed",
                                                          "the start of each epoch",
                                                          "a stage that no rule speaks of",
                                                          "no cause"};

}  // namespace

std::span<const ThresholdRow> all_thresholds() {
  return thresholds_table;
}

const ThresholdRow& threshold(ThresholdId id) {
  return thresholds_table[static_cast<std::size_t>(id)];
}

Thresholds::Thresholds() {
  for (const ThresholdRow& row : thresholds_table) (*this)[row.id] = row.value;
}

std::string_view words_of(Cause cause) {
  return cause_words[static_cast<std::size_t>(cause)];
}

std::string_view name_of(Cause cause) {
  return cause_names[static_cast<std::size_t>(cause)];
}

std::optional<double> sure_of(Cause answer, Seen seen) {
  for (const Sure& row : sure_table) {
    if (row.answer != answer) continue;
    const double share = row.shares[static_cast<std::size_t>(seen)];
    return share > 0.0 ? std::optional(share) : std::nullopt;
  }
  return std::nullopt;
}

std::span<const Question> all_questions() {
  return questions_table;
}

std::span<const Condition> conditions_for_more_workers() {
  return for_more_workers;
}

std::span<const Rule> all_rules() {
  return rules_table;
}

std::optional<bool> is_right(Cause said, Cause is) {
  if (said == Cause::unsaid) return std::nullopt;
  if (said == Cause::loader) {
    return is == Cause::disk || is == Cause::cores || is == Cause::workers ||
           is == Cause::streaming;
  }
  return said == is;
}

}  // namespace feedrate
