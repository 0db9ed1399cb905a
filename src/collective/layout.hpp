#pragma once
// A model that is spread over GPUs: which of them exchange something with each other, where those
// are, and what they send of it in an optimiser step. Ranks are numbered instance by instance:
// tensor innermost, then context, the part of the data that holds other experts, and pipeline and
// the rest of data in either order.
#include "base/units.hpp"
#include "collective/nccl.hpp"

namespace feedrate::collective {

struct Degrees {
  double tensor = 1.0, context = 1.0, expert = 1.0, pipeline = 1.0, data = 1.0;
  bool pipeline_outermost = false;
  double gpus = 1.0;  ///< of an instance

  /// GPUs with one copy of the model.
  [[nodiscard]] double replica() const { return tensor * context * pipeline; }
  /// Replicas that stand inside of the pipeline's stages, because they hold other experts.
  [[nodiscard]] double inner_data() const;
  /// Blocks of tensor · context GPUs that stand between a stage and the next.
  [[nodiscard]] double run() const { return pipeline_outermost ? data : inner_data(); }
};

/// GPUs that exchange something: `size` of them, so many in each instance that the group reaches.
struct GroupShape {
  double size = 1.0;
  double per_instance = 1.0;
  double sharing = 1.0;  ///< groups of an instance, which use its network at once

  [[nodiscard]] double instances() const { return size / per_instance; }
};
/// Of ranks that stand `stride` apart, where an instance has `gpus`.
GroupShape evenly_apart(double size, double stride, double gpus);

GroupShape tensor_group(const Degrees& degrees);
GroupShape context_group(const Degrees& degrees);
GroupShape expert_group(const Degrees& degrees);
GroupShape pipeline_group(const Degrees& degrees);
/// GPUs with the same part of the model, whose gradients are summed.
GroupShape data_group(const Degrees& degrees);
/// Those of them that hold the same experts, too.
GroupShape copies_of_expert(const Degrees& degrees);

/// The links of one such group, which shares the network with those beside it. `filling_inside`
/// stands for the cluster's where the group needs no network.
Fabric fabric_of(const Fabric& cluster, const GroupShape& group, Duration filling_inside);

/// What a GPU makes of a micro-batch.
struct Activations {
  double layers = 0.0;             ///< of a GPU
  double micro_batches = 1.0;      ///< of an optimiser step
  double chunks = 1.0;             ///< of layers, each a stage of the pipeline
  Bytes hidden;                    ///< between two layers, of the tokens of a context rank
  Bytes keys_values;               ///< of a layer, of the tokens and heads of a GPU
  double experts_per_token = 1.0;  ///< that each token is sent to
};

/// Messages of an optimiser step.
struct GroupCost {
  Bytes sent;          ///< by each GPU
  Bytes over_network;  ///< by an instance, to others
  Duration time;       ///< one after the other
};

/// Four sums of what is between two layers: two forward, two backward (Narayanan et al., SC 2021,
/// section 3.2), each as sequence parallelism has it: scattered, and gathered again (Korthikanti et
/// al., MLSys 2023).
GroupCost tensor_messages(const Activations& made, const GroupShape& group, const Fabric& fabric);
/// Keys and values of all, gathered forward and backward, and their gradients scattered: as many
/// bytes as a ring sends that passes them on.
GroupCost context_messages(const Activations& made, const GroupShape& group, const Fabric& fabric);
/// Tokens sent to their experts and back, forward and backward: four all-to-alls a layer, each GPU
/// with 1/tensor of the tokens.
GroupCost expert_messages(const Activations& made, double tensor, const GroupShape& group,
                          const Fabric& fabric);
/// What is between two stages, forward, and its gradient, backward, each GPU with 1/tensor of it
/// (the scatter and gather of section 4.1 there). Of a middle stage.
GroupCost pipeline_messages(const Activations& made, double tensor, const GroupShape& group,
                            const Fabric& fabric);

/// Time that a pipeline's GPUs wait while it fills and drains, over what all micro-batches take
/// (section 2.2 there).
double bubble(double stages, double micro_batches, double chunks);

}  // namespace feedrate::collective
