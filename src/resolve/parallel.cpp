#include "resolve/parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "resolve/exchange.hpp"
#include "resolve/links.hpp"
#include "resolve/pieces.hpp"
#include "resolve/without_effect.hpp"

namespace feedrate::resolve {
namespace {

using collective::Degrees;
using collective::GroupShape;

/// Whether blocks of `block` GPUs never begin in the middle of an instance.
bool is_aligned(double block, double gpus) {
  const double larger = std::max(block, gpus);
  return std::fmod(larger, std::min(block, gpus)) == 0.0;
}

/// "tensor 8 · pipeline 16 = 128", of those above 1.
std::string product(std::initializer_list<std::pair<std::string_view, double>> factors) {
  std::string text;
  double all = 1.0;
  int several = 0;
  for (const auto& [name, factor] : factors) {
    if (factor <= 1.0) continue;
    text += fmt::format("{}{} {:.0f}", several++ > 0 ? " · " : "", name, factor);
    all *= factor;
  }
  return several > 1 ? fmt::format("{} = {:.0f}", text, all) : text;
}

std::string replica_text(const ParallelLayout& given) {
  return product(
      {{"tensor", given.tensor}, {"context", given.context}, {"pipeline", given.pipeline}});
}

/// What does not fit together in the layout itself, beside the GPUs of the cluster.
bool fits(Context& context, const ParallelLayout& given, const Degrees& d, double instances) {
  const std::size_t before = context.problems.size();
  const double gpus = context.out.inputs.gpus();
  const std::string cluster =
      fmt::format("{:.0f} instance{} with {:.0f} GPU{}{}", instances, instances == 1.0 ? "" : "s",
                  d.gpus, d.gpus == 1.0 ? "" : "s", instances == 1.0 ? "" : " each");
  const auto refuse = [&](std::string_view key, std::string text) {
    context.problem(fmt::format("/job/parallel{}", key), std::move(text));
    return false;
  };
  const double replica = d.replica();
  if (gpus < replica) {
    return refuse(
        "", fmt::format("one replica of the model takes {} GPUs, and {} {} {:.0f}",
                        replica_text(given), cluster, instances == 1.0 ? "has" : "have", gpus));
  }
  if (std::fmod(gpus, replica) != 0.0) {
    return refuse("", fmt::format("expected replicas of the model that divide the {} of {}, "
                                  "got {} a replica",
                                  gpus == 1.0 ? "GPU" : fmt::format("{:.0f} GPUs", gpus), cluster,
                                  replica_text(given)));
  }
  if (given.data && *given.data != gpus / replica) {
    return refuse(
        "/data",
        fmt::format("expected {:.0f}, or nothing: {} have {:.0f} GPUs, and a replica takes "
                    "{}; got {:.0f}",
                    gpus / replica, cluster, gpus, replica > 1.0 ? replica_text(given) : "1",
                    *given.data));
  }
  const bool nested = d.expert <= d.context ? std::fmod(d.context, d.expert) == 0.0
                                            : std::fmod(d.expert, d.context) == 0.0 &&
                                                  std::fmod(d.data, d.expert / d.context) == 0.0;
  if (!nested) {
    return refuse("/expert",
                  fmt::format("expected a divisor of context · data = {:.0f} · {:.0f} that "
                              "divides context or is a multiple of it: experts are "
                              "divided among those GPUs; got {:.0f}",
                              d.context, d.data, d.expert));
  }
  const double block = d.tensor * d.context;
  for (const double size :
       {d.tensor, d.tensor * d.expert, block, block * d.run(), block * d.run() * d.pipeline}) {
    if (is_aligned(size, d.gpus)) continue;
    return refuse(
        "",
        fmt::format("expected groups that divide the {:.0f} GPUs of an instance or are "
                    "multiples of them, so that none begins in the middle of one; "
                    "got one of {:.0f} GPUs ({}, {} outermost)",
                    d.gpus, size, replica_text(given), d.pipeline_outermost ? "pipeline" : "data"));
  }
  if (given.hidden_size && std::fmod(*given.hidden_size, d.tensor) != 0.0) {
    refuse("/hidden_size",
           fmt::format("expected a multiple of /job/parallel/tensor = {:.0f}, whose "
                       "GPUs divide it, got {:.0f}",
                       d.tensor, *given.hidden_size));
  }
  return context.problems.size() == before;
}

/// Micro-batches of an optimiser step: as given; else the loader's batches, and in a pipeline the
/// samples (torchtitan's default). 0: they do not come out whole.
double micro_batches(Context& context, const ParallelLayout& given) {
  const double batch = context.scenario.loader.batch_size.value_or(1.0);
  const double batches = context.scenario.job.gradient_accumulation.value_or(1.0);
  if (!given.micro_batches) {
    if (given.pipeline <= 1.0) return batches;
    return context.use(Stage::allreduce, "/job/parallel/micro_batches",
                       Value<double>::assumed(batch * batches, "of one sample each"));
  }
  const double n = context.use(Stage::allreduce, "/job/parallel/micro_batches",
                               Value<double>::given(*given.micro_batches));
  if (std::fmod(batch * batches, n) == 0.0) return n;
  context.problem(
      "/job/parallel/micro_batches",
      fmt::format("expected a divisor of the {:.0f} samples of a replica in an optimizer "
                  "step (/loader/batch_size {:.0f} · /job/gradient_accumulation {:.0f}), "
                  "got {:.0f}",
                  batch * batches, batch, batches, n));
  return 0.0;
}

double chunks(Context& context, const ParallelLayout& given) {
  if (given.schedule != PipelineSchedule::interleaved) {
    if (given.virtual_stages) {
      tell_without_effect(context, "/job/parallel/virtual_stages",
                          "schedule is 1f1b, whose GPUs have one stage each");
    }
    return 1.0;
  }
  constexpr double fewest = 2.0;
  return context.find_or<double>(Stage::allreduce, "/job/parallel/virtual_stages",
                                 given.virtual_stages, {}, {}, fewest,
                                 "the fewest that interleave");
}

/// GPUs that load: so many in each instance where any does, each sample so many times.
struct Loaders {
  double each = 1.0;
  double copies = 1.0;
};

Loaders loaders(LoadedBy by, const Degrees& d) {
  const double block = d.tensor * d.context;
  if (by == LoadedBy::torchtitan) return {d.gpus, d.replica()};
  const bool one = by == LoadedBy::one;
  const double of_block = one ? 1.0 : d.context;
  const double stages = one ? 1.0 : std::min(2.0, d.pipeline);
  if (block >= d.gpus) {
    return {one ? 1.0 : std::max(1.0, d.gpus / d.tensor), of_block * stages};
  }
  // Several blocks stand in an instance: of one stage, of several, or of whole pipelines.
  const double blocks = d.gpus / block;
  const double run = d.run();
  double loading = std::min(blocks, run);
  if (blocks >= run * d.pipeline) loading = blocks / d.pipeline * stages;
  return {of_block * loading, of_block * stages};
}

double bytes_of_activation(const Context& context) {
  const auto& step = context.scenario.job.step;
  return step && step->precision == Precision::single ? 4.0 : 2.0;
}

/// Layers of the whole model, and how wide they are: as given, or from its parameters.
struct Width {
  double layers = 1.0;
  double hidden = 1.0;
};

Width width_of(Context& context, const ParallelLayout& given) {
  constexpr Stage stage = Stage::allreduce;
  constexpr double of_layer = 12.0;  // times hidden²: four of attention, eight of the rest
  const auto all = parameters_of(context.scenario.job);
  const bool derivable = all && given.expert <= 1.0;
  Width out;
  if (given.layers) {
    out.layers = context.use(stage, "/job/parallel/layers", Value<double>::given(*given.layers));
  }
  if (given.hidden_size) {
    out.hidden =
        context.use(stage, "/job/parallel/hidden_size", Value<double>::given(*given.hidden_size));
  }
  if (given.layers && given.hidden_size) return out;
  if (!derivable) {
    const std::string_view key =
        given.layers ? "/job/parallel/hidden_size" : "/job/parallel/layers";
    context.needed(key, given.layers ? "how wide the model is, which decides what GPUs send"
                                     : "how many layers the model has, which decides how often "
                                       "GPUs send");
    return out;
  }
  if (given.layers) {
    out.hidden = std::sqrt(*all / of_layer / out.layers);
  } else if (given.hidden_size) {
    out.layers = std::max(1.0, *all / of_layer / (out.hidden * out.hidden));
  } else {
    const double aspect = context.assume<double>(stage, assumed::hidden_over_layers);
    out.hidden = portable::pow(*all / of_layer * aspect, 1.0 / 3.0);
    out.layers = std::max(1.0, out.hidden / aspect);
  }
  return out;
}

/// Of all layers, those of the fullest GPU of a pipeline.
double uneven(const ParallelLayout& given, const Spread& layout) {
  const double stages = layout.degrees.pipeline * layout.chunks;
  if (!given.layers) return 1.0 / layout.degrees.pipeline;
  return std::ceil(*given.layers / stages) * layout.chunks / *given.layers;
}

collective::Activations activations(Context& context, const ParallelLayout& given) {
  constexpr Stage stage = Stage::allreduce;
  const Spread& layout = *context.layout;
  const Degrees& d = layout.degrees;
  const Inputs& inputs = context.out.inputs;
  collective::Activations made;
  const auto& step = context.scenario.job.step;
  if (!step || !step->tokens_per_sample) {
    context.needed("/job/step/tokens_per_sample",
                   "tokens of a sample, which decide what GPUs of a layout send each other");
    return made;
  }
  const double tokens = context.use(stage, "/job/step/tokens_per_sample",
                                    Value<double>::given(*step->tokens_per_sample));
  const Width width = width_of(context, given);
  const double samples = training_batch(context) * inputs.accumulation / layout.micro_batches;
  const double here = samples * tokens / d.context * bytes_of_activation(context);
  made.layers = width.layers * uneven(given, layout);
  made.micro_batches = layout.micro_batches;
  made.chunks = layout.chunks;
  made.hidden = bytes(here * width.hidden);
  if (d.context > 1.0) {
    const double wide = context.find_or<double>(stage, given.kv_size, {}, assumed::kv_share,
                                                assumed::kv_share.value * width.hidden);
    made.keys_values = bytes(2.0 * here * wide / d.tensor);
  }
  if (d.expert > 1.0) {
    made.experts_per_token =
        context.find_or<double>(stage, given.experts_per_token, {}, assumed::experts_per_token);
  }
  return made;
}

void say_what_is_slow(Context& context, const ParallelLayout& given, const Degrees& d) {
  if (!context.texts || given.tensor <= d.gpus) return;
  const bool domains = instances_of_domain(context) > 1.0;
  context.out.caveats.push_back(fmt::format(
      "A tensor group of {:.0f} GPUs reaches over {:.0f} {} with {:.0f} each: its sums, four a "
      "layer and micro-batch, go through the network, which makes most jobs several times slower.",
      given.tensor, given.tensor / d.gpus, domains ? "NVLink domains" : "instances", d.gpus));
}

/// Keys that describe a layout of one GPU a replica.
void tell_without_layout(Context& context, const ParallelLayout& given) {
  const auto tell = [&](bool is, std::string_view key) {
    if (!is) return;
    tell_without_effect(context, fmt::format("/job/parallel/{}", key),
                        "each GPU has the whole model: tensor, context, expert and pipeline are 1");
  };
  tell(given.schedule == PipelineSchedule::interleaved, "schedule");
  tell(given.virtual_stages.has_value(), "virtual_stages");
  tell(given.micro_batches.has_value(), "micro_batches");
  tell(given.loaded_by.has_value(), "loaded_by");
  tell(given.overlapped > 0.0, "overlapped");
}

}  // namespace

void resolve_layout(Context& context) {
  const Scenario& s = context.scenario;
  if (!s.job.parallel) return;
  const ParallelLayout& given = *s.job.parallel;
  Inputs& inputs = context.out.inputs;
  Degrees d;
  d.tensor = given.tensor;
  d.context = given.context;
  d.expert = given.expert;
  d.pipeline = given.pipeline;
  d.pipeline_outermost = given.outermost == Outermost::pipeline;
  d.gpus = inputs.ranks;
  d.data = inputs.gpus() / d.replica();
  const bool spread = d.replica() * d.expert > 1.0;
  const auto refuse = [&](std::string_view other, std::string_view instead) {
    context.problem("/job/parallel", fmt::format("expected no {}: {}", other, instead));
  };
  if (spread && !s.cluster.unequal_gpus.empty()) {
    return refuse("unequal numbers of GPUs (/cluster/gpus_per_instance)",
                  "groups would begin in the middle of an instance");
  }
  if (spread && s.job.duration_on_one_instance) {
    return refuse("/job/duration_on_one_instance",
                  "a layout divides a step; give /dataset, /loader and /job/step");
  }
  if (spread && (s.job.efficiency || s.job.scaling)) {
    return refuse(s.job.efficiency ? "/job/efficiency" : "/job/scaling",
                  "what a layout sends is computed; give /job/allreduce, or leave it out");
  }
  if (!fits(context, given, d, inputs.instances)) return;
  if (!spread) return tell_without_layout(context, given);
  Spread layout{d, micro_batches(context, given), chunks(context, given), {}};
  if (layout.micro_batches <= 0.0) return;
  // The embedding and the output may have a stage each, as in Llama 3 405B.
  if (const double stages = d.pipeline * layout.chunks;
      given.layers && *given.layers + 2.0 < stages) {
    context.problem(
        "/job/parallel/layers",
        fmt::format("expected as many as the pipeline has stages ({}), less two at most "
                    "for the embedding and the output, got {:.0f}",
                    product({{"pipeline", d.pipeline}, {"chunks", layout.chunks}}), *given.layers));
    return;
  }
  say_what_is_slow(context, given, linked(context, d));
  const LoadedBy by = given.loaded_by.value_or(LoadedBy::one);
  const std::string word(loaded_by_words[static_cast<std::size_t>(by)]);
  context.use(Stage::decode, "/job/parallel/loaded_by",
              given.loaded_by ? Value<std::string>::given(word)
                              : Value<std::string>::assumed(word,
                                                            "one GPU of a replica loads and "
                                                            "hands on"));
  const Loaders load = loaders(by, d);
  inputs.all_instances = inputs.instances;
  inputs.all_ranks = inputs.ranks;
  inputs.times_loaded = load.copies;
  inputs.slowest_of = inputs.cluster_gpus();
  inputs.ranks = load.each;
  inputs.instances = d.data * load.copies / load.each;
  context.layout = layout;
}

double share_of_fullest_gpu(Context& context) {
  const Spread& layout = *context.layout;
  const ParallelLayout& given = *context.scenario.job.parallel;
  const double of_stage = uneven(given, layout);
  const double pipeline = layout.degrees.pipeline;
  if (of_stage * pipeline > 1.0 && context.texts) {
    context.out.remarks.push_back(
        fmt::format("{:.0f} layers do not divide evenly over {:.0f} stages: the fullest GPU has "
                    "{:.0f} of them, and the others wait for it",
                    *given.layers, pipeline * layout.chunks, of_stage * *given.layers));
  }
  return of_stage * pipeline / layout.degrees.replica();
}

double instances_with_parts(const Context& context) {
  const Parallelism how = context.scenario.job.parallelism.value_or(Parallelism::ddp);
  if (!sums_for_all(how)) return context.out.inputs.cluster_instances();
  if (!context.layout) return 1.0;
  const Degrees& d = context.layout->degrees;
  // Replicas hold different experts.
  const double of_experts = d.expert > 1.0 ? collective::expert_group(d).instances() : 1.0;
  return std::min(
      context.out.inputs.cluster_instances(),
      std::max(1.0, d.tensor / d.gpus) * collective::pipeline_group(d).instances() * of_experts);
}

/// Of the model's parameters, those of a GPU's layers, and of these what is in experts.
static double share_of_layers(const Degrees& d) {
  return 1.0 / (d.tensor * d.pipeline);
}
static double share_in_experts(Context& context) {
  if (context.layout->degrees.expert <= 1.0) return 0.0;
  return context.find_or<double>(Stage::allreduce, context.scenario.job.parallel->expert_share, {},
                                 assumed::expert_share);
}

double share_of_parameters(Context& context) {
  const Degrees& d = context.layout->degrees;
  const double experts = share_in_experts(context);
  return share_of_layers(d) * (1.0 - experts + experts / d.expert);
}

SummedShares shares_of_gradients(Context& context) {
  const Degrees& d = context.layout->degrees;
  const bool alone = d.expert >= d.context * d.data;
  const double held = share_of_layers(d);
  const double experts = share_in_experts(context);
  return {held * (1.0 - experts), alone ? 0.0 : held * experts / d.expert};
}

collective::Fabric group_links(Context& context, const collective::Fabric& cluster,
                               const GroupShape& group) {
  if (cluster.nodes <= 1.0 || cluster.hop || group.instances() > 1.0) {
    return collective::fabric_of(cluster, group, cluster.filling);
  }
  std::optional<Duration>& filling = context.layout->filling_inside;
  if (!filling) {
    filling = context.assume<Duration>(Stage::allreduce, unmeasured(assumed::filling_inside));
  }
  return collective::fabric_of(cluster, group, *filling);
}

Degrees linked(const Context& context, const Degrees& degrees) {
  Degrees of_domain = degrees;
  of_domain.gpus *= instances_of_domain(context);
  return of_domain;
}

collective::SpreadStep spread_over(Context& context, const collective::Fabric& cluster) {
  const Spread& layout = *context.layout;
  const Degrees d = linked(context, layout.degrees);
  const double of_domain = instances_of_domain(context);
  const ParallelLayout& given = *context.scenario.job.parallel;
  Inputs& inputs = context.out.inputs;
  const collective::Activations made = activations(context, given);
  ModelLayout out;
  out.tensor = d.tensor;
  out.context = d.context;
  out.expert = d.expert;
  out.pipeline = d.pipeline;
  out.data = d.data;
  out.loaders = inputs.ranks;
  out.loading = inputs.instances;
  out.copies = inputs.times_loaded;
  out.micro_batches = layout.micro_batches;
  Duration all;
  const auto add = [&](std::string_view name, const auto& group_of, const auto& cost_of) {
    const GroupShape group = group_of(d);
    if (group.size <= 1.0) return;
    const collective::GroupCost cost = cost_of(group_links(context, cluster, group));
    const Bytes of_instance = (1.0 / of_domain) * cost.over_network;
    out.groups.push_back({std::string(name), group.size, group_of(layout.degrees).instances(),
                          cost.sent, of_instance, cost.time});
    inputs.network_allreduce += of_instance;
    all += cost.time;
  };
  using collective::Fabric;
  const GroupShape tensor = collective::tensor_group(d);
  add("tensor", collective::tensor_group,
      [&](const Fabric& f) { return collective::tensor_messages(made, tensor, f); });
  const GroupShape ring = collective::context_group(d);
  add("context", collective::context_group,
      [&](const Fabric& f) { return collective::context_messages(made, ring, f); });
  const GroupShape expert = collective::expert_group(d);
  add("expert", collective::expert_group,
      [&](const Fabric& f) { return collective::expert_messages(made, d.tensor, expert, f); });
  const GroupShape stages = collective::pipeline_group(d);
  add("pipeline", collective::pipeline_group,
      [&](const Fabric& f) { return collective::pipeline_messages(made, d.tensor, stages, f); });
  collective::SpreadStep step;
  step.messages = all;
  if (given.overlapped > 0.0) {
    step.messages *= 1.0 - context.use(Stage::allreduce, "/job/parallel/overlapped",
                                       Value<double>::given(given.overlapped));
  }
  step.bubble = collective::bubble(d.pipeline, layout.micro_batches, layout.chunks);
  out.bubble = step.bubble;
  const Duration computing = inputs.accumulation * step_time(inputs, inputs.batch);
  out.idle = step.bubble * (computing + step.messages);
  out.exposed = step.messages;
  context.out.layout = std::move(out);
  return step;
}

void add_gradients(Context& context, std::string name, const GroupOf& group_of, Bytes sent,
                   Duration time) {
  const Degrees& degrees = context.layout->degrees;
  const GroupShape group = group_of(linked(context, degrees));
  const Bytes of_domain = group.instances() > 1.0 ? group.sharing * sent : Bytes{};
  const Bytes out = (1.0 / instances_of_domain(context)) * of_domain;
  context.out.layout->groups.push_back(
      {std::move(name), group.size, group_of(degrees).instances(), sent, out, time});
  context.out.inputs.network_allreduce += out;
}

}  // namespace feedrate::resolve
