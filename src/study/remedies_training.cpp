// Remedies in the step, in what GPUs tell each other, and in checkpoints.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/number_text.hpp"
#include "base/portable_math.hpp"
#include "base/unit_text.hpp"
#include "catalog/gpu_speed.hpp"
#include "resolve/exchange.hpp"
#include "study/remedy.hpp"
#include "words/remedies.hpp"

namespace feedrate::study {
namespace {

bool has_step(const Situation& s) {
  return s.scenario.job.step.has_value() && s.result.gpu_busy_time > Duration{};
}

bool exchanges(const Situation& s) {
  return s.inputs().exposed_allreduce > Duration{} && s.scenario.job.allreduce.has_value();
}

/// Batches so many times as large, on as many samples, beside what else is set.
Change larger_batch(const Situation& s, double times, const Setting& beside = {}) {
  Change change;
  const double now = s.scenario.loader.batch_size.value_or(1.0);
  change.set.emplace_back("batch_size", exact_text(now * times));
  change.set.insert(change.set.end(), beside.begin(), beside.end());
  for (const auto& [key, value] : change.set) {
    change.words += (change.words.empty() ? "" : ", ") + words::assigned(key, value);
  }
  if (!s.scenario.job.step->gpu_memory) change.words += ", if the GPU's memory holds it";
  keep_samples_of_steps(s, 1.0, times, change);
  return change;
}

/// Larger batches, on as many samples.
std::vector<Change> larger_batches(const Situation& s) {
  std::vector<Change> list;
  const Step& step = *s.scenario.job.step;
  const double now = s.scenario.loader.batch_size.value_or(1.0);
  const double most = step.table && !step.table->empty() ? step.table->back().first : 8.0 * now;
  for (const double times : {2.0, 4.0, 8.0}) {
    if (now * times > most || now * times > s.inputs().samples) continue;
    list.push_back(larger_batch(s, times));
  }
  return list;
}

struct Ratio {
  double value = 1.0, low = 1.0, high = 1.0;
};

/// How much faster the scenario's GPU trains in mixed precision: published rates of the same GPU.
std::optional<Ratio> mixed_ratio(const Situation& s) {
  const std::string gpu =
      s.scenario.cluster.instance ? gpu_of(s.catalog, *s.scenario.cluster.instance) : "";
  const Gpu* const known = gpu.empty() ? nullptr : find_gpu(s.catalog, gpu);
  if (known == nullptr) return std::nullopt;
  const TrainingRates* mixed = nullptr;
  const TrainingRates* single = nullptr;
  for (const TrainingRates& rates : s.catalog.training) {
    if (rates.gpu != known->name) continue;
    (rates.precision == Precision::mixed ? mixed : single) = &rates;
  }
  if (mixed == nullptr || single == nullptr) return std::nullopt;
  using Rates = std::initializer_list<Known<double> TrainingRates::*>;
  const Rates convolutional = {&TrainingRates::resnet50, &TrainingRates::ssd};
  const Rates transformer = {&TrainingRates::bert_base, &TrainingRates::bert_large,
                             &TrainingRates::transformer_xl_base,
                             &TrainingRates::transformer_xl_large};
  const Rates recurrent = {&TrainingRates::gnmt};
  std::vector<double> ratios;
  const auto family = s.scenario.job.step->family;
  const auto add = [&](ModelFamily of, const Rates& rates) {
    if (family && *family != of) return;
    for (const auto member : rates) {
      if (mixed->*member && single->*member) {
        ratios.push_back((mixed->*member)->value / (single->*member)->value);
      }
    }
  };
  add(ModelFamily::convolutional, convolutional);
  add(ModelFamily::transformer, transformer);
  add(ModelFamily::recurrent, recurrent);
  if (ratios.empty()) return std::nullopt;
  Ratio ratio;
  ratio.low = *std::min_element(ratios.begin(), ratios.end());
  ratio.high = *std::max_element(ratios.begin(), ratios.end());
  double sum = 0.0;
  for (const double each : ratios) sum += portable::log(each);
  ratio.value = portable::exp(sum / static_cast<double>(ratios.size()));
  return ratio;
}

bool step_is_of_this_gpu(const Situation& s) {
  return !s.scenario.measured_on.gpu_times && !s.scenario.job.step->by_gpu;
}

std::vector<Change> mixed_precision(const Situation& s) {
  const auto ratio = mixed_ratio(s);
  if (!ratio || !step_is_of_this_gpu(s)) return {};
  const Step& step = *s.scenario.job.step;
  Change change;
  if (step.fixed) {
    change.set.emplace_back("/job/step/fixed", format_quantity(*step.fixed / ratio->value));
  }
  if (step.per_sample) {
    change.set.emplace_back("/job/step/per_sample",
                            format_quantity(*step.per_sample / ratio->value));
  }
  if (step.table) {
    std::string table;
    for (const auto& [batch, time] : *step.table) {
      table += (table.empty() ? "[" : ", [") + exact_text(batch) + ", \"" +
               format_quantity(time / ratio->value) + "\"]";
    }
    change.set.emplace_back("/job/step/table", "[" + table + "]");
  }
  change.set.emplace_back("/job/step/precision", "mixed");
  change.words = words::faster_steps(ratio->value, ratio->low, ratio->high);
  return {change};
}

std::string precision_lacking(const Situation& s) {
  const Step& step = *s.scenario.job.step;
  if (!step.precision) {
    return "give /job/step/precision = single if the step's times are of fp32 or tf32";
  }
  if (mixed_precision(s).empty()) {
    return "give the step's times in mixed precision: nothing published compares both on this GPU";
  }
  return "";
}

/// Young's interval (1974) for failures as Llama 3's training met them: 3.8 in 1,000 node-days.
Duration interval_for_failures(const Situation& s) {
  const Duration between = hours(24.0) * 1000.0 / 3.8 / s.inputs().cluster_instances();
  return seconds(std::sqrt(2.0 * s.inputs().single_checkpoint().base() * between.base()));
}

/// Minutes between checkpoints: as failures ask for, and one in the job at least, for a job without
/// any loses all of it. Empty where it has no room for one.
struct RareCheckpoints {
  double every = 0.0;
  bool only_one = false;
};
std::optional<RareCheckpoints> rarer_checkpoints(const Situation& s) {
  const Duration work = s.training();
  const double best = std::ceil(interval_for_failures(s) / minutes(1.0));
  const double once = std::floor(0.5 * work / minutes(1.0)) + 1.0;
  if (minutes(once) > work) return std::nullopt;
  return RareCheckpoints{std::min(best, once), once < best};
}

bool idles_in_pipeline(const Situation& s) {
  return s.result.layout && s.result.layout->bubble > 0.0;
}

/// Micro-batches stay as large, so there are more of them.
std::vector<Change> accumulated(const Situation& s) {
  std::vector<Change> list;
  for (const double times : {2.0, 4.0, 8.0}) {
    const double n = s.scenario.job.gradient_accumulation.value_or(1.0) * times;
    Change change{{{"gradient_accumulation", exact_text(n)}},
                  words::assigned("gradient_accumulation", exact_text(n))};
    if (s.result.layout && s.scenario.job.parallel->micro_batches) {
      const std::string text = exact_text(times * *s.scenario.job.parallel->micro_batches);
      change.set.emplace_back("/job/parallel/micro_batches", text);
      change.words += ", " + words::assigned("micro_batches", text);
    }
    list.push_back(std::move(change));
  }
  return list;
}

/// What the instance's network has in place of the TCP that is asked for; empty: nothing.
std::optional<NetworkFabric> better_fabric(const Situation& s) {
  const Machine* const machine = s.resolved.machine;
  const auto& given = s.scenario.job.allreduce;
  if (machine == nullptr || !given || given->fabric != NetworkFabric::tcp) return std::nullopt;
  // Neither reaches from zone to zone.
  if (s.scenario.cluster.zones_used() > 1.0) return std::nullopt;
  if (machine->fabric) {
    return *machine->fabric == NetworkFabric::tcp ? std::nullopt : std::optional(*machine->fabric);
  }
  return machine->efa.value_or(false) ? std::optional(NetworkFabric::efa) : std::nullopt;
}

bool waits_for_gpus(const Situation& s) {
  return exchanges(s) || (s.result.layout && s.result.layout->exposed > Duration{});
}

bool shards_weights(const Situation& s) {
  return is_sharded(s.scenario.job.parallelism.value_or(Parallelism::ddp));
}

bool step_grows_with_batch(const Step& step) {
  return step.table || step.per_sample || step.parameters || step.model;
}

/// Fewer and larger batches of a step, as many samples in all.
std::vector<Change> fewer_microbatches(const Situation& s) {
  std::vector<Change> list;
  const double of_step = s.scenario.job.gradient_accumulation.value_or(1.0);
  for (double times = 2.0; times <= of_step; times += 1.0) {
    if (std::fmod(of_step, times) != 0.0) continue;
    list.push_back(
        larger_batch(s, times, {{"gradient_accumulation", exact_text(of_step / times)}}));
  }
  return list;
}

/// Of a job that gathers weights: whether each GPU of a copy of the model may hold its part whole.
bool holds_whole(const Situation& s) {
  const ParallelLayout layout = s.scenario.job.parallel.value_or(ParallelLayout{});
  return holds_weights(s, layout.tensor * layout.pipeline, Parallelism::zero1);
}

/// Gradients in PyTorch's buckets.
bool in_buckets(const Situation& s) {
  const Parallelism how = s.scenario.job.parallelism.value_or(Parallelism::ddp);
  return exchanges(s) && (how == Parallelism::ddp || how == Parallelism::smddp) &&
         !s.scenario.job.allreduce->points && resolve::is_computed(s.scenario.job);
}

std::vector<Change> larger_buckets(const Situation& s) {
  constexpr double mebi = 1048576.0;
  const Bytes now = s.scenario.job.allreduce->bucket.value_or(Bytes{});
  std::vector<Change> list;
  for (const double size : {50.0, 100.0, 200.0, 400.0}) {
    if (bytes(size * mebi) <= now) continue;
    const std::string text = exact_text(size) + " MiB";
    list.push_back({{{"/job/allreduce/bucket", text}}, words::assigned("bucket", text)});
  }
  return list;
}

const Remedy training_list[] = {
    {{"gradient_accumulation", "fewer, larger optimiser steps", RemedyKind::code, 1.0,
      Rung::one_instance, "GPUs wait for gradients, or idle in a pipeline",
      "gradients are exchanged once every few batches (DistributedDataParallel.no_sync), and of p "
      "stages and m micro-batches a GPU idles p - 1 of m + p - 1",
      "the effective batch grows by the same factor, so the learning rate and the result may "
      "change",
      true},
     [](const Situation& s) { return exchanges(s) || idles_in_pipeline(s); },
     accumulated},
    {{"fabric", "the network that the instances have for GPUs", RemedyKind::infrastructure, 4.0,
      Rung::one_instance, "GPUs of several instances exchange by TCP, and have EFA or the like",
      "NCCL reaches EFA through aws-ofi-nccl, and sends through sockets where that is missing "
      "(EFA user guide)",
      "the image needs the plugin, the instances its interfaces and a security group that lets all "
      "of it pass, in one zone"},
     [](const Situation& s) {
       return waits_for_gpus(s) && s.inputs().cluster_instances() > 1.0 && better_fabric(s);
     },
     [](const Situation& s) {
       const std::string name(name_of(*better_fabric(s)));
       return std::vector<Change>{
           {{{"/job/allreduce/fabric", name}}, words::assigned("fabric", name)}};
     }},
    {{"fewer_microbatches", "the same step in fewer, larger batches", RemedyKind::setting, 0.5,
      Rung::one_instance, "GPUs wait for weights that are gathered for each batch of a step",
      "FSDP and ZeRO-3 gather the weights for each batch, however small",
      "GPU memory bounds the batch (job.step.gpu_memory)"},
     [](const Situation& s) {
       return exchanges(s) && shards_weights(s) && s.scenario.job.step &&
              step_grows_with_batch(*s.scenario.job.step) &&
              s.scenario.job.gradient_accumulation.value_or(1.0) > 1.0;
     },
     fewer_microbatches},
    {{"whole_weights", "weights whole on each GPU, the optimizer's state divided",
      RemedyKind::setting, 0.5, Rung::one_instance,
      "GPUs wait for weights that are gathered, and each could hold them all",
      "ZeRO-1 exchanges gradients once a step and gathers no weights for a batch",
      "weights and gradients take 4 bytes a parameter of each GPU beside activations"},
     [](const Situation& s) { return exchanges(s) && shards_weights(s) && holds_whole(s); },
     [](const Situation&) {
       return std::vector<Change>{{{{"/job/parallelism", "zero1"}}, "parallelism = zero1"}};
     }},
    {{"larger_buckets", "gradients in larger buckets", RemedyKind::setting, 0.1, Rung::one_instance,
      "GPUs wait for gradients that are sent in buckets",
      "each bucket waits for the network once: bucket_cap_mb of DistributedDataParallel, 25 MiB "
      "where it is not set",
      "the last bucket is sent when nothing is left to compute, so larger is not always better; "
      "the buckets take as much GPU memory as before"},
     in_buckets,
     larger_buckets},
    {{"sharded_weights", "weights divided among the GPUs", RemedyKind::code, 2.0,
      Rung::one_instance,
      "GPUs wait for gradients of a model of known size, or none of them holds its weights",
      "FullyShardedDataParallel sends whole blocks, while others are computed, and not buckets",
      "weights are gathered twice for each batch: more bytes where gradients are accumulated"},
     [](const Situation& s) {
       const bool unheld = s.resolved.unheld && !shards_weights(s);
       return (in_buckets(s) || unheld) && parameters_of(s.scenario.job).has_value();
     },
     [](const Situation& s) {
       Change change{{{"/job/parallelism", "fsdp"}}, "parallelism = fsdp"};
       if (!s.scenario.job.allreduce) return std::vector<Change>{change};
       for (const auto& [given, key] :
            {std::pair(s.scenario.job.allreduce->bucket.has_value(), "/job/allreduce/bucket"),
             std::pair(s.scenario.job.allreduce->first_bucket.has_value(),
                       "/job/allreduce/first_bucket")}) {
         if (given) change.set.emplace_back(key, "null");
       }
       return std::vector<Change>{change};
     }},
    {{"bf16_gradients", "gradients in bf16", RemedyKind::code, 1.0, Rung::one_instance,
      "GPUs wait for gradients of a known size", "half the bytes (PyTorch's bf16 compression hook)",
      "only where they are fp32 now; sums lose precision"},
     [](const Situation& s) {
       if (!exchanges(s)) return false;
       const AllReduce& a = *s.scenario.job.allreduce;
       if (a.parameters) return a.gradient_type.value_or(NumberType::fp32) == NumberType::fp32;
       return a.gradient_bytes.has_value();
     },
     [](const Situation& s) {
       if (s.scenario.job.allreduce->parameters) {
         return std::vector<Change>{
             {{{"/job/allreduce/gradient_type", "bf16"}}, "gradient_type = bf16"}};
       }
       const std::string half = format_quantity(*s.scenario.job.allreduce->gradient_bytes / 2.0);
       return std::vector<Change>{
           {{{"gradient_bytes", half}}, "gradient_bytes = " + half + ", if fp32 now"}};
     }},
    {{"hierarchical_allreduce", "gradients summed inside instances first", RemedyKind::setting, 0.5,
      Rung::cluster, "a flat ring spans several instances of several GPUs",
      "only one share of each instance crosses the network (NCCL: tree, CollNet; SMDDP)",
      "NCCL chooses among ring and tree by itself"},
     [](const Situation& s) {
       return exchanges(s) && s.inputs().instances > 1.0 && s.inputs().ranks > 1.0 &&
              s.resolved.communication && s.resolved.communication->protocol.empty() &&
              s.resolved.communication->algorithm == "ring";
     },
     [](const Situation&) {
       return std::vector<Change>{
           {{{"/job/allreduce/algorithm", "hierarchical"}}, "algorithm = hierarchical"}};
     }},
    {{"interleaved_stages", "stages of a pipeline interleaved", RemedyKind::setting, 0.5,
      Rung::one_instance, "GPUs of a pipeline idle, and micro-batches are a multiple of its stages",
      "v chunks of layers on each GPU divide the idle share by v (Narayanan et al., SC 2021; "
      "Megatron-LM: --num-layers-per-virtual-pipeline-stage)",
      "stages send v times as many messages, and the first ones hold more activations"},
     [](const Situation& s) {
       const auto& layout = s.result.layout;
       return idles_in_pipeline(s) && std::fmod(layout->micro_batches, layout->pipeline) == 0.0;
     },
     interleaved_stages},
    {{"fewer_stages", "fewer stages, more copies of the model", RemedyKind::setting, 0.5,
      Rung::one_instance,
      "GPUs of a pipeline idle, and the weights of a model of known size fit into fewer",
      "of p stages and m micro-batches, a GPU idles p - 1 of m + p - 1 (Narayanan et al., SC "
      "2021); the global batch and the micro-batches stay as they are",
      "weights, gradients and Adam's state take more of each GPU's memory, 60 % at most here"},
     [](const Situation& s) {
       return idles_in_pipeline(s) && s.scenario.job.parallel->expert <= 1.0;
     },
     fewer_stages},
    {{"smaller_tensor_groups", "smaller tensor groups", RemedyKind::setting, 0.5,
      Rung::one_instance, "GPUs wait for what tensor groups send",
      "groups stay within an instance, whose links are far faster than the network (Narayanan et "
      "al., SC 2021), and send less; more stages, or more copies of the model, take their place, "
      "and the global batch and the micro-batches stay as they are",
      "activations take more of each GPU's memory, and with more copies so do weights, gradients "
      "and Adam's state, 60 % at most here; a longer pipeline idles longer"},
     [](const Situation& s) {
       return s.result.layout && s.result.layout->tensor > 1.0 &&
              s.result.layout->exposed > Duration{};
     },
     smaller_tensor_groups},
    {{"outermost", "the other order of stages and copies of the model", RemedyKind::setting, 0.5,
      Rung::one_instance, "a pipeline and copies of the model are spread over several instances",
      "what is exchanged inside instances passes their links, and not the network: gradients where "
      "the pipeline is outermost, activations where the copies are",
      "which of the two sends more depends on the batch and on how often gradients are exchanged"},
     [](const Situation& s) {
       return s.result.layout && s.result.layout->pipeline > 1.0 && s.result.layout->data > 1.0 &&
              s.inputs().cluster_instances() > 1.0;
     },
     [](const Situation& s) {
       const bool is_pipeline = s.scenario.job.parallel->outermost == Outermost::pipeline;
       const std::string other(outermost_words[static_cast<std::size_t>(
           is_pipeline ? Outermost::data : Outermost::pipeline)]);
       return std::vector<Change>{
           {{{"/job/parallel/outermost", other}}, words::assigned("outermost", other)}};
     }},
    {{"overlapped_messages", "messages of the layout sent while GPUs compute", RemedyKind::setting,
      1.0, Rung::one_instance, "GPUs wait for what tensor, context, expert or pipeline send",
      "sums are cut into parts that are sent while the next is multiplied (Megatron-LM: "
      "--tp-comm-overlap; NeMo user guide, 2025)",
      "how much of it is hidden depends on shapes and the GPU"},
     [](const Situation& s) {
       return s.result.layout && s.result.layout->exposed > Duration{} &&
              s.scenario.job.parallel->overlapped <= 0.0;
     },
     nullptr,
     [](const Situation&) {
       return std::string(
           "give /job/parallel/overlapped, the share of these messages that is "
           "hidden, as a profile of a step that overlaps them shows");
     }},
    {{"background_checkpoints", "checkpoints written in the background", RemedyKind::code, 4.0,
      Rung::one_gpu_in_memory, "training stops while checkpoints are written",
      "training goes on while the copy in the host's memory is written (CheckFreq, FAST 2021; "
      "torch.distributed.checkpoint.async_save)",
      "the copy takes host memory, and the moment for which it stops training is not simulated; a "
      "failure while it is written falls back to the one before"},
     [](const Situation& s) {
       return s.wait(Stage::checkpoint) > 0.0 && !s.inputs().checkpoint_background;
     },
     [](const Situation&) {
       return std::vector<Change>{{{{"/job/checkpoint/background", "true"}},
                                   words::assigned("checkpoint.background", "true")}};
     }},
    {{"checkpoints", "checkpoints", RemedyKind::code, 4.0, Rung::one_gpu_in_memory,
      "the job is interrupted and writes no checkpoints",
      "an interruption loses what came after the last one, and without any all that was done",
      "training stops while they are written"},
     [](const Situation& s) {
       return s.inputs().interruptions && s.inputs().checkpoint_time <= Duration{};
     },
     [](const Situation& s) {
       // Any key of it but how long a restart takes asks for the others.
       const std::pair<std::string, std::string> key =
           s.scenario.job.checkpoint ? std::pair("/job/checkpoint/background", "false")
                                     : std::pair("/job/checkpoint", "{}");
       return std::vector<Change>{{{key}, words::best_checkpoints(std::nullopt)}};
     },
     [](const Situation& s) {
       return std::string(parameters_of(s.scenario.job) ? "" : words::give_checkpoint_size);
     }},
    {{"checkpoint_interval", "checkpoints at the best interval", RemedyKind::setting, 0.1,
      Rung::one_gpu_in_memory,
      "checkpoints are written more often than failures ask for, or what interrupts the job is "
      "counted and asks for another interval",
      "the best interval is √(2 · time of one · time between failures) (Young 1974); 3.8 failures "
      "per 1,000 node-days (Llama 3 paper, 2024)",
      "what rarer ones lose is simulated only where interruptions are (/cluster/failures, spot, a "
      "block's end)"},
     [](const Situation& s) {
       const Duration now = s.between_checkpoints();
       if (s.inputs().interruptions) return now > Duration{};
       // In the background they take no time, and are paid for all the same.
       const bool writes = s.wait(Stage::checkpoint) > 0.0 ||
                           (s.inputs().checkpoint_background && now > Duration{});
       return writes && interval_for_failures(s) > now;
     },
     [](const Situation& s) -> std::vector<Change> {
       if (s.inputs().interruptions) {
         // One that is left out is the one that takes the job least time.
         const auto& of = s.result.interruptions;
         return {
             {checkpoints_at(s, "null"), words::best_checkpoints(of ? of->best : std::nullopt)}};
       }
       const auto rare = rarer_checkpoints(s);
       if (!rare || minutes(rare->every) <= s.between_checkpoints()) return {};
       const std::string text = whole_text(rare->every) + " min";
       return {{checkpoints_at(s, text), words::checkpoint_every(text, rare->only_one)}};
     }},
    {{"batch_size", "larger batches", RemedyKind::setting, 1.0, Rung::fed,
      "the step's time is known for other batches",
      "the fixed part of each step and of each exchange is spent less often; little GPU memory in "
      "use and low GPU utilization call for it (AWS notebook)",
      "the learning rate and the result may change; GPU memory bounds it (job.step.gpu_memory)",
      true},
     [](const Situation& s) {
       return has_step(s) && (s.scenario.job.step->table ||
                              (s.scenario.job.step->per_sample && s.scenario.job.step->fixed));
     },
     larger_batches},
    {{"mixed_precision", "mixed precision", RemedyKind::code, 4.0, Rung::fed,
      "the step is in single precision",
      "training rates of the same GPU in both precisions (Lambda's benchmarks, 2023)",
      "loss scaling with fp16; some models need fp32 in places"},
     [](const Situation& s) {
       return has_step(s) && s.scenario.job.step->precision != Precision::mixed;
     },
     mixed_precision,
     precision_lacking},
};

}  // namespace

std::span<const Remedy> training_remedies() {
  return training_list;
}

}  // namespace feedrate::study
