#pragma once
// What is assumed of failures, spot instances and checkpoints: a part of the list in
// assumptions.hpp.
#include <span>

#include "resolve/assumption.hpp"

namespace feedrate::resolve::assumed {

/// Failures of 1,000 instances in a day.
inline constexpr Assumption failures = {
    "/cluster/failures/per_1000_node_days",
    3.8,
    2.34,
    6.5,
    "419 unexpected interruptions of 2,048 nodes in 54 days (Llama 3, 2024)",
    "the two research clusters of Meta (arXiv 2410.21680)",
    "",
    2};
/// Failures of an instance with fewer than the eight GPUs of those nodes. GPUs and their memory
/// caused 47.3 % (Llama 3): that share is in proportion to the number of GPUs. At the low end of
/// the range all failures are, at the high end none.
constexpr Assumption failures_of(double gpus) {
  constexpr double of_node = 8.0;
  constexpr double by_gpus = 0.473;
  if (gpus >= of_node || gpus <= 0.0) return failures;
  const double share = gpus / of_node;
  Assumption fewer = failures;
  fewer.value *= 1.0 - by_gpus + by_gpus * share;
  fewer.low *= share;
  fewer.why =
      "3.8 of nodes of 8 GPUs (Llama 3, 2024), 47.3 % of it for GPUs, less by those that are not "
      "there";
  fewer.range =
      "all of it by the GPU at Meta's better cluster, to all of it by the node at the worse "
      "(arXiv 2410.21680)";
  return fewer;
}
/// The mean over instances with these numbers of GPUs, the largest number first.
inline Assumption failures_of(std::span<const double> gpus) {
  Assumption mean = failures_of(gpus.back());
  mean.value = mean.low = mean.high = 0.0;
  const auto instances = static_cast<double>(gpus.size());
  for (const double of_one : gpus) {
    const Assumption one = failures_of(of_one);
    mean.value += one.value / instances;
    mean.low += one.low / instances;
    mean.high += one.high / instances;
  }
  return mean;
}
/// Share of spot instances interrupted in a month, where the catalogue has none for the instance.
inline constexpr Assumption spot_share = {
    "/cluster/spot/interruption_share_per_month",
    0.1,
    0.03,
    0.3,
    "no share is published for the instance",
    "between AWS's buckets below 5 % and above 20 % (engineering judgement)",
    ""};
inline constexpr Assumption wait_for_capacity = {
    "/cluster/spot/wait_for_capacity",
    2400.0,
    300.0,
    7200.0,
    "three on-demand requests for GPUs waited 28 to 58 min in us-west-2 (2026)",
    "capacity at hand, to two hours: spot draws on the same pools (engineering judgement)",
    ""};
inline constexpr Assumption restart = {
    "/job/checkpoint/restart",
    300.0,
    60.0,
    1200.0,
    "noticing, replacing and launching; loading the checkpoint comes on top",
    "an automatic restart in place, to a replaced node (engineering judgement)",
    ""};
/// Bytes of each parameter of a model that is spread over GPUs.
inline constexpr Assumption checkpoint_of_parameter = {
    "/job/checkpoint/size",
    14.0,
    10.0,
    18.0,
    "a parameter in bf16, its copy in fp32 and Adam's two moments in fp32: 2 + 4 + 8 bytes",
    "moments of fewer bits, to gradients beside them (engineering judgement)",
    ""};
/// Bytes of each parameter of one that each GPU has all of.
inline constexpr Assumption checkpoint_of_whole_model = {
    "/job/checkpoint/size",
    12.0,
    4.0,
    18.0,
    "a parameter in fp32 and Adam's two moments in fp32: 4 + 8 bytes",
    "the weights alone, to gradients and a copy in bf16 beside them (engineering judgement)",
    ""};
/// What a client writes of an object with one request.
inline constexpr Assumption checkpoint_part = {
    "part of a checkpoint that a request writes",
    8388608.0,
    5242880.0,
    67108864.0,
    "8 MiB, the default of the AWS CLI, the AWS Common Runtime, Amazon S3 Connector for PyTorch "
    "and azcopy",
    "the least that S3 takes, to 64 MiB as of clients of large objects (engineering judgement)",
    ""};
/// Share of the bandwidth at which the storage of the data can be read.
inline constexpr Assumption checkpoint_share = {
    "/job/checkpoint/bandwidth",
    0.6,
    0.2,
    1.0,
    "written where the data comes from; NVMe drives write at 0.7 to 1 of their reading rate, and a "
    "checkpoint has few writers",
    "a fifth, as of one writer, to all of it (engineering judgement)",
    ""};

}  // namespace feedrate::resolve::assumed
