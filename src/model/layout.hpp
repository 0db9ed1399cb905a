#pragma once
// A model that is spread over several GPUs: what the layout comes to.
#include <string>
#include <vector>

#include "base/units.hpp"

namespace feedrate {

/// GPUs that exchange something, each of which belongs to one such group.
struct GroupExchange {
  std::string group;       ///< "tensor", "context", "expert", "pipeline" or "data"
  double gpus = 1.0;       ///< of a group
  double instances = 1.0;  ///< that a group reaches over
  Bytes sent;              ///< by each GPU in an optimiser step; a pipeline's middle stages
  Bytes over_network;      ///< by an instance in an optimiser step, to others
  Duration time;           ///< of its messages in an optimiser step, one after the other
};

/// See ParallelLayout.
struct ModelLayout {
  double tensor = 1.0, context = 1.0, expert = 1.0, pipeline = 1.0;
  double data = 1.0;           ///< replicas of the model
  double loaders = 1.0;        ///< GPUs of an instance that load, where any does
  double loading = 1.0;        ///< instances that load
  double copies = 1.0;         ///< times that each sample is loaded
  double micro_batches = 1.0;  ///< of a replica and an optimiser step
  double bubble = 0.0;         ///< of the pipeline, over the time of all its micro-batches
  Duration idle;               ///< of each GPU in an optimiser step for that bubble
  Duration exposed;            ///< what the messages of all groups but `data` add to a step
  std::vector<GroupExchange> groups{};  ///< those of more than one GPU
};

}  // namespace feedrate
