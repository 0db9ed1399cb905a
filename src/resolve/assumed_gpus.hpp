#pragma once
// What is assumed of GPUs' steps and of what they exchange: a part of the list in assumptions.hpp.
#include "base/units.hpp"
#include "model/scenario.hpp"
#include "resolve/assumption.hpp"

namespace feedrate::resolve::assumed {

// the step
/// Of a step that was given in one form, as "750 ms" or per sample, at the batch it was measured
/// at.
inline constexpr Assumption fixed_share = from_studies(
    "share of a step that does not grow with the batch", learned::fixed_share,
    "the step is given in one form; a tenth of one does not grow with the batch", "gpu");
/// On n GPUs of an instance that exchange gradients a step takes 1 + this · (1 − 1/n) times as long
/// as on one, beside what of the exchange is exposed. Pollux' machines of one GPU lose next to
/// nothing so.
inline constexpr Assumption beside_others = from_studies(
    "loss of steps beside other GPUs", learned::beside_others,
    "steps of GPUs of an instance that exchange gradients take longer than of one alone, "
    "beside the exchange: by this · (1 − 1/GPUs); set /job/step/gpus",
    "");
/// Of several instances whose exchange is computed: by how much a GPU's steps vary.
inline constexpr Assumption step_cv = {
    "variation of a GPU's steps",
    0.01,
    0.002,
    0.05,
    "steps of a GPU vary by a hundredth, and the slowest GPU ends each: what those of an instance "
    "wait for each other is in the step, or in what it loses beside them. Llama 8B lost 2.7 % "
    "from 8 to 128 H100 (torchtitan), 13B nothing from 8 to 64 (llm-foundry), which leaves no more "
    "than 0.02; set /job/step/cv",
    "next to nothing, to the 9 % that 64,000 GPUs varied by (PRISM, arXiv 2510.15596) and the 8 % "
    "between GPUs of one kind (Sinha et al., SC 2022), which are more than deviations (engineering "
    "judgement)",
    ""};

// gradients
/// Efficiency of a step where several instances train and nothing says what their gradients cost.
inline constexpr Assumption unknown_communication =
    from_studies("efficiency of steps on several instances", learned::unknown_communication,
                 "what exchanging gradients left of linear scaling on 2 to 64 instances", "");
/// (instances / the most that were measured) to this power multiplies the loss by which a measured
/// scaling falls behind a linear one.
inline constexpr Assumption scaling_departure = {
    "scaling beyond what was measured",
    0.0,
    -0.35,
    0.35,
    "the loss goes on as it was fitted",
    "from 2 instances to 8 the loss grew by a power of 0.3 to 0.5 of what was added (hivemind, "
    "ALBERT on p3dn) to 0.9 and 1.2 of it (BERT and Cascade R-CNN on p3dn), around 0.65 "
    "(engineering judgement)",
    ""};
/// Of a scaling that lacks one instance: the loss grows as (instances − 1) to this power, among the
/// curves that reproduce its points, which end where ring bandwidth or latency is all of it.
inline constexpr Assumption scaling_growth = {
    "growth of the loss of a scaling without one instance",
    0.65,
    0.0,
    1.2,
    "between ring bandwidth, which hardly grows with the instances, and latency, which grows as "
    "they do",
    "from 2 instances to 8 the loss grew by a power of 0.3 to 0.5 of what was added (hivemind, "
    "ALBERT on p3dn) to 0.9 and 1.2 of it (BERT and Cascade R-CNN on p3dn); down to ring bandwidth "
    "alone (engineering judgement)",
    ""};
inline constexpr Assumption hop_latency = {
    "/job/allreduce/latency",
    20e-6,
    5e-6,
    60e-6,
    "one hop of a ring",
    "NVLink, to TCP between instances (engineering judgement)",
    "allreduce"};
inline constexpr Assumption backward_share = {
    "backward share of a step",
    2.0 / 3.0,
    0.5,
    0.75,
    "the backward pass takes two thirds of a step; communication can hide behind it",
    "half, to three quarters (engineering judgement)",
    ""};
/// Blocks of a model whose parameters are sharded; they are gathered one after the other.
inline constexpr Assumption sharded_blocks = {
    "/job/allreduce/blocks",
    32.0,
    12.0,
    96.0,
    "a block of a transformer is gathered as a whole; models of 7 to 8 billion parameters have 32",
    "GPT-2 with 12 blocks, to models of 175 billion parameters with 96 (engineering judgement)",
    ""};
/// Of a model that is spread over GPUs. With 12 · layers · hidden² parameters, one number says
/// both.
inline constexpr Assumption hidden_over_layers = {
    "hidden size over layers",
    128.0,
    90.0,
    180.0,
    "of a transformer: GPT-3 175B 128, Llama 3 8B 128, 70B 102, 405B 130 (recalled)",
    "Llama 3 70B, to Megatron-LM's largest models with 200 (engineering judgement)",
    ""};
inline constexpr Assumption kv_share = {
    "/job/parallel/kv_size",
    0.25,
    0.0625,
    1.0,
    "of the hidden size: heads share keys and values, in Llama 3 8B four (recalled)",
    "16 heads share them (Llama 3 405B), to none (GPT-3) (engineering judgement)",
    ""};
inline constexpr Assumption experts_per_token = {
    "/job/parallel/experts_per_token",
    2.0,
    1.0,
    8.0,
    "Mixtral sends a token to two experts (recalled)",
    "Switch Transformer's one, to DeepSeek-V3's eight (engineering judgement)",
    ""};
inline constexpr Assumption expert_share = {
    "/job/parallel/expert_share",
    0.95,
    0.8,
    0.99,
    "of the parameters: Mixtral 8x7B has 45 of 47 billion in its experts (recalled)",
    "few experts, to many (engineering judgement)",
    ""};
/// Share of the line rate of a GPU's NVLinks in one direction.
inline constexpr Assumption nvlink_share =
    from_studies("/job/allreduce/busbw_inside", learned::nvlink_share,
                 "what NCCL's rings reach over NVLink with large messages", "allreduce");
/// Share of the line rate of a GPU's PCIe link in one direction that two of them reach.
inline constexpr Assumption pcie_share =
    from_studies("/job/allreduce/busbw_inside", learned::pcie_share,
                 "what two GPUs that reach each other's memory get by NCCL", "allreduce");
inline constexpr Assumption pcie_share_through_host =
    from_studies("/job/allreduce/busbw_inside", learned::pcie_share_through_host,
                 "what two GPUs get by NCCL through the memory of the host", "allreduce");
/// The share of n GPUs is that of two by (2/n) to this power.
inline constexpr Assumption pcie_crowding = from_studies(
    "PCIe shared by GPUs", learned::pcie_crowding,
    "the power of the GPUs over two by which NCCL's bus bandwidth over PCIe falls", "allreduce");
/// Shares of the line rate of an instance's network, by what it is.
inline constexpr Assumption efa_share =
    from_studies("/job/allreduce/busbw", learned::efa_share,
                 "what NCCL reaches over EFA with large messages", "allreduce");
inline constexpr Assumption infiniband_share =
    from_studies("/job/allreduce/busbw", learned::infiniband_share,
                 "what NCCL reaches over InfiniBand with large messages", "allreduce");
/// Of GPUs that have less than 100 Gbit/s each.
inline constexpr Assumption infiniband_share_of_few_ports =
    from_studies("/job/allreduce/busbw", learned::infiniband_share_of_few_ports,
                 "what jobs reach over InfiniBand whose ports several GPUs share", "allreduce");
inline constexpr Assumption tcp_share =
    from_studies("/job/allreduce/busbw", learned::tcp_share,
                 "what NCCL reaches over TCP up to 32 Gbit/s", "allreduce");
/// Of lines beyond 32 Gbit/s.
inline constexpr Assumption tcp_share_of_fast = from_studies(
    "/job/allreduce/busbw", learned::tcp_share_of_fast,
    "what NCCL reaches over TCP beyond 32 Gbit/s, with the sockets that it takes by itself",
    "allreduce");
inline constexpr Assumption gpudirect_share = {
    "/job/allreduce/busbw",
    0.88,
    0.5,
    0.98,
    "what NCCL reaches over Google's GPUDirect-TCPXO: 0.9 of 1,600 Gbit/s on two a3-megagpu-8g",
    "plain TCP, to that machine and a little more (engineering judgement)",
    "allreduce"};
/// What a hop over the network takes beyond the figures that NCCL reckons with.
inline constexpr Assumption efa_beyond =
    from_studies("latency of the network beyond NCCL's figures", learned::efa_beyond,
                 "what a hop over EFA takes longer than NCCL reckons with", "allreduce");
/// Instances before P5 have no RDMA write: the plugin sends messages, which the other host receives
/// (aws-ofi-nccl's platform table).
inline constexpr Assumption efa_messages_beyond = from_studies(
    "latency of the network beyond NCCL's figures", learned::efa_messages_beyond,
    "what a hop over EFA without RDMA writes takes longer than NCCL reckons with", "allreduce");
inline constexpr Assumption infiniband_beyond =
    from_studies("latency of the network beyond NCCL's figures", learned::infiniband_beyond,
                 "what a hop over InfiniBand takes longer than NCCL reckons with", "allreduce");
inline constexpr Assumption tcp_beyond = {
    "latency of the network beyond NCCL's figures",
    60e-6,
    20e-6,
    180e-6,
    "TCP: a round trip through two kernels",
    "a third, to three times that, as between zones (engineering judgement)",
    "allreduce"};
/// What a large message takes longer than NCCL reckons, because its pieces fill the links one after
/// the other; smaller ones in proportion (collective::Fabric::filling).
inline constexpr Assumption filling_between =
    from_studies("filling the links between instances", learned::filling_between,
                 "messages of a few MB do not fill the links as large ones do (nccl-tests)", "");
inline constexpr Assumption filling_messages =
    from_studies("filling the links between instances", learned::filling_messages,
                 "without RDMA writes, messages of tens of MB do not fill the links as large ones "
                 "do (nccl-tests)",
                 "");
inline constexpr Assumption filling_inside =
    from_studies("filling the links inside an instance", learned::filling_inside,
                 "messages of a few MB do not fill the links as large ones do (nccl-tests)", "");

}  // namespace feedrate::resolve::assumed
