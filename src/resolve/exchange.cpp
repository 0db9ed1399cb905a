#include "resolve/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "collective/overlap.hpp"
#include "resolve/allreduce.hpp"
#include "resolve/links.hpp"

namespace feedrate::resolve {
namespace {

using collective::Collective;

constexpr double fp32_bytes = 4.0;

double bytes_of(NumberType type) {
  return type == NumberType::fp32 ? fp32_bytes : 2.0;
}

/// Defaults of the programs themselves, which are settings and no guesses.
struct Preset {
  Bytes bucket;
  std::string_view why;
};
constexpr Bytes mebibytes(double n) {
  return bytes(n * 1048576.0);
}
Preset preset(Parallelism how) {
  switch (how) {
    case Parallelism::horovod:
      return {mebibytes(128.0), "Horovod's fusion buffer from version 0.21 on (64 MB before)"};
    case Parallelism::zero1:
    case Parallelism::zero2:
      return {bytes(5e8 * fp32_bytes), "DeepSpeed's reduce_bucket_size: 500 M numbers"};
    default: return {mebibytes(25.0), "bucket_cap_mb of PyTorch's DistributedDataParallel"};
  }
}
constexpr Bytes first_bucket = mebibytes(1.0);
/// From Horovod 0.21 on (5 ms before).
constexpr Duration horovod_cycle = milliseconds(1.0);

bool is_sharded(Parallelism how) {
  return how == Parallelism::fsdp || how == Parallelism::zero3;
}
bool shards_optimiser(Parallelism how) {
  return how == Parallelism::zero1 || how == Parallelism::zero2;
}

/// How long a message takes, and by what.
class Messages {
 public:
  Messages(Context& context, const AllReduce& given) : context_(context) {
    const double ranks = context.out.inputs.gpus();
    if (given.points && given.points_gpus == ranks) {
      measured_.emplace(sized(*given.points));
      name_ = "measured";
      return;
    }
    if (given.points && context.texts) {
      context.out.caveats.push_back(
          fmt::format("/job/allreduce/points hold for {:g} GPUs: for {:g} the times are computed.",
                      *given.points_gpus, ranks));
    }
    const auto algorithm = given.algorithm.value_or(AllReduceAlgorithm::nccl);
    if (algorithm == AllReduceAlgorithm::ring) only_ = collective::Algorithm::ring;
    if (algorithm == AllReduceAlgorithm::tree) only_ = collective::Algorithm::tree;
    if (algorithm != AllReduceAlgorithm::hierarchical) tuned_ = tuned_by_host(context, given);
    if (tuned_) return;
    fabric_ = fabric(context, given);
    if (algorithm == AllReduceAlgorithm::hierarchical) name_ = "hierarchical";
  }

  [[nodiscard]] Duration time(Collective what, Bytes size) const {
    if (tuned_) return tuned_->cost(what, size, only_name()).time;
    if (name_.empty()) return collective::cost(what, size, fabric_, only_).time();
    const Duration sum = measured_ ? measured_->all_reduce(size) : in_two_levels(size);
    // Scattering and gathering are the two halves of a sum over all.
    return what == Collective::all_reduce ? sum : 0.5 * sum;
  }

  void name(Communication& out, Collective what, Bytes largest) const {
    if (!name_.empty()) {
      out.algorithm = name_;
      if (measured_ && measured_->beyond(largest) && context_.texts) {
        context_.out.caveats.push_back(
            fmt::format("A message of {} lies outside of /job/allreduce/points: it is taken to go "
                        "at the bandwidth of the largest, or to take the time of the smallest.",
                        short_text_of(largest)));
      }
      return;
    }
    if (tuned_) {
      const collective::TunedCost tuned = tuned_->cost(what, largest, only_name());
      if (tuned.way == nullptr) return;
      out.algorithm = tuned.way->algorithm;
      out.protocol = tuned.way->protocol;
      return;
    }
    const collective::Cost one = collective::cost(what, largest, fabric_, only_);
    out.algorithm = collective::name_of(one.algorithm);
    out.protocol = collective::name_of(one.protocol);
  }

 private:
  static std::vector<std::pair<Bytes, Duration>> sized(
      const std::vector<std::pair<double, Duration>>& points) {
    std::vector<std::pair<Bytes, Duration>> list;
    for (const auto& [size, time] : points) list.emplace_back(bytes(size), time);
    return list;
  }

  [[nodiscard]] std::optional<std::string> only_name() const {
    if (!only_) return std::nullopt;
    return std::string(collective::name_of(*only_));
  }

  /// A ring inside each instance, then one between them, each as NCCL would have it.
  [[nodiscard]] Duration in_two_levels(Bytes size) const {
    collective::Fabric inside = fabric_;
    inside.nodes = 1.0;
    collective::Fabric between = fabric_;
    between.gpus = 1.0;
    constexpr auto ring = collective::Algorithm::ring;
    return collective::cost(Collective::all_reduce, size, inside, ring).time() +
           collective::cost(Collective::all_reduce, size, between, ring).time();
  }

  Context& context_;
  collective::Fabric fabric_;
  std::optional<collective::Algorithm> only_;
  std::optional<collective::Measured> measured_;
  std::optional<collective::Tuned> tuned_;  ///< by NCCL's own log
  std::string name_;                        ///< where NCCL's model is not asked
};

Bytes bucket_of(Context& context, const AllReduce& given, Parallelism how) {
  const Preset by_default = preset(how);
  return context.find_or<Bytes>(Stage::allreduce, "/job/allreduce/bucket", given.bucket, {}, {},
                                by_default.bucket, by_default.why);
}

struct Computing {
  Duration forward, backward;  ///< of one micro-batch
};

/// Of all messages of an optimiser step. Gradients that are summed once, after the last of its
/// micro-batches (DDP's no_sync), have its backward pass alone to hide behind.
collective::Exchange messages_of(Context& context, const AllReduce& given, Parallelism how,
                                 const Volume& volume, const Computing& computing,
                                 const Messages& messages, Communication& out) {
  const double batches = context.out.inputs.accumulation;
  const auto sum = [&](Collective what) {
    return [&, what](Bytes size) { return messages.time(what, volume.sent * size); };
  };
  const auto times = [](collective::Exchange e, double n) {
    e.total *= n;
    e.exposed *= n;
    e.messages *= n;
    return e;
  };
  if (is_sharded(how)) {
    const double blocks =
        context.find_or<double>(Stage::allreduce, given.blocks, {}, assumed::sharded_blocks);
    const Bytes each = volume.gathered / blocks;
    const Bytes sums = volume.sent * volume.gradients / blocks;
    messages.name(out, Collective::all_gather, each);
    out.size = batches * (2.0 * volume.gathered + volume.sent * volume.gradients);
    return times(collective::sharded(blocks, messages.time(Collective::all_gather, each),
                                     messages.time(Collective::reduce_scatter, sums),
                                     computing.forward, computing.backward),
                 batches);
  }
  const Bytes bucket = bucket_of(context, given, how);
  if (how == Parallelism::horovod) {
    const auto e = collective::fused(volume.gradients, {bucket, horovod_cycle}, computing.backward,
                                     sum(Collective::all_reduce));
    messages.name(out, Collective::all_reduce, volume.sent * e.largest);
    out.size = volume.sent * volume.gradients;
    return e;
  }
  if (shards_optimiser(how)) {
    const double summed = how == Parallelism::zero2 ? batches : 1.0;
    auto e = times(collective::bucketed(volume.gradients, {bucket, bucket}, computing.backward,
                                        sum(Collective::reduce_scatter)),
                   summed);
    // Parameters come back once the optimiser has made them, and nothing runs beside that.
    const Duration gather = messages.time(Collective::all_gather, volume.gathered);
    messages.name(out, Collective::reduce_scatter, volume.sent * e.largest);
    out.size = summed * volume.sent * volume.gradients + volume.gathered;
    e.total += gather;
    e.exposed += gather;
    e.messages += 1.0;
    return e;
  }
  const Bytes first =
      context.find_or<Bytes>(Stage::allreduce, "/job/allreduce/first_bucket", given.first_bucket,
                             {}, {}, first_bucket, "PyTorch's DistributedDataParallel");
  const auto e = collective::bucketed(volume.gradients, {first, bucket}, computing.backward,
                                      sum(Collective::all_reduce));
  messages.name(out, Collective::all_reduce, volume.sent * e.largest);
  out.size = volume.sent * volume.gradients;
  return e;
}

/// Bytes of an optimiser step over an instance's NIC, as rings have it.
Bytes over_network(const Inputs& inputs, Parallelism how, Bytes size) {
  if (inputs.instances <= 1.0) return {};
  const double n = inputs.gpus();
  const bool sums = !is_sharded(how) && !shards_optimiser(how);
  return (sums ? 2.0 : 1.0) * (n - 1.0) / n * size;
}

}  // namespace

Volume volume(Context& context, const AllReduce& given) {
  Volume out;
  const double compression = given.compression.value_or(1.0);
  if (!given.parameters) {
    out.gradients = context.need<Bytes>(Stage::allreduce, "/job/allreduce/gradient_bytes",
                                        given.gradient_bytes, {}, {}, "the bytes of all gradients");
    out.gathered = out.gradients;
    if (given.parameter_type) out.gathered *= bytes_of(*given.parameter_type) / fp32_bytes;
  } else {
    const double parameters = context.use(Stage::allreduce, "/job/allreduce/parameters",
                                          Value<double>::given(*given.parameters));
    const NumberType type = given.gradient_type.value_or(NumberType::fp32);
    out.gradients = bytes(fp32_bytes * parameters);
    out.gathered = bytes(bytes_of(given.parameter_type.value_or(type)) * parameters);
    out.sent = bytes_of(type) / fp32_bytes;
  }
  out.sent /= compression;
  return out;
}

bool is_computed(const Job& job) {
  if (job.parallelism) return true;
  if (!job.allreduce) return false;
  const AllReduce& a = *job.allreduce;
  if (a.algorithm == AllReduceAlgorithm::nccl || a.algorithm == AllReduceAlgorithm::tree) {
    return true;
  }
  if (a.points || a.bucket || a.first_bucket) return true;
  return !a.algorithm && !a.busbw && !a.busbw_inside && !a.latency && !a.overlap;
}

Duration exchange(Context& context, const AllReduce& given) {
  Inputs& inputs = context.out.inputs;
  if (inputs.gpus() <= 1.0) return {};
  const Parallelism how = context.scenario.job.parallelism.value_or(Parallelism::ddp);
  const Volume sent = volume(context, given);
  const Messages messages(context, given);
  const Duration step = step_time(inputs, inputs.batch);
  const Duration backward =
      context.assume<double>(Stage::allreduce, assumed::backward_share) * step;
  Communication out;
  out.parallelism = parallelism_words[static_cast<std::size_t>(how)];
  const collective::Exchange e =
      messages_of(context, given, how, sent, {step - backward, backward}, messages, out);
  out.messages = e.messages;
  out.total = e.total;
  out.exposed = e.exposed;
  if (given.overlap) {
    const Duration hidden = std::min(*given.overlap * e.total, backward);
    out.exposed = e.total - hidden;
  }
  inputs.network_allreduce = over_network(inputs, how, out.size);
  if (how == Parallelism::smddp && !given.points && context.texts) {
    context.out.caveats.push_back(
        "SageMaker's data-parallel library is computed as NCCL under DDP's buckets: what its own "
        "algorithms gain only measured points (/job/allreduce/points) can tell.");
  }
  context.out.communication = std::move(out);
  return context.out.communication->exposed;
}

}  // namespace feedrate::resolve
