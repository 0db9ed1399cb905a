#pragma once
// What is said of an observed job's numbers: where each is from, and what stands in for what was
// not seen.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "model/observed_job.hpp"

namespace feedrate::words {

/// What was not seen, and what is taken in its place.
struct NotSeen {
  std::string_view what;
  std::string_view instead;
};

namespace unseen {
inline constexpr NotSeen machine_cost = {"what the machine costs",
                                         "0 USD/h; set /cluster/instance or /cluster/price"};
inline constexpr NotSeen prefetch_factor = {"prefetch_factor", "2, PyTorch's default"};
inline constexpr NotSeen persistent_workers = {"whether workers live on between epochs", "they do"};
inline constexpr NotSeen server = {"what serves the data",
                                   "a store behind the network that costs nothing"};
inline constexpr NotSeen sample_bytes = {"bytes of a sample", "1 B"};
inline constexpr NotSeen workers_apart = {"the workers apart from what else ran",
                                          "all of the CPUs' time is theirs"};
inline constexpr NotSeen loader_cpu = {"CPU time of the loader",
                                       "a worker computes all the time that it is at a sample"};
inline constexpr NotSeen loader_in_step = {
    "what the loader asks of CPUs",
    "nothing; it is a part of the step and of what each step waits"};
inline constexpr NotSeen cores_of_others = {
    "how many of the cores that other programs keep busy more workers would get",
    "all; observe again while nothing else runs"};
inline constexpr NotSeen waiting_for_cores = {"waiting for such cores apart from reading",
                                              "all that workers wait is reading"};
inline constexpr NotSeen waiting_besides_cores = {
    "what workers wait for besides cores, all of which are busy", "nothing"};
inline constexpr NotSeen waiting_besides_quota = {
    "what workers wait for besides the CPU quota, which is used up", "nothing"};
inline constexpr NotSeen time_of_read = {"how long a read takes that the limit does not hold back",
                                         "no time"};
inline constexpr NotSeen where_workers_wait = {
    "where workers wait", "at each sample as long, however many workers wait at once"};
inline constexpr NotSeen lock = {
    "how long a worker holds the lock, apart from what it does without it",
    "all of its time that is no waiting; more workers give no more samples"};
inline constexpr NotSeen reads_at_once = {"whether the disk serves more reads at once faster",
                                          "it does not"};
inline constexpr NotSeen copy_rates = {
    "the rate of copies to the GPU, for those of a step are of both kinds of memory",
    "they are a part of the step"};
inline constexpr NotSeen copy_rate_without_trace = {
    "the rate of copies to the GPU, which takes a trace", "they are a part of the step"};
inline constexpr NotSeen communication = {"communication apart from the step",
                                          "it is a part of it, and does not grow"};
inline constexpr NotSeen variation = {
    "how much steps differ, which takes ten that are told one by one", "not at all"};
inline constexpr NotSeen variation_beside_waits = {
    "how much each GPU's steps differ, apart from what all wait for the latest batch",
    "not at all: the step is the slowest's"};
inline constexpr NotSeen hidden_step = {
    "how much of the step hides behind the wait, as a GPU's queue does",
    "nothing; a loop that does not wait for its GPU has a longer step than this"};
inline constexpr NotSeen own_step = {"the step's own time, for no step was marked",
                                     "the bound that the GPU's utilisation gives"};
inline constexpr NotSeen step_beside_wait = {"a step beside the wait", "1 µs"};
inline constexpr NotSeen copies = {"copies to the GPU apart from the step",
                                   "they are a part of it"};
inline constexpr NotSeen limited_requests = {"requests of a sample that the disk's limit counts",
                                             "none"};
}  // namespace unseen

/// How a number was found, behind what it was seen in.
namespace found {
inline constexpr std::string_view before_first_epoch = "observed: what came before the first epoch";
inline constexpr std::string_view received_over_throughput =
    ", received from the network over throughput";
inline constexpr std::string_view received_but_exchanged =
    ", received from the network over throughput, without what instances all-reduce";
inline constexpr std::string_view worker_cpu_over_throughput =
    ", busy time of the workers' CPUs over throughput";
inline constexpr std::string_view all_cpu_over_throughput =
    ", busy time of all CPUs over throughput: the main process's with it";
inline constexpr std::string_view worker_time_of_all_cpu =
    ", a worker's whole time at a sample: the busy time of all CPUs is longer";
inline constexpr std::string_view whole_time_at_sample = ", a worker's whole time at a sample";
inline constexpr std::string_view without_others =
    ", without what it loses to the others on busy cores";
inline constexpr std::string_view left_by_others = ", what other programs left the job of the CPUs";
inline constexpr std::string_view let_by_quota =
    ", all that the quota of the job's control group lets it compute";
inline constexpr std::string_view ready_beside =
    ", threads of others among which the kernel divides the CPUs: as many as leave workers waiting "
    "so long for one";
inline constexpr std::string_view waits_at_sample =
    ", a worker's time at a sample that is not its CPU's: what it waits while it reads";
inline constexpr std::string_view over_device_reads = ", over its reads of the device";
inline constexpr std::string_view device_reads_over_throughput =
    ", reads of the device over throughput";
inline constexpr std::string_view no_more_than_limit = ", no more than the limit lets through";
inline constexpr std::string_view copied_over_batch = ", what is copied in a step over the batch";
inline constexpr std::string_view received_over_pcie =
    ", all that the GPUs receive over PCIe over throughput";
inline constexpr std::string_view waits_for_slowest =
    ", of all-reduces with their waiting for the slowest rank";
inline constexpr std::string_view unhidden_reduces =
    ", of the part of all-reduces that no kernel hides";
inline constexpr std::string_view reduced_in_step = ", all-reduced in a step";
inline constexpr std::string_view hidden_by_kernels = ", what kernels hide of it";
inline constexpr std::string_view deviation_over_mean =
    ", standard deviation over mean of what is no wait";
inline constexpr std::string_view interval_without_wait =
    ", the interval without the wait for the batch";
inline constexpr std::string_view interval_without_waits =
    ", the interval without the wait for the batch and, in all-reduces, for those of other GPUs";
inline constexpr std::string_view interval_of_utilisation =
    ", its interval times the GPU's utilisation: the most that a step can take";
inline constexpr std::string_view without_copies = ", without copies";
inline constexpr std::string_view without_communication =
    ", without the communication that nothing hides";
inline constexpr std::string_view main_cpu = ", the main process's CPU";
inline constexpr std::string_view every_step_waits = ", what every step waits";
inline constexpr std::string_view link_time_over_steps = ", busy time of the link over steps";
inline constexpr std::string_view start_of_epochs =
    ", an epoch's time to its first step without a worker's time at a batch, over the workers";
inline constexpr std::string_view passed_by_lock =
    ", all that a lock lets through: one worker at a time holds it, and the others wait for it";
inline constexpr std::string_view group_limit = "the limit of the job's control group";
inline constexpr std::string_view counted_reads_over_throughput =
    ", reads that the limit counts over throughput";
inline constexpr std::string_view mean_of_limit = ", the mean of what it was";
}  // namespace found

/// "20 steps", "1 step".
std::string counted(const ObservedNumber& number);
/// "observed: 20 steps of train.log, ± 4 %"
std::string origin(const ObservedNumber& number, const std::string& source);
/// What a control group's limit, or what others left of it, says of a disk.
std::string origin_of_limit(std::string_view limit, std::string_view disk, bool changed);
std::string left_of_limit(Bandwidth limit);
std::string all_that_disk_gives(std::string_view disk);
std::string all_that_link_carries(std::string_view link);
std::string from_page_cache(double share, bool besides_limit);
std::string copies_from(std::string_view memory);
/// "/job/step = 20 ms: observed: …"
std::string input_line(std::string_view pointer, std::string_view text, std::string_view origin);

// What was not seen, where numbers belong to it.
/// What is taken where nobody tells of the machine.
Unseen enough_cpus(double cpus);
Unseen epoch_length(double steps);
/// Of so many instances, whose exchange comes by the network as samples do.
Unseen exchanged_bytes(double instances);
/// Of a loader that nothing waits for: at most so long a sample.
Unseen idle_loader(Duration most);
Unseen idle_reading(Duration most);
/// `one_at_a_time`: what it gives if it does nothing else meanwhile.
Unseen most_rate(std::string_view kind, const ObservedDevice& seen, Bandwidth most,
                 std::optional<Bandwidth> one_at_a_time);
Unseen hidden_copies(Bandwidth rate, double hidden_share);
Unseen communicated_bytes(Duration exposed);
Unseen variation_of_each(double gpus, double cv);
Unseen wait_for_batches(bool gpu_busy);

// What a node of several does otherwise than the others, which need or do as `others` says.
std::string node_needs_cpu(Duration own, Duration others);
std::string node_lacks_cpu(Duration own, Duration others, double used_by_others);
std::string node_is_cold(Bytes own, Bytes others);
std::string node_has_busy_disk(double own, double others);
std::string node_waits_for_reads(Duration each);
std::string node_has_slow_gpus(Frequency own, Frequency others);
/// `rank`: "" where all of its ranks are alike. `late`: 0 where it is not told.
std::string straggler(std::string_view node, std::string_view rank, Duration late, double interval,
                      const std::vector<std::string>& causes);
/// `told`: logs of all nodes tell what steps wait for.
std::string no_straggler(std::size_t nodes, bool told);

/// All of it in one line: "Not seen: CPUs: one for each process of the job; …", and the notes.
std::string not_seen(const std::vector<Unseen>& unseen, const std::vector<std::string>& notes);

}  // namespace feedrate::words
