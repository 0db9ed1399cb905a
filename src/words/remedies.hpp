#pragma once
// What the changes of remedies are called, and what has to be given before one can be simulated.
#include <optional>
#include <string>
#include <string_view>

#include "base/units.hpp"

namespace feedrate::words {

/// "num_workers = 3"
std::string assigned(std::string_view key, std::string_view value);
/// "8 connections"
std::string number_of(double n, std::string_view what);

/// "g5.xlarge with 4 CPUs and 16 GiB"
std::string with_cpus(std::string_view instance, double cpus, Bytes memory);
inline constexpr std::string_view thread_for_each_cpu = ", a thread for each of its CPUs";
inline constexpr std::string_view worker_fewer_than_cpus = ", one worker fewer than it has CPUs";
std::string with_memory(std::string_view instance, Bytes memory);
std::string with_network(std::string_view instance, Bandwidth network);
std::string preprocessing_helpers(double n, std::string_view instance);
/// `least`: what each start is billed for.
std::string ranked_by_time(Duration least);
/// `n` instead of the `now` that preprocess.
std::string other_helpers(double n, double now, std::string_view instance);
inline constexpr std::string_view worker_for_each_cpu_of_helper =
    "a worker for each CPU of a helper";
inline constexpr std::string_view own_cpus_beside_helpers =
    "preprocessing on the instance's own CPUs as well as on helpers";
inline constexpr std::string_view own_cpus =
    "preprocessing on the instance's own CPUs, without helpers";
/// "all 8 GPUs of each instance instead of 2"
std::string gpus_of_instance(double n, double all, double now, double instances);
std::string packed_objects(double samples, double megabytes);
/// "objects of 250 samples, 4 for each worker"
std::string smaller_objects(double samples, double of_worker);
/// "objects of 977 samples, as many for each of 32 GPUs"
std::string even_objects(double samples, double gpus);
/// "the data copied once (127 GB)"
std::string copied_data(Bytes size);
/// "the copy from us-east-1"
std::string copied_once(std::string_view region);
/// "region = eu-west-1, the data copied there once (127 GB)"
std::string region_with_data(std::string_view region, Bytes data);
std::string copied_there(std::string_view region);
inline constexpr std::string_view way_without_price = " (what the copy costs is not known)";
/// Of a copy that runs of other days share.
inline constexpr std::string_view held_while_running =
    " (the copy is paid for while runs take: give /source/storage_held or "
    "/accounting/runs_per_month)";
inline constexpr std::string_view held_copy = "the copy's bucket";
/// "2 × p4d.24xlarge in us-east-1, where the data is"
std::string in_cloud_of_data(double n, std::string_view instance, std::string_view region);
/// `known`: how fast that store is.
std::string copied_to_cloud(std::string_view store, Bytes data, bool known);
inline constexpr std::string_view no_way_out =
    "no price is known of reading the data out of its cloud, or of writing it to the job's";
std::string fsx_from_copy(Bytes size);
std::string efs_from_copy(Bytes size);
/// "PERSISTENT_2 with 125 MB/s/TiB, as small as holds the data"
std::string least_fsx(std::string_view deployment, std::string_view tier);
/// Of drives that an instance has for as long as it runs.
inline constexpr std::string_view filled_from_s3 = ", filled from S3 before each job";
inline constexpr std::string_view copied_to_s3 = "the copy to S3";
inline constexpr std::string_view copied_to_efs = "the copy from S3 to EFS";
/// `jobs`: over which savings are counted.
std::string kept_bucket(double jobs);
/// "a cache of 40 GB on the disk"
std::string cache_on_disk(std::string_view size);
std::string gp3_volume(double megabytes_per_second, double iops);
std::string cpu_hours(Duration time);
/// "resize in 1.2 ms instead of 4.3 ms"
std::string faster_operation(std::string_view operation, Duration now, Duration before);
std::string smaller_samples(Bytes now, Bytes before);
/// `low` and `high`: of the published models.
std::string faster_steps(double times, double low, double high);
/// `only_one`: of the job, whatever failures ask for.
std::string checkpoint_every(std::string_view interval, bool only_one);
/// "a checkpoint every 3.31 h, the best interval"; empty: not known before it is tried.
std::string best_checkpoints(const std::optional<Duration>& interval);
/// "24 h booked (95 % of draws take 22.1 h at most)"
std::string block_that_holds(Duration booked, Duration longest);
/// "schedule = interleaved, virtual_stages = 4"
std::string interleaved(double virtual_stages);
/// "24 h booked at a time"
std::string blocks_of(Duration booked);
std::string savings(double share);
/// Behind another purchase, where what was paid so far is stated.
inline constexpr std::string_view price_of_catalogue = ", at the catalogue's price";
/// "the data in a bucket of S3, input_mode = stream"
std::string from_bucket(std::string_view mode, std::optional<double> connections);
inline constexpr std::string_view copied_to_bucket = "the copy to S3";
inline constexpr std::string_view moved_objects = "moving the objects";
/// "checkpoints to s3 in the job's region"
std::string checkpoints_nearby(std::string_view store);
/// "2 of 4 instances on demand"
std::string on_demand_of(double n, double instances);

// What to give first.
std::string give_scaling(double instances);
std::string give_parts_before(std::string_view random_operation);
std::string give_parts_kept(std::string_view random_operation);
std::string give_stored_size(std::string_view operation);
inline constexpr std::string_view give_decoded_size =
    "give /dataset/decoded_bytes_per_sample: samples are kept decoded, and several times larger "
    "than "
    "stored";
inline constexpr std::string_view give_disk =
    "give /disk/bandwidth: how fast the local disk of this machine is, is not known";
inline constexpr std::string_view give_checkpoint_bandwidth =
    "give /job/checkpoint/bandwidth, how fast a store in the job's own region takes them";
inline constexpr std::string_view give_checkpoint_size =
    "give /job/checkpoint/size (with bandwidth, if not to where the data is), or the parameters of "
    "the model: without checkpoints an interruption loses all that was done";
std::string give_cpu_time(std::string_view operation);
std::string give_gpu_time(std::string_view operation);
std::string give_cost_on_cpu(std::string_view operation);

}  // namespace feedrate::words
