#pragma once
// The stages of the chain, in the order in which a sample meets them.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace feedrate {

enum class Stage : std::uint8_t {
  startup,         ///< workers starting at the head of an epoch, first batch not yet begun
  download,        ///< bytes from a remote source, as fast as it and its connections give them
  network,         ///< the NIC of an instance, for what is downloaded and what helpers send
  disk,            ///< bytes from a local or attached disk (page cache misses)
  decode,          ///< preprocessing on CPU cores of the instance
  remote,          ///< preprocessing on auxiliary CPU instances, and what leaves them
  collate,         ///< a worker putting samples together into a batch in shared memory
  handover,        ///< the main process taking a batch: unpickle, pin, launch
  h2d,             ///< host-to-device copy
  gpu_preprocess,  ///< preprocessing on the GPU: work of it, as a step is
  gpu,             ///< forward, backward, optimiser
  allreduce,       ///< exposed communication of gradients
  checkpoint,      ///< writing checkpoints
  interruption,    ///< what interruptions cost: work done again, restarts, waiting for instances
};

inline constexpr std::size_t stage_count = 14;

inline constexpr std::array<std::string_view, stage_count> stage_names = {
    "startup",  "download", "network",        "disk", "decode",    "remote",     "collate",
    "handover", "h2d",      "gpu_preprocess", "gpu",  "allreduce", "checkpoint", "interruption"};

constexpr std::string_view name_of(Stage stage) {
  return stage_names[static_cast<std::size_t>(stage)];
}

/// One value for each stage.
template <class T>
class PerStage {
 public:
  constexpr T& operator[](Stage stage) { return values_[static_cast<std::size_t>(stage)]; }
  constexpr const T& operator[](Stage stage) const {
    return values_[static_cast<std::size_t>(stage)];
  }
  bool operator==(const PerStage&) const = default;

 private:
  std::array<T, stage_count> values_{};
};

/// All stages, to loop over.
constexpr std::array<Stage, stage_count> all_stages() {
  std::array<Stage, stage_count> stages{};
  for (std::size_t i = 0; i < stage_count; ++i) stages[i] = static_cast<Stage>(i);
  return stages;
}

}  // namespace feedrate
