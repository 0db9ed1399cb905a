// Keys of "job": what is trained, and what coupling GPUs costs.
#include "schema/scenario_keys.hpp"

namespace feedrate::schema {

// In the order of the enumerators in model/scenario.hpp.
template <>
inline constexpr std::span<const std::string_view> words_of<AllReduceAlgorithm> = algorithm_words;
template <>
inline constexpr std::span<const std::string_view> words_of<Parallelism> = parallelism_words;
template <>
inline constexpr std::span<const std::string_view> words_of<NumberType> = number_type_words;
template <>
inline constexpr std::span<const std::string_view> words_of<ModelFamily> = family_words;
template <>
inline constexpr std::span<const std::string_view> words_of<Precision> = precision_words;
template <>
inline constexpr std::span<const std::string_view> words_of<CopyStream> = copy_stream_words;

template <>
inline constexpr bool is_record<GpuStep> = true;
template <>
inline constexpr bool is_record<StepMemory> = true;
template <>
inline constexpr bool is_record<Step> = true;
template <>
inline constexpr bool is_record<AllReduce> = true;
template <>
inline constexpr bool is_record<Checkpoint> = true;
template <>
inline constexpr bool is_record<Job> = true;

template <>
const std::vector<Entry<GpuStep>>& entries<GpuStep>() {
  static const std::vector<Entry<GpuStep>> list = {
      entry<&GpuStep::fixed>("fixed", {"part that does not grow with the batch", "0 s"}),
      entry<&GpuStep::per_sample>("per_sample", {"part that does", "0 s"}),
      entry<&GpuStep::table>("table",
                             {.manual = "instead: [[batch, time], …]", .limits = whole(1, 1e9)}),
  };
  return list;
}

template <>
const std::vector<Entry<StepMemory>>& entries<StepMemory>() {
  static const std::vector<Entry<StepMemory>> list = {
      entry<&StepMemory::fixed>("fixed",
                                {.manual = "weights, gradients, optimizer", .example = "2 GB"}),
      entry<&StepMemory::per_sample>("per_sample", {"activations"}),
  };
  return list;
}

template <>
const std::vector<Entry<Step>>& entries<Step>() {
  static const std::vector<Entry<Step>> list = {
      entry<&Step::fixed>("fixed", {"part that does not grow with the batch", "0 s"}),
      entry<&Step::per_sample>("per_sample", {"part that does", "0 s"}),
      entry<&Step::table>("table", {.manual = "instead: [[batch, time], …], linear in between",
                                    .limits = whole(1, 1e9)}),
      entry<&Step::launch>("launch",
                           {"CPU time of the main process to start a step, which is beside it",
                            "the host profile's with its step, else 0 s"}),
      entry<&Step::cv>("cv", {"coefficient of variation of the step", "0", between(0, 10)}),
      entry<&Step::times>(
          "times", {.manual = "instead of cv: single steps measured, [[how many, time], …]; alone, "
                              "their mean is the step",
                    .limits = whole(1, 1e12),
                    .counted = true}),
      entry<&Step::by_gpu>("by_gpu", {.manual = "GPU (\"V100\", \"A100-40GB\") → its own step",
                                      .fallback = "scaled from measured_on.gpu_times",
                                      .hint = {"a duration", "300 ms"},
                                      .text_form = true}),
      entry<&Step::family>("family",
                           {"of the model: which published figures compare GPUs", "all of them"}),
      entry<&Step::gpu_memory>("gpu_memory", {"what it takes: fixed + per_sample times the batch"}),
      entry<&Step::precision>("precision", {"mixed: fp16 or bf16; single: fp32 or tf32", "both"}),
  };
  return list;
}

template <>
const std::vector<Entry<AllReduce>>& entries<AllReduce>() {
  static const std::vector<Entry<AllReduce>> list = {
      entry<&AllReduce::algorithm>(
          "algorithm",
          {"nccl: the fastest by size, computed; ring, hierarchical: one textbook message",
           "nccl"}),
      entry<&AllReduce::gradient_bytes>(
          "gradient_bytes",
          {.manual = "of the model", .limits = above(0, 1e15), .example = "102 MB"}),
      entry<&AllReduce::parameters>(
          "parameters",
          {.manual = "of the model, instead: 4 bytes of gradient each", .limits = above(0, 1e15)}),
      entry<&AllReduce::gradient_type>(
          "gradient_type", {"with parameters: as they are sent (bf16, fp16: by a hook)", "fp32"}),
      entry<&AllReduce::parameter_type>(
          "parameter_type", {"fsdp, zero: as parameters are gathered", "as gradient_type"}),
      entry<&AllReduce::compression>(
          "compression", {"bytes of gradients over bytes sent; what it computes is not counted",
                          "1", between(1, 1e6)}),
      entry<&AllReduce::bucket>("bucket",
                                {.manual = "of gradients, sent as one; horovod: the fusion buffer",
                                 .fallback = "ddp: 25 MiB; horovod: 128 MiB; zero: 500 M numbers",
                                 .limits = above(0, 1e15),
                                 .example = "25 MiB"}),
      entry<&AllReduce::first_bucket>("first_bucket",
                                      {.manual = "ddp: of those that are ready first",
                                       .fallback = "1 MiB",
                                       .limits = above(0, 1e15),
                                       .example = "1 MiB"}),
      entry<&AllReduce::blocks>("blocks", {"fsdp, zero3: of parameters, each gathered as a whole",
                                           "32 (assumed)", whole(1, 1e6)}),
      entry<&AllReduce::points>("points",
                                {.manual = "measured [[bytes, time], …], as nccl-tests has them",
                                 .limits = whole(1, 1e13),
                                 .hint = {"a duration", "1.2 ms"}}),
      entry<&AllReduce::points_gpus>("points_gpus",
                                     {"that the points were measured over", "", whole(2, 1e6)}),
      entry<&AllReduce::busbw>("busbw", {.manual = "bus bandwidth; hierarchical: between instances",
                                         .example = "10 GB/s"}),
      entry<&AllReduce::busbw_inside>(
          "busbw_inside", {.manual = "hierarchical: inside an instance", .example = "120 GB/s"}),
      entry<&AllReduce::latency>("latency", {.manual = "per hop", .example = "20 us"}),
      entry<&AllReduce::overlap>("overlap",
                                 {"fraction hidden behind the backward pass",
                                  "ring, hierarchical: 0; else computed", between(0, 1)}),
  };
  return list;
}

template <>
const std::vector<Entry<Checkpoint>>& entries<Checkpoint>() {
  static const std::vector<Entry<Checkpoint>> list = {
      entry<&Checkpoint::interval>("interval",
                                   {.manual = "of training time",
                                    .fallback = "the best one where interruptions are counted",
                                    .limits = above(0, 3.6e8),
                                    .example = "15 min"}),
      entry<&Checkpoint::size>("size", {.manual = "bytes of one", .example = "1 GB"}),
      entry<&Checkpoint::bandwidth>("bandwidth", {"at which it is written, reading aside",
                                                  "that of the storage the data comes from"}),
      entry<&Checkpoint::background>("background",
                                     {"training goes on meanwhile; usable once written", "false"}),
      entry<&Checkpoint::restart>(
          "restart", {.manual = "of an interrupted job, beside start-up and staging: noticing, "
                                "launching, loading the checkpoint",
                      .fallback = "5 min and the loading",
                      .limits = between(0, 3.6e7),
                      .example = "5 min"}),
  };
  return list;
}

template <>
const std::vector<Entry<Job>>& entries<Job>() {
  static const std::vector<Entry<Job>> list = {
      entry<&Job::epochs>("epochs", {"passes over the dataset", "1", whole(1, 1e9)}),
      entry<&Job::jobs>("jobs",
                        {"that share the source's storage while it is held", "1", whole(1, 1e6)}),
      entry<&Job::steps>("steps", {"iterations instead: batches of each GPU", "", whole(1, 1e12)}),
      entry<&Job::step>("step", {.manual = "time of one GPU for a batch; \"300 ms\" means fixed",
                                 .hint = {"a duration", "300 ms"},
                                 .text_form = true}),
      entry<&Job::duration_on_one_instance>(
          "duration_on_one_instance",
          {.manual = "instead of dataset and step", .limits = above(0, 3.6e8), .example = "24 h"}),
      entry<&Job::gradient_accumulation>("gradient_accumulation",
                                         {"batches per all-reduce", "1", whole(1, 1e6)}),
      entry<&Job::efficiency>("efficiency",
                              {"parallel efficiency S(N), instead of allreduce", "", above(0, 1)}),
      entry<&Job::allreduce>("allreduce", {"what gradients cost"}),
      entry<&Job::parallelism>(
          "parallelism",
          {"what is exchanged when: gradients in buckets, or sharded parameters", "ddp"}),
      entry<&Job::scaling>("scaling", {.manual = "measured [[instances, time], …] to fit, instead",
                                       .limits = whole(1, 1e5),
                                       .hint = {"a duration", "57 min"}}),
      entry<&Job::scaling_batch_sizes>(
          "scaling_batch_sizes",
          {.manual = "[[instances, batch_size], …] of scaling, where it changed with them",
           .limits = whole(1, 1e5),
           .hint = {"a number", "64"}}),
      entry<&Job::asynchronous_step>("asynchronous_step",
                                     {"the loop launches a step and goes on", "true"}),
      entry<&Job::non_blocking>("non_blocking",
                                {"the loop does not wait for copies to the GPU", "false"}),
      entry<&Job::copy_stream>(
          "copy_stream",
          {"of non_blocking copies: beside the step before (side), or queued behind it (step)",
           "side"}),
      entry<&Job::startup>(
          "startup",
          {.manual = "before any data: container, imports", .fallback = "0 s", .example = "5 min"}),
      entry<&Job::checkpoint>("checkpoint",
                              {"what is saved, how often, and how it is gone back to"}),
      entry<&Job::value_of_hour>("value_of_hour", {.manual = "what an hour of waiting costs you",
                                                   .fallback = "0 USD/h",
                                                   .example = "3 USD/h"}),
  };
  return list;
}

}  // namespace feedrate::schema
