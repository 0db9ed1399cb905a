// When each remedy applies, and which changes it tries: over generated jobs of every kind, stated a
// second time by what the job is.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/unit_text.hpp"
#include "laws/remediable_jobs.hpp"
#include "model/input_mode.hpp"

using namespace feedrate;

namespace {

using study::Change;
using study::Remedy;
using study::Setting;
using testing_laws::for_remediable;
using testing_laws::Remediable;
using testing_resolve::catalog;

/// What a remedy has to do: nothing where it does not apply, else the settings that it tries.
struct Expected {
  bool applies = false;
  std::vector<Setting> sets{};
  bool lacks = false;
};

Expected where(bool applies, std::vector<Setting> sets) {
  return {applies, std::move(sets)};
}

/// One setting of a key for each value that is more than it is now.
std::vector<Setting> more_than(double now, const std::string& key, std::vector<double> values) {
  std::vector<Setting> sets;
  for (const double value : values) {
    if (value > now) sets.push_back({{key, fmt::format("{:g}", value)}});
  }
  return sets;
}

class Table {
 public:
  explicit Table(const Remediable& of)
      : job_(of.scenario), in_(of.resolved.inputs), now_(of), rows_() {
    loader();
    preprocess();
    storage();
    training();
    prices();
    machines();
  }
  [[nodiscard]] const std::map<std::string, Expected>& rows() const { return rows_; }

 private:
  [[nodiscard]] double wait(Stage stage) const {
    return now_.result.stages[stage].stall / now_.result.times.total;
  }
  [[nodiscard]] bool on_path(Stage stage) const {
    const StageStats& of = now_.result.stages[stage];
    return of.capacity.has_value() || of.stall > Duration{};
  }

  /// Whether the data lies in another cloud than the job.
  [[nodiscard]] bool in_gcs() const { return job_.source.service.family() == Service::gcs; }

  /// Whether it is said that the data lies in another region than the job, of its cloud.
  [[nodiscard]] bool far() const {
    return !in_gcs() && job_.source.region &&
           *job_.source.region != job_.cluster.region.value_or("us-east-1");
  }

  void loader() {
    const std::set<std::string_view> others = {"dali", "tf.data", "tf.data-service", "grain"};
    const bool torch = !others.contains(job_.loader.kind.name());
    const bool pytorch = torch && job_.loader.kind.family() == LoaderKind::pytorch;
    const bool workers = in_.workers > 0.0;
    rows_["prefetch_factor"] =
        where(workers, more_than(in_.prefetch, "prefetch_factor", {2, 4, 8, 16}));
    const double begun = in_.unfinished_steps > 0.0 ? in_.epochs + 1.0 : in_.epochs;
    rows_["persistent_workers"] =
        where(pytorch && workers && !in_.persistent_workers && begun > 1.0,
              {{{"persistent_workers", "true"}}});
    const bool copies = torch && on_path(Stage::h2d);
    rows_["pin_memory"] = where(copies && !in_.pinned, {{{"pin_memory", "true"}}});
    Setting beside;
    if (!in_.pinned) beside.emplace_back("pin_memory", "true");
    beside.emplace_back("non_blocking", "true");
    if (job_.job.copy_stream) beside.emplace_back("copy_stream", "side");
    rows_["non_blocking"] = where(copies && in_.copies != pipeline::Copies::beside, {beside});
    rows_["asynchronous_step"] = where(!in_.asynchronous_step, {{{"asynchronous_step", "true"}}});
    const bool shared = in_.remote || job_.loader.kind.family() == LoaderKind::pool;
    rows_["in_order"] =
        where((shared ? workers : in_.workers > 1.0) && in_.in_order, {{{"in_order", "false"}}});
    rows_["shared_memory"] =
        where(pytorch && workers && job_.loader.transport == Transport::pickled,
              {{{"transport", "shared_memory"}}});
    rows_["stacked_tensors"] = where(pytorch && workers && job_.loader.tensors_per_sample == 3.0 &&
                                         job_.loader.transport != Transport::pickled,
                                     {{{"tensors_per_sample", "0"}}});
    rows_["processes"] =
        where(in_.kind == LoaderKind::pool && !in_.remote && in_.locked.base() > 0.0,
              {{{"/loader/kind", "pytorch"}, {"/loader/lock", "null"}, {"num_workers", "cpus-1"}}});
    rows_["cpu_quota"] =
        where(job_.cluster.cpu_quota.has_value(), {{{"/cluster/cpu_quota", "null"}}});
    const bool streams = in_.source && !in_.sequential_stream && !in_.remote;
    rows_["fetch_threads"] =
        where(streams && workers, more_than(in_.fetch_threads, "fetch_threads", {2, 4, 8, 16}));
    const auto& groups = job_.dataset.row_groups;
    rows_["row_groups_in_sequence"] =
        where(groups && groups->random && *groups->random && groups->rows > 1.0,
              {{{"/dataset/row_groups/random", "false"}}});
    const auto& document = job_.dataset.tokens_per_document;
    const double tokens =
        document && job_.job.step ? job_.job.step->tokens_per_sample.value_or(0) : 0;
    rows_["packing"] = where(document && tokens > *document && !job_.loader.packing.value_or(false),
                             {{{"/loader/packing", "true"}}});
    const double threads = now_.resolved.machine->vcpus->value / in_.ranks;
    rows_["one_thread_a_worker"] = {
        pytorch && wait(Stage::decode) > 0.05 && in_.workers >= threads - 1.0, {}, true};
  }

  /// What the last operation off the GPU makes, where it says so.
  [[nodiscard]] bool last_output() const {
    bool known = !job_.preprocess.empty();
    for (const Operation& one : job_.preprocess) {
      if (one.where == Place::gpu) continue;
      known = one.output_bytes || (known && one.where == Place::offline);
    }
    return known;
  }

  [[nodiscard]] bool is_random(const Operation& of) const {
    return of.operation.find("random") != std::string::npos;
  }

  void preprocess() {
    const std::vector<Operation>& all = job_.preprocess;
    bool any = false;
    for (const Operation& one : all) any = any || one.where == Place::cpu;
    const bool on_cpu = any && (in_.cpu.base() > 0.0 || in_.remote);
    const auto place = [](std::size_t i, const char* to) {
      return std::pair(fmt::format("/preprocess/{}/where", i), std::string(to));
    };
    std::vector<Setting> ahead;
    Setting set;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].where == Place::offline) continue;
      if (all[i].where == Place::gpu || is_random(all[i])) break;
      set.push_back(place(i, "offline"));
      if (all[i].output_bytes) ahead.push_back(set);
    }
    rows_["offline_preprocessing"] = {on_cpu, ahead, ahead.empty()};
    Setting gpu;
    for (std::size_t i = all.size(); i-- > 0;) {
      const bool known = all[i].gpu || (now_.host != nullptr &&
                                        now_.host->gpu_operations.contains(all[i].operation));
      if (all[i].where != Place::cpu || !known) break;
      gpu.push_back(place(i, "gpu"));
    }
    rows_["gpu_preprocessing"] = {on_cpu, {}, gpu.empty()};
    if (!gpu.empty()) rows_["gpu_preprocessing"].sets = {gpu};
    to_cpu();
    native(on_cpu);
    cheaper(on_cpu);
    const auto& bytes = job_.dataset.bytes_on_gpu_per_sample;
    bool encoded = false;
    for (const Operation& one : all) {
      encoded = encoded || (one.where == Place::gpu && one.operation == "decode");
    }
    rows_["uint8_to_gpu"] =
        where(bytes && !encoded && on_path(Stage::h2d) && now_.result.gpu_busy > 0.0, {});
    if (bytes) {
      rows_["uint8_to_gpu"].sets = {{{"bytes_on_gpu_per_sample", format_quantity(*bytes / 4.0)}}};
    }
    rows_["in_memory_cache"] =
        where(on_cpu && !in_.caches.decoded && in_.epochs > 1.0, {{{"in_memory_cache", "true"}}});
    for (const Operation& one : all) {
      if (one.where != Place::cpu) continue;
      rows_["in_memory_cache"].lacks =
          is_random(one) ||
          (!bytes && !job_.dataset.decoded_bytes_per_sample && !last_output() && !one.output_bytes);
      break;
    }
  }

  /// Of operations that all say what they cost on a CPU: up to each that says what it makes.
  void to_cpu() {
    Expected& row = rows_["cpu_preprocessing"];
    Setting moved;
    for (std::size_t i = 0; i < job_.preprocess.size(); ++i) {
      const Operation& one = job_.preprocess[i];
      if (one.where != Place::gpu) continue;
      row.applies = true;
      moved.emplace_back(fmt::format("/preprocess/{}/where", i), "cpu");
      if (one.in_loader == true)
        moved.emplace_back(fmt::format("/preprocess/{}/in_loader", i), "false");
      if (!one.output_bytes) continue;
      row.sets.push_back(moved);
      if (!job_.dataset.bytes_on_gpu_per_sample) continue;
      row.sets.back().emplace_back("bytes_on_gpu_per_sample", format_quantity(*one.output_bytes));
    }
    row.lacks = row.sets.empty();
  }

  void native(bool on_cpu) {
    Expected& row = rows_["faster_decoder"];
    row.applies = on_cpu && wait(Stage::decode) > 0.0;
    row.lacks = now_.host == nullptr;
    if (row.lacks) return;
    const auto& known = now_.host->operations;
    Setting set;
    for (std::size_t i = 0; i < job_.preprocess.size(); ++i) {
      const Operation& one = job_.preprocess[i];
      DurationPerSample fast;
      if (one.operation == "getitem") {
        for (const char* part : {"read", "decode", "crop_resize", "flip", "normalize"}) {
          fast += known.at(part).value;
        }
      } else if (known.contains(one.operation)) {
        fast = known.at(one.operation).value;
      } else {
        continue;
      }
      if (one.where != Place::cpu || fast >= *one.cpu) continue;
      set.emplace_back(fmt::format("/preprocess/{}/cpu", i), format_quantity(fast));
    }
    if (!set.empty() && !job_.measured_on.cpu_times) row.sets = {set};
  }

  /// The operation of the most milliseconds takes ten thirteenths of them.
  void cheaper(bool on_cpu) {
    Expected& row = rows_["cheaper_operation"];
    row.applies = on_cpu && wait(Stage::decode) > 0.0;
    std::size_t most = job_.preprocess.size();
    double longest = 0.0;
    for (std::size_t i = 0; i < job_.preprocess.size(); ++i) {
      const Operation& one = job_.preprocess[i];
      if (one.where != Place::cpu || !one.cpu || one.cpu->base() <= longest) continue;
      longest = one.cpu->base();
      most = i;
    }
    if (most == job_.preprocess.size()) return;
    row.sets = {{{fmt::format("/preprocess/{}/cpu", most),
                  format_short(longest / 1.3, dimension_of(DurationPerSample{}), 3)}}};
  }

  void storage() {
    const Source& source = job_.source;
    const bool afar = in_.staging || in_.source || in_.first_source;
    const bool s3 = source.service.family() == Service::s3 && afar;
    const bool in_objects = s3 || (in_gcs() && afar);
    const bool aws = now_.resolved.machine->cloud == "aws";
    const bool sagemaker = now_.situation.service == "sagemaker";
    const double each = job_.dataset.bytes_per_sample->base();
    const double now = job_.dataset.samples_per_object.value_or(1.0);
    std::vector<Setting> packs;
    for (const double size : {1e6, 16e6, 64e6, 128e6}) {
      const double samples = std::floor(size / each);
      if (samples > now && samples <= in_.samples) {
        packs.push_back({{"samples_per_object", fmt::format("{:.0f}", samples)}});
      }
    }
    rows_["pack_objects"] = where((afar || on_path(Stage::disk)) && each * now < 1e6, packs);
    // Workers with 1, 4 and 16 objects, where each reads some of its own.
    const bool whole = in_.whole_objects && in_.per_object > 1.0 && in_.workers >= 1.0 &&
                       traits(in_.kind).whole_batches && !in_.remote && !in_.sequential_stream;
    std::vector<Setting> smaller;
    if (whole && in_.times_read > 1.0) {
      // The least multiple of the GPUs that is above the number of objects.
      const double gpus = in_.replicas();
      double objects = gpus;
      while (objects <= std::ceil(in_.samples / now)) objects += gpus;
      smaller.push_back(
          {{"samples_per_object", fmt::format("{:.0f}", std::ceil(in_.samples / objects))}});
    }
    if (whole) {
      const double of_worker = in_.samples * in_.times_read / in_.replicas() / in_.workers;
      for (const double objects : {1.0, 4.0, 16.0}) {
        const double samples = std::floor(of_worker / objects);
        if (samples >= 1.0 && samples < now) {
          smaller.push_back({{"samples_per_object", fmt::format("{:.0f}", samples)}});
        }
      }
    }
    rows_["smaller_objects"] = where(whole, smaller);
    const double connections = in_.staging  ? in_.staging->connections
                               : in_.source ? in_.source->connections
                                            : 0.0;
    rows_["connections"] = where(afar, {});
    if (connections > 0.0) {
      rows_["connections"].sets =
          more_than(connections, "/source/connections", {16, 32, 64, 128, 256});
    }
    const InputMode mode = source.input_mode.value_or(InputMode::file);
    const auto to_mode = [&](const std::string& word) {
      Setting set{{"/source/input_mode", word}};
      if (source.cache && word != "stream") set.emplace_back("/source/cache", "null");
      return set;
    };
    rows_["input_mode"] = where(in_objects, {});
    if (mode != InputMode::file) rows_["input_mode"].sets.push_back(to_mode("File"));
    if (mode != InputMode::fast_file && sagemaker) {
      rows_["input_mode"].sets.push_back(to_mode("FastFile"));
    }
    rows_["streaming"] = where(in_objects, {});
    if (mode != InputMode::pipe && mode != InputMode::stream) {
      rows_["streaming"].sets = {to_mode(sagemaker ? "Pipe" : "stream")};
    }
    rows_["fsx"] = {s3 && aws};
    rows_["efs"] = {s3 && aws};
    // Standard and Standard-IA, the one that it is not.
    std::vector<Setting> classes;
    for (const char* const other : {"STANDARD", "STANDARD_IA"}) {
      if (source.storage_class_or("STANDARD") == other) continue;
      classes.push_back({{"/source/storage_class", other}});
      if (source.service.name() != "s3") classes.back().emplace_back("/source/service", "s3");
    }
    rows_["storage_class"] = where(s3, classes);
    rows_["efs_throughput"] = where(source.service.family() == Service::efs, {});
    for (const char* const other : {"elastic", "bursting"}) {
      if (source.throughput_mode.value_or("elastic") == other) continue;
      rows_["efs_throughput"].sets.push_back({{"/source/throughput_mode", other}});
    }
    const bool pays = source.bill_storage != false;
    rows_["efs_one_zone"] = where(source.service.family() == Service::efs && pays,
                                  {{{"/source/storage_class", "One Zone"}}});
    const bool lustre = source.service.family() == Service::fsx_lustre;
    rows_["fsx_tier"] = {lustre};
    rows_["smaller_fsx"] = {lustre && pays};
    rows_["bucket"] = {(lustre || source.service.family() == Service::efs) && pays && aws &&
                       now_.result.bill.storage > Money{}};
    rows_["smaller_volume"] = {now_.resolved.disk && now_.resolved.disk->kind == DiskKind::ebs &&
                               job_.disk.size && now_.result.bill.storage > Money{}};
    const bool ebs =
        now_.resolved.disk && now_.resolved.disk->kind == DiskKind::ebs && on_path(Stage::disk);
    rows_["gp3"] = where(ebs && !sagemaker, {});
    if (ebs) rows_["gp3"].sets = volumes(*now_.resolved.disk);
    const bool reads =
        in_.disk && in_.disk->requests > 1.0 &&
        (job_.disk.reads_per_sample || (now_.host != nullptr && now_.host->reads_per_sample));
    rows_["whole_file_reads"] =
        where(on_path(Stage::disk) && reads && now == 1.0, {{{"reads_per_sample", "1"}}});
    Setting copy;
    if (source.region) copy.emplace_back("/source/region", "null");
    if (in_gcs()) copy.emplace_back("/source/first_byte_latency", "null");
    if (source.bill_storage != true) copy.emplace_back("/source/bill_storage", "true");
    rows_["copy_data"] = where(s3 && far(), {copy});
    copy.insert(copy.begin(), {"/source/service", "s3"});
    rows_["copy_to_cloud"] = where(in_objects && !s3 && !job_.loader.remote, {copy});
    const bool again = in_.source && !in_.sequential_stream && !job_.loader.remote &&
                       !source.cache && in_.epochs + in_.unfinished_steps > 1.0;
    const std::string loader(job_.loader.kind.name());
    const bool shards = loader == "streamingdataset" || loader == "litdata";
    // The loader's nodes each keep their shards.
    const double nodes = shards ? std::min(in_.instances_alike(), in_.replicas()) : 1.0;
    const double shared_by =
        source.distribution == Distribution::sharded_by_s3_key ? in_.instances : nodes;
    const std::vector<Setting> room = {
        {{"/source/cache",
          fmt::format("{:.0f} GB", std::ceil(each * *job_.dataset.samples / shared_by / 1e9))}}};
    const std::string store(source.service.name());
    const Service family = source.service.family();
    const bool files =
        family == Service::fsx_lustre || family == Service::efs || family == Service::nfs;
    const bool nfs = std::set<std::string>{"efs",       "nfs",  "fsx-openzfs",       "fsx-ontap",
                                           "filestore", "vast", "azure-netapp-files"}
                         .contains(store);
    const bool partly = again && in_.caches.on_disk < 1.0;
    rows_["disk_cache"] = where(partly && (!files || shards), room);
    rows_["nfs_cache"] = where(partly && nfs && !shards, room);
    for (const char* const name : {"disk_cache", "nfs_cache"}) {
      rows_[name].lacks = !aws && !job_.disk.bandwidth;
    }
    rows_["sharded_by_s3_key"] = where(in_objects && in_.staging && in_.instances > 1.0 &&
                                           source.distribution == Distribution::fully_replicated,
                                       {{{"/source/distribution", "ShardedByS3Key"}}});
  }

  /// Volumes of which one is better than what is there.
  static std::vector<Setting> volumes(const resolve::LocalDisk& now) {
    std::vector<Setting> sets;
    for (const auto& [rate, iops] :
         {std::pair(250.0, 3000.0), std::pair(500.0, 6000.0), std::pair(1000.0, 6000.0),
          std::pair(1000.0, 16000.0), std::pair(2000.0, 16000.0)}) {
      const bool gp3 = now.volume_type == "gp3";
      const bool as_fast = now.bandwidth && now.bandwidth->base() >= rate * 1e6;
      const bool as_many = now.iops && now.iops->base() >= iops;
      if (gp3 && as_fast && as_many) continue;
      Setting set;
      if (!gp3) set.emplace_back("volume_type", "gp3");
      set.emplace_back("disk.bandwidth", fmt::format("{:g} MB/s", rate));
      set.emplace_back("disk.iops", fmt::format("{:g} /s", iops));
      // Of a GiB 500 are sold, and 3,000 come with any.
      const double gibibytes = std::ceil(iops / 500.0);
      if (iops > 3000.0 && now.size && now.size->base() < gibibytes * 1073741824.0) {
        set.emplace_back("disk.size", fmt::format("{:g} GiB", gibibytes));
      }
      sets.push_back(set);
    }
    return sets;
  }

  void training() {
    const bool waits = in_.exposed_allreduce > Duration{} && job_.job.allreduce;
    const double n = job_.job.gradient_accumulation.value_or(1.0);
    std::vector<Setting> accumulated;
    for (const double times : {2.0, 4.0, 8.0}) {
      accumulated.push_back({{"gradient_accumulation", fmt::format("{:g}", times * n)}});
      if (!job_.job.parallel || !job_.job.parallel->micro_batches) continue;
      accumulated.back().emplace_back("/job/parallel/micro_batches",
                                      fmt::format("{:g}", 8.0 * times));
    }
    // Layouts here have a pipeline.
    rows_["gradient_accumulation"] = where(waits || job_.job.parallel, accumulated);
    // Two instances with EFA are the only ones that are told to use something else.
    const bool messages = now_.result.layout && now_.result.layout->exposed > Duration{};
    rows_["fabric"] = where((waits || messages) && job_.cluster.zones_used() == 1.0 &&
                                job_.job.allreduce->fabric == NetworkFabric::tcp,
                            {{{"/job/allreduce/fabric", "efa"}}});
    const bool gathers = waits && job_.job.parallelism == Parallelism::fsdp;
    std::vector<Setting> fewer;
    for (const double times : {2.0, 3.0, 4.0}) {
      if (n / times != std::floor(n / times)) continue;
      fewer.push_back({{"batch_size", fmt::format("{:g}", times * in_.batch)},
                       {"gradient_accumulation", fmt::format("{:g}", n / times)}});
      if (!job_.job.steps) continue;
      fewer.back().emplace_back("/job/steps",
                                fmt::format("{:.0f}", std::ceil(*job_.job.steps / times)));
    }
    const bool grows = job_.job.step->per_sample || job_.job.step->table;
    rows_["fewer_microbatches"] = where(gathers && grows && n > 1.0, fewer);
    // 25 million parameters fit everywhere.
    rows_["whole_weights"] = where(gathers, {{{"/job/parallelism", "zero1"}}});
    const auto algorithm = waits ? job_.job.allreduce->algorithm : std::nullopt;
    const bool textbook =
        job_.job.parallelism != Parallelism::smddp &&
        (algorithm == AllReduceAlgorithm::ring || algorithm == AllReduceAlgorithm::hierarchical);
    const bool buckets = waits && !textbook && !job_.job.allreduce->points &&
                         (!job_.job.parallelism || job_.job.parallelism == Parallelism::ddp ||
                          job_.job.parallelism == Parallelism::smddp);
    std::vector<Setting> larger;
    for (const double size : {50.0, 100.0, 200.0, 400.0}) {
      const auto& bucket = waits ? job_.job.allreduce->bucket : std::nullopt;
      if (bucket && bucket->base() >= size * 1048576.0) continue;
      larger.push_back({{"/job/allreduce/bucket", fmt::format("{:g} MiB", size)}});
    }
    rows_["larger_buckets"] = where(buckets, larger);
    Setting divided{{"/job/parallelism", "fsdp"}};
    if (buckets && job_.job.allreduce->bucket) {
      divided.emplace_back("/job/allreduce/bucket", "null");
    }
    if (buckets && job_.job.allreduce->first_bucket) {
      divided.emplace_back("/job/allreduce/first_bucket", "null");
    }
    rows_["sharded_weights"] = where(buckets && parameters_of(job_.job), {divided});
    rows_["bf16_gradients"] = where(waits, {{{"gradient_bytes", "250 MB"}}});
    if (waits && job_.job.allreduce->parameters) {
      rows_["bf16_gradients"].sets = {{{"/job/allreduce/gradient_type", "bf16"}}};
    }
    const auto& said = now_.resolved.communication;
    rows_["hierarchical_allreduce"] = where(waits && in_.instances > 1.0 && in_.ranks > 1.0 &&
                                                said->protocol.empty() && said->algorithm == "ring",
                                            {{{"/job/allreduce/algorithm", "hierarchical"}}});
    rows_["background_checkpoints"] =
        where(wait(Stage::checkpoint) > 0.0 && !in_.checkpoint_background,
              {{{"/job/checkpoint/background", "true"}}});
    rows_["checkpoints"] = where(in_.interruptions && in_.checkpoint_time == Duration{},
                                 {{{"/job/checkpoint", "{}"}}});
    rows_["checkpoints"].lacks = !parameters_of(job_.job);
    // Young's interval of 3.8 failures in 1,000 days of a node.
    const double between = 1000.0 * 86400.0 / 3.8 / in_.cluster_instances();
    const double young = std::sqrt(2.0 * in_.checkpoint_time.base() * between);
    // One at least in the job, for one without any loses all of it.
    const auto& times = now_.result.times;
    const double work =
        (times.total - times.startup - times.staging - now_.result.stages[Stage::checkpoint].stall)
            .base() /
        60.0;
    const double once = std::floor(0.5 * work) + 1.0;
    const double every = std::min(std::ceil(young / 60.0), once);
    std::vector<Setting> rarer;
    if (once <= work && every * 60.0 > in_.checkpoint_interval.base()) {
      rarer.push_back({{"/job/checkpoint/interval", fmt::format("{:.0f} min", every)}});
    }
    rows_["checkpoint_interval"] =
        where(wait(Stage::checkpoint) > 0.0 && young > in_.checkpoint_interval.base(), rarer);
    // What interrupts the job says itself how often is best.
    if (in_.interruptions) {
      rows_["checkpoint_interval"] =
          where(in_.checkpoint_interval > Duration{}, {{{"/job/checkpoint/interval", "null"}}});
    }
    batches();
    precision();
    layouts();
  }

  /// Four stages of layers, and micro-batches of a sample each where it is not said.
  void layouts() {
    for (const char* const name : {"interleaved_stages", "fewer_stages", "smaller_tensor_groups",
                                   "outermost", "overlapped_messages"}) {
      rows_[name] = where(false, {});
    }
    if (!job_.job.parallel) return;
    const ParallelLayout& now = *job_.job.parallel;
    const double batch = *job_.loader.batch_size;
    const double batches = job_.job.gradient_accumulation.value_or(1.0);
    const double of_step = batch * batches;
    const double micro_batches = now.micro_batches.value_or(of_step);
    const bool is_interleaved = now.schedule == PipelineSchedule::interleaved;
    // Of 24 layers 6 are on each GPU; of 14 at most 4, as many as in chunks of 2 or 1.
    std::vector<double> chunks =
        now.layers == 24.0 ? std::vector{2.0, 3.0, 6.0} : std::vector{2.0, 4.0};
    if (is_interleaved) chunks.erase(chunks.begin());
    std::vector<Setting> interleaved;
    for (const double n : chunks) {
      Setting set;
      if (!is_interleaved) set.emplace_back("/job/parallel/schedule", "interleaved");
      set.emplace_back("/job/parallel/virtual_stages", fmt::format("{:g}", n));
      interleaved.push_back(set);
    }
    rows_["interleaved_stages"] = where(std::fmod(micro_batches, 4.0) == 0.0, interleaved);
    // 25 million parameters fit everywhere.
    std::vector<Setting> fewer;
    const double each = of_step / micro_batches;
    const auto add = [&](double times, double batch_then, double batches_then) {
      Setting set{{"/job/parallel/pipeline", fmt::format("{:g}", 4.0 / times)}};
      if (batch_then != batch) set.emplace_back("batch_size", fmt::format("{:g}", batch_then));
      if (batches_then != batches) {
        set.emplace_back("gradient_accumulation", fmt::format("{:g}", batches_then));
      }
      if (now.micro_batches) {
        set.emplace_back("/job/parallel/micro_batches", times == 2.0 ? "4" : "null");
      }
      if (times == 4.0 && is_interleaved) set.emplace_back("/job/parallel/schedule", "null");
      if (job_.job.steps) {
        set.emplace_back("/job/steps", fmt::format("{:.0f}", std::ceil(*job_.job.steps * batch /
                                                                       batch_then / times)));
      }
      fewer.push_back(set);
    };
    if (std::fmod(micro_batches, 2.0) == 0.0) add(2.0, batch / 2.0, batches);
    if (std::fmod(micro_batches, 4.0) == 0.0) add(4.0, each, micro_batches / 4.0);
    rows_["fewer_stages"] = where(true, fewer);
    rows_["overlapped_messages"] = {now.overlapped == 0.0, {}, true};
    // Groups of one GPU: eight stages in place of four, or twice as many replicas.
    std::vector<Setting> smaller;
    const bool has_layers = now.layers == 24.0 || !is_interleaved;
    if (has_layers && (!is_interleaved || std::fmod(micro_batches, 8.0) == 0.0)) {
      smaller.push_back({{"/job/parallel/tensor", "1"}, {"/job/parallel/pipeline", "8"}});
    }
    if (std::fmod(micro_batches, 2.0) == 0.0) {
      Setting set{{"/job/parallel/tensor", "1"}, {"batch_size", fmt::format("{:g}", batch / 2.0)}};
      if (now.micro_batches) set.emplace_back("/job/parallel/micro_batches", "4");
      if (job_.job.steps) set.emplace_back("/job/steps", fmt::format("{:.0f}", *job_.job.steps));
      smaller.push_back(set);
    }
    rows_["smaller_tensor_groups"] = where(now_.result.layout->exposed > Duration{}, smaller);
    rows_["outermost"] =
        where(in_.cluster_instances() > 1.0, {{{"/job/parallel/outermost", "pipeline"}}});
  }

  void batches() {
    const Step& step = *job_.job.step;
    std::vector<Setting> sets;
    for (const double times : {2.0, 4.0, 8.0}) {
      const double batch = times * in_.batch;
      if ((step.table && batch > 256.0) || batch > in_.samples) continue;
      Setting set{{"batch_size", fmt::format("{:g}", batch)}};
      if (job_.job.steps) {
        set.emplace_back("/job/steps", fmt::format("{:.0f}", std::ceil(*job_.job.steps / times)));
      }
      sets.push_back(set);
    }
    rows_["batch_size"] = where(step.per_sample || step.table, sets);
  }

  void precision() {
    const Step& step = *job_.job.step;
    Expected& row = rows_["mixed_precision"];
    row.applies = step.precision != Precision::mixed;
    row.lacks = !step.precision;
  }

  [[nodiscard]] bool own_price() const { return job_.cluster.price.has_value(); }

  void prices() {
    const bool priced = now_.result.bill.compute > Money{};
    rows_["region"] = {priced && !own_price()};
    const Service store = job_.source.service.family();
    const bool of_aws =
        store == Service::s3 || store == Service::efs || store == Service::fsx_lustre;
    rows_["region_of_data"] = where(priced && !own_price() && of_aws && far(), {});
    if (far()) rows_["region_of_data"].sets = {{{"region", *job_.source.region}}};
    rows_["cloud_of_data"] = {in_gcs() && !job_.loader.remote && !own_price()};
    const bool demand = priced && !own_price() && job_.cluster.purchase == Purchase::on_demand;
    const bool aws = now_.resolved.machine->cloud == "aws";
    rows_["savings_plan"] = {demand && aws, {}, !job_.cluster.savings};
    if (job_.cluster.savings) rows_["savings_plan"].sets = {{{"purchase", "savings_plan"}}};
    OfferQuery query;
    query.service = now_.situation.service;
    query.instance = now_.resolved.machine->name;
    query.region = job_.cluster.region;
    query.purchase = Purchase::spot;
    const bool writes = job_.job.checkpoint && in_.checkpoint_time > Duration{};
    rows_["spot"] = {demand, {}, !writes || !find_offer(catalog(), query)};
    if (writes) rows_["spot"].sets = {on_spot()};
    rows_["not_booked"] = {false};  // nothing is booked here
    const bool leave = in_gcs() || (of_aws && far());
    rows_["checkpoints_nearby"] =
        where(job_.job.checkpoint && leave, {{{"/job/checkpoint/to", "s3"}}});
    const Source& source = job_.source;
    rows_["on_demand"] =
        where(priced && in_.interruptions && job_.cluster.purchase == Purchase::spot,
              {{{"purchase", "on_demand"}}});
    rows_["kept_warm"] =
        where(priced && job_.cluster.kept_warm && *job_.cluster.kept_warm > now_.result.times.total,
              {{{"/cluster/kept_warm", "null"}}});
    rows_["gateway_endpoint"] =
        where(source.nat_gateway == true && aws && !far() && source.service.family() == Service::s3,
              {{{"/source/nat_gateway", "false"}}});
    Setting one_zone;
    if (job_.cluster.zones && *job_.cluster.zones > 1.0 && in_.cluster_instances() > 1.0) {
      one_zone.emplace_back("/cluster/zones", "1");
    }
    if (source.other_zone == true) one_zone.emplace_back("/source/other_zone", "false");
    rows_["one_zone"] = where(!one_zone.empty(), {one_zone});
    const double half = std::floor(job_.cluster.instances / 2.0);
    rows_["mixed_fleet"] =
        where(priced && !own_price() && job_.cluster.spot && half >= 1.0 &&
                  job_.cluster.purchase == Purchase::spot,
              {{{"/cluster/spot/on_demand_instances", fmt::format("{:g}", half)}}});
    rows_["block_length"] = {false};  // nothing is booked here
    rows_["capacity_block"] = {demand && aws && in_.cluster_ranks() >= 8.0, {}, true};
  }

  /// Interruptions ask for checkpoints more often than now, or for none of them.
  [[nodiscard]] Setting on_spot() const {
    Setting set{{"purchase", "spot"}};
    Scenario bought = job_;
    bought.cluster.purchase = Purchase::spot;
    bought.job.checkpoint->interval.reset();
    try {
      const Result result = study::run(bought, catalog(), now_.host);
      if (in_.checkpoint_interval <= result.interruptions->best.value()) return set;
    } catch (const InputError&) {
    }
    set.emplace_back("/job/checkpoint/interval", "null");
    return set;
  }

  /// Machines of the same cloud with as many of the same GPUs, the cheapest first.
  template <class Fits>
  [[nodiscard]] std::vector<std::string> siblings(const Fits& fits) const {
    const Machine& mine = *now_.resolved.machine;
    std::vector<std::pair<double, std::string>> list;
    for (const Machine& other : catalog().machines) {
      if (other.name == mine.name || other.cloud != mine.cloud || !other.gpus) continue;
      if (other.gpu_model != mine.gpu_model || other.gpus->value != mine.gpus->value) continue;
      OfferQuery query;
      query.service = now_.situation.service;
      query.instance = other.name;
      query.region = job_.cluster.region;
      const auto offer = find_offer(catalog(), query);
      if (fits(other) && offer) list.emplace_back(offer->price.value.base(), other.name);
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const bool sagemaker = now_.situation.service == "sagemaker";
    std::vector<std::string> names;
    for (const auto& [price, name] : list) names.push_back((sagemaker ? "ml." : "") + name);
    return names;
  }

  void machines() {
    const Machine& mine = *now_.resolved.machine;
    const double cpus = wait(Stage::decode) + wait(Stage::collate);
    const bool waits = cpus > least_saving || now_.result.bottleneck.stage == Stage::decode;
    std::vector<Setting> more;
    for (const std::string& name : siblings([&](const Machine& other) {
           return other.vcpus && other.vcpus->value > mine.vcpus->value;
         })) {
      add_with_workers({{"instance", name}}, more);
    }
    rows_["more_cpus"] = where(waits, more);
    rows_["smaller_instance"] = {now_.result.bill.compute > Money{} && !own_price()};
    const auto& helpers = job_.loader.remote;
    rows_["fewer_helpers"] =
        where(helpers && helpers->instances == 6.0, {{{"/loader/remote/instances", "3"}},
                                                     {{"/loader/remote/instances", "2"}},
                                                     {{"/loader/remote/instances", "1"}}});
    of_helpers();
    all_gpus();
    std::vector<Setting> networks;
    for (const std::string& name : siblings([&](const Machine& other) {
           return other.network && other.network->value > mine.network->value;
         })) {
      networks.push_back({{"instance", name}});
      if (job_.cluster.network) networks.back().emplace_back("/cluster/network", "null");
    }
    rows_["faster_network"] = where(
        (in_.cluster_instances() > 1.0 && wait(Stage::allreduce) > least_saving) ||
            wait(Stage::network) > least_saving || now_.result.bottleneck.stage == Stage::network,
        networks);
    rows_["cpu_helpers"] = {waits && !job_.loader.remote && in_.cpu.base() > 0.0};
    const bool ebs = now_.resolved.disk && now_.resolved.disk->kind == DiskKind::ebs;
    rows_["nvme"] = {ebs && on_path(Stage::disk) && mine.cloud == "aws"};
    rows_["solid_state"] = {false};  // all instances here are rented; cli/advise has one's own
    std::vector<Setting> larger;
    const double data = job_.dataset.bytes_per_sample->base() * in_.samples;
    for (const std::string& name : siblings([&](const Machine& other) {
           return other.memory && other.memory->value > mine.memory->value &&
                  other.memory->value.base() > data;
         })) {
      larger.push_back({{"instance", name}});
    }
    const bool mounted = in_.source && input_mode_of(job_) == InputMode::mount;
    rows_["memory"] = where((on_path(Stage::disk) || mounted) && in_.caches.room < 1.0, larger);
    const double now = in_.cluster_instances();
    Expected& fewer = rows_["fewer_instances"];
    fewer.applies = now > 1.0 && !in_.unequal;
    fewer.lacks = fewer.applies && job_.job.efficiency;
    Expected& several = rows_["more_instances"];
    several.applies = true;
    several.lacks =
        job_.job.efficiency || (!now_.situation.priced && !now_.situation.limits_missed);
    const bool hurried =
        now_.situation.limits_missed || now_.situation.result.bill.hour_value > Money{};
    for (int twice = 1; twice <= (hurried ? 10 : 5); ++twice) {
      const double times = std::pow(2.0, twice);
      Setting set{{"instances", fmt::format("{:g}", times * now)}};
      if (job_.job.steps) {
        set.emplace_back("/job/steps", fmt::format("{:.0f}", std::ceil(*job_.job.steps / times)));
      }
      several.sets.push_back(set);
    }
  }

  /// The setting, and with it as many workers as an instance has threads to spare.
  void add_with_workers(const Setting& set, std::vector<Setting>& sets) const {
    sets.push_back(set);
    if (job_.loader.kind.family() == LoaderKind::inline_) return;
    sets.push_back(set);
    const bool pool = job_.loader.kind.family() == LoaderKind::pool;
    sets.back().emplace_back("num_workers", pool ? "auto" : "cpus-1");
  }

  void of_helpers() {
    const auto& helpers = job_.loader.remote;
    bool waits = false;
    for (const Stage stage : {Stage::remote, Stage::network, Stage::download, Stage::disk}) {
      waits = waits || wait(stage) > least_saving || now_.result.bottleneck.stage == stage;
    }
    rows_["more_helpers"] = where(helpers && waits, {});
    if (helpers) {
      // Half as many more each time, rounded up, to eight times as many.
      rows_["more_helpers"].sets =
          more_than(0.0, "/loader/remote/instances",
                    helpers->instances == 6.0 ? std::vector{9.0, 14.0, 21.0, 32.0, 48.0}
                                              : std::vector{2.0, 3.0, 5.0, 8.0});
    }
    // c5.4xlarge has 16.
    rows_["helper_workers"] = where(helpers && helpers->workers_per_instance == 4.0,
                                    {{{"/loader/remote/workers_per_instance", "null"}}});
    rows_["own_cpus"] = where(helpers.has_value(), {});
    add_with_workers({{"/loader/remote", "null"}}, rows_["own_cpus"].sets);
  }

  void all_gpus() {
    const double all = now_.resolved.machine->gpus->value;
    const double now = in_.cluster_ranks();
    Expected& row = rows_["all_gpus"];
    row.applies = now < all;
    for (double n = now; n < all;) {
      n = std::min(2.0 * n, all);
      Setting set{{"/cluster/gpus_per_instance", fmt::format("{:g}", n)}};
      if (job_.job.steps) {
        set.emplace_back("/job/steps", fmt::format("{:.0f}", std::ceil(*job_.job.steps * now / n)));
      }
      add_with_workers(set, row.sets);
    }
  }

  const Scenario& job_;
  const pipeline::Inputs& in_;
  const Remediable& now_;
  std::map<std::string, Expected> rows_;
};

std::string text_of(const std::vector<Setting>& sets) {
  std::string text;
  for (const Setting& set : sets) {
    text += "{";
    for (const auto& [key, value] : set) text += key + "=" + value + " ";
    text += "}";
  }
  return text;
}

TEST_CASE("remedies: each applies where its condition holds, and tries what improves on it") {
  // Lists of machines, file systems and GPUs that the catalogue alone says.
  const auto listed_elsewhere = [](const std::string& name) {
    return name == "cpu_helpers" || name == "nvme" || name == "fsx" || name == "efs" ||
           name == "fsx_tier" || name == "region" || name == "mixed_precision" ||
           name == "smaller_instance" || name == "cloud_of_data" || name == "smaller_fsx" ||
           name == "smaller_volume" || name == "bucket" || name == "fewer_instances";
  };
  std::map<std::string, std::array<int, 3>> seen;
  int copies = 0;
  for_remediable(31, 270, [&](const Remediable& looked) {
    const Table table(looked);
    for (const Remedy* remedy : study::all_remedies()) {
      const std::string name(remedy->words.name);
      if (name == "num_workers") continue;
      INFO(name);
      REQUIRE(table.rows().contains(name));
      const Expected& expected = table.rows().at(name);
      REQUIRE(remedy->applies(looked.situation) == expected.applies);
      ++seen[name][expected.applies ? 1 : 0];
      if (!expected.applies) continue;
      const std::string lacks =
          remedy->lacks != nullptr ? remedy->lacks(looked.situation) : std::string();
      if (name != "gpu_preprocessing" && name != "mixed_precision") {
        CHECK(lacks.empty() == !expected.lacks);
      } else if (expected.lacks) {
        CHECK_FALSE((lacks.empty() && !remedy->changes(looked.situation).empty()));
      }
      if (remedy->changes == nullptr || listed_elsewhere(name)) continue;
      std::vector<Setting> sets;
      for (const Change& change : remedy->changes(looked.situation)) {
        sets.push_back(change.set);
        const auto& all = looked.scenario.preprocess;
        const bool smaller = std::any_of(all.begin(), all.end(), [](const Operation& one) {
          return one.where == Place::offline;
        });
        const bool standard = looked.scenario.source.storage_class_or("STANDARD") == "STANDARD";
        if (name != "copy_data" || smaller || !standard) continue;
        // From eu-west-1 0.02 USD for each GB, and 0.005 USD for a thousand objects that are put.
        const Dataset& data = looked.scenario.dataset;
        const double objects = std::ceil(*data.samples / data.samples_per_object.value_or(1.0));
        const double bytes = data.bytes_per_sample->base() * *data.samples;
        // The bucket that is there stays on the bill.
        double kept = 0.0;
        for (const BillLine& line : looked.result.bill.lines) {
          if (line.of.starts_with("S3 STANDARD")) kept += line.amount.base();
        }
        CHECK(change.one_off.base() ==
              Approx(bytes / 1e9 * 0.02 + objects * 5e-6 + kept).epsilon(1e-9));
        ++copies;
      }
      INFO(text_of(sets) << " and " << text_of(expected.sets));
      CHECK(sets == expected.sets);
      seen[name][2] += sets.empty() ? 0 : 1;
    }
  });
  CHECK_DRAWN(copies > 0);
  for (const auto& [name, counts] : seen) {
    INFO(name);
    if (name != "solid_state" && name != "block_length" && name != "not_booked") {
      CHECK_DRAWN(counts[1] > 0);
    }
    if (name != "more_instances") CHECK_DRAWN(counts[0] > 0);
  }
}

}  // namespace
