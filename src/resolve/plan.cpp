// Whether the job that a scenario asks for can be: what must fit where, with the nearest plan that
// does. What is certain is a problem; what rests on an assumption is said beside the headline.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "resolve/context.hpp"
#include "resolve/distance.hpp"
#include "resolve/exchange.hpp"
#include "resolve/memory.hpp"
#include "resolve/parallel.hpp"
#include "resolve/pieces.hpp"
#include "resolve/services.hpp"

namespace feedrate::resolve {
namespace {

std::string size_text(Bytes size) {
  return short_text_of(size);
}

struct Plan {
  Context& context;
  const Scenario& s = context.scenario;
  const Inputs& inputs = context.out.inputs;

  void problem(std::string key, std::string message) const {
    context.problem(std::move(key), std::move(message));
  }
  void doubt(std::string sentence) const {
    if (context.texts) context.out.caveats.push_back(std::move(sentence));
  }

  [[nodiscard]] std::string instance() const { return s.cluster.instance.value_or("the instance"); }

  [[nodiscard]] double objects() const {
    return std::ceil(inputs.samples / s.dataset.samples_per_object.value_or(1.0));
  }

  /// "shard them, 50 GB each (/cluster/instances: 8, …)"; "" where the data cannot be split so far.
  [[nodiscard]] std::string sharded(Bytes data, Bytes room) const {
    const bool can = s.source.service.family() == Service::s3 &&
                     s.source.distribution == Distribution::fully_replicated;
    if (!can || room <= Bytes{}) return "";
    const double n = std::ceil(data / room);
    if (n > objects()) return "";
    return fmt::format(
        ", or shard them, {} each (/cluster/instances: {:g}, /source/distribution: "
        "ShardedByS3Key)",
        size_text(data * (1.0 / n)), n);
  }

  void gpus() const {
    const Known<double> has = context.published(&Machine::gpus);
    const auto& asked = s.cluster.gpus_per_instance;
    if (!asked || !has || has->value <= 0.0 || *asked <= has->value) return;
    problem("/cluster/gpus_per_instance",
            fmt::format("{} has {:g}, got {:g}: take {:g} of them (/cluster/instances)", instance(),
                        has->value, *asked, std::ceil(*asked / has->value)));
  }

  void disk() const {
    const auto& disk = context.out.disk;
    if (!disk) return;
    const Bytes data = data_on_disk(context);
    const Known<Bytes> nvme = context.published(&Machine::nvme_size);
    const bool local = disk->kind == DiskKind::nvme;
    // A size that is given is that of a volume.
    const std::optional<Bytes> room = local && nvme ? std::optional(nvme->value) : disk->size;
    if (!room || data <= *room * (1.0 + 1e-9)) return;
    if (source_cache(context)) {
      problem("/source/cache",
              fmt::format("a cache of {} does not fit into the {} of {}", size_text(data),
                          size_text(*room), local ? instance() + "'s NVMe" : "the disk"));
      return;
    }
    const std::string stream = inputs.staging ? "; stream them (/source/input_mode: FastFile)" : "";
    const std::string other =
        local ? fmt::format(", take a volume (/disk/kind: ebs, /disk/size: \"{:g} GB\")",
                            std::ceil(data / gigabytes(1.0)))
              : fmt::format(", take a larger volume (at least {:g} GB)",
                            std::ceil(data / gigabytes(1.0)));
    const std::string remedies = stream + other + sharded(data, *room);
    problem(local ? "/disk/kind" : "/disk/size",
            fmt::format("{} does not fit into the {} of {}{}{}", size_text(data), size_text(*room),
                        local ? instance() + "'s NVMe" : "the disk", inputs.staging ? "" : ";",
                        inputs.staging ? remedies : remedies.substr(1)));
  }

  void file_system() const {
    if (traits(s.source.service).form != StoreForm::file_system || !s.source.capacity) return;
    const Bytes data = stored_dataset(context);
    if (s.source.service.family() != Service::fsx_lustre) {
      constexpr double rounding = 1e-5;  // of a capacity that was printed
      if (data <= *s.source.capacity * (1.0 + rounding)) return;
      return problem(
          "/source/capacity",
          fmt::format("{} does not fit into {} of {}; without this key it is as large as the data",
                      size_text(data), s.source.service.row().title,
                      size_text(*s.source.capacity)));
    }
    const FsxPlan& plan = planned_fsx(context);
    const CapacitySteps steps = fsx_steps(context.catalog, plan.deployment_type, plan.tier).value;
    const Bytes room = billed_capacity(plan.capacity, steps);
    const Bytes needed = in_fsx_units(data);
    if (needed <= room) return;
    if (s.source.lazy_load_from_s3.value_or(false)) {
      doubt(fmt::format("The file system of {} cannot hold all of the {} that it loads from S3.",
                        size_text(room), size_text(data)));
      return;
    }
    problem(
        "/source/capacity",
        fmt::format("{} does not fit into a file system of {}; the smallest that holds them has {} "
                    "(left out, that one is taken)",
                    size_text(data), size_text(room), size_text(billed_capacity(needed, steps))));
  }

  /// Of what is kept, at least the one that is written, beside the data in a place of this size.
  void checkpoints_in(Bytes room, Bytes data, Bytes each, const std::string& place,
                      std::string_view larger) const {
    const Checkpoint& given = *s.job.checkpoint;
    const double kept = std::max(1.0, given.kept.value_or(1.0));
    const Bytes all = kept * each;
    if (all + data <= room * (1.0 + 1e-9)) return;
    const std::string what = kept > 1.0
                                 ? fmt::format("{:g} checkpoints of {}", kept, size_text(each))
                                 : fmt::format("a checkpoint of {}", size_text(each));
    const std::string remedies =
        fmt::format("{}write them elsewhere (/job/checkpoint/to), or take {}",
                    kept > 1.0 ? "keep fewer (/job/checkpoint/kept), " : "", larger);
    // Where they go is not quite said by how fast they are written, and not how large they are by
    // the model's parameters.
    if (all > room && given.size && given.interval && !given.bandwidth) {
      problem(kept > 1.0 && each <= room ? "/job/checkpoint/kept" : "/job/checkpoint/size",
              fmt::format("{} {} not fit into {} of {}: {}", what, kept > 1.0 ? "do" : "does",
                          place, size_text(room), remedies));
      return;
    }
    doubt(fmt::format("There is no room for {} beside {} of data in {} of {}: {}.", what,
                      size_text(data), place, size_text(room), remedies));
  }

  /// Checkpoints go to where the data comes from, unless they are told to.
  void checkpoints() const {
    const auto& given = s.job.checkpoint;
    if (!given || checkpoints_elsewhere(context) || inputs.checkpoint_time <= Duration{}) return;
    if (!inputs.writes_checkpoints()) return;
    if (s.source.service.family() == Service::fsx_lustre) {
      const FsxPlan& plan = planned_fsx(context);
      const CapacitySteps steps = fsx_steps(context.catalog, plan.deployment_type, plan.tier).value;
      const Bytes data =
          s.source.lazy_load_from_s3.value_or(false) ? Bytes{} : stored_dataset(context);
      checkpoints_in(billed_capacity(plan.capacity, steps), data, context.checkpoint,
                     "the file system", "a larger one (/source/capacity)");
      return;
    }
    const auto& disk = context.out.disk;
    if (!disk || inputs.source || inputs.first_source || inputs.staging) return;
    const bool local = disk->kind == DiskKind::nvme;
    const Known<Bytes> nvme = context.published(&Machine::nvme_size);
    const std::optional<Bytes> room = local && nvme ? std::optional(nvme->value) : disk->size;
    if (!room) return;
    checkpoints_in(*room, data_on_disk(context),
                   context.checkpoint * (1.0 / instances_with_parts(context)),
                   local ? instance() + "'s NVMe" : "the disk",
                   local ? "a volume (/disk/kind: ebs)" : "a larger one (/disk/size)");
  }

  void shards() const {
    if (s.source.distribution != Distribution::sharded_by_s3_key) return;
    if (context.layout) {
      problem("/source/distribution",
              "expected FullyReplicated beside /job/parallel: sharding divides the objects over "
              "all instances, and those of one replica need the same samples");
      return;
    }
    if (objects() >= inputs.instances) return uneven_shards();
    problem("/source/distribution",
            fmt::format("{:g} objects cannot be sharded over {:g} instances: at most {:g} of them "
                        "get one; take fewer instances, or smaller objects "
                        "(/dataset/samples_per_object)",
                        objects(), inputs.instances, objects()));
  }

  /// Training is simulated as if all instances had equal parts.
  void uneven_shards() const {
    constexpr double worth_saying = 0.02;
    const double mean = objects() / inputs.instances;
    const double most = std::ceil(mean);
    if (most < (1.0 + worth_saying) * mean) return;
    doubt(fmt::format(
        "{:g} objects do not divide evenly among {:g} instances: with ShardedByS3Key some "
        "instances get {:g}, and others {:g}. Epochs are simulated with equal parts; one in "
        "which all of the larger parts are trained on takes {:.0f} % more steps.",
        objects(), inputs.instances, most, most - 1.0, 100.0 * (most / mean - 1.0)));
  }

  void memory() const {
    const auto room = memory_of_instance(context);
    if (!room) return;
    if (s.disk.page_cache && *s.disk.page_cache > *room * (1.0 + 1e-9)) {
      doubt(fmt::format(
          "The page cache that is given ({}) is more than all of the memory of {} ({}).",
          size_text(*s.disk.page_cache), instance(), size_text(*room)));
    }
    const MemoryNeeds least = least_memory_needs(context);
    if (least.all() > *room) return out_of_memory(least, *room);
    const MemoryNeeds usual = context.memory ? *context.memory : usual_memory_needs(context);
    if (usual.all() <= *room) return;
    doubt(fmt::format(
        "Memory may run out: processes need {}, workers {}, batches {}, decoded samples "
        "{}, and {} has {}.",
        size_text(usual.processes), size_text(usual.workers), size_text(usual.batches),
        size_text(usual.samples), instance(), size_text(*room)));
  }

  void out_of_memory(const MemoryNeeds& needs, Bytes room) const {
    const Bytes rest = room - (needs.all() - needs.samples);
    if (needs.samples > Bytes{} && rest > Bytes{}) {
      problem("/loader/in_memory_cache",
              fmt::format(
                  "{} of decoded samples does not fit into the {} that workers and batches leave "
                  "of the {} of {}; take one with more memory, leave them on disk (false)"
                  "{}",
                  size_text(needs.samples), size_text(rest), size_text(room), instance(),
                  sharded(needs.samples, rest)));
      return;
    }
    const double fit = most_workers(context, room);
    if (fit < 1.0) {
      problem("/cluster/memory",
              fmt::format("processes, workers and batches need {} at least, and {} has {}: take "
                          "smaller batches, or an instance with more memory",
                          size_text(needs.all()), instance(), size_text(room)));
      return;
    }
    problem("/loader/num_workers",
            fmt::format("{:g} workers a GPU need {} at least for themselves and their batches, and "
                        "{} has {}: at most {:g} fit",
                        inputs.workers, size_text(needs.all()), instance(), size_text(room), fit));
  }

  /// Workers hand tensors over in /dev/shm; Linux gives it half of the memory. What is pickled
  /// passes a pipe.
  void shared_memory() const {
    if (inputs.pooled() || inputs.workers <= 0.0) return;
    if (s.loader.transport == Transport::pickled) return;
    const Bytes batches = batches_of_workers(context);
    if (s.cluster.shared_memory) {
      if (batches <= *s.cluster.shared_memory) return;
      problem("/cluster/shared_memory",
              fmt::format("workers hand over batches of {} there, and it has {}: raise it (docker "
                          "run --shm-size), or take fewer num_workers, a smaller prefetch_factor "
                          "or batch_size",
                          size_text(batches), size_text(*s.cluster.shared_memory)));
      return;
    }
    const auto memory = memory_of_instance(context);
    if (!memory || batches <= 0.5 * *memory || batches > *memory) return;
    doubt(
        fmt::format("Workers hand over batches of {} in /dev/shm, which has half of the {} of {} "
                    "unless it was raised.",
                    size_text(batches), size_text(*memory), instance()));
  }

  /// Of the parameters that a GPU holds, two bytes for each, and four in single precision.
  void weights(Bytes has) const {
    const auto all = parameters_of(s.job);
    if (!all) return;
    const Parallelism how = s.job.parallelism.value_or(Parallelism::ddp);
    double held = 1.0;  // of all parameters
    double sharers = inputs.cluster_gpus();
    if (context.layout) {
      held = share_of_parameters(context);
      sharers = context.layout->degrees.context * context.layout->degrees.data;
    }
    if (is_sharded(how)) held /= sharers;
    const bool single = s.job.step && s.job.step->precision == Precision::single;
    const Bytes each = bytes((single ? 4.0 : 2.0) * *all * held);
    if (each <= has) return;
    const std::string said = fmt::format(
        "weights alone are {} a GPU in {} bits, and a GPU has {}: spread the "
        "model over more of them (/job/parallel{})",
        size_text(each), single ? 32 : 16, size_text(has),
        is_sharded(how) ? "" : ", or /job/parallelism: fsdp");
    if (context.texts) {
      // Asks to be looked at before all else.
      std::string text = fmt::format("The {}.", said);
      context.out.remark_kinds.insert_or_assign(text, RemarkKind::check);
      context.out.caveats.push_back(std::move(text));
    }
    if (s.job.step && s.job.step->gpu_memory) return;
    context.out.unheld = {
        "", 0, "/job/parallel",
        fmt::format("the {}; if they are held elsewhere, /job/step/gpu_memory says "
                    "what a step needs",
                    said),
        "weights do not fit"};
  }

  void gpu_memory() const {
    const Known<Bytes> has = context.published(&Machine::gpu_memory);
    if (!has) return;
    weights(has->value);
    const StepMemory given = s.job.step.value_or(Step{}).gpu_memory.value_or(StepMemory{});
    const bool known = given.fixed || given.per_sample;
    const Bytes fixed = given.fixed.value_or(Bytes{});
    // Where the memory of a step is not given, at least the batch itself is in it.
    const DataPerSample each =
        known ? given.per_sample.value_or(DataPerSample{}) : bytes_to_gpu(context);
    const double batch = known ? training_batch(context) : inputs.batch;
    const Bytes needs = fixed + each * samples(batch);
    if (needs <= has->value) return;
    const double fit = std::floor((has->value - fixed) / (each * samples(1.0)));
    const std::string gpu = context.machine()->gpu_model;
    problem(
        "/loader/batch_size",
        fmt::format("a batch of {:g} needs {} of GPU memory{}, and {} {} has {}{}", batch,
                    size_text(needs), known ? "" : " for its samples alone",
                    gpu.empty() ? "the" : "one", gpu.empty() ? "GPU" : gpu, size_text(has->value),
                    fit >= 1.0 ? fmt::format(": at most {:g} fit; /job/gradient_accumulation "
                                             "makes larger ones of several",
                                             fit)
                               : std::string(": not even one sample fits")));
  }
};

}  // namespace

void check_plan(Context& context) {
  const Plan plan{context};
  plan.gpus();
  if (context.scenario.job.duration_on_one_instance) return;
  plan.disk();
  plan.file_system();
  plan.checkpoints();
  plan.shards();
  plan.memory();
  plan.shared_memory();
  plan.gpu_memory();
}

}  // namespace feedrate::resolve
