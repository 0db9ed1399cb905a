#include "resolve/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>

#include "collective/plan.hpp"
#include "resolve/allreduce.hpp"
#include "resolve/links.hpp"
#include "resolve/parallel.hpp"

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

/// How long a message takes, and by what. Of the scenario it keeps nothing.
class MessageModel {
 public:
  /// Among the GPUs with one part of the model, whose links are `spread`; else among all.
  MessageModel(Context& context, const AllReduce& given,
               const std::optional<collective::Fabric>& spread) {
    const double ranks = spread ? spread->ranks() : context.out.inputs.gpus();
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
    fabric_ = spread ? *spread : fabric(context, given);
    if (algorithm == AllReduceAlgorithm::hierarchical) name_ = "hierarchical";
  }

  [[nodiscard]] Duration time(Collective what, Bytes size) const {
    if (tuned_) return tuned_->cost(what, size, only_name()).time;
    if (name_.empty()) return collective::cost(what, size, fabric_, only_).time();
    const Duration sum = measured_ ? measured_->all_reduce(size) : in_two_levels(size);
    // Scattering and gathering are the two halves of a sum over all.
    return what == Collective::all_reduce ? sum : 0.5 * sum;
  }

  [[nodiscard]] bool in_levels() const { return name_ == "hierarchical"; }

  /// By what a message of that size goes.
  void name(Communication& out, Collective what, Bytes size) const {
    if (!name_.empty()) {
      out.algorithm = name_;
      return;
    }
    if (tuned_) {
      const collective::TunedCost tuned = tuned_->cost(what, size, only_name());
      if (tuned.way == nullptr) return;
      out.algorithm = tuned.way->algorithm;
      out.protocol = tuned.way->protocol;
      return;
    }
    const collective::Cost one = collective::cost(what, size, fabric_, only_);
    out.algorithm = collective::name_of(one.algorithm);
    out.protocol = collective::name_of(one.protocol);
  }

  /// Messages that nobody measured.
  void say_unmeasured(Context& context, const collective::Exchange& e) const {
    if (!measured_ || !context.texts) return;
    const auto say = [&](Bytes size, std::string_view what) {
      context.out.caveats.push_back(
          fmt::format("A message of {} lies outside of /job/allreduce/points: {} used for it.",
                      short_text_of(size), what));
    };
    if (measured_->below(e.smallest)) {
      say(e.smallest, measured_->alone() ? "the bandwidth of the only one, without a latency, is"
                                         : "the latency and the bandwidth of the two smallest are");
    }
    if (measured_->above(e.largest)) say(e.largest, "the bandwidth of the largest is");
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
    inside.filling = {};  // pieces that fill the lines between instances fill those inside
    collective::Fabric between = fabric_;
    between.gpus = 1.0;
    constexpr auto ring = collective::Algorithm::ring;
    return collective::cost(Collective::all_reduce, size, inside, ring).time() +
           collective::cost(Collective::all_reduce, size, between, ring).time();
  }

  collective::Fabric fabric_;
  std::optional<collective::Algorithm> only_;
  std::optional<collective::Measured> measured_;
  std::optional<collective::Tuned> tuned_;  ///< by NCCL's own log
  std::string name_;                        ///< where NCCL's model is not asked
};

/// What is sent in which messages, and when. Gradients that are summed once, after the last of an
/// optimiser step's micro-batches (DDP's no_sync), have its backward pass alone to hide behind.
decltype(collective::Plan::schedule) schedule(Context& context, const AllReduce& given,
                                              Parallelism how) {
  if (is_sharded(how)) {
    const double blocks =
        context.find_or<double>(Stage::allreduce, given.blocks, {}, assumed::sharded_blocks);
    const double stages = context.layout ? context.layout->degrees.pipeline : 1.0;
    return collective::ShardedParameters{std::max(1.0, std::round(blocks / stages))};
  }
  const Preset by_default = preset(how);
  const Bytes bucket =
      context.find_or<Bytes>(Stage::allreduce, "/job/allreduce/bucket", given.bucket, {}, {},
                             by_default.bucket, by_default.why);
  if (how == Parallelism::horovod) return collective::Fusion{bucket, horovod_cycle};
  if (shards_optimiser(how)) {
    return collective::ScatteredGradients{bucket, how == Parallelism::zero2};
  }
  const Bytes first =
      context.find_or<Bytes>(Stage::allreduce, "/job/allreduce/first_bucket", given.first_bucket,
                             {}, {}, first_bucket, "PyTorch's DistributedDataParallel");
  return collective::Buckets{first, bucket};
}

/// By what most of the messages go.
void name_messages(Communication& out, const MessageModel& messages, const collective::Plan& plan,
                   const collective::Exchange& e) {
  if (const auto* sharded = std::get_if<collective::ShardedParameters>(&plan.schedule)) {
    messages.name(out, Collective::all_gather, plan.gathered / sharded->blocks);
  } else if (const auto* scattered = std::get_if<collective::ScatteredGradients>(&plan.schedule)) {
    messages.name(out, Collective::reduce_scatter,
                  plan.sent * std::min(scattered->bucket, plan.gradients));
  } else {
    messages.name(out, Collective::all_reduce, e.largest);
  }
}

/// Bytes that each of `n` sends for `size` of them, as rings have it.
Bytes sent_in_ring(Parallelism how, double n, Bytes size) {
  return (sums_for_all(how) ? 2.0 : 1.0) * (n - 1.0) / n * size;
}

/// Bytes of an optimiser step over an instance's NIC, on average: as a ring over all GPUs sends
/// them, or one over the instances where each sums its own first; trees are as many lines among
/// instances, up and down. What leaves an NVLink domain leaves it by the NICs of all its instances.
Bytes over_network(const Context& context, Parallelism how, bool in_levels, Bytes size) {
  const Inputs& inputs = context.out.inputs;
  const double of_domain = instances_of_domain(context);
  const double domains = inputs.instances / of_domain;
  if (domains <= 1.0) return {};
  return (1.0 / of_domain) * sent_in_ring(how, in_levels ? domains : inputs.gpus(), size);
}

}  // namespace

Volume volume(Context& context, const AllReduce& given) {
  Volume out;
  const double compression = given.compression.value_or(1.0);
  const auto& step = context.scenario.job.step;
  // A model's parameters are said once, with its step or with its exchange.
  const bool of_step = !given.parameters && !given.gradient_bytes && step && step->parameters;
  const std::optional<double> of_model = of_step ? step->parameters : given.parameters;
  if (!of_model && !given.gradient_bytes) {
    context.problem("/job/allreduce/parameters",
                    "expected how many parameters the model has, \"25.6e6\" for ResNet-50, or "
                    "/job/allreduce/gradient_bytes: what is exchanged is computed from either; got "
                    "neither");
    out.gradients = out.gathered = bytes(1.0);
    return out;
  }
  if (!of_model) {
    out.gradients = context.need<Bytes>(Stage::allreduce, "/job/allreduce/gradient_bytes",
                                        given.gradient_bytes, {}, {}, "the bytes of all gradients");
    out.gathered = out.gradients;
    if (given.parameter_type) out.gathered *= bytes_of(*given.parameter_type) / fp32_bytes;
  } else {
    const double parameters = context.use(
        Stage::allreduce, of_step ? "/job/step/model_parameters" : "/job/allreduce/parameters",
        Value<double>::given(*of_model));
    const NumberType type = given.gradient_type.value_or(NumberType::fp32);
    out.gradients = bytes(fp32_bytes * parameters);
    out.gathered = bytes(bytes_of(given.parameter_type.value_or(type)) * parameters);
    out.sent = bytes_of(type) / fp32_bytes;
  }
  out.sent /= compression;
  return out;
}

bool is_computed(const Job& job) {
  if (!job.allreduce) return job.parallelism.has_value();
  const AllReduce& a = *job.allreduce;
  if (a.points || job.parallelism.value_or(Parallelism::ddp) != Parallelism::ddp) return true;
  return a.algorithm != AllReduceAlgorithm::ring && a.algorithm != AllReduceAlgorithm::hierarchical;
}

namespace {

/// What of an exchange nothing hides, and what of it is of experts.
struct Exchanged {
  Duration exposed;
  Duration of_experts;  ///< their messages
  double share_of_experts = 0.0;
};

/// The messages of a model of which some parts are summed by fewer GPUs than others.
struct TwoKinds {
  MessageModel all, copies;
  double share = 0.0;    ///< of the bytes, what `copies` are sent
  bool in_each = false;  ///< blocks have parts of both kinds; buckets are of one kind or the other

  [[nodiscard]] Duration time(const MessageModel& one, double part, Collective what,
                              Bytes size) const {
    if (part <= 0.0) return {};
    // What is gathered is not cut into buckets.
    const bool whole = in_each || what == Collective::all_gather;
    return whole ? one.time(what, part * size) : part * one.time(what, size);
  }
  [[nodiscard]] Duration of_copies(Collective what, Bytes size) const {
    return time(copies, share, what, size);
  }
  [[nodiscard]] Duration both(Collective what, Bytes size) const {
    return time(all, 1.0 - share, what, size) + of_copies(what, size);
  }
};

}  // namespace

/// The sum of gradients, or what stands for it, as the schedule of `plan` has it. `copies` are
/// those of an expert, where it has several.
static Exchanged exchange_gradients(Context& context, const AllReduce& given,
                                    collective::Plan& plan,
                                    const std::optional<collective::Fabric>& among,
                                    const std::optional<collective::Fabric>& copies) {
  Inputs& inputs = context.out.inputs;
  const Parallelism how = context.scenario.job.parallelism.value_or(Parallelism::ddp);
  const Volume sent = volume(context, given);
  const SummedShares held = context.layout ? shares_of_gradients(context) : SummedShares{};
  plan.gradients = held.both() * sent.gradients;
  plan.sent = sent.sent;
  plan.gathered = held.both() * sent.gathered;
  const MessageModel among_all(context, given, among);
  std::optional<TwoKinds> kinds;
  if (copies && held.by_copies > 0.0) {
    kinds = TwoKinds{among_all, MessageModel(context, given, copies), held.by_copies / held.both(),
                     is_sharded(how)};
    plan.time = [two = *kinds](Collective what, Bytes size) { return two.both(what, size); };
  } else {
    plan.time = [among_all](Collective what, Bytes size) { return among_all.time(what, size); };
  }
  const MessageModel& messages = kinds && kinds->share > 0.5 ? kinds->copies : among_all;
  plan.backward = context.assume<double>(Stage::allreduce, assumed::backward_share);
  plan.overlap = given.overlap;
  plan.schedule = schedule(context, given, how);
  const collective::Exchange e = collective::exchange(plan, step_time(inputs, inputs.batch));
  Communication out;
  out.parallelism = parallelism_words[static_cast<std::size_t>(how)];
  name_messages(out, messages, plan, e);
  messages.say_unmeasured(context, e);
  out.size = collective::handed_over(plan);
  out.messages = e.messages;
  out.total = e.total;
  out.exposed = e.exposed;
  if (!among) {
    const bool in_levels = messages.in_levels() ||
                           out.algorithm == collective::name_of(collective::Algorithm::tree) ||
                           out.algorithm == collective::name_of(collective::Algorithm::nvls_tree);
    inputs.network_allreduce = over_network(context, how, in_levels, out.size);
  }
  if (how == Parallelism::smddp && !given.points && context.texts) {
    context.out.caveats.push_back(
        "SageMaker's data-parallel library is computed as NCCL under DDP's buckets: what its own "
        "algorithms gain only measured points (/job/allreduce/points) can tell.");
  }
  context.out.communication = std::move(out);
  if (!kinds) return {e.exposed, {}, 0.0};
  collective::Plan theirs = plan;
  theirs.time = [&](Collective what, Bytes size) { return kinds->of_copies(what, size); };
  return {e.exposed, collective::exchange(theirs, step_time(inputs, inputs.batch)).total,
          kinds->share};
}

/// Of a model that is spread, beside it what its parts send each other.
static Duration exchange_in_layout(Context& context, const AllReduce& given,
                                   collective::Plan& plan) {
  Inputs& inputs = context.out.inputs;
  const Spread& layout = *context.layout;
  const Parallelism how = context.scenario.job.parallelism.value_or(Parallelism::ddp);
  // In a pipeline, parameters that are sharded are gathered once for all micro-batches, as
  // torchtitan does (`fsdp_reshard_after_forward: default`).
  const bool once = layout.degrees.pipeline > 1.0 && (is_sharded(how) || how == Parallelism::zero2);
  plan.batches = once ? 1.0 : layout.micro_batches;
  plan.part = inputs.accumulation / plan.batches;
  const collective::Fabric cluster = fabric(context, given);
  const collective::Degrees degrees = linked(context, layout.degrees);
  const collective::GroupShape data = collective::data_group(degrees);
  const collective::GroupShape copies = collective::copies_of_expert(degrees);
  Exchanged exchanged;
  if (data.size > 1.0 && given.gradient_bytes != Bytes{}) {
    std::optional<collective::Fabric> of_copies;
    if (degrees.expert > 1.0 && copies.size > 1.0) {
      of_copies = group_links(context, cluster, copies);
    }
    exchanged =
        exchange_gradients(context, given, plan, group_links(context, cluster, data), of_copies);
  } else {
    plan.time = [](Collective, Bytes) { return Duration{}; };
  }
  plan.spread = spread_over(context, cluster);
  if (const auto& sums = context.out.communication) {
    const Bytes of_experts = exchanged.share_of_experts * sums->size;
    const Bytes of_others = sums->size - of_experts;
    if (exchanged.share_of_experts < 1.0) {
      add_gradients(context, "data", collective::data_group,
                    sent_in_ring(how, data.size, of_others), sums->total - exchanged.of_experts);
    }
    if (exchanged.share_of_experts > 0.0) {
      add_gradients(context, "expert data", collective::copies_of_expert,
                    sent_in_ring(how, copies.size, of_experts), exchanged.of_experts);
    }
  }
  return collective::exchange(plan, step_time(inputs, inputs.batch)).exposed;
}

static double batches_of_step(const Context& context) {
  return context.scenario.job.gradient_accumulation.value_or(1.0);
}

double batches_per_exchange(const Context& context) {
  const Parallelism how = context.scenario.job.parallelism.value_or(Parallelism::ddp);
  return is_sharded(how) && !context.layout ? 1.0 : batches_of_step(context);
}

Duration exchange(Context& context, const AllReduce& given) {
  Inputs& inputs = context.out.inputs;
  if (inputs.cluster_gpus() <= 1.0) return {};
  collective::Plan plan;
  plan.batches = inputs.accumulation;
  const Duration exposed = context.layout
                               ? exchange_in_layout(context, given, plan)
                               : exchange_gradients(context, given, plan, {}, {}).exposed;
  inputs.exchange = std::make_shared<const collective::Plan>(std::move(plan));
  if (auto& all = context.out.communication) {
    const double times = batches_of_step(context) / inputs.accumulation;
    all->size *= times;
    all->messages *= times;
    all->total *= times;
    all->exposed *= times;
  }
  return exposed;
}

}  // namespace feedrate::resolve
