#pragma once
// A model that is spread over several GPUs: what a scenario says of it, and what that comes to.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "model/named.hpp"

namespace feedrate {

/// How a pipeline passes micro-batches on: one forward, one backward; or likewise with several
/// chunks of layers on each GPU.
enum class PipelineSchedule { one_forward_one_backward, interleaved };
inline constexpr std::array<std::string_view, 2> pipeline_schedule_words = {"1f1b", "interleaved"};
static_assert(names_all(pipeline_schedule_words, PipelineSchedule::interleaved));

/// Which GPUs of a replica load its batches: one that hands them on; the first of each tensor group
/// in the first and the last stage, as Megatron-LM; or each for itself, as torchtitan.
enum class LoadedBy { one, megatron, torchtitan };
inline constexpr std::array<std::string_view, 3> loaded_by_words = {"one", "megatron",
                                                                    "torchtitan"};
static_assert(names_all(loaded_by_words, LoadedBy::torchtitan));

/// Which GPUs are the farthest apart: those with the same part of the model, or its stages.
enum class Outermost { data, pipeline };
inline constexpr std::array<std::string_view, 2> outermost_words = {"data", "pipeline"};
static_assert(names_all(outermost_words, Outermost::pipeline));

/// A model that is spread over tensor · context · pipeline GPUs.
struct ParallelLayout {
  double tensor = 1.0;
  double context = 1.0;
  double expert = 1.0;  ///< of the GPUs of `context` and `data`
  double pipeline = 1.0;
  std::optional<double> data;  ///< replicas; default: what the GPUs allow
  Outermost outermost = Outermost::data;
  PipelineSchedule schedule = PipelineSchedule::one_forward_one_backward;
  std::optional<double> virtual_stages;  ///< chunks of layers of a GPU; with `interleaved`
  std::optional<double> micro_batches;   ///< of a replica and an optimiser step
  std::optional<LoadedBy> loaded_by;
  std::optional<double> layers;
  std::optional<double> hidden_size;
  std::optional<double> kv_size;            ///< width of the keys, and of the values
  std::optional<double> experts_per_token;  ///< that each token is sent to
  std::optional<double> expert_share;       ///< of the parameters
  double overlapped = 0.0;                  ///< share of the layout's messages that is hidden
  bool operator==(const ParallelLayout&) const = default;
};

/// GPUs that exchange something, each of which belongs to one such group.
struct GroupExchange {
  std::string group;       ///< "tensor", "context", "expert", "pipeline", "data" or "expert data"
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
  Duration exposed;            ///< what the messages of all groups but those of gradients add
  std::vector<GroupExchange> groups{};  ///< those of more than one GPU
};

}  // namespace feedrate
