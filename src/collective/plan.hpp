#pragma once
// All that GPUs exchange in an optimiser step, as a function of how fast they compute and of how
// fast messages are: what is exposed of it follows from both.
#include <functional>
#include <memory>
#include <optional>
#include <variant>

#include "collective/nccl.hpp"
#include "collective/overlap.hpp"

namespace feedrate::collective {

/// After the backward pass, in one message.
struct OneMessage {};

/// ZeRO-1 and 2: gradients scattered in buckets, after each micro-batch or after the last alone;
/// parameters gathered once the optimiser has made them, with nothing to run beside that.
struct ScatteredGradients {
  Bytes bucket;  ///< > 0
  bool each_batch = false;
};

/// FSDP and ZeRO-3, in each micro-batch.
struct ShardedParameters {
  double blocks = 1.0;
};

/// A model that is spread over GPUs: what its step waits for beside the gradients.
struct SpreadStep {
  double bubble = 0.0;  ///< of the pipeline, over the time of all micro-batches
  Duration messages;    ///< of an optimiser step that no computing hides
};

struct Plan {
  /// Time of one message of so many bytes, as sent.
  std::function<Duration(Collective, Bytes)> time;
  std::variant<OneMessage, Buckets, Fusion, ScatteredGradients, ShardedParameters> schedule;
  Bytes gradients;        ///< of a backward pass, as they become ready
  double sent = 1.0;      ///< bytes of each byte of them
  Bytes gathered;         ///< of parameters, where they or the optimiser are sharded
  double batches = 1.0;   ///< micro-batches of an optimiser step
  double backward = 0.0;  ///< share of a micro-batch's step, 0…1
  /// What of all messages is hidden, 0…1, instead of what the schedule hides: as far as there is
  /// computing to hide it behind.
  std::optional<double> overlap{};
  double part = 1.0;  ///< of a batch's step: a micro-batch's
  std::optional<SpreadStep> spread{};
  /// The same with instances' lines twice as fast, and the bytes of it over an instance's NIC,
  /// which another algorithm may change; null where samples do not share the NIC.
  std::shared_ptr<const Plan> on_twice_the_line{};
  Bytes over_nic_of_that{};
};

/// The exchange of an optimiser step whose batches take `step` each, with messages `faster` times
/// as fast as planned. Sizes of messages are those sent. Of a model that is spread, what is exposed
/// has the pipeline's bubble and the messages between its parts in it; all else is of the
/// gradients.
Exchange exchange(const Plan& plan, Duration step, double faster = 1.0);

/// Bytes that each GPU hands over in an optimiser step, as sent.
Bytes handed_over(const Plan& plan);

}  // namespace feedrate::collective
