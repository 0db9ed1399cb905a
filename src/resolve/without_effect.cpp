#include "resolve/without_effect.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "model/input_mode.hpp"
#include "resolve/exchange.hpp"
#include "resolve/pieces.hpp"

namespace feedrate::resolve {
namespace {

std::string_view word(Purchase purchase) {
  return purchase_words[static_cast<std::size_t>(purchase)];
}
std::string_view word(Parallelism how) {
  return parallelism_words[static_cast<std::size_t>(how)];
}

void tell_of_purchase(Context& context, const Cluster& cluster) {
  const std::string bought = fmt::format("purchase is {}", word(cluster.purchase));
  const auto tell = [&](bool given, const char* key, const char* only) {
    if (given) tell_without_effect(context, key, fmt::format("{}, and {}", bought, only));
  };
  tell(cluster.spot && cluster.purchase != Purchase::spot && !cluster.spot->on_demand_price,
       "/cluster/spot",
       "only spot instances are taken away and waited for; set /cluster/purchase to spot");
  tell(cluster.booked && !is_booked(cluster.purchase), "/cluster/booked",
       "only a capacity_block or a training_plan is booked and paid in full");
  tell(cluster.savings && cluster.purchase != Purchase::savings_plan, "/cluster/savings",
       "only a savings_plan takes it off the on-demand price");
}

void tell_of_exchange(Context& context, const Job& job) {
  if (!job.allreduce || job.efficiency || job.scaling) return;
  const AllReduce& given = *job.allreduce;
  const Parallelism how = job.parallelism.value_or(Parallelism::ddp);
  const bool sharded = is_sharded(how);
  const bool whole = how == Parallelism::ddp || how == Parallelism::smddp;
  const bool summed = sums_for_all(how);
  const std::string with = fmt::format("parallelism is {}, ", word(how));
  const auto tell = [&](bool is, const char* key, const char* why) {
    if (is) tell_without_effect(context, fmt::format("/job/allreduce/{}", key), with + why);
  };
  tell(given.blocks && !sharded, "blocks", "and only fsdp and zero3 gather parameters in blocks");
  tell(given.first_bucket && !whole, "first_bucket", "and only ddp and smddp have one");
  tell(given.bucket && sharded, "bucket", "which sends its blocks instead");
  if (how == Parallelism::ddp && !is_computed(job) && !context.layout) {
    for (const auto& [is, key] : {std::pair(given.bucket.has_value(), "bucket"),
                                  std::pair(given.first_bucket.has_value(), "first_bucket")}) {
      if (!is) continue;
      tell_without_effect(context, fmt::format("/job/allreduce/{}", key),
                          "ring and hierarchical send all gradients as one message");
    }
  }
  tell(given.parameter_type && summed, "parameter_type", "which gathers no parameters");
  tell(given.algorithm == AllReduceAlgorithm::tree && !summed, "algorithm",
       "which gathers and scatters, and NCCL has no tree for that: it goes round the ring");
}

/// A step that was given or measured is no guess.
void tell_of_model(Context& context, const Step& given) {
  const bool known = gives_step(given);
  const HostProfile* const host = context.host;
  const bool measured = measured_step(host) || (host != nullptr && host->step_times);
  const auto tell = [&](bool is, const char* key) {
    if (!is) return;
    tell_without_effect(context, fmt::format("/job/step/{}", key),
                        known ? "the step is given" : "the host profile has the step");
  };
  if (known || measured) {
    tell(given.model.has_value(), "model");
    tell(given.parameters.has_value(), "model_parameters");
    tell(given.utilization.has_value(), "utilization");
    tell(given.recomputed.has_value(), "recomputed");
  } else if (given.model || !given.parameters) {
    for (const auto& [is, key] : {std::pair(given.utilization.has_value(), "utilization"),
                                  std::pair(given.recomputed.has_value(), "recomputed")}) {
      if (!is) continue;
      tell_without_effect(context, fmt::format("/job/step/{}", key),
                          "only a step that follows from /job/step/model_parameters has one");
    }
  } else if (given.recomputed && given.utilization) {
    tell_without_effect(context, "/job/step/recomputed",
                        "/job/step/utilization holds what is computed again");
  }
  if (!known && !measured && given.model && given.parameters) {
    tell_without_effect(context, "/job/step/model_parameters", "/job/step/model is given");
  }
}

void tell_of_workers(Context& context, const Loader& loader) {
  const Inputs& inputs = context.out.inputs;
  const bool processes = traits(inputs.kind).processes && inputs.workers > 0.0;
  // torch/utils/data/dataloader.py, DataLoader.__init__.
  const auto refused = [&](bool given, const char* key) {
    if (!given || processes || !traits(loader.kind).processes || !loader.kind.row().pytorch) {
      return false;
    }
    tell_without_effect(context, key, "PyTorch refuses it with num_workers = 0");
    return true;
  };
  const auto tell = [&](bool given, const char* key, bool decided, const char* by) {
    if (given && !processes) {
      tell_without_effect(context, key, "only PyTorch's workers are processes, and there are none");
    } else if (given && decided) {
      tell_without_effect(context, key, by);
    }
  };
  if (loader.divided_by == DividedBy::objects && inputs.per_object > 0.0 &&
      !(streams_objects(context) && (processes || inputs.remote))) {
    tell_without_effect(context, divided_by_key,
                        inputs.sequential_stream ? "the stream of Pipe mode reads for all workers"
                        : traits(inputs.kind).shared_batches ? "threads of a pool share all samples"
                                                             : "there are no workers");
  }
  refused(loader.prefetch_factor.has_value(), "/loader/prefetch_factor");
  if (!refused(loader.persistent_workers.value_or(false), "/loader/persistent_workers")) {
    tell(loader.persistent_workers.has_value(), "/loader/persistent_workers", false, "");
  }
  tell(loader.start.has_value(), "/loader/start", loader.worker_startup.has_value(),
       "/loader/worker_startup is given");
  tell(loader.transport.has_value(), "/loader/transport",
       loader.handover.has_value() && !context.pins, "/loader/handover is given");
  const bool pickled = loader.transport == Transport::pickled;
  tell(loader.tensors_per_sample.value_or(0.0) > 0.0, "/loader/tensors_per_sample",
       pickled || (loader.handover.has_value() && !context.pins),
       pickled ? "what is pickled costs by its bytes" : "/loader/handover is given");
}

/// Marks of operations whose output stays in memory, where nothing does.
void tell_of_kept(Context& context) {
  if (context.scenario.loader.in_memory_cache.value_or(false)) return;
  const auto& operations = context.scenario.preprocess;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (!operations[i].cached.value_or(false)) continue;
    tell_without_effect(context, fmt::format("/preprocess/{}/cached", i),
                        "/loader/in_memory_cache is not set");
  }
}

/// Keys of a file system that is bought, where the data is in something else.
void tell_of_source(Context& context, const Source& source) {
  const Service family = source.service.family();
  const StoreTraits& store = traits(source.service);
  const bool fsx = family == Service::fsx_lustre;
  const bool efs = family == Service::efs;
  const auto tell = [&](bool given, const char* key, std::string_view only) {
    if (!given) return;
    tell_without_effect(
        context, fmt::format("/source/{}", key),
        fmt::format("the data is in {}, and only {}", source.service.row().title, only));
  };
  tell(source.throughput_mode && !efs, "throughput_mode", "EFS has throughput modes");
  tell(source.provisioned_throughput && !efs, "provisioned_throughput",
       "EFS has throughput that is provisioned");
  const std::string mode = source.throughput_mode.value_or("elastic");
  if (source.provisioned_throughput && efs && mode != "provisioned") {
    tell_without_effect(context, "/source/provisioned_throughput",
                        fmt::format("the file system's throughput mode is {}", mode));
  }
  tell(source.deployment_type && !fsx, "deployment_type", "FSx for Lustre has deployment types");
  tell(source.lazy_load_from_s3.has_value() && !fsx, "lazy_load_from_s3",
       "FSx for Lustre loads from S3 what is read");
  const bool of_objects = store.form == StoreForm::objects;
  const bool of_bucket = fsx && source.lazy_load_from_s3.value_or(false);
  tell(source.storage_class && !efs && !of_bucket && (!of_objects || store.cloud.empty()),
       "storage_class", "S3, EFS, GCS and Azure Blob have storage classes");
  tell(source.throughput_per_capacity && (efs || of_objects), "throughput_per_capacity",
       "FSx for Lustre and file systems of your own give throughput by their capacity");
  tell(source.capacity && of_objects, "capacity", "a file system has a capacity");
  if (source.storage_held && of_objects && !store.stated && !source.bill_storage.value_or(false)) {
    tell_without_effect(context, "/source/storage_held",
                        fmt::format("what {} stores is on the bill only with "
                                    "/source/bill_storage",
                                    source.service.row().title));
  }
}

/// A key of /disk, whether it is given, and the part of a disk that it is of.
struct DiskKey {
  std::string_view key;
  bool (*given)(const Disk&);
  enum class Of { device, volume, files, memory } of = Of::device;
};

// That of a snapshot is told where it would be billed.
constexpr std::array disk_keys = std::to_array<DiskKey>({
    {"kind", [](const Disk& d) { return d.kind.has_value(); }},
    {"volume_type", [](const Disk& d) { return d.volume_type.has_value(); }, DiskKey::Of::volume},
    {"size", [](const Disk& d) { return d.size.has_value(); }},
    {"bandwidth", [](const Disk& d) { return d.bandwidth.has_value(); }},
    {"iops", [](const Disk& d) { return d.iops.has_value(); }},
    {"latency", [](const Disk& d) { return d.latency.has_value(); }},
    {"open_latency", [](const Disk& d) { return d.open_latency.has_value(); }, DiskKey::Of::files},
    {"discipline", [](const Disk& d) { return d.discipline.has_value(); }},
    {"reads_per_sample", [](const Disk& d) { return d.reads_per_sample.has_value(); }},
    {"page_cache", [](const Disk& d) { return d.page_cache.has_value(); }, DiskKey::Of::memory},
    {"cache_policy", [](const Disk& d) { return d.cache_policy.has_value(); }, DiskKey::Of::memory},
});

/// Why a key of /disk is read by nothing; "" where it is.
std::string why_without_effect(const Context& context, const DiskKey& key) {
  const Scenario& s = context.scenario;
  const InputMode mode = input_mode_of(s);
  if (!context.out.inputs.disk) {
    // A mount's client keeps pages in memory; whether an access keeps a cache hangs on the kind.
    if (key.of == DiskKey::Of::memory && mode == InputMode::mount) return "";
    if (key.key == "kind" && context.by_name("/source/cache") != nullptr) return "";
    return mode == InputMode::local
               ? "there are no bytes to be read"
               : fmt::format(
                     "{} mode reads {} as the job trains, and nothing from a disk; File mode "
                     "and /source/cache do",
                     input_mode_words[static_cast<std::size_t>(mode)],
                     s.source.service.row().title);
  }
  const DiskKind kind = context.out.disk->kind;
  if (key.of == DiskKey::Of::volume && kind != DiskKind::ebs) {
    return fmt::format("the disk is {}, and only EBS volumes have types",
                       kind == DiskKind::nvme ? "the machine's own NVMe" : "of another kind");
  }
  if (key.key == "size" && kind == DiskKind::nvme && context.published(&Machine::nvme_size)) {
    return "the machine's own NVMe is as large as the catalogue says";
  }
  if (key.of == DiskKey::Of::files && s.dataset.samples_per_object.value_or(1.0) > 1.0) {
    return "objects of many samples are not opened for each; only a file a sample is";
  }
  return "";
}

/// Where all that is given of a disk has no effect, that is told once.
void tell_of_disk(Context& context, const Disk& given) {
  std::vector<std::pair<std::string, std::string>> none;
  std::size_t stated = 0;
  for (const DiskKey& key : disk_keys) {
    if (!key.given(given)) continue;
    ++stated;
    std::string why = why_without_effect(context, key);
    if (!why.empty()) none.emplace_back(fmt::format("/disk/{}", key.key), std::move(why));
  }
  if (!context.out.inputs.disk && none.size() == stated && stated > 1) {
    none = {{"/disk", none.front().second}};
  }
  for (const auto& [key, why] : none) tell_without_effect(context, key, why);
}

}  // namespace

void tell_without_effect(Context& context, std::string_view key, std::string_view why) {
  if (!context.texts) return;
  context.remark(RemarkKind::check, fmt::format("{} has no effect: {}", key, why));
}

void tell_without_effect(Context& context) {
  if (!context.texts) return;
  const Scenario& s = context.scenario;
  tell_of_purchase(context, s.cluster);
  tell_of_exchange(context, s.job);
  if (!s.job.duration_on_one_instance) {
    tell_of_workers(context, s.loader);
    tell_of_disk(context, s.disk);
  }
  if (s.job.step) tell_of_model(context, *s.job.step);
  if (const auto& layout = s.job.parallel;
      layout && layout->experts_per_token && layout->expert <= 1.0) {
    tell_without_effect(context, "/job/parallel/experts_per_token",
                        "/job/parallel/expert spreads no experts over GPUs");
  }
  if (s.dataset.tokens_per_document && !(s.job.step && s.job.step->tokens_per_sample)) {
    tell_without_effect(context, "/dataset/tokens_per_document",
                        "how long a sequence is (/job/step/tokens_per_sample) is not given");
  }
  tell_of_source(context, s.source);
  tell_of_kept(context);
  if (s.source.region && traits(s.source.service).cloud.empty()) {
    tell_without_effect(context, "/source/region",
                        "only data in S3, EFS, FSx for Lustre, GCS and Azure Blob is in a region "
                        "whose prices are known");
  }
  if (s.cluster.spot && s.cluster.spot->on_demand_instances &&
      s.cluster.purchase != Purchase::spot) {
    tell_without_effect(context, "/cluster/spot/on_demand_instances",
                        "/cluster/purchase is not spot");
  }
  // Advice counts savings over them where nothing else says over how many.
  if (s.accounting.runs && s.accounting.preparation.empty() && s.job.jobs) {
    tell_without_effect(context, "/accounting/runs",
                        "/accounting/preparation names nothing, and advice counts /job/jobs");
  }
  if (const auto& saved = s.job.checkpoint; saved && saved->held && !saved->kept) {
    tell_without_effect(context, "/job/checkpoint/held", "/job/checkpoint/kept is not given");
  }
  if (s.source.storage_price && !traits(s.source.service).stated) {
    tell_without_effect(context, "/source/storage_price",
                        fmt::format("{} has the catalogue's", s.source.service.row().title));
  }
  const bool interrupted = s.cluster.interrupted() || is_booked(s.cluster.purchase);
  if (s.job.checkpoint && s.job.checkpoint->restart && !interrupted) {
    tell_without_effect(context, "/job/checkpoint/restart",
                        "nothing interrupts the job; /cluster/failures and spot instances do");
  }
}

}  // namespace feedrate::resolve
