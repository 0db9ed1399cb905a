#pragma once
// What studies imply for the numbers that are assumed: value, range, studies, and which they are.
// Made by bench/evidence/priors from bench/evidence/priors.json, which names the sources; not edited
// by hand.
// clang-format off
#include <string_view>

namespace feedrate::resolve {

struct Prior {
  std::string_view name;
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
  int studies = 0;
  std::string_view which;
};

namespace learned {

/// Bytes a second of one connection: store whose connections nobody measured (S3 has its own figures).
inline constexpr Prior connection_rate = {"connection_rate", 190000000.0, 32200000.0, 1120000000.0, 5,
    "5 studies of 2019 to 2023, and one more of their kind: aistore-closed-loop, "
    "presto-cv-strategies, epam-efs, epam-lustre, dvassallo-s3"};

/// Time that each core needs more when all are busy, of which as many have their share: processes that decode and augment, up to the number of cores.
inline constexpr Prior contention = {"contention", 0.239, 0.01, 0.651, 18,
    "18 studies of 2021 to 2026, and one more of their kind: lotus-workers, aicr-replicated, "
    "own-two-core-hosts, imread-dl-c3d, imread-dl-c4a, imread-dl-c4d, imread-dl-t2a, "
    "grasp-loader-i5, andre-lmdb-loader, kaggle-crop-augment, data-aware-lumi, "
    "wafer-t4-loader, rice-pests-8845hs, pusht-hdf5-m4, lumi-file-formats, nemo-ssl-loader, "
    "nersc-unet3d, windows-fashion-workers"};

/// Seconds a byte of a batch that its worker left in shared memory: the main process of PyTorch's DataLoader.
inline constexpr Prior handover_shared = {"handover_shared", 1.47e-10, 2.58e-11, 8.36e-10, 3,
    "3 studies of 2024 to 2026, and one more of their kind: mlps1, own-two-core-hosts, "
    "aicr-read"};

/// C of 1 + c (n - 1)/(1 + (n - 1)/16), the time of n workers over that of one: pools of threads, or of processes that one process feeds.
inline constexpr Prior pool_contention = {"pool_contention", 0.0572, 0.00497, 0.659, 6,
    "6 studies of 2018 to 2025, and one more of their kind: dali-4806-threads, "
    "presto-thread-scaling, synergy-cpu-sensitivity, cedar-remote-scaling, petastorm-190, "
    "spdl-pr303-dataloader"};

/// What the second threads of all cores add: decoding and augmenting on x86.
inline constexpr Prior hyper_threading_gain = {"hyper_threading_gain", 0.354, 0.178, 0.702, 3,
    "3 studies of 2022 to 2024, and one more of their kind: lotus-workers, dali-4806-threads, "
    "presto-thread-scaling"};

/// Cores a hardware thread: machine that nobody named.
inline constexpr Prior cores_of_threads = {"cores_of_threads", 0.784, 0.5, 0.989, 5,
    "5 studies of 2021 to 2026, and one more of their kind: catalogue, imread-dl-c3d, "
    "lotus-workers, coordl-prep-cores, own-two-core-hosts"};

/// Exponent of the number of GPUs in one instance: steps of training on 8 GPUs of one instance.
inline constexpr Prior gpus_together = {"gpus_together", 0.958, 0.659, 0.996, 5,
    "5 studies of 2017 to 2023, and one more of their kind: lambda-timm-gavel, gavel, "
    "nvidia-dle-rn50, tensorpack, tf-bench"};

/// Of a step, times 1 − 1/GPUs: by how much longer it takes than on one GPU: data-parallel steps on 2 to 8 GPUs of one machine.
inline constexpr Prior beside_others = {"beside_others", 0.0965, 0.005, 0.215, 20,
    "20 studies of 2017 to 2026, and one more of their kind: servergear-2080ti, "
    "batchai-horovod, csc-ml-benchmarks, dlperf-bert-pytorch, lambda-timm-gavel, "
    "lambda-ngc-benchmark, paddle-k40m, tf-bench-k80-replicated, nvidia-dle-rn50, "
    "pytorch-ddp-suite, nvidia-nnunet, nvidia-tf-bert-squad, paddle-perf-bert, "
    "tensorpack-other-wrappers, ultralytics-yolov5-ddp, gollem-gpt2-h100, "
    "baskerville-gpt2-ddp, nova-mythos-lite, ddp-scaling-2xt4, horovod-issues-v100"};

/// Share of a step that does not grow with the batch: one GPU, at the batch that people train with.
inline constexpr Prior fixed_share = {"fixed_share", 0.108, 0.0143, 0.505, 2,
    "2 studies of 2017 to 2021, and one more of their kind: pollux-scaling, "
    "tf-bench-distributed"};

/// Efficiency of a step on several instances: data-parallel training on 2 to 64 instances.
inline constexpr Prior unknown_communication = {"unknown_communication", 0.92, 0.502, 0.992, 9,
    "9 studies of 2017 to 2024, and one more of their kind: hyundai, bert-frcnn-p3dn, "
    "alibaba-dawnbench, albert-p3dn, horovod, llm-foundry, torchtitan, tf-bench-distributed, "
    "pollux-scaling"};

/// Sequential rate over 4 KiB random reads: NVMe of rented instances.
inline constexpr Prior nvme_floor = {"nvme_floor", 2.16, 1.0, 7.24, 3,
    "3 studies of 2017 to 2026, and one more of their kind: aws-i3en, aws-i3, "
    "own-two-core-hosts"};

/// Seconds that a large message takes beyond what NCCL reckons: all-reduce over several instances.
inline constexpr Prior filling_between = {"filling_between", 0.00015, 2.15e-05, 0.00105, 8,
    "8 studies of 2021 to 2026, and one more of their kind: nccl-p5-2n, allreduce-b200, "
    "nccl-p6-b300-2n, nccl-g7e-2n, nccl-nebius-h100-2n, nccl-a4-2n, nccl-nd-a100-v4-2n, "
    "allreduce-2080ti"};

/// Seconds that a large message takes beyond what NCCL reckons: all-reduce over several instances without RDMA writes (EFA up to P4, GPUDirect-TCPXO).
inline constexpr Prior filling_messages = {"filling_messages", 0.000703, 5.97e-05, 0.00828, 3,
    "3 studies of 2021 to 2024, and one more of their kind: nccl-p4de-2n, nccl-p4d-2n, "
    "nccl-a3mega-2n"};

/// Seconds that a large message takes beyond what NCCL reckons: all-reduce inside one instance.
inline constexpr Prior filling_inside = {"filling_inside", 5e-05, 6.6e-06, 0.000379, 2,
    "2 studies of 2024 to 2025, and one more of their kind: nccl-dgx-h100-1n, allreduce-b200"};

/// Share of the line of a GPU's NVLinks in one direction that NCCL's rings reach with large messages: GPUs of one machine with NVLink.
inline constexpr Prior nvlink_share = {"nvlink_share", 0.771, 0.493, 0.921, 6,
    "6 studies of 2023 to 2025, and one more of their kind: nccl-tests-175, nccl-tests-149, "
    "nccl-tests-178, nccl-tests-309, nccl-1221, nccl-tests-212"};

/// Share of a GPU's PCIe line that NCCL reaches with large messages between two GPUs: GPUs of one machine without NVLink that reach each other's memory.
inline constexpr Prior pcie_share = {"pcie_share", 0.66, 0.322, 0.888, 4,
    "4 studies of 2016 to 2026, and one more of their kind: nccl-issue-44, tinygrad-p2p, "
    "nccl-pr-2036, rtx6kpro"};

/// Share of a GPU's PCIe line that NCCL reaches with large messages between two GPUs: GPUs of one machine without NVLink whose copies pass the memory of the host: GeForce cards since the RTX 20 series.
inline constexpr Prior pcie_share_through_host = {"pcie_share_through_host", 0.396, 0.122, 0.755, 4,
    "4 studies of 2020 to 2025, and one more of their kind: servergear-2080ti, "
    "allreduce-2080ti, nccl-issue-1639, autodl-2080ti"};

/// Power of the number of GPUs over two, by which the bus bandwidth over PCIe falls: 0 where each pair has lines of its own, 1 where all share one.
inline constexpr Prior pcie_crowding = {"pcie_crowding", 0.333, 0.0, 0.986, 5,
    "5 studies of 2020 to 2026, and one more of their kind: servergear-2080ti, tinygrad-p2p, "
    "nccl-issue-1639, nccl-pr-2036, rtx6kpro"};

/// Share of the line that NCCL reaches with large messages: EFA, NCCL and its plugin since 2022.
inline constexpr Prior efa_share = {"efa_share", 0.946, 0.485, 0.997, 5,
    "5 studies of 2023 to 2026, and one more of their kind: nccl-p4de-2n, allreduce-b200, "
    "nccl-g7e-2n, nccl-p5-2n, nccl-p6-b300-2n"};

/// Share of the line that NCCL reaches with large messages: InfiniBand and RoCE, 100 Gbit/s or more for each GPU.
inline constexpr Prior infiniband_share = {"infiniband_share", 0.905, 0.732, 0.971, 5,
    "5 studies of 2022 to 2025, and one more of their kind: nccl-1048, nccl-tests-119, "
    "nccl-nebius-h100-2n, nccl-nd-a100-v4-2n, nccl-a4-2n"};

/// Share of the line that NCCL reaches with large messages: InfiniBand and RoCE, less than 100 Gbit/s for each GPU, within jobs.
inline constexpr Prior infiniband_share_of_few_ports = {"infiniband_share_of_few_ports", 0.636, 0.0867, 0.97, 6,
    "6 studies of 2017 to 2025, and one more of their kind: dlperf-bert-pytorch, "
    "paddle-perf-bert, baskerville-gpt2-ddp, csc-ml-benchmarks, pytorch-ddp-suite, "
    "horovod-readme-2017"};

/// Share of the line that NCCL reaches with large messages: TCP, up to 32 Gbit/s.
inline constexpr Prior tcp_share = {"tcp_share", 0.765, 0.163, 0.982, 4,
    "4 studies of 2017 to 2024, and one more of their kind: nccl-209, allreduce-2080ti, "
    "nccl-gke-v100, horovod-readme-2017"};

/// Share of the line that NCCL reaches with large messages: TCP, beyond 32 Gbit/s.
inline constexpr Prior tcp_share_of_fast = {"tcp_share_of_fast", 0.288, 0.064, 0.705, 2,
    "2 studies of 2021 to 2021, and one more of their kind: nccl-450, pollux-scaling"};

/// Seconds of a hop over the network beyond NCCL's own figures: EFA with RDMA writes (P5 and later).
inline constexpr Prior efa_beyond = {"efa_beyond", 2.61e-05, 3e-06, 0.000228, 5,
    "5 studies of 2024 to 2026, and one more of their kind: nccl-p5-2n, nccl-p6-b300-2n, "
    "allreduce-b200, nccl-g7e-2n, aws-ofi-nccl"};

/// Seconds of a hop over the network beyond NCCL's own figures: EFA without RDMA writes (P3dn, P4, G4dn, G5, G6).
inline constexpr Prior efa_messages_beyond = {"efa_messages_beyond", 7.78e-05, 1.46e-05, 0.000414, 3,
    "3 studies of 2021 to 2024, and one more of their kind: nccl-p4de-2n, nccl-p4d-2n, "
    "aws-ofi-nccl"};

/// Seconds of a hop over the network beyond NCCL's own figures: InfiniBand and RoCE.
inline constexpr Prior infiniband_beyond = {"infiniband_beyond", 2.62e-06, 2.98e-07, 2.31e-05, 4,
    "4 studies of 2023 to 2025, and one more of their kind: nccl-tests-150, nccl-1453, "
    "nccl-nebius-h100-2n, nccl-nd-a100-v4-2n"};

/// One over the share of the peak that products of matrices alone reach: training of a transformer of any size (bench/evidence/transformers).
inline constexpr Prior transformer_products = {"transformer_products", 1.6, 1.6, 1.6, 10,
    "of lambda-training, llm-foundry-fsdp, torchtitan-fsdp, megatron-mfu, dgxc, "
    "jax-toolbox-pax, torchtitan-a100, kempner-forge-160, bigscience-jz-megatron, "
    "dlperf-megatron-gpt"};

/// What all else adds to that, for a billion parameters on an H100: bytes moved in training a transformer (bench/evidence/transformers).
inline constexpr Prior transformer_moved = {"transformer_moved", 1.9, 1.9, 1.9, 10,
    "of lambda-training, llm-foundry-fsdp, torchtitan-fsdp, megatron-mfu, dgxc, "
    "jax-toolbox-pax, torchtitan-a100, kempner-forge-160, bigscience-jz-megatron, "
    "dlperf-megatron-gpt"};

/// Time of an operation of attention, in that of a product of matrices: training of a transformer (bench/evidence/transformers).
inline constexpr Prior transformer_attention = {"transformer_attention", 2.15, 2.15, 2.15, 10,
    "of lambda-training, llm-foundry-fsdp, torchtitan-fsdp, megatron-mfu, dgxc, "
    "jax-toolbox-pax, torchtitan-a100, kempner-forge-160, bigscience-jz-megatron, "
    "dlperf-megatron-gpt"};

/// Share of what its size, its sequences and its GPU let expect of the peak: training of a transformer (bench/evidence/transformers, which has the values).
inline constexpr Prior transformer_utilization = {"transformer_utilization", 1.04, 0.597, 1.8, 11,
    "11 studies of 2021 to 2026, and one more of their kind: lambda-training, "
    "llm-foundry-fsdp, torchtitan-fsdp, feedrate-h100-vm, megatron-mfu, dgxc, "
    "jax-toolbox-pax, torchtitan-a100, kempner-forge-160, bigscience-jz-megatron, "
    "dlperf-megatron-gpt"};

/// Factor on the time of a sample that a published training rate says: the same model on the same GPU, with other software and batches.
inline constexpr Prior published_rate = {"published_rate", 0.796, 0.518, 1.22, 4,
    "4 studies of 2018 to 2026, and one more of their kind: nvidia-dle-rn50, "
    "alibaba-dawnbench, lambda-timm-gavel, feedrate-h100-vm"};

}  // namespace learned

}  // namespace feedrate::resolve
