// Keys of "job": what is trained, and what coupling GPUs costs.
#include "schema/record/named_codec.hpp"
#include "schema/scenario/scenario_keys.hpp"

namespace feedrate::schema {

// In the order of the enumerators in model/scenario.hpp.
template <>
inline constexpr std::span<const std::string_view> words_of<AllReduceAlgorithm> = algorithm_words;
template <>
inline constexpr std::span<const std::string_view> words_of<NetworkFabric> = fabric_words;
template <>
inline constexpr std::span<const std::string_view> words_of<TransportInside> =
    transport_inside_words;
template <>
inline constexpr std::span<const std::string_view> words_of<Parallelism> = parallelism_words;
template <>
inline constexpr std::span<const std::string_view> words_of<PipelineSchedule> =
    pipeline_schedule_words;
template <>
inline constexpr std::span<const std::string_view> words_of<LoadedBy> = loaded_by_words;
template <>
inline constexpr std::span<const std::string_view> words_of<Outermost> = outermost_words;
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
inline constexpr bool is_record<ParallelLayout> = true;
template <>
inline constexpr bool is_record<Checkpoint> = true;
template <>
inline constexpr bool is_record<Job> = true;

template <>
const std::vector<Entry<GpuStep>>& entries<GpuStep>() {
  static const std::vector<Entry<GpuStep>> list = {
      entry<&GpuStep::fixed>("fixed", {"part that does not grow with the batch", "0 s"}),
      entry<&GpuStep::per_sample>("per_sample", {"part per sample", "0 s"}),
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
      entry<&Step::per_sample>("per_sample", {"part per sample", "0 s"}),
      entry<&Step::table>("table", {.manual = "instead: [[batch, time], …], linear in between",
                                    .limits = whole(1, 1e9)}),
      entry<&Step::launch>("launch",
                           {"CPU time of the main process to start a step, in addition to the step",
                            "the host profile's, if it has the step; else 0 s"}),
      entry<&Step::cv>(
          "cv", {"coefficient of variation of the step",
                 "0; where GPUs of several instances exchange gradients 0.01", between(0, 10)}),
      entry<&Step::gpus>("gpus",
                         {"GPUs of an instance that trained together when the step was measured",
                          "1: the step of more is longer by what studies show", whole(1, 1e6)}),
      entry<&Step::times>("times",
                          {.manual = "instead of cv: measured single steps, [[how many, time], …]; "
                                     "if nothing else gives the step, their mean does",
                           .limits = whole(1, 1e12),
                           .counted = true}),
      entry<&Step::by_gpu>("by_gpu", {.manual = "GPU (\"V100\", \"A100-40GB\") → its own step",
                                      .fallback = "scaled from measured_on.gpu_times",
                                      .hint = {"a duration", "300 ms"},
                                      .text_form = true}),
      entry<&Step::family>(
          "family", {"type of model: selects the published figures by which GPUs are compared",
                     "all of them"}),
      entry<&Step::gpu_memory>("gpu_memory", {"memory needed: fixed + per_sample times the batch"}),
      entry<&Step::precision>("precision", {"mixed: fp16 or bf16; single: fp32 or tf32",
                                            "both; of model and model_parameters: mixed"}),
      entry<&Step::model>(
          "model",
          {"instead of a measured step: a model whose training rates on GPUs are published"}),
      entry<&Step::parameters>(
          "model_parameters",
          {.manual = "instead of a measured step: parameters of a transformer, which "
                     "takes 6 operations for each of them and each token; with experts the active "
                     "ones, and the whole model's in job.allreduce.parameters",
           .limits = above(0, 1e15)}),
      entry<&Step::tokens_per_sample>(
          "tokens_per_sample",
          {.manual = "model, model_parameters: tokens of a sample, which is one sequence",
           .limits = whole(1, 1e9)}),
      entry<&Step::recomputed>(
          "recomputed",
          {.manual = "model_parameters without utilization: share of the forward pass that the "
                     "backward pass computes again (activation checkpointing: 1 of every layer)",
           .fallback = "0",
           .limits = between(0, 1),
           .percent = true}),
      entry<&Step::utilization>(
          "utilization",
          {.manual = "model_parameters: share of the GPU's peak rate that training reaches (MFU); "
                     "with job.parallel: while it computes",
           .fallback = "by parameters, tokens and GPU (assumed)",
           .limits = between(0.001, 1),
           .percent = true}),
  };
  return list;
}

template <>
const std::vector<Entry<AllReduce>>& entries<AllReduce>() {
  static const std::vector<Entry<AllReduce>> list = {
      entry<&AllReduce::algorithm>("algorithm", {"nccl: the fastest by size, computed; ring, "
                                                 "hierarchical: of ddp one textbook message, else "
                                                 "NCCL's",
                                                 "nccl"}),
      entry<&AllReduce::gradient_bytes>(
          "gradient_bytes", {.manual = "size of the model's gradients; 0: GPUs exchange nothing, "
                                       "because they are emulated or run separate jobs",
                             .limits = between(0, 1e15),
                             .example = "102 MB"}),
      entry<&AllReduce::parameters>("parameters",
                                    {.manual = "instead of gradient_bytes: number of the model's "
                                               "parameters, each with 4 bytes of gradient",
                                     .limits = above(0, 1e15)}),
      entry<&AllReduce::gradient_type>(
          "gradient_type",
          {"with parameters: type in which gradients are sent (bf16, fp16: by a hook)", "fp32"}),
      entry<&AllReduce::parameter_type>(
          "parameter_type",
          {"fsdp, zero: type in which parameters are gathered", "as gradient_type"}),
      entry<&AllReduce::compression>(
          "compression",
          {"ratio of gradient bytes to bytes sent; the time to compress is not counted", "1",
           between(1, 1e6)}),
      entry<&AllReduce::bucket>(
          "bucket", {.manual = "gradients that are sent as one message; horovod: the fusion buffer",
                     .fallback = "ddp: 25 MiB; horovod: 128 MiB; zero: 500 M numbers",
                     .limits = above(0, 1e15),
                     .example = "25 MiB"}),
      entry<&AllReduce::first_bucket>("first_bucket",
                                      {.manual = "ddp: the bucket that is ready first",
                                       .fallback = "1 MiB",
                                       .limits = above(0, 1e15),
                                       .example = "1 MiB"}),
      entry<&AllReduce::blocks>(
          "blocks", {"fsdp, zero3: number of blocks of parameters, each gathered as a whole",
                     "32 (assumed)", whole(1, 1e6)}),
      entry<&AllReduce::points>("points",
                                {.manual = "measured [[bytes, time], …], as nccl-tests has them",
                                 .limits = whole(1, 1e13),
                                 .hint = {"a duration", "1.2 ms"}}),
      entry<&AllReduce::points_gpus>(
          "points_gpus", {"number of GPUs over which the points were measured", "", whole(2, 1e6)}),
      entry<&AllReduce::fabric>(
          "fabric", {"network between instances; infiniband: RoCE too; gpudirect_tcp: Google's "
                     "TCPX and TCPXO",
                     "the catalogue's, of the instance's GPUs; efa where the instance has it, "
                     "infiniband from "
                     "100 Gbit/s on, else tcp"}),
      entry<&AllReduce::transport_inside>(
          "transport_inside",
          {"between GPUs without NVLink, as NCCL_DEBUG=INFO has it; shm, through the memory of the "
           "host: GeForce cards, and NCCL_P2P_DISABLE=1",
           "p2p (assumed)"}),
      entry<&AllReduce::busbw>("busbw",
                               {.manual = "bus bandwidth, as nccl-tests has it; hierarchical: "
                                          "between instances",
                                .example = "10 GB/s"}),
      entry<&AllReduce::busbw_inside>(
          "busbw_inside", {.manual = "hierarchical: inside an instance", .example = "120 GB/s"}),
      entry<&AllReduce::latency>("latency", {.manual = "latency per hop", .example = "20 us"}),
      entry<&AllReduce::overlap>("overlap",
                                 {"fraction hidden behind the backward pass",
                                  "of a textbook message 0; else computed", between(0, 1)}),
  };
  return list;
}

template <>
const std::vector<Entry<ParallelLayout>>& entries<ParallelLayout>() {
  using P = ParallelLayout;
  static const std::vector<Entry<P>> list = {
      entry<&P::tensor>("tensor", {"GPUs that divide each layer, innermost", "1", whole(1, 1e6)}),
      entry<&P::context>("context",
                         {"GPUs that divide the tokens of a sample", "1", whole(1, 1e6)}),
      entry<&P::expert>("expert", {"GPUs of context and data that divide the experts of a layer",
                                   "1", whole(1, 1e6)}),
      entry<&P::pipeline>("pipeline", {"stages that divide the layers", "1", whole(1, 1e6)}),
      entry<&P::data>("data", {.manual = "replicas of the model; stated, it is checked",
                               .fallback = "GPUs / (tensor · context · pipeline)",
                               .limits = whole(1, 1e6)}),
      entry<&P::outermost>(
          "outermost",
          {"which GPUs are the farthest apart: replicas (data: Llama 3), or stages (pipeline: "
           "Megatron-LM, torchtitan)",
           "data"}),
      entry<&P::schedule>("schedule", {"of micro-batches in the pipeline", "1f1b"}),
      entry<&P::virtual_stages>("virtual_stages",
                                {"interleaved: chunks of layers of each GPU", "2", whole(2, 1e4)}),
      entry<&P::micro_batches>(
          "micro_batches",
          {"of a replica and an optimizer step",
           "gradient_accumulation; in a pipeline, one for each sample of the step", whole(1, 1e9)}),
      entry<&P::loaded_by>("loaded_by",
                           {"GPUs of a replica that load its batches: one, which hands them on; "
                            "the first of each tensor group in the first and the last stage "
                            "(megatron); each (torchtitan)",
                            "one"}),
      entry<&P::layers>("layers", {.manual = "of the model",
                                   .fallback = "from the parameters of a transformer",
                                   .limits = whole(1, 1e6)}),
      entry<&P::hidden_size>("hidden_size", {.manual = "numbers between two layers, for each token",
                                             .fallback = "from the parameters of a transformer",
                                             .limits = whole(1, 1e7)}),
      entry<&P::kv_size>("kv_size",
                         {.manual = "context: numbers in a token's keys, and in its values: heads "
                                    "of those times their width",
                          .fallback = "0.25 of hidden_size (0.0625 to 1, assumed)",
                          .limits = whole(1, 1e7)}),
      entry<&P::experts_per_token>("experts_per_token", {"expert: to how many a token is sent",
                                                         "2 (1 to 8, assumed)", whole(1, 1e4)}),
      entry<&P::expert_share>("expert_share",
                              {"expert: share of the parameters that are in experts",
                               "0.95 (0.8 to 0.99, assumed)", between(0, 1)}),
      entry<&P::overlapped>("overlapped",
                            {"share of what tensor, context, expert and pipeline send that "
                             "computing hides",
                             "0", between(0, 1)}),
  };
  return list;
}

template <>
const std::vector<Entry<Checkpoint>>& entries<Checkpoint>() {
  static const std::vector<Entry<Checkpoint>> list = {
      entry<&Checkpoint::interval>(
          "interval", {.manual = "training time between checkpoints",
                       .fallback = "the best one, or none where nothing interrupts the job",
                       .limits = above(0, 3.6e8),
                       .example = "15 min"}),
      entry<&Checkpoint::every_steps>(
          "every_steps",
          {.manual = "instead of interval: optimizer steps between checkpoints, those of "
                     "one GPU (save_steps, every_n_train_steps)",
           .limits = whole(1, 1e9)}),
      entry<&Checkpoint::every_epochs>("every_epochs",
                                       {.manual = "instead of interval: epochs between "
                                                  "checkpoints",
                                        .limits = whole(1, 1e6)}),
      entry<&Checkpoint::size>(
          "size",
          {.manual = "bytes of one checkpoint; by default 12 of each parameter of the model, "
                     "14 with job.parallel",
           .example = "1 GB"}),
      entry<&Checkpoint::to>(
          "to", {"store that checkpoints are written to", "where the data comes from"}),
      entry<&Checkpoint::region>(
          "region", {"region of that store", "the data's region; with `to` the job's"}),
      entry<&Checkpoint::kept>(
          "kept", {"how many checkpoints are kept: they are on the bill", "0", whole(0, 1e6)}),
      entry<&Checkpoint::held>("held", {.manual = "how long those are kept",
                                        .fallback = "until the job ends",
                                        .limits = between(0, 3.6e9),
                                        .example = "30 days"}),
      entry<&Checkpoint::bandwidth>(
          "bandwidth", {"rate at which a checkpoint is written, by all instances together that "
                        "write parts of it",
                        "rate of the storage that the data comes from"}),
      entry<&Checkpoint::background>(
          "background",
          {"training continues while a checkpoint is written; only a written one is of use",
           "false"}),
      entry<&Checkpoint::restart>(
          "restart", {.manual = "time to restart an interrupted job, in addition to start-up and "
                                "staging: noticing, launching, loading the checkpoint",
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
      entry<&Job::jobs>(
          "jobs", {"jobs that share the source's storage while it is held, one after the other",
                   "1", whole(1, 1e6)}),
      entry<&Job::steps>(
          "steps",
          {"instead of epochs: number of batches per GPU; beside duration_on_one_instance: steps "
           "of the job, each with an exchange",
           "", whole(1, 1e12)}),
      entry<&Job::step>("step",
                        {.manual = "time that a GPU needs for a batch; \"300 ms\" means fixed, "
                                   "\"300 images/s\" per_sample",
                         .hint = {"a duration", "300 ms"},
                         .text_form = true}),
      entry<&Job::duration_on_one_instance>(
          "duration_on_one_instance",
          {.manual = "instead of dataset and step; needs steps where allreduce is beside it",
           .limits = above(0, 3.6e8),
           .example = "24 h"}),
      entry<&Job::gradient_accumulation>("gradient_accumulation",
                                         {"batches per all-reduce", "1", whole(1, 1e6)}),
      entry<&Job::efficiency>("efficiency",
                              {.manual = "parallel efficiency S(N), instead of allreduce",
                               .limits = above(0, 1),
                               .percent = true}),
      entry<&Job::allreduce>("allreduce", {"the exchange of gradients"}),
      entry<&Job::parallelism>(
          "parallelism", {"what is exchanged when: gradients in buckets, or sharded parameters",
                          "ddp; without allreduce, a cost that is assumed"}),
      entry<&Job::parallel>("parallel",
                            {"GPUs that hold one copy of the model together: which of them divide "
                             "layers, tokens, experts and stages"}),
      entry<&Job::scaling>(
          "scaling",
          {.manual =
               "instead of allreduce: measured [[instances, time], …], to which a curve is fitted",
           .limits = whole(1, 1e5),
           .hint = {"a duration", "57 min"}}),
      entry<&Job::scaling_batch_sizes>("scaling_batch_sizes",
                                       {.manual = "[[instances, batch_size], …] of scaling, if the "
                                                  "batch size changed with the instances",
                                        .limits = whole(1, 1e5),
                                        .hint = {"a number", "64"}}),
      entry<&Job::asynchronous_step>("asynchronous_step",
                                     {"the loop launches a step without waiting for it", "true"}),
      entry<&Job::non_blocking>("non_blocking",
                                {"the loop does not wait for copies to the GPU", "false"}),
      entry<&Job::copy_stream>("copy_stream", {"stream of non_blocking copies: concurrent with the "
                                               "previous step (side), or queued after it (step)",
                                               "side"}),
      entry<&Job::startup>("startup", {.manual = "time before any data is read: container, imports",
                                       .fallback = "0 s",
                                       .example = "5 min"}),
      entry<&Job::checkpoint>("checkpoint",
                              {"what is saved, how often, and how a job resumes from it"}),
      entry<&Job::value_of_hour>("value_of_hour", {.manual = "what an hour of waiting costs you",
                                                   .fallback = "0 USD/h",
                                                   .example = "3 USD/h"}),
  };
  return list;
}

}  // namespace feedrate::schema
