#include "words/remedies.hpp"

#include <fmt/format.h>

#include "base/number_text.hpp"
#include "words/interruptions.hpp"

namespace feedrate::words {
namespace {

std::string bytes_of_sample(Bytes bytes) {
  return bytes.base() < 1e6 ? fmt::format("{:.3g} KB", bytes.base() / 1e3)
                            : fmt::format("{:.3g} MB", bytes.base() / 1e6);
}

}  // namespace

std::string assigned(std::string_view key, std::string_view value) {
  return fmt::format("{} = {}", key, value);
}

std::string number_of(double n, std::string_view what) {
  return fmt::format("{:g} {}", n, what);
}

std::string with_cpus(std::string_view instance, double cpus, Bytes memory) {
  return fmt::format("{} with {:g} CPUs and {:.3g} GiB", instance, cpus, memory / gibibytes(1.0));
}

std::string with_memory(std::string_view instance, Bytes memory) {
  return fmt::format("{} with {:.3g} GiB", instance, memory / gibibytes(1.0));
}

std::string with_network(std::string_view instance, Bandwidth network) {
  return fmt::format("{} with {:.3g} Gbit/s", instance, network.base() * 8.0 / 1e9);
}

std::string preprocessing_helpers(double n, std::string_view instance) {
  return fmt::format("{:g} × {} for preprocessing", n, instance);
}

std::string ranked_by_time(Duration least) {
  return fmt::format(
      "Each start is billed for {:g} s at least, and the job takes less than twice that: changes "
      "are ranked by the time that they save. State the epochs of the whole job to rank them by "
      "cost.",
      least / seconds(1.0));
}

std::string other_helpers(double n, double now, std::string_view instance) {
  return fmt::format("{} instead of {:g}", preprocessing_helpers(n, instance), now);
}

std::string gpus_of_instance(double n, double all, double now, double instances) {
  return fmt::format("{}{:g} GPUs{} instead of {:g}", n == all ? "all " : "", n,
                     instances > 1.0 ? " of each instance" : "", now);
}

std::string packed_objects(double samples, double megabytes) {
  return fmt::format("objects of {:.0f} samples, {:g} MB", samples, megabytes);
}

std::string smaller_objects(double samples, double of_worker) {
  return fmt::format("objects of {:.0f} sample{}, {:g} for each worker", samples,
                     samples == 1.0 ? "" : "s", of_worker);
}

std::string even_objects(double samples, double gpus) {
  return fmt::format("objects of {:.0f} sample{}, as many for each of {:g} GPUs", samples,
                     samples == 1.0 ? "" : "s", gpus);
}

std::string copied_data(Bytes size) {
  return fmt::format("the data copied once ({} GB)", three_digits(size / gigabytes(1.0)));
}

std::string in_cloud_of_data(double n, std::string_view instance, std::string_view region) {
  return fmt::format("{:g} × {} in {}, where the data is", n, instance, region);
}

std::string copied_to_cloud(std::string_view store, Bytes data, bool known) {
  return fmt::format("the data copied to {} once ({} GB){}", store,
                     three_digits(data / gigabytes(1.0)),
                     known ? "" : ", taken to be no faster than now");
}

std::string fsx_from_copy(Bytes size) {
  return fmt::format("FSx for Lustre, filled in the first epoch from a copy in its region ({} GB)",
                     three_digits(size / gigabytes(1.0)));
}

std::string efs_from_copy(Bytes size) {
  return fmt::format("EFS, elastic throughput, the data copied into it once ({} GB)",
                     three_digits(size / gigabytes(1.0)));
}

std::string least_fsx(std::string_view deployment, std::string_view tier) {
  return fmt::format("{} with {}, as small as holds the data", deployment, tier);
}

std::string kept_bucket(double jobs) {
  return jobs > 1.0 ? fmt::format("the bucket, which stays for all {:g} jobs", jobs)
                    : "the bucket, which stays";
}

std::string copied_once(std::string_view region) {
  return fmt::format("the copy from {}", region);
}

std::string region_with_data(std::string_view region, Bytes data) {
  return fmt::format("{}, the data copied there once ({} GB)", assigned("region", region),
                     three_digits(data / gigabytes(1.0)));
}

std::string copied_there(std::string_view region) {
  return fmt::format("the copy to {}", region);
}

std::string cache_on_disk(std::string_view size) {
  return fmt::format("a cache of {} on the disk", size);
}

std::string gp3_volume(double megabytes_per_second, double iops) {
  return fmt::format("gp3 with {:g} MB/s and {:g} IOPS", megabytes_per_second, iops);
}

std::string cpu_hours(Duration time) {
  return three_digits(time / hours(1.0)) + " CPU hours";
}

std::string faster_operation(std::string_view operation, Duration now, Duration before) {
  return fmt::format("{} in {} ms instead of {} ms", operation, three_digits(now.base() * 1e3),
                     three_digits(before.base() * 1e3));
}

std::string smaller_samples(Bytes now, Bytes before) {
  return fmt::format("{} a sample to the GPU instead of {}, if float32 now", bytes_of_sample(now),
                     bytes_of_sample(before));
}

std::string faster_steps(double times, double low, double high) {
  return fmt::format("steps {:.3g} times as fast (published models: {:.3g} to {:.3g} times)", times,
                     low, high);
}

std::string checkpoint_every(std::string_view interval, bool only_one) {
  return fmt::format(
      "a checkpoint every {}{}; what failures lose is simulated with /cluster/failures only",
      interval, only_one ? ", so one in the job" : "");
}

std::string best_checkpoints(const std::optional<Duration>& interval) {
  return interval ? fmt::format("a checkpoint every {}, the best interval", span_words(*interval))
                  : "checkpoints at the best interval";
}

std::string blocks_of(Duration booked) {
  return fmt::format("{:g} h booked at a time", booked / hours(1.0));
}

std::string block_that_holds(Duration booked, Duration longest) {
  return fmt::format("{:g} h booked (95 % of draws take {} at most)", booked / hours(1.0),
                     span_words(longest));
}

std::string interleaved(double virtual_stages) {
  return fmt::format("schedule = interleaved, virtual_stages = {:g}", virtual_stages);
}

std::string on_demand_of(double n, double instances) {
  return fmt::format("{:g} of {:g} instances on demand", n, instances);
}

std::string savings(double share) {
  return fmt::format("{:g} % off", 100.0 * share);
}

std::string from_bucket(std::string_view mode, std::optional<double> connections) {
  return fmt::format("the data in a bucket of S3, {}{}", assigned("input_mode", mode),
                     connections ? fmt::format(", {:g} connections", *connections) : "");
}

std::string checkpoints_nearby(std::string_view store) {
  return fmt::format("checkpoints to {} in the job's region", store);
}

std::string give_scaling(double instances) {
  return fmt::format(
      "give /job/allreduce or /job/scaling: /job/efficiency holds for {:g} instances only",
      instances);
}

std::string give_parts_before(std::string_view random_operation) {
  return fmt::format(
      "{} draws anew in every epoch and cannot be done ahead: give what comes before it as an "
      "operation of its own",
      random_operation);
}

std::string give_parts_kept(std::string_view random_operation) {
  return fmt::format(
      "{} draws anew in every epoch, so what it makes cannot be kept: give what comes before it as "
      "an operation of its own",
      random_operation);
}

std::string give_stored_size(std::string_view operation) {
  return fmt::format(
      "give /preprocess/{}/output_bytes, the size of what would be stored: decoded samples are "
      "several times larger",
      operation);
}

std::string give_cpu_time(std::string_view operation) {
  return fmt::format(
      "give /preprocess/{}/cpu: the profile's time was measured on other samples, and is scaled",
      operation);
}

std::string give_gpu_time(std::string_view operation) {
  return fmt::format(
      "give /preprocess/{}/gpu, what it costs on the GPU (feedrate calibrate measures it where "
      "there is one)",
      operation);
}

std::string give_cost_on_cpu(std::string_view operation) {
  return fmt::format(
      "give /preprocess/{0}/cpu and /preprocess/{0}/output_bytes, what it costs on the CPU and "
      "what is copied after it",
      operation);
}

}  // namespace feedrate::words
